/**
 * How is one difference stated? Small makers of entries that the diffs of gates, scenarios and
 * configurations share; equal values give no entry, and what can not be compared counts as looser.
 */
import type { Direction, GateChange } from "../model/gate.ts";
import { equalJson, type Json } from "../model/json.ts";

/** A value of a file as plain JSON; null where it is absent. */
export function plainJson(value: unknown): Json {
  return value === undefined ? null : JSON.parse(JSON.stringify(value));
}

/** One entry, or none where both sides are equal. */
export function change(
  what: string,
  sides: { readonly from: unknown; readonly to: unknown },
  direction: Direction | ((from: Json, to: Json) => Direction),
): GateChange[] {
  const [from, to] = [plainJson(sides.from), plainJson(sides.to)];
  if (equalJson(from, to)) return [];
  return [{
    what,
    from,
    to,
    direction: typeof direction === "function" ? direction(from, to) : direction,
  }];
}

/** The direction of a word among words from the strictest to the weakest. */
export function ranked(words: readonly string[]): (from: Json, to: Json) => Direction {
  const rank = (value: Json) => typeof value === "string" ? words.indexOf(value) : -1;
  return (from, to) => {
    if (rank(from) === -1 || rank(to) === -1) return "looser";
    return rank(to) > rank(from) ? "looser" : "tighter";
  };
}

/** The direction of a limit: `more` where a higher number asks more; an absent limit asks nothing. */
export function limited(asks: "more" | "less"): (from: Json, to: Json) => Direction {
  return (from, to) => {
    if (to === null) return "looser";
    if (from === null) return "tighter";
    if (typeof from !== "number" || typeof to !== "number") return "looser";
    return (to > from) === (asks === "more") ? "tighter" : "looser";
  };
}

/** One entry for each item that only one side has. */
export function listChanges(
  what: string,
  sides: { readonly from: readonly unknown[]; readonly to: readonly unknown[] },
  added: Direction,
): GateChange[] {
  const [from, to] = [sides.from.map(plainJson), sides.to.map(plainJson)];
  const only = (these: Json[], those: Json[]) =>
    these.filter((item) => !those.some((other) => equalJson(item, other)));
  return [
    ...only(from, to).map((item) => ({ what, from: item, to: null, direction: opposite(added) })),
    ...only(to, from).map((item) => ({ what, from: null, to: item, direction: added })),
  ];
}

function opposite(direction: Direction): Direction {
  if (direction === "neutral") return "neutral";
  return direction === "looser" ? "tighter" : "looser";
}

/** The direction of all entries together: one looser one makes the whole looser. */
export function overallDirection(changes: readonly GateChange[]): Direction {
  if (changes.some((each) => each.direction === "looser")) return "looser";
  return changes.some((each) => each.direction === "tighter") ? "tighter" : "neutral";
}

/** Both lists by their ids, each id once, in the order of the first list and then of the second. */
export function pairsById<T extends { readonly id: string }>(
  from: readonly T[],
  to: readonly T[],
): { id: string; before: T | undefined; after: T | undefined }[] {
  const ids = [...new Set([...from, ...to].map(({ id }) => id))];
  const find = (list: readonly T[], id: string) => list.find((each) => each.id === id);
  return ids.map((id) => ({ id, before: find(from, id), after: find(to, id) }));
}
