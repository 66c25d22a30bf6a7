/**
 * Do a call's arguments fit a pattern? A subset match: every field of the pattern must fit, others
 * are free; objects nest, lists fit item by item, numbers by value, texts literally, and
 * `{matches: re2}` (in expressions `/re2/`) fits texts that the pattern finds something in.
 */
import { isObject, type JsonObject } from "../model/json.ts";
import { compileRe2 } from "./re2.ts";
import { Refusal } from "./refusal.ts";

/** A pattern that cannot be matched at all. */
export class PatternError extends Refusal {}

/** True where `args` has everything that `pattern` names; throws `PatternError` where RE2 cannot run it. */
export function matchArgs(pattern: JsonObject, args: JsonObject): boolean {
  return fitsFields(pattern, args);
}

function fitsFields(pattern: JsonObject, value: JsonObject): boolean {
  for (const key of Object.keys(pattern)) {
    if (!Object.hasOwn(value, key) || !fits(pattern[key], value[key])) return false;
  }
  return true;
}

function fits(pattern: unknown, value: unknown): boolean {
  if (pattern === value) return true;
  if (typeof pattern === "function") return typeof value === "string" && found(pattern, value);
  if (Array.isArray(pattern)) {
    return Array.isArray(value) && pattern.length === value.length &&
      pattern.every((item, i) => fits(item, value[i]));
  }
  if (!isObject(pattern)) return false;
  const re2 = re2Of(pattern);
  if (re2 !== null && typeof value === "string") return testRe2(re2, value);
  return isObject(value) && fitsFields(pattern, value);
}

/** The text of a `{matches: re2}`, null where the object is not one. */
export function re2Of(pattern: JsonObject): string | null {
  const text = pattern.matches;
  const alone = typeof text === "string" && Object.keys(pattern).length === 1;
  return alone && Object.hasOwn(pattern, "matches") ? text : null;
}

function testRe2(text: string, value: string): boolean {
  const re2 = compileRe2(text);
  if (re2.kind === "broken") throw new PatternError(`Pattern "${text}" is not RE2: ${re2.why}`);
  return re2.test(value);
}

/** A JSONata regular expression is a function that gives a match or undefined. */
// deno-lint-ignore ban-types
function found(pattern: Function, value: string): boolean {
  const match: unknown = pattern(value);
  if (match instanceof Promise) {
    match.catch(() => {});
    throw new PatternError("Only a literal /pattern/ may stand in arguments, not a function");
  }
  return match !== undefined && match !== null;
}
