/** What is asked of a run where? Keys and forms of `expected`, apart from their schemas. */
import type { ValueSelector } from "./scenario.ts";

/** The keys of `expected` that a measure of the run may not exceed. */
export const LIMITS = [
  "calls_max",
  "repeats_max",
  "cost_max_eur",
  "cost_max_usd",
  "latency_max_ms",
] as const;

/** True where the value of `changes` is `{where, count?}` and not a literal. */
export function isValueSelector(value: unknown): value is ValueSelector {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const keys = Object.keys(value);
  return keys.includes("where") && keys.every((key) => key === "where" || key === "count");
}
