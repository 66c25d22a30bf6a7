/**
 * What does `claude -p --output-format stream-json --verbose` tell, and Qwen Code in the same dialect?
 * `subtype: success` says only that the program came to an end: denied and failed tools stand beside
 * it, and so does `is_error`. There is no field with an exit code: Claude Code writes a failing one
 * into the text, Qwen Code none at all.
 */
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/run.ts";
import type { StreamEnd } from "../../model/stream.ts";
import { EVENTS_MAX } from "./bounds.ts";
import { readResults, settleDenials } from "./claude_results.ts";
import { claudeUsage } from "./claude_usage.ts";
import { contentText, fieldAt, listAt, nameAt, objectAt, textAt } from "./fields.ts";
import type { Format } from "./lines.ts";
import { begunBy, OWN_TOOLS, type OwnTools } from "./own_tools.ts";
import type { Ending, StreamTrace } from "./trace.ts";

/** What the reading of one stream remembers. */
export interface ClaudeState {
  readonly trace: StreamTrace;
  readonly dialect: "claude" | "qwen";
  readonly own: OwnTools;
  /** Tools as they were called, by the id of the call: what a result changed depends on it. */
  readonly called: Map<string, { readonly tool: string; readonly args: JsonObject }>;
  /** Ids of calls that a permission kept from running. */
  readonly denied: Set<string>;
  session: string | null;
  model: string | null;
  usage: Usage | null;
  terminal: string | null;
  end: StreamEnd;
}

const SYNTHETIC = "<synthetic>";
const NO_RESULT: StreamEnd = { kind: "cut", detail: "no result event at its end" };

/** Reads the stream of Claude Code or of Qwen Code. */
export function claudeFormat(trace: StreamTrace, dialect: "claude" | "qwen"): Format {
  const state: ClaudeState = {
    trace,
    dialect,
    own: OWN_TOOLS[dialect],
    called: new Map(),
    denied: new Set(),
    session: null,
    model: null,
    usage: null,
    terminal: null,
    end: NO_RESULT,
  };
  return {
    event: (event) => readEvent(state, event),
    ending: () => endingOf(state),
  };
}

function endingOf(state: ClaudeState): Ending {
  settleDenials(state);
  const { end, terminal, session, model, usage } = state;
  return { end, terminal, session, model, usage };
}

type Read = (state: ClaudeState, event: JsonObject) => void;

const EVENTS: Readonly<Record<string, Read>> = {
  system: readSystem,
  assistant: readAssistant,
  user: readUser,
  result: readResult,
  stream_event: () => {},
  rate_limit_event: ({ trace }) => trace.notice("debug", "rate limit"),
  summary: () => {},
};

function readEvent(state: ClaudeState, event: JsonObject): void {
  const type = textAt(event, "type") ?? "";
  const read = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  if (read === undefined) return state.trace.unknown(event);
  state.session = nameAt(event, "session_id") ?? nameAt(event, "sessionId") ?? state.session;
  read(state, event);
}

function readSystem(state: ClaudeState, event: JsonObject): void {
  const subtype = textAt(event, "subtype") ?? "";
  if (subtype === "init") return readInit(state, event);
  if (subtype === "permission_denied") {
    const id = nameAt(event, "tool_use_id");
    deny(state, id);
    return state.trace.notice("warning", `denied: ${textAt(event, "message") ?? ""}`);
  }
  if (subtype === "api_retry") {
    return state.trace.notice("warning", `model request again: ${textAt(event, "error") ?? ""}`);
  }
  state.trace.notice("debug", `system: ${subtype}`);
}

function deny({ denied }: ClaudeState, id: string | null): void {
  if (id !== null && denied.size < EVENTS_MAX) denied.add(id);
}

/** Servers of tools that are not there give a run without their tools, and no error. */
function readInit(state: ClaudeState, event: JsonObject): void {
  state.model = nameAt(event, "model") ?? state.model;
  for (const server of listAt(event, "mcp_servers")) {
    const status = textAt(server, "status") ?? "unknown";
    if (status === "connected") continue;
    state.trace.notice("error", `tool server ${textAt(server, "name") ?? ""} is ${status}`);
  }
}

function isSubagent(event: JsonObject): boolean {
  return nameAt(event, "parent_tool_use_id") !== null || fieldAt(event, "isSidechain") === true;
}

/** The main conversation goes on: a result before it was not the end. */
function goesOn(state: ClaudeState, event: JsonObject): void {
  if (state.end.kind !== "failed" && !isSubagent(event)) state.end = NO_RESULT;
}

function readAssistant(state: ClaudeState, event: JsonObject): void {
  const { trace } = state;
  const message = objectAt(event, "message");
  if (message === undefined) return trace.unknown(event);
  goesOn(state, event);
  const model = nameAt(message, "model");
  const failure = textAt(event, "error");
  if (model !== null && model !== SYNTHETIC && !isSubagent(event)) state.model = model;
  for (const block of listAt(message, "content")) {
    const type = textAt(block, "type");
    if (type === "tool_use" && isObject(block)) readCall(state, block);
    else if (type === "text") {
      const text = textAt(block, "text") ?? "";
      if (failure !== null || model === SYNTHETIC) trace.notice("error", text);
      else if (isSubagent(event)) trace.notice("info", `subagent: ${text}`);
      else trace.say(text);
    } else if (type !== "thinking" && type !== "redacted_thinking") trace.unknown(block);
  }
}

function readCall(state: ClaudeState, block: JsonObject): void {
  const id = textAt(block, "id") ?? "";
  const tool = textAt(block, "name") ?? "";
  const given = fieldAt(block, "input");
  const args = isObject(given) ? given : { input: given ?? null };
  const called = unwrapped(tool, args);
  state.trace.begin(id, begunBy(state.own, called.tool, called.args));
  if (state.trace.eventOf(id) !== undefined) state.called.set(id, called);
}

/** Qwen Code calls tools that it found by search through a tool of its own. */
function unwrapped(
  tool: string,
  args: JsonObject,
): { readonly tool: string; readonly args: JsonObject } {
  const name = nameAt(args, "name");
  const inner = objectAt(args, "arguments");
  return tool === "tool_call" && name !== null && inner !== undefined
    ? { tool: name, args: inner }
    : { tool, args };
}

function readUser(state: ClaudeState, event: JsonObject): void {
  const message = objectAt(event, "message");
  const content = fieldAt(message, "content");
  if (message === undefined) return state.trace.unknown(event);
  const told = readResults(state, event);
  if (told) return goesOn(state, event);
  const text = contentText(content);
  if (text.startsWith("[Request interrupted")) state.trace.notice("warning", text);
}

/** Of several results the worst counts; one that is an error is never a success. */
function readResult(state: ClaudeState, event: JsonObject): void {
  const subtype = textAt(event, "subtype") ?? "";
  for (const denial of listAt(event, "permission_denials")) {
    const id = nameAt(denial, "tool_use_id");
    deny(state, id);
  }
  state.usage = claudeUsage(event) ?? state.usage;
  const failed = subtype !== "success" || fieldAt(event, "is_error") !== false;
  if (state.end.kind === "failed") return;
  state.terminal = subtype;
  state.end = failed ? { kind: "failed", detail: detailOf(event, subtype) } : { kind: "completed" };
}

function detailOf(event: JsonObject, subtype: string): string {
  const errors = listAt(event, "errors").filter((one) => typeof one === "string");
  const said = textAt(event, "result") ?? errors.join("; ");
  const words = [subtype, textAt(event, "terminal_reason") ?? "", said.slice(0, 500)];
  return words.filter((word) => word !== "").join(": ");
}
