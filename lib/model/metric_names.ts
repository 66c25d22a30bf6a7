/** What are metrics called, and which runs count in them? Apart from their schemas. */
import type { MetricName, Score } from "./metrics.ts";

/** The names of all metrics, in the order of the documentation. */
export const METRIC_NAMES = Object.keys(
  {
    taskSuccess: true,
    stepScore: true,
    sideEffectPenalty: true,
    critical: true,
    forbiddenAttempts: true,
    efficiency: true,
    repeatedCalls: true,
    costPerTask: true,
    latencyP95Ms: true,
    humanIntervention: true,
    correctRefusals: true,
    errored: true,
    stale: true,
    scenarios: true,
    trials: true,
  } satisfies Record<MetricName, true>,
) as readonly MetricName[];

/** Where more is better: `$drop` is made for these. */
export const MORE_IS_BETTER: ReadonlySet<MetricName> = new Set([
  "taskSuccess",
  "stepScore",
  "correctRefusals",
]);

/** True where the run was judged to an end: it passed or failed. */
export function isGraded(score: Score): boolean {
  return score.verdict === "passed" || score.verdict === "failed";
}

/** True where the right answer was to refuse, to ask or to hand over. */
export function isRefusal(score: Score): boolean {
  return score.category === "refusal" || score.outcome === "refused" || score.outcome === "asked" ||
    score.outcome === "handed_over";
}
