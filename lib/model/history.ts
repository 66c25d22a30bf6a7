/**
 * What is kept of a run when its report is long gone? A summary: its figures, and of each scenario
 * how many trials passed. It can be made again from the report. `trend` tells what a row of
 * summaries says: a figure over time, and how steady each scenario is.
 */
import { z } from "zod";
import { currencyCode, isoTime } from "./common.ts";
import { decisionVerdict, type Evidence, evidence } from "./gate.ts";
import { type MetricName, score } from "./metrics.ts";
import { METRIC_NAMES } from "./metric_names.ts";
import { reportFile, reportScenario, trial } from "./report.ts";
import { lifecycle, risk } from "./scenario.ts";

/** What a summary needs of a `report.json`; all else in it is passed over. */
export const reportDigest = z.object({
  ...reportFile.pick({
    schema: true,
    time: true,
    mode: true,
    partial: true,
    currency: true,
    headline: true,
    versions: true,
    metrics: true,
  }).shape,
  decision: z.object({ verdict: decisionVerdict, evidence }),
  scenarios: z.array(z.object({
    ...reportScenario.pick({
      id: true,
      file: true,
      hash: true,
      task: true,
      risk: true,
      lifecycle: true,
    }).shape,
    trials: z.array(z.object({
      verdict: trial.shape.verdict,
      score: z.object({ cost: score.shape.cost, latencyMs: score.shape.latencyMs }),
    })),
  })),
});

export type ReportDigest = z.infer<typeof reportDigest>;

/** One run, summarised. */
export interface HistoryRun {
  /** Where its report lies or lay: below the project, or absolute. With the time it names the run. */
  readonly folder: string;
  readonly time: string;
  readonly mode: ReportDigest["mode"];
  readonly evidence: Evidence;
  readonly verdict: z.infer<typeof decisionVerdict>;
  /** False for a selection, and for a run in which a stable scenario was skipped: it was cut short. */
  readonly whole: boolean;
  readonly currency: string;
  /** Null where the tree had changes that no commit has, or there is no repository. */
  readonly commit: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly headline: ReportDigest["headline"];
  readonly metrics: Pick<ReportDigest["metrics"], "overall" | "byTask">;
  readonly scenarios: readonly HistoryScenario[];
}

/** One scenario in one run. */
export interface HistoryScenario {
  readonly id: string;
  readonly file: string;
  readonly hash: string;
  readonly task: string;
  readonly risk: z.infer<typeof risk>;
  readonly lifecycle: z.infer<typeof lifecycle>;
  readonly passed: number;
  readonly failed: number;
  /** All of them, those too that were not graded. */
  readonly trials: number;
  /** Mean of its trials with a known cost, in the run's currency. */
  readonly cost: number | null;
  readonly latencyMs: number | null;
}

/** A scenario in a run, with what is known of the run. */
export interface Outcome extends HistoryScenario {
  readonly folder: string;
  readonly time: string;
  readonly currency: string;
  readonly commit: string | null;
  readonly agent: string | null;
  readonly model: string | null;
}

/** A run on a line of values. */
export interface HistoryPoint extends Omit<HistoryRun, "metrics" | "scenarios"> {
  /** The figure that was asked for; null where it was not measured. */
  readonly value: number | null;
}

/** Which figure: of everything, or of one type of task. */
export interface HistoryFigure {
  readonly metric: MetricName;
  readonly task: string | null;
}

const count = z.int().min(0);
const moment = z.strictObject({ time: isoTime, run: z.string().describe("The report's folder") });

/** `trend --json`. */
export const trendFile = z.strictObject({
  schema: z.literal("collaudo/trend@1"),
  metric: z.enum(METRIC_NAMES as readonly [MetricName, ...MetricName[]]),
  task: z.string().nullable().describe("Of this type of task alone"),
  evidence: evidence.nullable()
    .describe("The strongest kind of run there is: live, else recorded, else self-tests"),
  currency: currencyCode,
  runs: count.describe("Runs of this kind, those too that are no point"),
  points: z.array(z.strictObject({
    run: z.string().describe("The report's folder, which may be gone"),
    time: isoTime,
    commit: z.string().nullable(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
    verdict: decisionVerdict,
    value: z.number().nullable(),
  })).describe("Runs of the whole suite to its end, oldest first"),
  scenarios: z.array(z.strictObject({
    id: z.string(),
    file: z.string(),
    task: z.string(),
    risk,
    lifecycle,
    runs: count.describe("Runs with a graded trial, of the scenario as it is now"),
    trials: z.strictObject({ passed: count, failed: count }),
    flaky: z.strictObject({
      mixed: count.describe("Cases with both outcomes"),
      cases: count.describe("Cases of one tree, agent and model that were tried more than once"),
    }),
    firstFailure: moment.nullable(),
    lastChange: z.strictObject({
      ...moment.shape,
      from: z.enum(["always", "sometimes", "never"]),
      to: z.enum(["always", "sometimes", "never"]),
    }).nullable().describe("The last time that it succeeded otherwise than in the run before"),
    nights: z.strictObject({
      full: count.describe("The newest ones in a row in which every trial passed"),
      failed: count.describe("The newest ones in a row in which none did"),
      mixed: count.describe("Of the last seven, those with both outcomes in one case"),
    }).describe("Days with a live run, of the scenario, agent and model as they are now"),
  })).describe("Over the last 120 runs of this kind"),
  proposals: z.array(z.strictObject({
    scenario: z.string(),
    file: z.string(),
    from: lifecycle,
    to: lifecycle,
    why: z.enum(["always_passed", "never_passed", "flaky"]),
    nights: count.describe("How many nights show it"),
  })).describe("For a person to decide; nothing is changed"),
});

export type Trend = z.infer<typeof trendFile>;
export type TrendScenario = Trend["scenarios"][number];
export type Proposal = Trend["proposals"][number];
