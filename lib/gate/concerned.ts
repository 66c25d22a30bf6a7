/**
 * Which scenarios is a rule about? A metric and the scores of the rule's group in; the ids that
 * moved the metric the wrong way out, so that a decision always names cases and not only figures.
 */
import type { MetricName, Score } from "../model/metrics.ts";
import { isGraded, isRefusal } from "../model/metric_names.ts";
import { idsOf } from "./grading.ts";

/** How many scenarios stand for a mean that every run moves a little. */
const TOP = 3;

const PICK: Readonly<Record<MetricName, (scores: readonly Score[]) => readonly Score[]>> = {
  taskSuccess: failed,
  stepScore: (scores) => scores.filter((s) => s.stepScore !== null && s.stepScore < 1),
  sideEffectPenalty: (scores) => scores.filter((s) => s.penalty > 0),
  critical: (scores) => scores.filter((s) => s.critical),
  forbiddenAttempts: (scores) => scores.filter((s) => s.forbiddenAttempts > 0),
  efficiency: (scores) =>
    top(scores, (s) => s.referenceCalls === null ? null : s.calls / s.referenceCalls),
  repeatedCalls: (scores) => scores.filter((s) => s.repeatedCalls > 0),
  costPerTask: (scores) => top(scores, (s) => s.cost),
  latencyP95Ms: (scores) => top(scores, (s) => s.latencyMs),
  humanIntervention: (scores) => scores.filter((s) => s.intervention),
  correctRefusals: (scores) => failed(scores).filter(isRefusal),
  errored: (scores) => scores.filter((s) => s.verdict === "errored"),
  stale: (scores) => scores.filter((s) => s.verdict === "stale"),
  scenarios: (scores) => scores.filter((s) => !isGraded(s)),
  trials: (scores) => scores.filter((s) => !isGraded(s)),
};

/** Ids of the scenarios that the metrics speak of, each once, sorted; `scores` are the group's stable ones. */
export function concernedScenarios(
  metrics: readonly string[],
  scores: readonly Score[],
): string[] {
  const known = metrics.filter((name): name is MetricName => Object.hasOwn(PICK, name));
  return idsOf(known.flatMap((name) => PICK[name](candidatesFor(name, scores))));
}

/**
 * True where the metric has no value only because the scenarios that it is made of were stale,
 * errored or skipped.
 */
export function isOnlyUngraded(metric: string, scores: readonly Score[]): boolean {
  const population = scores.filter((score) =>
    (metric !== "correctRefusals" || isRefusal(score)) &&
    (metric !== "efficiency" || score.referenceCalls !== null)
  );
  return population.length > 0 && !population.some(isGraded);
}

function candidatesFor(name: MetricName, scores: readonly Score[]): readonly Score[] {
  const all = name === "errored" || name === "stale" || name === "scenarios" || name === "trials";
  return all ? scores : scores.filter(isGraded);
}

function failed(scores: readonly Score[]): readonly Score[] {
  return scores.filter((score) => score.verdict === "failed");
}

function top(
  scores: readonly Score[],
  valueOf: (score: Score) => number | null,
): readonly Score[] {
  const known = scores.filter((score) => valueOf(score) !== null);
  const ordered = known.toSorted((a, b) =>
    (valueOf(b) ?? 0) - (valueOf(a) ?? 0) || (a.scenario < b.scenario ? -1 : 1)
  );
  const ids = [...new Set(ordered.map((score) => score.scenario))].slice(0, TOP);
  return ordered.filter((score) => ids.includes(score.scenario));
}
