/**
 * How are server-sent events written and read? Only the two fields that the model interfaces use:
 * `event` and `data`. A last event without its blank line is not read: it was cut.
 */
import type { Json } from "../../model/json.ts";

/** One event; without a name, only its data. */
export function sseEvent(data: Json | string, name: string | null = null): string {
  const text = typeof data === "string" ? data : JSON.stringify(data);
  return `${name === null ? "" : `event: ${name}\n`}data: ${text}\n\n`;
}

/** The data of all whole events that are JSON, in order; `[DONE]` and comments are left out. */
export function readSse(body: string): Json[] {
  const text = body.replaceAll("\r\n", "\n");
  const end = text.lastIndexOf("\n\n");
  if (end === -1) return [];
  return text.slice(0, end).split("\n\n").flatMap((block) => {
    const data = block.split("\n").filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).replace(/^ /, "")).join("\n");
    return parsed(data);
  });
}

function parsed(text: string): Json[] {
  try {
    return text === "" || text === "[DONE]" ? [] : [JSON.parse(text) as Json];
  } catch {
    return [];
  }
}
