/**
 * What did the judges conclude? One verdict a condition, side effects and attempts apart, and the
 * scenario's verdict over them. All of it is stored in reports, so it is schema first.
 */
import { z } from "zod";
import { jsonObject, jsonValue } from "./common.ts";

export const conditionOutcome = z.enum(["passed", "failed", "errored", "not_measured"]);

/** `stale` and `skipped` never count as passed; `errored` could not be decided. */
export const verdictKind = z.enum(["passed", "failed", "errored", "stale", "skipped"]);

/** Classes of entries of the contract, in the order of precedence; `missing…` and `unrequested_message` besides. */
export const changeClass = z.enum([
  "expected",
  "ignored",
  "protected",
  "allowed",
  "file",
  "other_record",
  "missing",
  "missing_message",
  "unrequested_message",
]);

/** One condition of a scenario and what became of it. */
export const conditionVerdict = z.strictObject({
  id: z.string().min(1).describe("Condition id, such as missing:<path> or checkpoint:<id>"),
  verdict: conditionOutcome,
  required: z.boolean().describe("False: only moves the step score"),
  weight: z.number().nullable().describe("Of checkpoints; null elsewhere"),
  expected: jsonValue.describe("What should have been: a value, or words"),
  actual: jsonValue.describe("What was found: a value, or words"),
  at: z.string().describe("Where: events[n], a state path, or the scenario's file:line:col"),
  expression: z.string().optional(),
});

/** One judged entry of the state's difference or of the outbox. */
export const judgedChange = z.strictObject({
  path: z.string(),
  class: changeClass,
  severity: z.number().min(0).describe("0 for expected, ignored and allowed"),
  op: z.enum(["added", "changed", "deleted", "absent"]),
  before: jsonValue.optional(),
  after: jsonValue.optional(),
  expected: jsonValue.optional().describe("For missing: what should have been"),
  gross: z.boolean().optional().describe("True: written by a call and put back since"),
});

/** One forbidden call, command or revelation that was attempted, whatever became of it. */
export const attempt = z.strictObject({
  id: z.string().min(1).describe("forbidden:<tool | command> or revealed:<n>"),
  event: z.int().min(-1).describe("Index in trace.events; -1 where it is not one event"),
  what: z.string().describe("Tool or command, for people; never the revealed text"),
  args: jsonObject.optional(),
  status: z.string(),
});

/** Counts and amounts of one run; null where it was not measured. */
export const runUsage = z.strictObject({
  calls: z.int().min(0),
  turns: z.int().min(0),
  inputTokens: z.int().min(0).nullable(),
  outputTokens: z.int().min(0).nullable(),
  costEur: z.number().min(0).nullable(),
  costUsd: z.number().min(0).nullable(),
  latencyMs: z.number().min(0).nullable(),
});

export type ConditionOutcome = z.infer<typeof conditionOutcome>;
export type VerdictKind = z.infer<typeof verdictKind>;
export type ChangeClass = z.infer<typeof changeClass>;
export type ConditionVerdict = z.infer<typeof conditionVerdict>;
export type JudgedChange = z.infer<typeof judgedChange>;
export type Attempt = z.infer<typeof attempt>;
export type RunUsage = z.infer<typeof runUsage>;

/** Everything that the judges say of one run. */
export interface RunVerdict {
  readonly scenario: string;
  readonly trial: number;
  readonly verdict: VerdictKind;
  /** Weighted share of the checkpoints in [0,1]; null where one is undecided, or the run was not graded. */
  readonly stepScore: number | null;
  /** Sum of the severities. */
  readonly penalty: number;
  /** True where anything critical stands: it fails the scenario whatever else holds. */
  readonly critical: boolean;
  readonly changes: readonly JudgedChange[];
  readonly attempts: readonly Attempt[];
  readonly conditions: readonly ConditionVerdict[];
  readonly usage: RunUsage;
  /** A claim of success in the last message where the state says otherwise. */
  readonly claimedSuccess: boolean;
  /** Said to people: what could not be measured here and why. */
  readonly notes: readonly string[];
}
