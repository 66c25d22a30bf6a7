/**
 * What happened in one execution of a scenario? The trace (ordered events), the state before and
 * after, the usage, and how it ended. One JSON file, or one line of JSONL.
 */
import { z } from "zod";
import { currencyCode, isoTime, jsonObject, jsonValue, sha256, stateValue } from "./common.ts";
import type { State } from "./json.ts";
import { toolEffect } from "./tool.ts";

export const callStatus = z.enum(["ok", "error", "denied", "cancelled", "unfinished"]);

export const endedKind = z.enum([
  "completed",
  "limit",
  "timeout",
  "interrupted",
  "agent_error",
  "environment_error",
  "stale",
]);

export const runMode = z.enum(["replay", "live", "recorded"]);

const source = z.enum(["tools", "model", "stream", "shim"])
  .describe("Who saw it: our tools are evidence, an agent's stream is testimony");

const at = {
  atMs: z.number().min(0).optional().describe("Milliseconds since the start; virtual in replay"),
  turn: z.int().min(0).optional().describe("The user turn that it belongs to, from 1"),
};

const messageEvent = z.strictObject({
  kind: z.literal("message"),
  ...at,
  role: z.enum(["user", "assistant", "system"]),
  text: z.string(),
});

const callEvent = z.strictObject({
  kind: z.literal("call"),
  id: z.string().min(1),
  ...at,
  endMs: z.number().min(0).optional(),
  tool: z.string().min(1),
  args: jsonObject,
  effect: toolEffect.optional(),
  status: callStatus,
  result: jsonValue.optional(),
  error: z.strictObject({ code: z.string(), message: z.string().optional() }).optional(),
  fault: z.string().optional().describe("The fault kind that disturbed the call"),
  wrote: z.array(z.string()).optional().describe("State paths that the call wrote"),
  source,
});

const approvalEvent = z.strictObject({
  kind: z.literal("approval"),
  ...at,
  call: z.string().min(1),
  tool: z.string().min(1),
  args: jsonObject,
  answer: z.enum(["granted", "denied"]),
});

const commandEvent = z.strictObject({
  kind: z.literal("command"),
  id: z.string().min(1),
  ...at,
  endMs: z.number().min(0).optional(),
  command: z.string(),
  exitCode: z.int().nullable(),
  exitCodeSource: z.string().optional(),
  status: callStatus,
  output: z.string().optional(),
  source,
});

const fileEvent = z.strictObject({
  kind: z.literal("file"),
  ...at,
  path: z.string().min(1),
  change: z.enum(["added", "modified", "deleted"]),
});

const noticeEvent = z.strictObject({
  kind: z.literal("notice"),
  ...at,
  level: z.enum(["debug", "info", "warning", "error"]),
  text: z.string(),
});

const unknownEvent = z.strictObject({ kind: z.literal("unknown"), ...at, raw: jsonValue });

/** One thing that happened; the order of a trace is the order of its list, never a time. */
export const runEvent = z.discriminatedUnion("kind", [
  messageEvent,
  callEvent,
  approvalEvent,
  commandEvent,
  fileEvent,
  noticeEvent,
  unknownEvent,
]);

export const money = z.strictObject({
  amount: z.number().min(0),
  currency: currencyCode,
  billing: z.enum(["metered", "subscription", "free", "unknown"]),
});

export const usage = z.strictObject({
  inputTokens: z.int().min(0).optional(),
  cachedInputTokens: z.int().min(0).optional(),
  outputTokens: z.int().min(0).optional(),
  latencyMs: z.number().min(0).optional()
    .describe("Where it was measured; absent in a replay of handmade recordings"),
  cost: money.nullable().optional().describe("null or absent: unknown, never 0"),
});

/** One entry of a state's difference, as run files store it. */
export const changeEntry = z.strictObject({
  path: z.string().min(1),
  op: z.enum(["added", "changed", "deleted"]),
  before: jsonValue.optional(),
  after: jsonValue.optional(),
});

const stateRef = z.strictObject({ ref: sha256 });
const stateDelta = z.strictObject({ changes: z.array(changeEntry), hash: sha256 });

const ended = z.strictObject({
  kind: endedKind,
  detail: z.string().optional().describe("What stopped it, for people"),
});

const agentIdentity = z.strictObject({
  name: z.string().min(1),
  version: z.string().optional(),
  model: z.string().optional(),
});

const proofOutcome = z.strictObject({
  id: z.string().min(1),
  exitCode: z.int().nullable().describe("null: the command did not start, or was ended"),
  why: z.string().optional().describe("Why there is no exit code"),
  timedOut: z.boolean().optional().describe("It went on beyond its time limit: it did not hold"),
  output: z.string().optional().describe("The end of what the command wrote"),
});

/** What must be known before anything else of a run is read. */
export const runAlert = z.strictObject({
  kind: z.enum(["source_changed", "other_model"]),
  what: z.array(z.string()).min(1).describe(
    "source_changed: files that are evaluated, each with what the agent did to it; other_model: the configured model, then those that answered",
  ),
});

/** A run as files hold it: states whole or by reference. */
export const runFile = z.strictObject({
  schema: z.literal("collaudo/run@1"),
  scenario: z.string().min(1),
  scenarioHash: sha256.optional(),
  trial: z.int().min(1).default(1),
  mode: runMode,
  agent: agentIdentity,
  recording: z.string().optional(),
  startedAt: isoTime.optional(),
  ended,
  events: z.array(runEvent),
  state: z.strictObject({
    before: z.union([stateRef, stateValue]),
    after: z.union([stateDelta, stateValue]),
  }),
  usage: usage.optional(),
  proofs: z.array(proofOutcome).optional()
    .describe("What the harness found when it ran the scenario's proofs on the agent's files"),
  alerts: z.array(runAlert).optional(),
});

/** A state stored once, named by its hash: a line of its own in JSONL, or `states/<hex>.json`. */
export const stateFile = z.strictObject({
  schema: z.literal("collaudo/state@1"),
  hash: sha256,
  state: stateValue,
});

export type RunFile = z.infer<typeof runFile>;
export type RunEvent = z.infer<typeof runEvent>;
export type RunAlert = z.infer<typeof runAlert>;
export type MessageEvent = z.infer<typeof messageEvent>;
export type CallEvent = z.infer<typeof callEvent>;
export type ApprovalEvent = z.infer<typeof approvalEvent>;
export type CommandEvent = z.infer<typeof commandEvent>;
export type CallStatus = z.infer<typeof callStatus>;
export type EndedKind = z.infer<typeof endedKind>;
export type Ended = z.infer<typeof ended>;
export type RunMode = z.infer<typeof runMode>;
export type Usage = z.infer<typeof usage>;
export type ProofOutcome = z.infer<typeof proofOutcome>;
export type Money = z.infer<typeof money>;
/** One entry of the difference between two states: `path` as text, `before`/`after` where they exist. */
export type Change = z.infer<typeof changeEntry>;

/** A run in memory: both states whole (they share what did not change). */
export type Run = Omit<RunFile, "state"> & {
  readonly state: { readonly before: State; readonly after: State };
};
