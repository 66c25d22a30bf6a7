/**
 * What must hold before a version ships, and what was decided? The gate is a versioned file of
 * one-line rules; the decision names the rules that spoke and what it rests on.
 */
import { z } from "zod";
import { expressionText, identifier, isoDate, jsonValue } from "./common.ts";

export const ruleLevel = z.enum(["block", "warn"]);

/** One rule: a boolean expression over candidate, baseline and ledger that must be true. */
export const gateRule = z.strictObject({
  id: identifier,
  level: ruleLevel,
  require: expressionText,
  for_each: z.enum(["task", "category"]).optional().describe("Judged once for each group"),
  only: z.array(z.string().min(1)).min(1).optional().describe("Of these groups alone"),
  missing: z.enum(["block", "warn", "skip"]).optional()
    .describe("Where a needed value is null or absent; default the rule's level"),
  override: z.enum(["allowed", "never"]).default("allowed"),
  stage: z.enum(["offline", "canary", "rollback"]).default("offline"),
  because: z.string().min(1).optional(),
});

/** A gate file. */
export const gateFile = z.strictObject({
  gate: identifier,
  version: z.int().min(1),
  reason: z.string().min(1).describe("Why this version differs from the last"),
  baseline: identifier.optional().describe("Name of a file in reports/baselines"),
  trials: z.strictObject({
    live: z.int().min(1).optional(),
    critical: z.int().min(1).optional(),
  }).optional(),
  rules: z.array(gateRule).min(1),
});

/** First that holds: block > error > warn > not_enough_evidence > pass. */
export const decisionVerdict = z.enum(["block", "error", "warn", "not_enough_evidence", "pass"]);

/** What the runs were: handmade recordings, recorded ones, or a live model. */
export const evidence = z.enum(["self_test", "recorded", "live"]);

/** Why the decision is what it is: one line of the report each. */
export const reason = z.strictObject({
  kind: z.enum([
    "rule_failed",
    "rule_missing",
    "rule_undecided",
    "rule_not_judged",
    "rule_evidence",
    "scenario_errored",
    "scenario_stale",
    "scenario_skipped",
    "recording_lost",
    "project_removed",
    "nothing_graded",
    "no_baseline",
    "invalid_comparison",
  ]),
  level: decisionVerdict.describe("The decision that this reason alone would give"),
  rule: z.string().nullable(),
  group: z.string().nullable().describe("The task or category, where the rule is for each"),
  expected: jsonValue.describe("The rule's expression, or what was wanted"),
  actual: jsonValue.describe("The values found, by name"),
  scenarios: z.array(z.string()).describe("The scenarios that it is about"),
  because: z.string().nullable(),
  overridable: z.boolean(),
});

/** An override that lifts a decision: the commit's, or one that still holds. */
export const liftedBy = z.strictObject({
  id: z.string(),
  reason: z.string(),
  by: z.string(),
  until: isoDate.nullable(),
});

export const decision = z.strictObject({
  verdict: decisionVerdict,
  evidence,
  exitCode: z.int().min(0),
  reasons: z.array(reason),
  overridden: z.array(liftedBy).min(1).optional()
    .describe("The verdict stands, these overrides let it pass all the same"),
});

/** What a change of the gate, or of what it looks at, means for what may ship. */
export const direction = z.enum(["looser", "tighter", "neutral"]);

/** One difference between two gates or two trees. */
export const gateChange = z.strictObject({
  what: z.string().describe(
    "The file and the place in it, such as `gates/release.yaml rules/cost/level`",
  ),
  from: jsonValue.describe("null where it was absent"),
  to: jsonValue.describe("null where it is absent now"),
  direction,
});

export type RuleLevel = z.infer<typeof ruleLevel>;
export type GateRule = z.infer<typeof gateRule>;
export type Gate = z.infer<typeof gateFile>;
export type DecisionVerdict = z.infer<typeof decisionVerdict>;
export type Evidence = z.infer<typeof evidence>;
export type Reason = z.infer<typeof reason>;
export type Decision = z.infer<typeof decision>;
export type LiftedBy = z.infer<typeof liftedBy>;
export type Direction = z.infer<typeof direction>;
export type GateChange = z.infer<typeof gateChange>;
