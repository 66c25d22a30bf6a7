/**
 * How are arguments and schemas named to an agent? Small words that every problem is made of:
 * `Argument "lines[0].id"`, `one of "a", "b"`, `a whole number`.
 */
import type { Json } from "./json.ts";

/** A JSON Schema type in words: `a text`, `a whole number`. */
export function typeWords(type: string): string {
  const words: Readonly<Record<string, string>> = {
    string: "a text",
    number: "a number",
    integer: "a whole number",
    boolean: "true or false",
    object: "an object",
    array: "a list",
    null: "null",
  };
  return words[type] ?? type;
}

/** The path of `key` below `path`. */
export function joined(path: string, key: string): string {
  return path === "" ? key : `${path}.${key}`;
}

/** The argument at a path, the whole where that is empty. */
export function named(path: string): string {
  return path === "" ? "Arguments" : `Argument ${JSON.stringify(path)}`;
}

/** One word as it is, several as `one of …`. */
export function listed(words: readonly string[]): string {
  return words.length > 1 ? `one of ${words.join(", ")}` : words.join("");
}

/** A value as JSON, shortened to 80 characters. */
export function shown(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
