/**
 * What do arguments say that came as a text or as an object? No text at all means none; everything
 * else must be a JSON object, or the call keeps its text and has no arguments.
 */
import { isObject, type Json } from "../../model/json.ts";
import type { ModelCall } from "../../model/ports.ts";

/** Arguments of a call as the ports tell them. */
export function readArgs(value: Json | undefined): Pick<ModelCall, "args" | "argsText"> {
  if (isObject(value)) return { args: value, argsText: JSON.stringify(value) };
  const text = typeof value === "string" ? value : JSON.stringify(value ?? "");
  if (value === undefined || value === null || text.trim() === "") {
    return { args: {}, argsText: "{}" };
  }
  const args = parsed(text);
  return { args: isObject(args) ? args : null, argsText: text };
}

/** Arguments for an interface that takes JSON alone: others go as a text in it. */
export function jsonOf(argsText: string): Json {
  return parsed(argsText) ?? { input: argsText };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
