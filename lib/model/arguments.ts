/**
 * Do these arguments fit this tool's JSON Schema? In: the schema and any JSON; out: problems in
 * words that an agent can act on, none where the arguments fit. Arguments that the schema does not
 * name are refused unless it says `additionalProperties: true`; keywords that are not understood
 * are a problem of the schema (`schemaProblems`), never a silent yes.
 */
import {
  checkChoice,
  checkNumber,
  checkRange,
  checkText,
  checkType,
  type PatternTest,
} from "./argument_scalars.ts";
import { joined, listed, named, shown, typeWords } from "./argument_words.ts";
import { equalJson, isObject, type Json, type JsonObject, own } from "./json.ts";

interface Check {
  readonly root: JsonObject;
  readonly matches: PatternTest;
  readonly depth: number;
}

const MAX_DEPTH = 64;

const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;

const KEYWORDS: ReadonlySet<string> = new Set(
  ("$defs definitions $ref type enum const required properties additionalProperties " +
    "patternProperties minProperties maxProperties items prefixItems minItems maxItems " +
    "uniqueItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength " +
    "maxLength pattern format anyOf oneOf allOf not title description default examples example " +
    "deprecated readOnly writeOnly nullable $schema $id $comment").split(" "),
);

/**
 * Problems of `args` against the JSON Schema `input`, empty where they fit. `format` is checked for
 * date, time, date-time, email, uri and uuid, and ignored elsewhere. `matches` decides `pattern`
 * (default: the runtime's own engine).
 */
export function checkArguments(
  input: JsonObject,
  args: Json,
  matches: PatternTest = nativeMatches,
): string[] {
  if (!isObject(args)) return [`Arguments: expected an object, got ${shown(args)}`];
  const check: Check = { root: input, matches, depth: 0 };
  const problems = checkValue({ ...input, type: "object" }, args, "", check);
  const known = knownKeys(input, check);
  return [
    ...problems,
    ...(isOpen(input) || known.size > 0 ? [] : unknownKeys(Object.keys(args), known, "")),
  ];
}

/**
 * What a tool's `input` says that cannot be checked: unknown keywords and types, and patterns that
 * `matches` cannot compile.
 */
export function schemaProblems(
  input: JsonObject,
  matches: PatternTest = nativeMatches,
): string[] {
  return [...problemsOfSchema(input, "input", { matches, depth: 0 })];
}

function checkValue(schema: Json, value: Json, path: string, check: Check): string[] {
  if (schema === true) return [];
  if (!isObject(schema)) return [`${named(path)}: nothing is accepted here`];
  if (check.depth > MAX_DEPTH) return [`${named(path)}: nested too deeply`];
  const deeper = { ...check, depth: check.depth + 1 };
  const wrongType = checkType(schema, value, path);
  if (wrongType !== null) return [wrongType];
  return [
    ...checkReference(schema, value, path, deeper),
    ...checkChoice(schema, value, path),
    ...(typeof value === "string" ? checkText(schema, value, path, check.matches) : []),
    ...(typeof value === "number" ? checkNumber(schema, value, path) : []),
    ...(Array.isArray(value) ? checkList(schema, value, path, deeper) : []),
    ...(isObject(value) ? checkObject(schema, value, path, deeper) : []),
    ...checkCombinations(schema, value, path, deeper),
  ];
}

function checkReference(schema: JsonObject, value: Json, path: string, check: Check): string[] {
  const ref = own(schema, "$ref");
  if (ref === undefined) return [];
  const target = resolveReference(ref, check.root);
  return target === undefined
    ? [`${named(path)}: its schema ${shown(ref)} does not exist`]
    : checkValue(target, value, path, check);
}

function resolveReference(ref: Json, root: JsonObject): Json | undefined {
  if (typeof ref !== "string" || !ref.startsWith("#")) return undefined;
  let found: Json | undefined = root;
  for (const part of ref.slice(1).split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? own(found, key) : undefined;
  }
  return found;
}

function checkList(schema: JsonObject, value: Json[], path: string, check: Check): string[] {
  const problems = checkRange(schema, ["minItems", "maxItems"], value.length)
    .map((words) => `${named(path)}: expected ${words} items, got ${value.length}`);
  const first = own(schema, "prefixItems");
  const leading = Array.isArray(first) ? first : [];
  const items = own(schema, "items");
  value.forEach((item, index) => {
    const rule = leading[index] ?? items;
    if (rule !== undefined) problems.push(...checkValue(rule, item, `${path}[${index}]`, check));
  });
  if (own(schema, "uniqueItems") === true) {
    const twice = value.find((item, i) =>
      value.slice(0, i).some((other) => equalJson(other, item))
    );
    if (twice !== undefined) problems.push(`${named(path)}: ${shown(twice)} stands there twice`);
  }
  return problems;
}

function checkObject(schema: JsonObject, value: JsonObject, path: string, check: Check): string[] {
  const required = own(schema, "required");
  const missing = (Array.isArray(required) ? required.map(String) : [])
    .filter((key) => !Object.hasOwn(value, key));
  const size = Object.keys(value).length;
  return [
    ...missing.map((key) => `${named(joined(path, key))} is missing${wanted(schema, key)}`),
    ...checkRange(schema, ["minProperties", "maxProperties"], size)
      .map((words) => `${named(path)}: expected ${words} entries, got ${size}`),
    ...checkProperties(schema, value, path, check),
  ];
}

function checkProperties(
  schema: JsonObject,
  value: JsonObject,
  path: string,
  check: Check,
): string[] {
  const properties = objectAt(schema, "properties");
  const patterns = Object.entries(objectAt(schema, "patternProperties"));
  const rest = own(schema, "additionalProperties");
  const known = knownKeys(schema, check);
  // Branches of anyOf, oneOf and allOf see the keys of their neighbours: only the whole is closed.
  const closed = rest === false || (rest === undefined && known.size > 0);
  const unknown: string[] = [];
  const problems: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    const rule = own(properties, key);
    const rules = patterns.filter(([pattern]) => check.matches(pattern, key) === true);
    const all = [...(rule === undefined ? [] : [rule]), ...rules.map(([, one]) => one)];
    if (all.length === 0 && !known.has(key)) {
      if (closed) unknown.push(key);
      else if (isObject(rest)) all.push(rest);
    }
    for (const one of all) problems.push(...checkValue(one, item, joined(path, key), check));
  }
  return [...problems, ...unknownKeys(unknown, known, path)];
}

function unknownKeys(keys: readonly string[], known: ReadonlySet<string>, path: string): string[] {
  const allowed = known.size === 0 ? "no arguments" : listed([...known].map((key) => shown(key)));
  return keys
    .map((key) => `Unknown argument ${shown(joined(path, key))}: expected ${allowed}`);
}

function isOpen(schema: JsonObject): boolean {
  const rest = own(schema, "additionalProperties");
  return rest === true || isObject(rest) ||
    Object.keys(objectAt(schema, "patternProperties")).length > 0;
}

function knownKeys(schema: JsonObject, check: Check, depth = 0): Set<string> {
  const known = new Set(Object.keys(objectAt(schema, "properties")));
  if (depth > 8) return known;
  const target = resolveReference(own(schema, "$ref") ?? null, check.root);
  const branches = ["allOf", "anyOf", "oneOf"].flatMap((key) => {
    const list = own(schema, key);
    return Array.isArray(list) ? list : [];
  });
  for (const branch of [...branches, ...(target === undefined ? [] : [target])]) {
    if (isObject(branch)) knownKeys(branch, check, depth + 1).forEach((key) => known.add(key));
  }
  return known;
}

function checkCombinations(schema: JsonObject, value: Json, path: string, check: Check): string[] {
  const outcomes = (key: string): string[][] | null => {
    const list = own(schema, key);
    if (!Array.isArray(list)) return null;
    return list.map((branch) => checkValue(opened(branch), value, path, check));
  };
  const problems = outcomes("allOf")?.flat() ?? [];
  const any = outcomes("anyOf");
  if (any !== null && !any.some((found) => found.length === 0)) problems.push(nearest(any, path));
  const one = outcomes("oneOf");
  const fitting = one?.filter((found) => found.length === 0).length ?? 1;
  if (one !== null && fitting === 0) problems.push(nearest(one, path));
  if (fitting > 1) {
    problems.push(`${named(path)}: fits ${fitting} alternatives, expected exactly one`);
  }
  const not = own(schema, "not");
  if (not !== undefined && checkValue(opened(not), value, path, check).length === 0) {
    problems.push(`${named(path)}: ${shown(value)} is not allowed`);
  }
  return problems;
}

function opened(branch: Json): Json {
  if (!isObject(branch) || own(branch, "additionalProperties") !== undefined) return branch;
  return { ...branch, additionalProperties: true };
}

function nearest(outcomes: readonly string[][], path: string): string {
  const sorted = outcomes.toSorted((a, b) => a.length - b.length);
  return sorted[0]?.[0] ?? `${named(path)}: fits no alternative`;
}

interface Reading {
  readonly matches: PatternTest;
  readonly depth: number;
}

function* problemsOfSchema(
  schema: Json,
  path: string,
  { matches, depth }: Reading,
): Generator<string> {
  if (typeof schema === "boolean") return;
  if (!isObject(schema)) return yield `${path}: expected a schema, got ${shown(schema)}`;
  if (depth > MAX_DEPTH) return yield `${path}: nested too deeply`;
  const deeper = { matches, depth: depth + 1 };
  for (const [key, value] of Object.entries(schema)) {
    const at = `${path}/${key}`;
    if (!KEYWORDS.has(key)) yield `${at}: the keyword ${shown(key)} is not understood`;
    else if (key === "type") yield* problemsOfType(value, at);
    else if (key === "pattern" && matches(String(value), "") === null) {
      yield `${at}: the pattern ${shown(value)} cannot be compiled`;
    } else if (SCHEMA_MAPS.has(key) && isObject(value)) {
      for (const [name, one] of Object.entries(value)) {
        yield* problemsOfSchema(one, `${at}/${name}`, deeper);
      }
    } else if (SCHEMA_LISTS.has(key) && Array.isArray(value)) {
      for (const [i, one] of value.entries()) yield* problemsOfSchema(one, `${at}/${i}`, deeper);
    } else if (SCHEMAS.has(key)) yield* problemsOfSchema(value, at, deeper);
  }
}

const SCHEMA_MAPS = new Set(["properties", "patternProperties", "$defs", "definitions"]);
const SCHEMA_LISTS = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const SCHEMAS = new Set(["items", "additionalProperties", "not"]);

function* problemsOfType(type: Json, path: string): Generator<string> {
  for (const one of Array.isArray(type) ? type : [type]) {
    if (!TYPES.some((known) => known === one)) {
      yield `${path}: unknown type ${shown(one)}, expected ${listed([...TYPES])}`;
    }
  }
}

function nativeMatches(pattern: string, text: string): boolean | null {
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    return null;
  }
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = own(schema, key);
  return isObject(value) ? value : {};
}

function wanted(schema: JsonObject, key: string): string {
  const rule = own(objectAt(schema, "properties"), key);
  const type = isObject(rule) ? own(rule, "type") : undefined;
  return typeof type === "string" ? `: expected ${typeWords(type)}` : "";
}
