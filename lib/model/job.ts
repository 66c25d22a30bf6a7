/**
 * What became of a job that runs by the clock? `reports/schedule/<job>.json`, written before the job
 * starts and after it ended: a file that says "running" while nothing runs is the trace of a crash.
 */
import { z } from "zod";
import { identifier, isoTime } from "./common.ts";

/** The commands that a job may be made of; none that asks a person or that sets the project up. */
export const JOB_COMMANDS = [
  "run",
  "validate",
  "grade",
  "record",
  "baseline",
  "gate",
  "ledger",
  "ci",
  "plan",
  "trend",
  "notify",
] as const;

/**
 * `completed`: it said 0, or 1 with a decision. `failed`: it said something else, the decision
 * `error` included. `crashed`: it ended by a signal or without an end that was stored.
 */
export const jobOutcome = z.enum([
  "running",
  "completed",
  "failed",
  "crashed",
  "timeout",
  "interrupted",
  "not_started",
]);

/** One try to do a job. */
export const jobAttempt = z.strictObject({
  due: isoTime.describe("The time of the schedule that it is for"),
  reason: z.enum(["on_time", "late", "caught_up"]),
  attempt: z.int().min(1).describe("Which try for this time it is"),
  started: isoTime,
  ended: isoTime.nullable(),
  outcome: jobOutcome,
  exitCode: z.int().nullable().describe("What the program said: 0, 1, 2, 3 or 130"),
  decision: z.string().nullable().describe("The decision of its report"),
  report: z.string().nullable().describe("Its report.json, relative to the project"),
  said: z.string().nullable().describe("The end of what it said on standard error, masked"),
});

/** `reports/schedule/<job>.json`. */
export const jobFile = z.strictObject({
  schema: z.literal("collaudo/job@1"),
  job: identifier,
  cron: z.string(),
  zone: z.string(),
  command: z.array(z.string()),
  since: isoTime.describe("Nothing that was due before this moment counts as missed"),
  last: jobAttempt.nullable(),
  succeeded: jobAttempt.nullable().describe("The newest try that completed"),
});

export type JobFile = z.infer<typeof jobFile>;
export type JobAttempt = z.infer<typeof jobAttempt>;
export type JobOutcome = z.infer<typeof jobOutcome>;
