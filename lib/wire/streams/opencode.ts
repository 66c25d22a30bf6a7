/**
 * What does `opencode run --format json` tell? Only finished tools, in the order in which they ended;
 * a command that failed is `completed` with its exit code beside it; a tool that the agent may not
 * have is called `invalid`. Tokens and cost are told for each step.
 */
import { isObject, type JsonObject } from "../../model/json.ts";
import type { CallStatus, Usage } from "../../model/run.ts";
import type { StreamEnd } from "../../model/stream.ts";
import { amountAt, countAt, fieldAt, integerAt, nameAt, objectAt, textAt } from "./fields.ts";
import type { Format } from "./lines.ts";
import { begunBy, filesOf, OWN_TOOLS } from "./own_tools.ts";
import type { Outcome, StreamTrace } from "./trace.ts";

interface State {
  readonly trace: StreamTrace;
  session: string | null;
  usage: Usage | null;
  /** Reason of the last step, null while one is open. */
  reason: string | null;
  failed: { readonly kind: "failed" | "cut"; readonly detail: string } | null;
}

/** Reads the stream of OpenCode. */
export function opencodeFormat(trace: StreamTrace): Format {
  const state: State = { trace, session: null, usage: null, reason: null, failed: null };
  return {
    event(event) {
      const type = textAt(event, "type") ?? "";
      const read = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
      state.session = nameAt(event, "sessionID") ?? state.session;
      if (read === undefined) trace.unknown(event);
      else read(state, event);
    },
    ending() {
      const { session, usage } = state;
      return { ...endOf(state), session, model: null, usage };
    },
  };
}

function endOf({ failed, reason }: State): { end: StreamEnd; terminal: string | null } {
  if (failed !== null) return { end: failed, terminal: "error" };
  if (reason === "stop") return { end: { kind: "completed" }, terminal: reason };
  if (reason === null || reason === "tool-calls") {
    return { end: { kind: "cut", detail: "no last step at its end" }, terminal: null };
  }
  return {
    end: { kind: "failed", detail: `the last step ended with ${reason}` },
    terminal: reason,
  };
}

type Read = (state: State, event: JsonObject) => void;

const EVENTS: Readonly<Record<string, Read>> = {
  step_start(state) {
    state.reason = null;
  },
  step_finish(state, event) {
    const part = objectAt(event, "part");
    state.reason = textAt(part, "reason") ?? "no reason";
    state.usage = addStep(state.usage, part);
  },
  text(state, event) {
    state.trace.say(textAt(objectAt(event, "part"), "text") ?? "");
  },
  reasoning(state, event) {
    state.trace.notice("debug", textAt(objectAt(event, "part"), "text") ?? "");
  },
  tool_use: readTool,
  error(state, event) {
    const error = objectAt(event, "error");
    const name = textAt(error, "name") ?? "error";
    const detail = `${name}: ${textAt(objectAt(error, "data"), "message") ?? ""}`;
    state.failed ??= { kind: name === "MessageAbortedError" ? "cut" : "failed", detail };
  },
};

function readTool(state: State, event: JsonObject): void {
  const part = objectAt(event, "part");
  const told = objectAt(part, "state");
  const id = nameAt(part, "callID") ?? nameAt(part, "id") ?? "";
  if (told === undefined) return state.trace.unknown(event);
  const given = objectAt(told, "input") ?? {};
  const tool = textAt(part, "tool") ?? "";
  const refused = tool === "invalid" ? nameAt(given, "tool") : null;
  const [name, args] = refused === null ? [tool, given] : [refused, {}];
  const started = amountAt(objectAt(told, "time"), "start");
  if (state.reason !== null) state.reason = null;
  state.trace.begin(id, begunBy(OWN_TOOLS.opencode, name, args), started);
  const outcome = refused === null ? outcomeOf(told) : invalid(given);
  const first = state.trace.end(id, outcome);
  if (!first || outcome.status !== "ok") return;
  const created = fieldAt(objectAt(told, "metadata"), "exists") === false;
  filesOf(OWN_TOOLS.opencode, { tool: name, args, created })
    .forEach((file) => state.trace.file(file, started));
}

/** The tool that was asked for is not there, or is forbidden: nothing was done, and it was tried. */
function invalid(given: JsonObject): Outcome {
  return { status: "error", error: { code: "invalid", message: textAt(given, "error") ?? "" } };
}

const DENIED = /rejected permission|rule which prevents|permission .{0,40}denied/i;

function outcomeOf(told: JsonObject): Outcome {
  const metadata = objectAt(told, "metadata");
  const code = integerAt(metadata, "exit") ?? integerAt(metadata, "exitCode");
  const output = textAt(told, "output") ?? textAt(told, "error") ?? "";
  const status = statusOf(told, output);
  return {
    status: status === "ok" && code !== null && code !== 0 ? "error" : status,
    output,
    result: output,
    error: { code: status, message: output },
    exitCode: code === null ? null : { code, source: "field" },
  };
}

function statusOf(told: JsonObject, output: string): CallStatus {
  const status = textAt(told, "status");
  if (status === "completed") return "ok";
  if (status !== "error") return "unfinished";
  return DENIED.test(output.slice(0, 2_000)) ? "denied" : "error";
}

/** Tokens of the input are told without those read from the cache and written to it. */
function addStep(usage: Usage | null, part: JsonObject | undefined): Usage | null {
  const tokens = objectAt(part, "tokens");
  if (!isObject(tokens)) return usage;
  const cache = objectAt(tokens, "cache");
  const read = countAt(cache, "read") ?? 0;
  const input = (countAt(tokens, "input") ?? 0) + read + (countAt(cache, "write") ?? 0);
  const output = (countAt(tokens, "output") ?? 0) + (countAt(tokens, "reasoning") ?? 0);
  const amount = (usage?.cost?.amount ?? 0) + (amountAt(part, "cost") ?? 0);
  return {
    inputTokens: (usage?.inputTokens ?? 0) + input,
    cachedInputTokens: (usage?.cachedInputTokens ?? 0) + read,
    outputTokens: (usage?.outputTokens ?? 0) + output,
    ...(amount === 0 ? {} : { cost: { amount, currency: "USD", billing: "unknown" as const } }),
  };
}
