/**
 * Did the run stay within its limits? In: facts. Out: one condition for each declared limit; a
 * measure that is not known is `not_measured`: neither passed nor failed.
 */
import { canonicalJson } from "../model/hash.ts";
import { LIMITS } from "../model/selectors.ts";
import type { ConditionVerdict } from "../model/verdict.ts";
import { condition, required } from "./conditions.ts";
import type { Facts } from "./facts.ts";
import { positionOf } from "./plan.ts";

type Limit = typeof LIMITS[number];

/** Judges the declared limits. */
export function judgeLimits(facts: Facts): ConditionVerdict[] {
  const { expected } = facts.loaded.scenario;
  return LIMITS.flatMap((limit) => {
    const max = expected[limit];
    return max === undefined ? [] : [judgeLimit(facts, limit, max)];
  });
}

function judgeLimit(facts: Facts, limit: Limit, max: number): ConditionVerdict {
  const measured = measuredOf(facts, limit);
  const told = {
    expected: `at most ${max}`,
    actual: measured,
    at: positionOf(facts.loaded, `expected/${limit}`),
  };
  if (measured === null) return required(`limit:${limit}`, "not_measured", told);
  return condition(`limit:${limit}`, measured <= max, told);
}

function measuredOf(facts: Facts, limit: Limit): number | null {
  const { usage } = facts;
  if (limit === "calls_max") return usage.calls;
  if (limit === "repeats_max") return mostRepeated(facts);
  if (limit === "cost_max_eur") return usage.costEur;
  return limit === "cost_max_usd" ? usage.costUsd : usage.latencyMs;
}

/** How often the most repeated call was made: the same tool with the same arguments. */
function mostRepeated({ seen }: Facts): number {
  const counts = new Map<string, number>();
  let most = 0;
  const count = (key: string) => {
    const times = (counts.get(key) ?? 0) + 1;
    counts.set(key, times);
    most = Math.max(most, times);
  };
  const tools = new Map<string, number>();
  for (const { event } of seen.calls) tools.set(event.tool, (tools.get(event.tool) ?? 0) + 1);
  for (const { event: { tool, args } } of seen.calls) {
    count(tools.get(tool) === 1 ? `${tool}\n` : `${tool}\n${canonicalJson(args)}`);
  }
  const known = new Set(seen.calls.map((call) => call.event.id));
  for (const { event } of seen.commands) {
    if (!known.has(event.id)) count(`\n${event.command}`);
  }
  return most;
}
