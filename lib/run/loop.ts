/**
 * How does the loop agent work through one user turn? It asks the model, makes the calls that come
 * back in their order, gives the answers back, and so on until an answer without calls. Out: null
 * where the turn ended by itself, or how the whole run ended.
 */
import type { Model, ModelAnswer, ModelCall, ModelMessage } from "../model/ports.ts";
import type { Ended } from "../model/run.ts";
import type { Episode } from "./episode.ts";
import { cancelCall, endedBefore, type MadeCall, makeCall, readableCall } from "./make_call.ts";
import type { Stop } from "./stop.ts";
import { modelTools } from "./world.ts";

/** What drives a run besides its episode. */
export interface Drive {
  readonly model: Model;
  readonly stop: Stop;
  readonly callsMax: number;
}

/** Virtual duration of an answer that was not measured. */
const ANSWER_MS = 10;

type Answered = ModelAnswer & { readonly kind: "answer" };

/** Lets the agent answer what the user said last. */
export async function answerUser(episode: Episode, drive: Drive): Promise<Ended | null> {
  for (;;) {
    const answer = await askModel(episode, drive);
    if (answer.kind !== "answer") return endedBy(answer);
    hearModel(episode, answer);
    if (answer.calls.length === 0) return null;
    const ended = await makeCalls(episode, drive, answer.calls.map(readableCall));
    if (ended !== null) return ended;
  }
}

async function askModel(episode: Episode, { model, stop }: Drive): Promise<ModelAnswer | Ended> {
  const messages = [...episode.messages];
  const work = model.complete({ messages, tools: modelTools(episode.world) }, stop.signal);
  const answer = stop.ended() ?? await stop.race(work);
  if (answer.kind === "answer") {
    episode.clock.pass(answer.latencyMs ?? ANSWER_MS);
    episode.answers.push(answer);
  }
  return answer;
}

function endedBy(answer: Exclude<ModelAnswer, Answered> | Ended): Ended {
  if (answer.kind === "failed") return { kind: "environment_error", detail: answer.why };
  if (answer.kind === "stale" && "why" in answer) return { kind: "stale", detail: answer.why };
  return answer;
}

function hearModel(episode: Episode, { notices, text, calls }: Answered): void {
  for (const notice of notices) episode.notice(notice);
  if (text !== "" || calls.length === 0) {
    episode.record({ kind: "message", role: "assistant", text });
  }
  episode.messages.push({ role: "assistant", text, calls });
}

/** An answer's calls in order; where the run ends within, the rest are recorded as cancelled. */
async function makeCalls(
  episode: Episode,
  drive: Drive,
  calls: readonly ModelCall[],
): Promise<Ended | null> {
  const interruptions: string[] = [];
  for (const [index, call] of calls.entries()) {
    const early = endedBefore(episode, drive);
    const made = early === null ? await makeCall(episode, call, drive.stop.signal) : null;
    if (made?.kind === "answered") {
      episode.messages.push(toolMessage(call, made));
      interruptions.push(...made.interruptions);
      continue;
    }
    for (const rest of calls.slice(made === null ? index : index + 1)) cancelCall(episode, rest);
    return made?.ended ?? early;
  }
  for (const text of interruptions) episode.messages.push({ role: "user", text });
  return null;
}

function toolMessage(
  { id, tool }: ModelCall,
  { text, status }: MadeCall & { readonly kind: "answered" },
): ModelMessage {
  return { role: "tool", call: id, tool, text, status };
}
