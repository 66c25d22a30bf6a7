/**
 * What does one call of the agent do to the run? The loop and the tool server make their calls here:
 * the tool is used, the call is recorded with its changes, fault and approval, a question is answered
 * by the next user turn, interruptions are said. Out: the answer for the agent, or how the run ended.
 */
import { FILES, isNestedWithin, type Json, type JsonObject, type State } from "../model/json.ts";
import type { ModelCall } from "../model/ports.ts";
import type { CallEvent, CallStatus, Ended } from "../model/run.ts";
import { parsePath } from "../model/state_path.ts";
import { SHELL } from "../model/workspace_tools.ts";
import { answerText, callTool, type ToolOutcome } from "./call_tool.ts";
import { nextAnswer, nextInterruption } from "./conversation.ts";
import type { BareEvent, Episode } from "./episode.ts";
import { bringFiles, readInto, type RealWorkspace } from "./real_workspace.ts";
import type { Stop } from "./stop.ts";
import { findTool, isBuiltIn } from "./world.ts";

/** What became of one call. */
export type MadeCall =
  | {
    readonly kind: "answered";
    /** The answer as the agent reads it. */
    readonly text: string;
    readonly status: "ok" | "error" | "denied";
    /** What the user said after it, in order. */
    readonly interruptions: readonly string[];
  }
  | { readonly kind: "ended"; readonly ended: Ended };

/** Virtual duration of a call. */
const CALL_MS = 1;

/** Arguments nested deeper than this are as unreadable as broken JSON: nothing could walk them. */
const ARGS_DEPTH_MAX = 200;
/** The name under which arguments that are no JSON object stand in the trace. */
const UNREADABLE = "(unreadable)";

/** The call, with arguments that are nested too deep taken for unreadable. */
export function readableCall(call: ModelCall): ModelCall {
  return call.args === null || isShallow(call.args) ? call : { ...call, args: null };
}

/** False for a value that is nested too deep to be walked or written. */
export function isShallow(value: Json): boolean {
  return isNestedWithin(value, ARGS_DEPTH_MAX);
}

/** How the run ends instead of one more call, null where the call may be made. */
export function endedBefore(
  episode: Episode,
  { stop, callsMax }: { readonly stop: Stop; readonly callsMax: number },
): Ended | null {
  if (episode.calls < callsMax) return stop.ended();
  return { kind: "limit", detail: `The agent called more than ${callsMax} tools, its limit` };
}

/** Records a call that was asked for and not made; `source` says who saw it asked for. */
export function cancelCall(
  episode: Episode,
  call: ModelCall,
  source: CallEvent["source"] = "model",
): void {
  episode.calls++;
  if (isShell(episode, call)) episode.record(commandEvent(episode, call, "cancelled"));
  else episode.record(callEvent(episode, call, { status: "cancelled", source }));
}

/**
 * Makes a call and records it; nothing that the agent may do wrong makes it throw.
 * @param signal ends a command of the workspace's shell
 */
export async function makeCall(
  episode: Episode,
  call: ModelCall,
  signal: AbortSignal = NEVER,
): Promise<MadeCall> {
  episode.calls++;
  episode.callsInTurn++;
  const { workspace } = episode;
  if (isShell(episode, call)) {
    if (workspace === null) return over(refuseShell(episode, call));
    return await useShell(episode, call, { workspace, signal });
  }
  const atMs = episode.clock.nowMs();
  const outcome = await useTool(episode, call);
  const event = callEvent(episode, call, { status: "ok", source: "tools" });
  if (outcome.approval !== null) {
    const { id, tool, args } = event;
    episode.record({ kind: "approval", call: id, tool, args, answer: outcome.approval });
  }
  episode.clock.pass(CALL_MS);
  const record = recorder(episode, { event, outcome, atMs });
  const { answer } = outcome;
  if (answer.kind === "asks") return await askUser(episode, { event, answer, record });
  if (answer.kind === "broken") {
    record({ status: "unfinished" });
    return over({ kind: "environment_error", detail: `Tool "${call.tool}": ${answer.why}` });
  }
  if (answer.kind === "ok") record({ result: answer.result });
  else record({ status: answer.status, error: answer.error });
  const status = answer.kind === "ok" ? "ok" : answer.status;
  return await interrupt(episode, { text: answerText(answer), status });
}

const NEVER = new AbortController().signal;

/** Uses a simulated tool; files that it writes are written in the run's folder too. */
async function useTool(episode: Episode, call: ModelCall): Promise<ToolOutcome> {
  const outcome = await callTool(episode.world, call);
  const { workspace } = episode;
  const why = workspace === null || outcome.wrote.length === 0
    ? null
    : await bringFiles(workspace, outcome.wrote, outcome.world.state);
  if (why !== null) {
    const error = { code: "not_writable", message: why };
    return { ...outcome, wrote: [], answer: { kind: "refused", status: "error", error } };
  }
  episode.world = outcome.world;
  return outcome;
}

/** Runs a command in the run's folder; what it did there is the state after it. */
async function useShell(
  episode: Episode,
  call: ModelCall,
  { workspace, signal }: { readonly workspace: RealWorkspace; readonly signal: AbortSignal },
): Promise<MadeCall> {
  const command = call.args?.command;
  if (typeof command !== "string" || command === "") {
    episode.record(commandEvent(episode, call, "error"));
    const text = "Arguments: expected `command`, a text that is not empty";
    return await interrupt(episode, { text, status: "error" });
  }
  const end = await workspace.shell(command, signal);
  const { exitCode, output } = end;
  episode.clock.pass(CALL_MS);
  const { state } = episode.world;
  const unread = await readFolder(episode, workspace);
  const status = exitCode === 0 ? "ok" : exitCode === null ? "unfinished" : "error";
  episode.record({
    ...commandEvent(episode, call, status),
    exitCode,
    exitCodeSource: "field",
    output,
    source: "tools",
  });
  recordFiles(episode, state);
  if (unread !== null) return over({ kind: "environment_error", detail: unread });
  const text = exitCode === null ? `${end.why}\n${output}` : `Exit code ${exitCode}\n${output}`;
  return await interrupt(episode, { text, status: exitCode === 0 ? "ok" : "error" });
}

const CHANGED = { added: "added", changed: "modified", deleted: "deleted" } as const;

/** What a command did to files, one event each. */
function recordFiles(episode: Episode, before: State): void {
  for (const { path, op } of episode.difference(before, episode.world.state)) {
    const [collection, file] = parsePath(path);
    if (collection !== FILES || file === undefined) continue;
    episode.record({ kind: "file", path: file, change: CHANGED[op] });
  }
}

/** Takes what the folder holds for the state; why it could not be read, or null. */
async function readFolder(episode: Episode, workspace: RealWorkspace): Promise<string | null> {
  try {
    episode.world = await readInto(episode.world, workspace);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
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
  readonly event: BareCall;
  readonly answer: ToolOutcome["answer"] & { readonly kind: "asks" };
  readonly record: (detail: Partial<CallEvent>) => void;
}

async function askUser(episode: Episode, { event, answer, record }: Question): Promise<MadeCall> {
  const turn = await nextAnswer(episode, episode.dated(event));
  if (turn.kind === "undecided") {
    record({ status: "unfinished" });
    return over({ kind: "environment_error", detail: turn.why });
  }
  const result = turn.kind === "said" ? answer.answered(turn.text) : undefined;
  record(result === undefined ? {} : { result });
  turn.notices.forEach((notice) => episode.notice(notice));
  if (turn.kind === "over" || result === undefined) return over({ kind: "completed" });
  episode.hear(turn.text);
  const text = answerText({ kind: "ok", result });
  return { kind: "answered", text, status: "ok", interruptions: [] };
}

/** Says what interrupts after the call just made. */
async function interrupt(
  episode: Episode,
  answer: { readonly text: string; readonly status: "ok" | "error" | "denied" },
): Promise<MadeCall> {
  const interruptions: string[] = [];
  for (;;) {
    const turn = await nextInterruption(episode);
    if (turn.kind === "undecided") return over({ kind: "environment_error", detail: turn.why });
    turn.notices.forEach((notice) => episode.notice(notice));
    if (turn.kind === "over") return { kind: "answered", ...answer, interruptions };
    episode.hear(turn.text);
    interruptions.push(turn.text);
  }
}

function over(ended: Ended): MadeCall {
  return { kind: "ended", ended };
}

function isShell({ world, loaded }: Episode, call: ModelCall): boolean {
  return call.tool === SHELL && isBuiltIn(loaded, SHELL) && Object.hasOwn(world.tools, SHELL);
}

function refuseShell(episode: Episode, call: ModelCall): Ended {
  episode.record(commandEvent(episode, call, "unfinished"));
  const detail = 'The built-in tool "shell" needs a real process, and simulated worlds start none';
  return { kind: "environment_error", detail };
}

type BareCommand = BareEvent & { readonly kind: "command" };

function commandEvent(episode: Episode, call: ModelCall, status: CallStatus): BareCommand {
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
