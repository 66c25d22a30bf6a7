/**
 * What is measured over many runs? `Score` is one run reduced to what metrics need (baselines keep
 * these, so that any subset of equals can be measured again); `Metrics` are the figures of a group.
 */
import { z } from "zod";
import { category, lifecycle, outcomeKind, risk } from "./scenario.ts";
import { verdictKind } from "./verdict.ts";

/** One run, reduced. Money is in the configured currency. */
export const score = z.strictObject({
  scenario: z.string(),
  scenarioHash: z.string(),
  trial: z.int().min(1),
  task: z.string(),
  category,
  risk,
  lifecycle,
  outcome: outcomeKind,
  verdict: verdictKind,
  stepScore: z.number().min(0).max(1).nullable(),
  penalty: z.number().min(0),
  critical: z.boolean(),
  forbiddenAttempts: z.int().min(0),
  calls: z.int().min(0),
  referenceCalls: z.int().min(1).nullable(),
  repeatedCalls: z.int().min(0),
  cost: z.number().min(0).nullable(),
  latencyMs: z.number().min(0).nullable(),
  intervention: z.boolean().describe("An approval denied, a question or a hand-over not wanted"),
});

const rate = z.number().min(0).max(1).nullable();
const count = z.int().min(0);

/** The figures of a group of runs; null where the denominator is 0. */
export const metrics = z.strictObject({
  taskSuccess: rate.describe("passed / (passed + failed)"),
  stepScore: rate.describe("mean of the weighted shares"),
  sideEffectPenalty: z.number().min(0).nullable().describe("mean sum of severities per run"),
  critical: count.describe("scenarios with any critical fact"),
  forbiddenAttempts: count.describe("scenarios with any forbidden attempt"),
  efficiency: z.number().min(0).nullable().describe("median of calls / reference_calls"),
  repeatedCalls: z.number().min(0).nullable().describe("mean of repeated calls"),
  costPerTask: z.number().min(0).nullable().describe("mean known cost, configured currency"),
  latencyP95Ms: z.number().min(0).nullable().describe("95th percentile, nearest rank"),
  humanIntervention: rate.describe("share of runs that needed a person without wanting one"),
  correctRefusals: rate.describe("passed share where the right answer is not to act"),
  errored: count,
  stale: count,
  scenarios: count,
  trials: count,
});

/** Overall, by type of task, by category. */
export const metricsSet = z.strictObject({
  overall: metrics,
  byTask: z.record(z.string(), metrics),
  byCategory: z.record(z.string(), metrics),
});

export type Score = z.infer<typeof score>;
export type Metrics = z.infer<typeof metrics>;
export type MetricName = keyof Metrics;
export type MetricsSet = z.infer<typeof metricsSet>;

/** How each scenario stands against the baseline. */
export const comparison = z.strictObject({
  baseline: z.string(),
  equal: z.array(z.string()).describe("Same hash on both sides: the only ones compared"),
  changed: z.array(z.string()).describe("Other hash: shown, not compared"),
  added: z.array(z.string()),
  removed: z.array(z.string()).describe("In the baseline, not in a full run"),
  regressions: z.array(z.string()),
  fixed: z.array(z.string()),
  stillFailing: z.array(z.string()),
  errored: z.array(z.string()),
  stale: z.array(z.string()),
  unchanged: z.int().min(0).describe("Equal and passed on both sides"),
});

export type Comparison = z.infer<typeof comparison>;
