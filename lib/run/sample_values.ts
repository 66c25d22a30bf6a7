/**
 * Which values does a JSON Schema accept? A few, the likeliest first: const, enum, examples, default,
 * then made ones by type, range, format and simple pattern. They are proposals: the caller checks.
 */
import { isObject, type Json, type JsonObject, own, put } from "../model/json.ts";

const DEPTH_MAX = 5;

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-10-01",
  time: "09:00",
  "date-time": "2026-10-01T09:00:00+02:00",
  email: "someone@example.test",
  uri: "https://example.test/",
  uuid: "00000000-0000-4000-8000-000000000001",
};

/** Proposals for a schema within `root` (for references to its `$defs`). */
export function sampleValues(schema: Json, root: JsonObject, depth = 0): Json[] {
  if (!isObject(schema) || depth > DEPTH_MAX) return schema === false ? [] : ["x"];
  const given = givenValues(schema);
  const branches = ["anyOf", "oneOf", "allOf"].flatMap((key) => listAt(schema, key));
  const target = referenced(schema, root);
  return [
    ...given,
    ...(target === null ? [] : sampleValues(target, root, depth + 1)),
    ...branches.flatMap((branch) => sampleValues(branch, root, depth + 1)),
    ...typesOf(schema).flatMap((type) => samplesOfType(type, schema, { root, depth })),
  ];
}

/** The values that a schema itself names: enum, examples, const, default. */
export function givenValues(schema: Json): Json[] {
  if (!isObject(schema)) return [];
  const fixed = ["const", "default", "example"].flatMap((key) => {
    const value = own(schema, key);
    return value === undefined ? [] : [value];
  });
  return [...listAt(schema, "enum"), ...listAt(schema, "examples"), ...fixed];
}

function typesOf(schema: JsonObject): string[] {
  const type = own(schema, "type");
  if (type === undefined) return own(schema, "properties") === undefined ? ["string"] : ["object"];
  return (Array.isArray(type) ? type : [type]).map(String);
}

interface Within {
  readonly root: JsonObject;
  readonly depth: number;
}

function samplesOfType(type: string, schema: JsonObject, within: Within): Json[] {
  if (type === "string") return sampleTexts(schema);
  if (type === "number" || type === "integer") return sampleNumbers(schema);
  if (type === "boolean") return [true, false];
  if (type === "null") return [null];
  return type === "array" ? sampleLists(schema, within) : sampleObjects(schema, within);
}

function sampleTexts(schema: JsonObject): string[] {
  const format = FORMATS[String(own(schema, "format") ?? "")];
  const pattern = own(schema, "pattern");
  const least = numberAt(schema, "minLength") ?? 0;
  const texts = [
    ...(format === undefined ? [] : [format]),
    ...(typeof pattern === "string" ? [fromPattern(pattern)] : []),
    "x",
    "1",
    ...Object.values(FORMATS),
  ];
  return texts.map((text) => text.padEnd(Math.min(least, 1000), "x"));
}

/** A text for patterns made of plain characters, classes, groups and repetitions; else a poor guess. */
function fromPattern(pattern: string): string {
  const alternatives = pattern.replace(/^\^|\$$/g, "").split("|");
  const first = (alternatives[0] ?? "").replace(/[()]|\?:/g, "");
  const unit = /(\[[^\]]*\]|\\.|.)(\{(\d+)(?:,\d*)?\}|[+*?])?/gs;
  return [...first.matchAll(unit)].map(([, atom = "", , count]) =>
    memberOf(atom).repeat(Math.min(Number(count ?? 1), 100))
  ).join("");
}

function memberOf(atom: string): string {
  if (atom === "\\d") return "1";
  if (atom === "\\w" || atom === ".") return "a";
  if (atom === "\\s") return " ";
  if (atom.startsWith("\\")) return atom.slice(1);
  if (!atom.startsWith("[")) return atom;
  const first = atom.slice(1, -1);
  if (first.startsWith("^")) return "a";
  return first.startsWith("\\") ? memberOf(first.slice(0, 2)) : first.slice(0, 1);
}

function sampleNumbers(schema: JsonObject): number[] {
  const step = numberAt(schema, "multipleOf") ?? 1;
  const least = numberAt(schema, "minimum");
  const above = numberAt(schema, "exclusiveMinimum");
  const most = numberAt(schema, "maximum");
  return [
    ...(least === null ? [] : [least, Math.ceil(least / step) * step]),
    ...(above === null ? [] : [(Math.floor(above / step) + 1) * step, above + step / 100]),
    1,
    0,
    step,
    ...(most === null ? [] : [most, Math.floor(most / step) * step]),
  ];
}

function sampleLists(schema: JsonObject, { root, depth }: Within): Json[] {
  const items = sampleValues(own(schema, "items") ?? true, root, depth + 1);
  const least = Math.min(numberAt(schema, "minItems") ?? 0, 100);
  const [first] = items;
  if (first === undefined) return [[]];
  const filled = Array.from({ length: Math.max(least, 1) }, (_, i) => items[i] ?? first);
  return [filled, ...(least > 0 ? [] : [[]])];
}

function sampleObjects(schema: JsonObject, { root, depth }: Within): Json[] {
  const properties = own(schema, "properties");
  const known = isObject(properties) ? properties : {};
  const made = (names: readonly string[]): JsonObject => {
    const value: JsonObject = {};
    for (const name of names) {
      const [sample] = sampleValues(own(known, name) ?? true, root, depth + 1);
      if (sample !== undefined) put(value, name, sample);
    }
    return value;
  };
  return [made(listAt(schema, "required").map(String)), made(Object.keys(known))];
}

function referenced(schema: JsonObject, root: JsonObject): Json | null {
  const name = /^#\/\$defs\/([^/]+)$/.exec(String(own(schema, "$ref") ?? ""))?.[1];
  const defs = own(root, "$defs");
  return name === undefined || !isObject(defs) ? null : own(defs, name) ?? null;
}

function listAt(schema: JsonObject, key: string): Json[] {
  const value = own(schema, key);
  return Array.isArray(value) ? value : [];
}

function numberAt(schema: JsonObject, key: string): number | null {
  const value = own(schema, key);
  return typeof value === "number" ? value : null;
}
