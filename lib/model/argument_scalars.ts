/**
 * Does one value fit the simple keywords of its schema? Type, enum and const, and the ranges,
 * patterns and formats of texts and numbers. In: schema, value, its path. Out: problems in words.
 */
import { listed, named, shown, typeWords } from "./argument_words.ts";
import { equalJson, isObject, type Json, type JsonObject, own } from "./json.ts";

/** Decides whether a pattern is found in a text; null where the pattern cannot be compiled. */
export type PatternTest = (pattern: string, text: string) => boolean | null;

const FORMATS: Readonly<Record<string, { readonly test: RegExp; readonly words: string }>> = {
  date: {
    test: /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/,
    words: "a day such as 2026-10-01",
  },
  time: {
    test: /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/,
    words: "a time such as 18:30",
  },
  "date-time": {
    test: /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)?$/,
    words: "a time such as 2026-10-01T09:00:00+02:00",
  },
  email: { test: /^[^\s@]+@[^\s@]+$/, words: "an e-mail address" },
  uri: { test: /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/, words: "an address such as https://example.test" },
  uuid: {
    test: /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/,
    words: "a UUID",
  },
};

/** What is wrong with the type of a value, null where nothing is. */
export function checkType(schema: JsonObject, value: Json, path: string): string | null {
  const type = own(schema, "type");
  if (type === undefined) return null;
  const allowed = (Array.isArray(type) ? type : [type]).map(String);
  if (own(schema, "nullable") === true) allowed.push("null");
  if (allowed.some((one) => hasType(one, value))) return null;
  return `${named(path)}: expected ${listed(allowed.map(typeWords))}, got ${shown(value)}`;
}

function hasType(type: string, value: Json): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  const actual = typeof value;
  return actual === type;
}

/** Problems of a value that `enum` or `const` does not name. */
export function checkChoice(schema: JsonObject, value: Json, path: string): string[] {
  const choices = own(schema, "enum");
  if (Array.isArray(choices) && !choices.some((choice) => equalJson(choice, value))) {
    return [`${named(path)}: expected ${listed(choices.map(shown))}, got ${shown(value)}`];
  }
  const fixed = own(schema, "const");
  if (fixed !== undefined && !equalJson(fixed, value)) {
    return [`${named(path)}: expected ${shown(fixed)}, got ${shown(value)}`];
  }
  return [];
}

/** Problems of a text: length, pattern, format. */
export function checkText(
  schema: JsonObject,
  value: string,
  path: string,
  matches: PatternTest,
): string[] {
  const problems = checkRange(schema, ["minLength", "maxLength"], [...value].length)
    .map((words) => `${named(path)}: expected ${words} characters, got ${[...value].length}`);
  const pattern = own(schema, "pattern");
  if (pattern !== undefined) {
    const found = typeof pattern === "string" ? matches(pattern, value) : null;
    if (found === null) problems.push(`${named(path)}: its pattern ${shown(pattern)} is broken`);
    else if (!found) {
      problems.push(`${named(path)}: expected a text like ${shown(pattern)}, got ${shown(value)}`);
    }
  }
  const format = FORMATS[String(own(schema, "format") ?? "")];
  if (format !== undefined && !format.test.test(value)) {
    problems.push(`${named(path)}: expected ${format.words}, got ${shown(value)}`);
  }
  return problems;
}

/** Problems of a number: range and step. */
export function checkNumber(schema: JsonObject, value: number, path: string): string[] {
  const problems = checkRange(schema, ["minimum", "maximum"], value);
  const above = own(schema, "exclusiveMinimum");
  if (typeof above === "number" && value <= above) problems.push(`more than ${above}`);
  const below = own(schema, "exclusiveMaximum");
  if (typeof below === "number" && value >= below) problems.push(`less than ${below}`);
  const step = own(schema, "multipleOf");
  if (typeof step === "number" && step > 0 && !isMultiple(value, step)) {
    problems.push(`a multiple of ${step}`);
  }
  return problems.map((words) => `${named(path)}: expected ${words}, got ${value}`);
}

function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

/** `at least 3` or `at most 5` where a size is outside what two keywords of the schema say. */
export function checkRange(
  schema: JsonObject,
  [least, most]: readonly [string, string],
  size: number,
): string[] {
  const [min, max] = [own(schema, least), own(schema, most)];
  return [
    ...(typeof min === "number" && size < min ? [`at least ${min}`] : []),
    ...(typeof max === "number" && size > max ? [`at most ${max}`] : []),
  ];
}
