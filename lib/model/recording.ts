/**
 * What did the model say and call in a run that we keep? One YAML file a recording, written by hand
 * or by `record`; replaying it answers the agent's model requests.
 */
import { z } from "zod";
import { isoTime, jsonObject, sha256 } from "./common.ts";
import { callStatus } from "./run.ts";

const recordedCall = z.strictObject({
  tool: z.string().min(1),
  args: jsonObject.default({}),
  digest: sha256.optional().describe("Digest of the tool's answer when it was recorded"),
});

const recordedUsage = z.strictObject({
  inputTokens: z.int().min(0),
  cachedInputTokens: z.int().min(0).optional(),
  outputTokens: z.int().min(0),
});

const userTurn = z.strictObject({ user: z.string().min(1) })
  .describe("What is said here; anything else makes the recording stale");

const noticeTurn = z.strictObject({ notice: z.string().min(1) })
  .describe("Something the agent's program reports, such as context_compacted");

const assistantTurn = z.strictObject({
  say: z.string().optional().describe("Before calls: does not end the turn; alone: ends it"),
  calls: z.array(recordedCall).min(1).optional(),
  after: z.strictObject({ tool: z.string().min(1), status: callStatus }).optional()
    .describe("Only where the last call of that tool ended so; else the turn is passed over"),
  usage: recordedUsage.optional(),
  latencyMs: z.number().min(0).optional(),
  stop: z.string().optional().describe("Why it ended: end, calls, length or refused"),
  thinking: z.string().optional().describe("What the model thought before it spoke"),
}).refine((turn) => turn.say !== undefined || turn.calls !== undefined, {
  message: "expected `say`, `calls` or both",
});

/** A recording file. */
export const recordingFile = z.strictObject({
  origin: z.enum(["handmade", "recorded"]),
  model: z.string().min(1).optional(),
  agent: z.string().min(1).optional(),
  at: isoTime.optional(),
  system: sha256.optional().describe("Hash of the system prompt that it was recorded with"),
  tools: sha256.optional().describe("Hash of the tool list that it was recorded with"),
  fails: z.array(z.string().min(1)).min(1).optional()
    .describe("Condition ids that must be among the failed ones; absent: must pass"),
  turns: z.array(z.union([userTurn, noticeTurn, assistantTurn])).min(1),
});

export type Recording = z.infer<typeof recordingFile>;
export type RecordedTurn = Recording["turns"][number];
export type AssistantTurn = z.infer<typeof assistantTurn>;
