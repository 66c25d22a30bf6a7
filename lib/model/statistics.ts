/**
 * How sure are the figures of a run with chance in it? What reports keep: how reliable scenarios
 * are over their trials, what each comparison with the baseline rests on, and how large a drop could
 * still hide. Rates and differences are shares; a scenario counts once, however often it ran.
 */
import { z } from "zod";

const rate = z.number().min(0).max(1);
const interval = z.tuple([z.number(), z.number()]).describe("Two-sided 95 %");
const count = z.int().min(0);

const groupName = z.strictObject({ by: z.enum(["task", "category"]), name: z.string() });

/** How often the scenarios of a group succeed, trial after trial. */
export const reliability = z.strictObject({
  scenarios: count.describe("Stable scenarios with a graded trial"),
  trials: count.describe("Graded trials"),
  k: count.describe("Fewest graded trials of a scenario"),
  success: rate.nullable().describe("Mean of the scenarios' shares of passed trials"),
  interval: interval.nullable().describe("Wilson's, over scenarios"),
  failureBound: rate.nullable()
    .describe("Where nothing failed: the failure rate that this still lets stand, 95 %"),
  passHatK: rate.nullable().describe("pass^k: all of k trials succeed, mean over scenarios"),
  passAtK: rate.nullable().describe("pass@k: one of k trials succeeds; shown, never a grade"),
});

/** One comparison of a metric with the baseline, over scenarios of equal hash. */
export const dropEvidence = z.strictObject({
  rules: z.array(z.string()).describe("The rules that ask for it; none: it is always made"),
  metric: z.string(),
  group: groupName.nullable(),
  margin: z.number().describe("The drop that blocks where it is significant"),
  warn: z.number().describe("The drop that warns"),
  replay: z.number().describe("The drop that blocks in a replay, which has no chance in it"),
  alpha: z.number(),
  test: z.enum(["sign_flip", "counts", "replay"])
    .describe(
      "Exact sign-flip test; counts where the group is too small; replay has no chance in it",
    ),
  scenarios: count,
  trials: z.strictObject({ candidate: count, baseline: count }).describe("Fewest of a scenario"),
  candidate: z.number().nullable(),
  baseline: z.number().nullable(),
  difference: z.number().nullable().describe("Mean of candidate minus baseline"),
  interval: interval.nullable().describe("Paired, smoothed by two pseudo scenarios"),
  hidden: z.number().nullable().describe("The drop that could still hide, as a share from 0"),
  p: rate.nullable().describe("One-sided"),
  pAdjusted: rate.nullable().describe("After Holm, over the comparisons of the run"),
  family: count.describe("Comparisons that Holm adjusts over"),
  collapsed: z.array(z.string()).describe("Scenarios that fell significantly on their own"),
  verdict: z.enum(["block", "warn", "not_enough_evidence", "too_small", "pass"]),
});

/** One floor under a rate. */
export const floorEvidence = z.strictObject({
  rules: z.array(z.string()),
  metric: z.string(),
  group: groupName.nullable(),
  floor: rate,
  scenarios: count,
  trials: count.describe("Fewest of a scenario"),
  value: rate.nullable(),
  bounds: interval.nullable().describe("Each end a one-sided 95 % bound of Wilson"),
  verdict: z.enum(["block", "warn", "pass_weak", "pass", "not_enough_evidence"]),
});

/** What a ratio of costs or a percentile rests on. */
export const amountEvidence = z.strictObject({
  rules: z.array(z.string()),
  metric: z.string(),
  group: groupName.nullable(),
  scenarios: count.describe("With a known amount, on both sides for costs"),
  ratio: z.number().nullable().describe("Of costs: geometric mean of candidate over baseline"),
  interval: interval.nullable().describe("Of costs: of the ratio; of a percentile: from its ranks"),
  bounded: z.boolean().describe("False: too few for an upper bound, so that it warns at most"),
});

/** A critical scenario that did not reach its number of successes. */
export const criticalEvidence = z.strictObject({
  scenario: z.string(),
  task: z.string(),
  category: z.string(),
  passed: count,
  trials: count,
  needed: count,
});

/** All of it, of one run. */
export const statistics = z.strictObject({
  overall: reliability,
  byTask: z.record(z.string(), reliability),
  scenarios: z.record(z.string(), reliability),
  drops: z.array(dropEvidence).describe("The first is task success over everything, if compared"),
  floors: z.array(floorEvidence),
  amounts: z.array(amountEvidence),
  critical: z.array(criticalEvidence),
  surer: z.strictObject({ trials: count, drop: rate }).nullable()
    .describe("With so many trials about such a drop would be found, four times in five"),
});

export type Reliability = z.infer<typeof reliability>;
export type DropEvidence = z.infer<typeof dropEvidence>;
export type FloorEvidence = z.infer<typeof floorEvidence>;
export type AmountEvidence = z.infer<typeof amountEvidence>;
export type CriticalEvidence = z.infer<typeof criticalEvidence>;
export type Statistics = z.infer<typeof statistics>;
export type StatisticsGroup = z.infer<typeof groupName> | null;
