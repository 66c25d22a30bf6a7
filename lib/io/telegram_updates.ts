/**
 * What was written to the bot? The answer of `getUpdates` in; each update with its number out, and
 * its message where it has one that can be read. An update that nobody can read keeps its number, so
 * that it is not asked for again.
 */
import type { ChatMessage, ChatUpdate } from "../model/ports.ts";

/** A longer text is no command. */
const TEXT_MAX = 1000;

/** All updates, in order; null where the answer is no list of them. */
export function readUpdates(result: unknown): ChatUpdate[] | null {
  if (!Array.isArray(result)) return null;
  return result.flatMap((update) => {
    const id = field(update, "update_id");
    if (!Number.isSafeInteger(id)) return [];
    return [{ id: id as number, message: readMessage(field(update, "message")) }];
  });
}

function readMessage(message: unknown): ChatMessage | null {
  const chat = field(message, "chat");
  const id = field(chat, "id");
  const date = field(message, "date");
  const text = field(message, "text");
  if (!Number.isSafeInteger(id) || !isSeconds(date)) return null;
  return {
    chat: String(id),
    isPrivate: field(chat, "type") === "private",
    text: typeof text === "string" ? text.slice(0, TEXT_MAX) : null,
    at: new Date(date * 1000).toISOString(),
  };
}

function isSeconds(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e11;
}

/** A member of an object, undefined where it has none of its own. */
export function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}
