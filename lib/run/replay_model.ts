/**
 * What did the model answer here when it was recorded? A model port over a recording: it answers a
 * request whose conversation the recording holds, is `stale` for any other, and never goes anywhere
 * else for an answer.
 */
import type { ModelConfig } from "../model/config.ts";
import { costOf } from "../model/cost.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { Model, ModelAnswer, ModelMessage, ModelRequest } from "../model/ports.ts";
import type { AssistantTurn } from "../model/recording.ts";
import { digestSystem, digestTools } from "./normalise.ts";
import { expectedWords, turnWords, type WalkedRecording, walkRecording } from "./replay_walk.ts";

/** What recorded tokens cost; without a price the cost stays unknown. */
export type RecordedPrice = Pick<ModelConfig, "price" | "billing">;

/** A model that plays the recording; `pricing` prices the tokens that it recorded. */
export function replayModel(
  { name, recording }: LoadedRecording,
  loaded: LoadedScenario,
  pricing: RecordedPrice = {},
): Model {
  const walked: WalkedRecording = { name, recording, tools: loaded.tools };
  return {
    complete: (request) => Promise.resolve(answerFrom(walked, request, pricing)),
    leftOver: (messages) => leftOver(walked, messages),
    takesAnyUser: recording.origin === "handmade",
  };
}

function answerFrom(
  walked: WalkedRecording,
  request: ModelRequest,
  pricing: RecordedPrice,
): ModelAnswer {
  const other = otherPrompt(walked, request);
  if (other !== null) return { kind: "stale", why: other };
  const walk = walkRecording(walked, request.messages);
  if (walk.kind === "differs") return { kind: "stale", why: walk.why };
  const turn = walked.recording.turns[walk.next];
  if (turn === undefined || "user" in turn || "notice" in turn) {
    const why = `${turnWords(walked, walk.next)} expects ${expectedWords(turn)}, ` +
      `but the agent's next answer was asked for`;
    return { kind: "stale", why };
  }
  return {
    kind: "answer",
    text: turn.say ?? "",
    calls: callsOf(turn, walk.next),
    usage: usageOf(turn, pricing),
    latencyMs: turn.latencyMs ?? null,
    model: walked.recording.model ?? null,
    notices: walk.notices,
    ...(turn.thinking === undefined ? {} : { thinking: turn.thinking }),
    ...(turn.stop === undefined ? {} : { stop: turn.stop }),
  };
}

function otherPrompt({ name, recording }: WalkedRecording, request: ModelRequest): string | null {
  const system = request.messages.filter(({ role }) => role === "system")
    .map((message) => "text" in message ? message.text : "").join("\n");
  if (recording.system !== undefined && recording.system !== digestSystem(system)) {
    return `Recording "${name}" was made with another system prompt`;
  }
  if (recording.tools !== undefined && recording.tools !== digestTools(request.tools)) {
    return `Recording "${name}" was made with other tools`;
  }
  return null;
}

function callsOf(turn: AssistantTurn, index: number) {
  return (turn.calls ?? []).map(({ tool, args }, i) => ({
    id: `r${index + 1}.${i + 1}`,
    tool,
    args,
    argsText: JSON.stringify(args),
  }));
}

function usageOf({ usage }: AssistantTurn, { price, billing }: RecordedPrice) {
  return usage === undefined ? null : { ...usage, cost: costOf(usage, price, billing) };
}

function leftOver(walked: WalkedRecording, messages: readonly ModelMessage[]): string | null {
  const walk = walkRecording(walked, messages);
  if (walk.kind === "differs") return walk.why;
  const turn = walked.recording.turns[walk.next];
  if (turn !== undefined) {
    const over = `The run was over, but ${turnWords(walked, walk.next)} still expects`;
    return `${over} ${expectedWords(turn)}: no further user turn came`;
  }
  const [notice] = walk.notices;
  if (notice === undefined) return null;
  return `The run was over, but recording "${walked.name}" still has the notice "${notice}"`;
}
