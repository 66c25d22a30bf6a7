/**
 * When is what a replay sees the same as what was recorded? In: texts and JSON of a conversation.
 * Out: the same without what differs from run to run (ids made by programs, times to the second, the
 * working directory), and digests of it. The only place where a recording's comparison is lax.
 */
import { canonicalJson, hashText } from "../model/hash.ts";
import { isObject, type Json, type JsonObject, put } from "../model/json.ts";
import type { ModelTool } from "../model/ports.ts";

const UUID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;
const CALL_ID = /\b(?:call|toolu|chatcmpl|resp|msg)_[A-Za-z0-9]{8,}\b/g;
const TIME = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?/g;

/** The text with every id, time and mention of the working directory replaced by a fixed word. */
export function normaliseText(text: string, workingDirectory: string | null = null): string {
  const placed = workingDirectory === null ? text : text.replaceAll(workingDirectory, "<cwd>");
  return placed.replace(UUID, "<id>").replace(CALL_ID, "<id>").replace(TIME, "<time>");
}

/** What a person says, with white space as one blank: how it is laid out does not count. */
export function normaliseSpeech(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** The canonical text of arguments, each text in them normalised. */
export function normaliseArgs(args: JsonObject, workingDirectory: string | null = null): string {
  return canonicalJson(normaliseJson(args, workingDirectory));
}

/** `sha256:<hex>` of a tool's answer as the model read it, normalised. */
export function digestAnswer(text: string, workingDirectory: string | null = null): string {
  return hashText(normaliseText(text, workingDirectory));
}

/** `sha256:<hex>` of a system prompt, normalised; a recording keeps it as `system`. */
export function digestSystem(text: string, workingDirectory: string | null = null): string {
  return hashText(normaliseText(text, workingDirectory));
}

/** `sha256:<hex>` of the tools that a model was told of, whatever their order; kept as `tools`. */
export function digestTools(tools: readonly ModelTool[]): string {
  const lines = tools.map(({ name, description, input }) =>
    canonicalJson({ name, description, input })
  );
  return hashText(lines.sort().join("\n"));
}

/** The value with each of its texts normalised. */
export function normaliseJson(value: Json, workingDirectory: string | null = null): Json {
  if (typeof value === "string") return normaliseText(value, workingDirectory);
  if (Array.isArray(value)) return value.map((item) => normaliseJson(item, workingDirectory));
  if (!isObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    put(copy, key, normaliseJson(item, workingDirectory));
  }
  return copy;
}
