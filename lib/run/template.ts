/**
 * What does `<name>` stand for? Fills arguments and lets into the templates of tools: alone a name
 * keeps its type, inside a text it becomes text, in a path it becomes one part whatever it holds.
 * Refuses names that nothing stands for; the caller decides what an absent value means.
 */
import { parsePath, type PathParts } from "../model/state_path.ts";
import { isObject, type Json, type JsonObject, own, put } from "../model/json.ts";

/** What names stand for: arguments, and the lets that shadow them. */
export type Names = JsonObject;

/** A filled template, or which name nothing stands for. */
export type Filled<Value> =
  | { readonly kind: "filled"; readonly value: Value }
  | { readonly kind: "absent"; readonly name: string };

const NAME = /<([A-Za-z_][\w-]*(?:\.[\w-]+)*)>/g;
const ALONE = /^<([A-Za-z_][\w-]*(?:\.[\w-]+)*)>$/;

/** What `name` or `name.field` stands for, undefined where that is nothing. */
export function lookUp(names: Names, name: string): Json | undefined {
  let value: Json | undefined = names;
  for (const part of name.split(".")) value = isObject(value) ? own(value, part) : undefined;
  return value;
}

/**
 * The template with its names filled in, nested objects and lists included. `missing` is what a
 * lone name becomes where nothing stands for it; without it, and inside texts, that is `absent`.
 */
export function fillValue(template: Json, names: Names, missing?: Json): Filled<Json> {
  if (typeof template === "string") return fillString(template, names, missing);
  if (Array.isArray(template)) return fillList(template, names, missing);
  if (!isObject(template)) return { kind: "filled", value: template };
  const value: JsonObject = {};
  for (const [key, item] of Object.entries(template)) {
    const filled = fillValue(item, names, missing);
    if (filled.kind === "absent") return filled;
    put(value, key, filled.value);
  }
  return { kind: "filled", value };
}

function fillList(template: readonly Json[], names: Names, missing?: Json): Filled<Json> {
  const value: Json[] = [];
  for (const item of template) {
    const filled = fillValue(item, names, missing);
    if (filled.kind === "absent") return filled;
    value.push(filled.value);
  }
  return { kind: "filled", value };
}

function fillString(template: string, names: Names, missing?: Json): Filled<Json> {
  const alone = ALONE.exec(template)?.[1];
  if (alone === undefined) return fillText(template, names);
  const value = lookUp(names, alone) ?? missing;
  return value === undefined ? { kind: "absent", name: alone } : { kind: "filled", value };
}

/** The text with its names filled in as text: objects and lists as JSON. */
export function fillText(template: string, names: Names): Filled<string> {
  let absent: string | null = null;
  const value = template.replace(NAME, (whole, name: string) => {
    const found = lookUp(names, name);
    if (found === undefined) absent ??= name;
    return found === undefined ? whole : textOf(found);
  });
  return absent === null ? { kind: "filled", value } : { kind: "absent", name: absent };
}

/** The parts of a path template: what a name stands for is never split, except below `files/`. */
export function fillPath(template: string, names: Names): Filled<PathParts> {
  const parts: string[] = [];
  for (const part of parsePath(template)) {
    const filled = fillText(part, names);
    if (filled.kind === "absent") return filled;
    parts.push(filled.value);
  }
  return { kind: "filled", value: parts };
}

function textOf(value: Json): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
