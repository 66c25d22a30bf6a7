/**
 * Where exactly do two large values differ? A judged change whose two sides are both objects or
 * lists in; the same change told by the inner places that differ out, so that a reader never has to
 * compare two long texts. Where there are many, the first ones and the whole change stand.
 */
import { equalJson, isObject, type Json } from "../model/json.ts";
import type { JudgedChange } from "../model/verdict.ts";
import { encodePart } from "../model/state_path.ts";

const PLACES_MAX = 5;

/** One place inside two values: `parts` from their top; undefined where a side lacks it. */
interface Difference {
  readonly parts: readonly string[];
  readonly wanted: Json | undefined;
  readonly found: Json | undefined;
}

/** A change by its inner differences; itself where one of its sides is a plain value. */
export function narrowChange(change: JudgedChange): JudgedChange[] {
  const wanted = change.class === "missing" ? change.expected : change.before;
  const { after } = change;
  if (!isContainer(wanted) || !isContainer(after)) return [change];
  const found = differences(wanted, after, []);
  const shown = found.slice(0, PLACES_MAX).map((place) => changeAt(change, place));
  return found.length === 0 || found.length > PLACES_MAX ? [...shown, change] : shown;
}

/** The first inner place where two containers differ; the values themselves where one is plain. */
export function narrowPair(
  wanted: Json,
  found: Json,
): { readonly path: string; readonly wanted: Json; readonly found: Json; readonly more: number } {
  const places = isContainer(wanted) && isContainer(found) ? differences(wanted, found, []) : [];
  const first = places[0];
  if (first === undefined) return { path: "", wanted, found, more: 0 };
  return {
    path: first.parts.map(encodePart).join("/"),
    wanted: first.wanted ?? null,
    found: first.found ?? null,
    more: places.length - 1,
  };
}

function changeAt(change: JudgedChange, { parts, wanted, found }: Difference): JudgedChange {
  const { before: _before, after: _after, expected: _expected, ...rest } = change;
  const before = change.class === "missing" ? valueIn(change.before, parts) : wanted;
  return {
    ...rest,
    path: [change.path, ...parts.map(encodePart)].join("/"),
    op: change.class === "missing" ? "absent" : opOf(before, found),
    ...(before === undefined ? {} : { before }),
    after: found ?? null,
    ...(change.class === "missing" ? { expected: wanted ?? null } : {}),
  };
}

function opOf(before: Json | undefined, after: Json | undefined): JudgedChange["op"] {
  if (before === undefined) return "added";
  return after === undefined ? "deleted" : "changed";
}

function isContainer(value: Json | undefined): value is Json & object {
  return typeof value === "object" && value !== null;
}

function differences(
  wanted: Json | undefined,
  found: Json | undefined,
  parts: readonly string[],
): Difference[] {
  if (equalJson(wanted, found)) return [];
  const alike = isContainer(wanted) && isContainer(found) &&
    Array.isArray(wanted) === Array.isArray(found);
  if (!alike) return [{ parts, wanted, found }];
  const keys = [...new Set([...Object.keys(wanted), ...Object.keys(found)])];
  return keys.flatMap((key) =>
    differences(valueIn(wanted, [key]), valueIn(found, [key]), [...parts, key])
  );
}

function valueIn(value: Json | undefined, parts: readonly string[]): Json | undefined {
  let inner = value;
  for (const part of parts) {
    if (Array.isArray(inner)) inner = inner[Number(part)];
    else inner = isObject(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined;
  }
  return inner;
}
