/**
 * Does an agent's stream tell the same arguments and the same result as the tools' record? Programs
 * turn a number into its text before they send it, and wrap, shorten or extend an answer before they
 * show it: such is no difference.
 */
import { equalJson, isObject, type Json, type JsonObject, own } from "../model/json.ts";

/** Results longer than this are shortened by most programs, each in its own way: not compared. */
const COMPARED_MAX = 8_000;
const CUT = /characters cut …\]|<persisted-output>|truncated/;
const FENCE = /^```(?:json)?\n([^]*)\n```$/;

/** Are these the same arguments? `coerced`: `7` and `"7"` are, and so are `true` and `"true"`. */
export function sameArguments(
  told: JsonObject,
  recorded: JsonObject,
  how: "exact" | "coerced",
): boolean {
  return how === "exact" ? equalJson(told, recorded) : equalCoerced(told, recorded);
}

function equalCoerced(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => equalCoerced(item, b[i]));
  }
  if (isObject(a) && isObject(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && equalCoerced(own(a, key), own(b, key)));
  }
  if (equalJson(a, b)) return true;
  return isScalar(a) && isScalar(b) && (typeof a === "string" || typeof b === "string") &&
    String(a) === String(b);
}

function isScalar(value: Json | undefined): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** Does the told result show the recorded one? What cannot be compared is no difference. */
export function sameResult(told: Json | undefined, recorded: Json | undefined): boolean {
  if (told === undefined || recorded === undefined || equalJson(told, recorded)) return true;
  const [shown, kept] = [squeezed(told), squeezed(recorded)];
  if (kept.length > COMPARED_MAX || CUT.test(shown)) return true;
  if (shown.includes(kept)) return true;
  return typeof told === "string" && equalJson(parsed(told), recorded);
}

function squeezed(value: Json): string {
  return (typeof value === "string" ? value : JSON.stringify(value)).replace(/\s+/g, " ").trim();
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(FENCE.exec(text.trim())?.[1] ?? text) as Json;
  } catch {
    return undefined;
  }
}
