/**
 * How does the loop agent work through one user turn? It asks the model, makes the calls that come
 * back in their order, gives the answers back, and so on until an answer without calls. Out: null
 * where the turn ended by itself, or how the whole run ended.
 */
import type { Json, JsonObject } from "../model/json.ts";
import type { Model, ModelAnswer, ModelCall, ModelMessage } from "../model/ports.ts";
import type { CallEvent, CallStatus, Ended } from "../model/run.ts";
import { SHELL } from "../model/workspace_tools.ts";
import { answerText, callTool, type ToolOutcome } from "./call_tool.ts";
import { nextAnswer, nextInterruption } from "./conversation.ts";
import type { BareEvent, Episode } from "./episode.ts";
import type { Stop } from "./stop.ts";
import { findTool, isBuiltIn, modelTools } from "./world.ts";

/** What drives a run besides its episode. */
export interface Drive {
  readonly model: Model;
  readonly stop: Stop;
  readonly callsMax: number;
}

/** Virtual duration of an answer that was not measured, and of a call. */
const ANSWER_MS = 10;
const CALL_MS = 1;

/** Arguments nested deeper than this are as unreadable as broken JSON: nothing could walk them. */
const ARGS_DEPTH_MAX = 200;
/** The name under which arguments that are no JSON object stand in the trace. */
const UNREADABLE = "(unreadable)";

type Answered = ModelAnswer & { readonly kind: "answer" };

/** Lets the agent answer what the user said last. */
export async function answerUser(episode: Episode, drive: Drive): Promise<Ended | null> {
  for (;;) {
    const answer = await askModel(episode, drive);
    if (answer.kind !== "answer") return endedBy(answer);
    hearModel(episode, answer);
    if (answer.calls.length === 0) return null;
    const ended = await makeCalls(episode, drive, answer.calls.map(readable));
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

function readable(call: ModelCall): ModelCall {
  return call.args === null || isShallow(call.args) ? call : { ...call, args: null };
}

function isShallow(value: Json): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > ARGS_DEPTH_MAX) return false;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? Object.values(one) : []
    );
  }
  return true;
}

/** An answer's calls in order; where the run ends within, the rest are recorded as cancelled. */
async function makeCalls(
  episode: Episode,
  drive: Drive,
  calls: readonly ModelCall[],
): Promise<Ended | null> {
  const interruptions: string[] = [];
  for (const [index, call] of calls.entries()) {
    const early = beforeCall(episode, drive);
    const ended = early ?? await makeCall(episode, call, interruptions);
    if (ended === null) continue;
    for (const rest of calls.slice(early === null ? index + 1 : index)) cancelCall(episode, rest);
    return ended;
  }
  for (const text of interruptions) episode.messages.push({ role: "user", text });
  return null;
}

function beforeCall(episode: Episode, { stop, callsMax }: Drive): Ended | null {
  if (episode.calls < callsMax) return stop.ended();
  return { kind: "limit", detail: `The agent called more than ${callsMax} tools, its limit` };
}

function cancelCall(episode: Episode, call: ModelCall): void {
  episode.calls++;
  if (isShell(episode, call)) episode.record(commandEvent(episode, call, "cancelled"));
  else episode.record(callEvent(episode, call, { status: "cancelled", source: "model" }));
}

async function makeCall(
  episode: Episode,
  call: ModelCall,
  interruptions: string[],
): Promise<Ended | null> {
  episode.calls++;
  episode.callsInTurn++;
  if (isShell(episode, call)) return refuseShell(episode, call);
  const atMs = episode.clock.nowMs();
  const outcome = await callTool(episode.world, call);
  episode.world = outcome.world;
  const event = callEvent(episode, call, { status: "ok", source: "tools" });
  if (outcome.approval !== null) {
    const { id, tool, args } = event;
    episode.record({ kind: "approval", call: id, tool, args, answer: outcome.approval });
  }
  episode.clock.pass(CALL_MS);
  const record = recorder(episode, { event, outcome, atMs });
  const { answer } = outcome;
  if (answer.kind === "asks") return await askUser(episode, { call, event, answer, record });
  if (answer.kind === "broken") {
    record({ status: "unfinished" });
    return { kind: "environment_error", detail: `Tool "${call.tool}": ${answer.why}` };
  }
  if (answer.kind === "ok") record({ result: answer.result });
  else record({ status: answer.status, error: answer.error });
  const status = answer.kind === "ok" ? "ok" : answer.status;
  episode.messages.push(toolMessage(call, answerText(answer), status));
  return await interrupt(episode, interruptions);
}

type BareCall = BareEvent & { readonly kind: "call" };

/** Records a call that began at `atMs` and ends now, with what became of it. */
function recorder(
  episode: Episode,
  { event, outcome, atMs }: {
    readonly event: BareCall;
    readonly outcome: ToolOutcome;
    readonly atMs: number;
  },
): (detail: Partial<CallEvent>) => void {
  const fault = outcome.fault === null ? {} : { fault: outcome.fault };
  return (detail) => {
    const endMs = episode.clock.nowMs();
    const whole = { ...event, ...detail, endMs, ...fault, wrote: [...outcome.wrote] };
    episode.events.push(episode.dated(whole, atMs));
  };
}

interface Question {
  readonly call: ModelCall;
  readonly event: BareCall;
  readonly answer: ToolOutcome["answer"] & { readonly kind: "asks" };
  readonly record: (detail: Partial<CallEvent>) => void;
}

async function askUser(episode: Episode, question: Question): Promise<Ended | null> {
  const { call, event, answer, record } = question;
  const turn = await nextAnswer(episode, episode.dated(event));
  if (turn.kind === "undecided") {
    record({ status: "unfinished" });
    return { kind: "environment_error", detail: turn.why };
  }
  const result = turn.kind === "said" ? answer.answered(turn.text) : undefined;
  record(result === undefined ? {} : { result });
  turn.notices.forEach((notice) => episode.notice(notice));
  if (turn.kind === "over" || result === undefined) return { kind: "completed" };
  episode.hear(turn.text);
  episode.messages.push(toolMessage(call, answerText({ kind: "ok", result }), "ok"));
  return null;
}

/** Says what interrupts after the call just made; the model hears it with the answers' last. */
async function interrupt(episode: Episode, interruptions: string[]): Promise<Ended | null> {
  for (;;) {
    const turn = await nextInterruption(episode);
    if (turn.kind === "undecided") return { kind: "environment_error", detail: turn.why };
    turn.notices.forEach((notice) => episode.notice(notice));
    if (turn.kind === "over") return null;
    episode.hear(turn.text);
    interruptions.push(turn.text);
  }
}

function isShell(episode: Episode, call: ModelCall): boolean {
  return call.tool === SHELL && isBuiltIn(episode.loaded, SHELL);
}

function refuseShell(episode: Episode, call: ModelCall): Ended {
  episode.record(commandEvent(episode, call, "unfinished"));
  const detail = 'The built-in tool "shell" needs a real process, and simulated worlds start none';
  return { kind: "environment_error", detail };
}

function commandEvent(episode: Episode, call: ModelCall, status: CallStatus): BareEvent {
  const command = call.args?.command;
  return {
    kind: "command",
    id: `c${episode.calls}`,
    command: typeof command === "string" ? command : call.argsText,
    exitCode: null,
    status,
    source: "model",
  };
}

function callEvent(
  episode: Episode,
  call: ModelCall,
  { status, source }: { readonly status: CallStatus; readonly source: CallEvent["source"] },
): BareCall {
  const effect = findTool(episode.world, call.tool)?.effect;
  const args: JsonObject = call.args ??
    (call.argsText.trim() === "" ? {} : { [UNREADABLE]: call.argsText });
  return {
    kind: "call",
    id: `c${episode.calls}`,
    tool: call.tool === "" ? "(unnamed)" : call.tool,
    args,
    ...(effect === undefined ? {} : { effect }),
    status,
    source,
  };
}

function toolMessage(
  call: ModelCall,
  text: string,
  status: "ok" | "error" | "denied",
): ModelMessage {
  return { role: "tool", call: call.id, tool: call.tool, text, status };
}
