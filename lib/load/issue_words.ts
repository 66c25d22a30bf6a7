/** How are values, places and wants called in a sentence? The words of messages about a file's shape. */
import { isObject, type Json } from "../model/json.ts";
import { wordList } from "../model/near_words.ts";
import { type Issue, isTypeAtTop, type Schema } from "./schema_walk.ts";
import { type KeyPath, type SourceFile, valueIn } from "./source.ts";

/** What an issue is told with. */
export interface Context {
  readonly source: SourceFile;
  readonly schema: Schema;
  readonly noun: string;
}

/** The words that choose between the branches of a union. */
export function discriminants(issue: Issue): string[] {
  const options = (issue as { options?: unknown }).options;
  return Array.isArray(options) ? options.map(String) : [];
}

/** What any branch of a union would take. */
export function unionWanted(issue: Issue & { code: "invalid_union" }): string {
  const tops = issue.errors.flat().filter(isTypeAtTop).map(wanted);
  return [...new Set(tops)].join(" or ");
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list of two",
  object: "a group of keys",
  record: "a group of keys",
  null: "null",
};

/** What was wanted, in words. */
export function wanted(issue: Issue): string {
  if (issue.code === "invalid_type") return TYPES[issue.expected] ?? issue.expected;
  if (issue.code === "invalid_value") return `one of ${wordList(issue.values.map(String))}`;
  if (issue.code === "invalid_union") {
    const options = discriminants(issue);
    return options.length > 0 ? `one of ${wordList(options)}` : unionWanted(issue);
  }
  if (issue.code === "custom") return lower(issue.message).replace(/^expected /, "");
  return "a value";
}

/** A value in a sentence: `the text "x"`, `the number 5`, `a list`, `empty`. */
export function shown(value: Json): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a group of keys";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return `the number ${value}`;
  return `"${value.length > 60 ? `${value.slice(0, 57)}…` : value}"`;
}

/** The text with a small first letter. */
export function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** A value's name in a sentence: `"weight" of checkpoint "looked_up"`. */
export function valueName(context: Context, path: KeyPath): string {
  const last = path.at(-1);
  if (last === undefined) return capital(context.noun);
  if (typeof last === "number") return capital(placeName(context, path));
  const parent = path.slice(0, -1);
  return parent.length === 0 ? `"${last}"` : `"${last}" of ${placeName(context, parent)}`;
}

/** A group's name in a sentence: `checkpoint "looked_up"`, `"expected"`, `the scenario`. */
export function placeName(context: Context, path: KeyPath): string {
  const last = path.at(-1);
  if (last === undefined) return context.noun;
  if (typeof last === "string") {
    const parent = path.at(-2);
    const named = typeof parent === "string" && NAMED_GROUPS[parent] !== undefined;
    return named ? `${NAMED_GROUPS[parent]} "${last}"` : `"${last}"`;
  }
  const list = String(path.at(-2) ?? "");
  const value = valueIn(context.source.value, path);
  const word = ENTRIES[list] ?? "entry";
  const name = isObject(value ?? null) ? entryName(value as Record<string, Json>) : null;
  return name === null ? `${word} ${last + 1} of "${list}"` : `${word} "${name}"`;
}

const NAMED_GROUPS: Readonly<Record<string, string>> = {
  tools: "tool",
  agents: "agent",
  models: "model",
};

const ENTRIES: Readonly<Record<string, string>> = {
  checkpoints: "checkpoint",
  rules: "rule",
  turns: "turn",
  conversation: "turn",
  calls: "call",
  messages: "message",
  faults: "fault",
  proof: "proof",
  rubric: "rubric entry",
  jobs: "job",
  tools_called: "tool call",
};

function entryName(value: Record<string, Json>): string | null {
  for (const key of ["id", "name", "tool", "to"]) {
    const name = value[key];
    if (typeof name === "string") return name;
  }
  return null;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
