/** What does a run of the suite leave behind? `report.json`, from which every other form is rendered. */
import { z } from "zod";
import { currencyCode, isoDate, isoTime } from "./common.ts";
import { decision, gateChange } from "./gate.ts";
import { ledgerRow } from "./ledger.ts";
import { comparison, metricsSet, score } from "./metrics.ts";
import { category, lifecycle, risk } from "./scenario.ts";
import { statistics } from "./statistics.ts";
import { attempt, conditionVerdict, judgedChange, runUsage, verdictKind } from "./verdict.ts";
import { runMode } from "./run.ts";

const headlineNumber = z.strictObject({
  value: z.number().nullable(),
  baseline: z.number().nullable(),
});

/** One trial of a scenario: its verdict, where its run lies, and its score for baselines. */
export const trial = z.strictObject({
  trial: z.int().min(1),
  verdict: verdictKind,
  ended: z.string(),
  detail: z.string().nullable().describe("What stopped it, the nearest difference of a stale one"),
  run: z.string().nullable().describe("The run file beside this report, or file:line in grade"),
  failed: z.array(conditionVerdict).describe("Its conditions that failed or were undecided"),
  score,
});

/** One scenario of a report; the details are those of its first trial with the worst verdict. */
export const reportScenario = z.strictObject({
  id: z.string(),
  description: z.string(),
  file: z.string(),
  hash: z.string(),
  task: z.string(),
  category,
  risk,
  lifecycle,
  knownFailing: z.strictObject({ owner: z.string(), reason: z.string(), until: isoDate })
    .optional(),
  recording: z.string().nullable(),
  verdict: verdictKind,
  stepScore: z.number().nullable(),
  request: z.array(z.string()).describe("What the person said"),
  final: z.string().describe("The agent's last message"),
  claimedSuccess: z.boolean(),
  sideEffects: z.strictObject({
    penalty: z.number(),
    critical: z.boolean(),
    changes: z.array(judgedChange),
  }),
  attempts: z.array(attempt),
  conditions: z.array(conditionVerdict),
  rubric: z.array(z.strictObject({ id: z.string(), ask: z.string() })),
  usage: runUsage,
  notes: z.array(z.string()),
  reproduce: z.string().describe("The command that replays it"),
  trials: z.array(trial).min(1),
});

/** What must be known before anything else; stands first in every rendering. */
export const reportAlert = z.strictObject({
  kind: z.enum(["source_changed", "other_model", "other_baseline_model"]),
  what: z.array(z.string()).min(1).describe(
    "source_changed: files that are evaluated, each with what the agent did to it; else the model that was meant, then those that answered",
  ),
  scenarios: z.array(z.string()).describe("Ids; empty where it is about the whole run"),
});

/** `report.json`. */
export const reportFile = z.strictObject({
  schema: z.literal("collaudo/report@1"),
  time: isoTime,
  mode: runMode,
  command: z.string(),
  partial: z.boolean().describe(
    "A selection, or cut short: not the whole suite to its end",
  ),
  currency: currencyCode,
  budgetEur: z.number().positive().optional().describe(
    "The cap of `--budget-eur`, where one was set",
  ),
  budgetMinutes: z.number().positive().optional().describe(
    "The cap of `--budget-minutes`, where one was set",
  ),
  decision,
  headline: z.strictObject({
    taskSuccess: headlineNumber,
    costPerTask: headlineNumber,
    latencyP95Ms: headlineNumber,
  }),
  gate: z.strictObject({ name: z.string(), version: z.int(), hash: z.string(), file: z.string() }),
  judgedBy: z.strictObject({
    by: z.enum(["own", "base"]).describe("Whose gate was the stricter one"),
    ref: z.string().describe("The base branch"),
    version: z.int().describe("Of the base branch's gate"),
    hash: z.string(),
  }).optional().describe("Where the base branch's gate differs: both judged, the stricter decided"),
  gateLoosened: z.array(gateChange).optional()
    .describe("What lets more through than on the base branch; stands first in every rendering"),
  overrides: z.array(ledgerRow).optional().describe("Overrides in the history that this run saw"),
  versions: z.record(z.string(), z.string().nullable())
    .describe("commit, collaudo, deno, model, prompt, tools, scenarios, prices and notes"),
  metrics: metricsSet,
  baseline: metricsSet.nullable(),
  comparison: comparison.nullable(),
  statistics: statistics.optional()
    .describe("How sure it is; absent where nothing was left to chance: one trial, replayed"),
  scenarios: z.array(reportScenario),
  alerts: z.array(reportAlert).optional(),
  limits: z.array(z.string()).describe("What this run can not prove"),
});

export type Report = z.infer<typeof reportFile>;
export type ReportScenario = z.infer<typeof reportScenario>;
export type ReportAlert = z.infer<typeof reportAlert>;
export type Trial = z.infer<typeof trial>;
