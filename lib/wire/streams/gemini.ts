/**
 * What does `gemini --output-format stream-json` tell? A command that failed is a success, its exit
 * code stands in the text only where it printed nothing; errors of our tools lose their words; a limit
 * or a stopped execution still ends as `success`, with an error before it. Without a result line the
 * stream is cut, whatever the program's own exit code says.
 */
import type { JsonObject } from "../../model/json.ts";
import type { CallStatus, Usage } from "../../model/run.ts";
import type { StreamEnd } from "../../model/stream.ts";
import { TEXT_MAX } from "./bounds.ts";
import { contentText, countAt, fieldAt, nameAt, objectAt, textAt } from "./fields.ts";
import type { Format } from "./lines.ts";
import { begunBy, filesOf, OWN_TOOLS } from "./own_tools.ts";
import type { Outcome, StreamTrace } from "./trace.ts";

interface State {
  readonly trace: StreamTrace;
  readonly called: Map<string, { readonly tool: string; readonly args: JsonObject }>;
  session: string | null;
  model: string | null;
  usage: Usage | null;
  /** A message that comes in pieces. */
  said: string;
  terminal: string | null;
  end: StreamEnd;
  failed: string | null;
}

const NO_RESULT: StreamEnd = { kind: "cut", detail: "no result line at its end" };

/** Reads the stream of Gemini CLI. */
export function geminiFormat(trace: StreamTrace): Format {
  const state: State = {
    trace,
    called: new Map(),
    session: null,
    model: null,
    usage: null,
    said: "",
    terminal: null,
    end: NO_RESULT,
    failed: null,
  };
  return {
    event(event) {
      const type = textAt(event, "type") ?? "";
      const read = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
      if (type !== "message") sayAll(state);
      if (read === undefined) trace.unknown(event);
      else read(state, event);
    },
    ending() {
      sayAll(state);
      const { end, failed, terminal, session, model, usage } = state;
      const ended = failed !== null && end.kind === "completed"
        ? { kind: "failed" as const, detail: failed }
        : end;
      return { end: ended, terminal, session, model, usage };
    },
  };
}

function sayAll(state: State): void {
  state.trace.say(state.said);
  state.said = "";
}

const STOPPED = /stopping execution|execution (?:was )?stopped|stopped by/i;

type Read = (state: State, event: JsonObject) => void;

const EVENTS: Readonly<Record<string, Read>> = {
  init(state, event) {
    state.session = nameAt(event, "session_id") ?? state.session;
    state.model = nameAt(event, "model") ?? state.model;
  },
  message: readMessage,
  tool_use: readCall,
  tool_result: readOutcome,
  error(state, event) {
    const message = textAt(event, "message") ?? "an error";
    const error = textAt(event, "severity") !== "warning";
    state.trace.notice(error ? "error" : "warning", message);
    if (error || STOPPED.test(message)) state.failed ??= message;
  },
  result: readResult,
};

function goesOn(state: State): void {
  if (state.end.kind === "completed") state.end = NO_RESULT;
}

function readMessage(state: State, event: JsonObject): void {
  if (textAt(event, "role") !== "assistant") return sayAll(state);
  goesOn(state);
  const text = textAt(event, "content") ?? "";
  if (fieldAt(event, "delta") !== true) sayAll(state);
  if (state.said.length + text.length <= TEXT_MAX) state.said += text;
  else state.trace.break("a message in it has no end");
  if (fieldAt(event, "delta") !== true) sayAll(state);
}

function readCall(state: State, event: JsonObject): void {
  goesOn(state);
  const id = textAt(event, "tool_id") ?? "";
  const tool = textAt(event, "tool_name") ?? "";
  const args = objectAt(event, "parameters") ?? {};
  state.trace.begin(id, begunBy(OWN_TOOLS.gemini, tool, args));
  if (state.trace.eventOf(id) !== undefined) state.called.set(id, { tool, args });
}

const EXIT = /^Command exited with code: (\d+)$/;
const CREATED = /created and wrote to new file/i;

function readOutcome(state: State, event: JsonObject): void {
  goesOn(state);
  const id = textAt(event, "tool_id") ?? "";
  const error = objectAt(event, "error");
  const output = textAt(event, "output") ?? contentText(fieldAt(event, "output"));
  const message = textAt(error, "message") ?? output;
  const code = Number(EXIT.exec(output.trim())?.[1] ?? 0);
  const outcome: Outcome = {
    status: code === 0 ? statusOf(event, { error, message }) : "error",
    output,
    ...(output === "" ? {} : { result: output }),
    error: { code: textAt(error, "type") ?? "error", message },
    exitCode: code === 0 || !Number.isSafeInteger(code) ? null : { code, source: "text" },
  };
  const first = state.trace.end(id, outcome);
  const call = state.called.get(id);
  if (!first || outcome.status !== "ok" || call === undefined) return;
  const created = CREATED.test(output);
  filesOf(OWN_TOOLS.gemini, { ...call, created }).forEach((file) => state.trace.file(file));
}

const DENIED = /denied by policy|user denied|rejected by user/i;
const CANCELLED = /^\[Operation Cancelled\]|^Command was cancelled|^Command cancelled/i;

function statusOf(
  event: JsonObject,
  { error, message }: { readonly error: JsonObject | undefined; readonly message: string },
): CallStatus {
  if (textAt(error, "type") === "policy_violation") return "denied";
  const words = message.slice(0, 2_000);
  if (CANCELLED.test(words)) return "cancelled";
  if (textAt(event, "status") === "success" && error === undefined) return "ok";
  return DENIED.test(words) ? "denied" : "error";
}

/** Of several result lines the worst counts. */
function readResult(state: State, event: JsonObject): void {
  const status = textAt(event, "status") ?? "";
  state.usage = usageOf(objectAt(event, "stats")) ?? state.usage;
  if (state.end.kind === "failed") return;
  state.terminal = status;
  const detail = textAt(objectAt(event, "error"), "message") ?? `status ${status}`;
  state.end = status === "success" ? { kind: "completed" } : { kind: "failed", detail };
}

function usageOf(stats: JsonObject | undefined): Usage | null {
  const inputTokens = countAt(stats, "input_tokens");
  const outputTokens = countAt(stats, "output_tokens");
  if (inputTokens === null || outputTokens === null) return null;
  return { inputTokens, cachedInputTokens: countAt(stats, "cached") ?? 0, outputTokens };
}
