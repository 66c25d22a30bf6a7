/**
 * What stands in a foreign JSON object? Reads of one field each; a field of another kind than asked
 * for is absent, never turned into one.
 */
import { isObject, type Json, type JsonObject, own } from "../../model/json.ts";

/** A text, null where there is none. */
export function textAt(value: Json | undefined, key: string): string | null {
  const field = fieldAt(value, key);
  return typeof field === "string" ? field : null;
}

/** A text that says something, null where there is none. */
export function nameAt(value: Json | undefined, key: string): string | null {
  const text = textAt(value, key);
  return text === "" ? null : text;
}

/** An object, undefined where there is none. */
export function objectAt(value: Json | undefined, key: string): JsonObject | undefined {
  const field = fieldAt(value, key);
  return isObject(field) ? field : undefined;
}

/** The items of a list, none where there is no list. */
export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const field = fieldAt(value, key);
  return Array.isArray(field) ? field : [];
}

/** A whole number of any sign, null where there is none. */
export function integerAt(value: Json | undefined, key: string): number | null {
  const field = fieldAt(value, key);
  return typeof field === "number" && Number.isSafeInteger(field) ? field : null;
}

/** A whole number from 0, null where there is none. */
export function countAt(value: Json | undefined, key: string): number | null {
  const count = integerAt(value, key);
  return count !== null && count >= 0 ? count : null;
}

/** A finite number from 0, null where there is none. */
export function amountAt(value: Json | undefined, key: string): number | null {
  const field = fieldAt(value, key);
  return typeof field === "number" && Number.isFinite(field) && field >= 0 ? field : null;
}

/** The field itself, undefined where `value` is no object. */
export function fieldAt(value: Json | undefined, key: string): Json | undefined {
  return isObject(value) ? own(value, key) : undefined;
}

/** The texts of content parts (`{type: "text", text}`), one a line; a text is itself. */
export function contentText(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => textAt(part, "text")).filter((text) => text !== null).join("\n");
}
