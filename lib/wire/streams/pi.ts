/**
 * What does `pi --mode json` tell? Everything but refused approvals, which it has none of. It ends
 * with exit code 0 where the model failed: only the last answer's stop reason tells.
 */
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/run.ts";
import type { StreamEnd } from "../../model/stream.ts";
import { fieldAt, nameAt, objectAt, textAt } from "./fields.ts";
import type { Format } from "./lines.ts";
import { OWN_TOOLS } from "./own_tools.ts";
import {
  addMessage,
  beginCall,
  type Called,
  endCall,
  endOfStop,
  partsOf,
  toolOutcome,
} from "./pi_messages.ts";
import type { StreamTrace } from "./trace.ts";

interface State {
  readonly trace: StreamTrace;
  readonly own: typeof OWN_TOOLS.pi;
  readonly called: Called;
  session: string | null;
  model: string | null;
  usage: Usage | null;
  /** True after the last `agent_end`, until something goes on. */
  closed: boolean;
  last: JsonObject | undefined;
  /** Answers that failed, and how often the program says that it asks again. */
  errors: number;
  retries: number;
  failure: string;
  aborted: boolean;
}

/** Reads the stream of pi. */
export function piFormat(trace: StreamTrace): Format {
  const state: State = {
    trace,
    own: OWN_TOOLS.pi,
    called: new Map(),
    session: null,
    model: null,
    usage: null,
    closed: false,
    last: undefined,
    errors: 0,
    retries: 0,
    failure: "",
    aborted: false,
  };
  return {
    event(event) {
      const type = textAt(event, "type") ?? "";
      const read = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
      if (read === undefined) trace.unknown(event);
      else read(state, event);
    },
    ending() {
      const { session, model, usage, closed } = state;
      return { end: endOf(state), terminal: closed ? "agent_end" : null, session, model, usage };
    },
  };
}

function endOf({ closed, last, errors, retries, failure, aborted }: State): StreamEnd {
  if (errors > retries) return { kind: "failed", detail: failure };
  if (aborted) return { kind: "cut", detail: "aborted" };
  if (!closed) return { kind: "cut", detail: "no agent_end at its end" };
  return endOfStop(textAt(last, "stopReason"), last);
}

type Read = (state: State, event: JsonObject) => void;

const NOTHING: Read = () => {};

const EVENTS: Readonly<Record<string, Read>> = {
  session(state, event) {
    state.session = nameAt(event, "id") ?? state.session;
  },
  agent_start: goesOn,
  turn_start: goesOn,
  turn_end: NOTHING,
  message_start: NOTHING,
  message_update: NOTHING,
  message_end: readMessage,
  tool_execution_start(state, event) {
    goesOn(state);
    const args = objectAt(event, "args") ?? {};
    const tool = textAt(event, "toolName") ?? "";
    beginCall(state, textAt(event, "toolCallId") ?? "", { tool, args });
  },
  tool_execution_update: NOTHING,
  tool_execution_end(state, event) {
    goesOn(state);
    const result = objectAt(event, "result");
    const [content, details] = [fieldAt(result, "content"), fieldAt(result, "details")];
    const failed = fieldAt(event, "isError") !== false;
    endCall(state, textAt(event, "toolCallId") ?? "", toolOutcome({ content, details }, failed));
  },
  agent_end(state) {
    state.closed = true;
  },
  agent_settled(state, event) {
    state.aborted ||= fieldAt(event, "aborted") === true;
  },
  auto_retry_start(state, event) {
    goesOn(state);
    state.retries++;
    state.trace.notice("warning", `model request again: ${textAt(event, "errorMessage") ?? ""}`);
  },
  auto_retry_end: NOTHING,
};

function goesOn(state: State): void {
  state.closed = false;
}

function readMessage(state: State, event: JsonObject): void {
  const message = objectAt(event, "message");
  if (!isObject(message)) return state.trace.unknown(event);
  if (textAt(message, "role") !== "assistant") return;
  goesOn(state);
  const { text, calls } = partsOf(message);
  state.last = { stopReason: textAt(message, "stopReason"), errorMessage: errorOf(message) };
  state.model = nameAt(message, "model") ?? state.model;
  state.usage = addMessage(state.usage, message);
  if (textAt(message, "stopReason") === "error") {
    state.errors++;
    state.failure = errorOf(message) ?? "the model failed";
  }
  state.trace.say(text);
  for (const { id, ...call } of calls) beginCall(state, id, call);
}

function errorOf(message: JsonObject): string | null {
  return nameAt(message, "errorMessage")?.slice(0, 500) ?? null;
}
