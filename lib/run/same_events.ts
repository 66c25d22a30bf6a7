/**
 * Did the same happen in two runs? In: the events of both. Out: null, or the first that differs. Ids
 * are numbered by their first appearance, times dropped, texts normalised as a replay does; what a
 * command printed does not count, its exit code does; lines of a stream that mean nothing are left out.
 */
import { canonicalJson } from "../model/hash.ts";
import type { JsonObject } from "../model/json.ts";
import type { RunEvent } from "../model/run.ts";
import { normaliseJson } from "./normalise.ts";

/** Where two runs part: the place among the events that count, and both as JSON, null past an end. */
export interface EventDifference {
  readonly index: number;
  readonly first: string | null;
  readonly second: string | null;
}

/** The first event that is not the same in both. */
export function eventDifference(
  first: readonly RunEvent[],
  second: readonly RunEvent[],
): EventDifference | null {
  const [a, b] = [comparable(first), comparable(second)];
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    if (a[index] !== b[index]) {
      return { index, first: a[index] ?? null, second: b[index] ?? null };
    }
  }
  return null;
}

function comparable(events: readonly RunEvent[]): string[] {
  const numbers = new Map<string, string>();
  const numberOf = (id: string): string => {
    const known = numbers.get(id) ?? `#${numbers.size + 1}`;
    numbers.set(id, known);
    return known;
  };
  return events.filter(({ kind }) => kind !== "unknown").map((event) => {
    const { atMs: _atMs, ...rest } = event as RunEvent & JsonObject;
    const copy: JsonObject = { ...rest };
    delete copy["endMs"];
    if (event.kind === "command") delete copy["output"];
    if ("id" in event) copy["id"] = numberOf(event.id);
    if (event.kind === "approval") copy["call"] = numberOf(event.call);
    return canonicalJson(normaliseJson(copy));
  });
}
