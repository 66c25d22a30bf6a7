/**
 * What does `codex exec --json` tell? Items that start and end in any order, with exit codes as a
 * field; usage as the total of the whole thread. Attempts that Codex itself refuses (a command that
 * it takes for dangerous, an unknown tool, a patch outside the project) are not in it, nor the calls
 * of its subagents: nothing here proves that something was not attempted.
 */
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { CallStatus, Usage } from "../../model/run.ts";
import { TOOL_SERVER } from "../../model/serving.ts";
import { innerCommand } from "../../model/shell.ts";
import type { StreamEnd } from "../../model/stream.ts";
import { EVENTS_MAX } from "./bounds.ts";
import { readProtocolEvent } from "./codex_protocol.ts";
import { readRolloutEvent } from "./codex_rollout.ts";
import {
  contentText,
  countAt,
  fieldAt,
  integerAt,
  listAt,
  nameAt,
  objectAt,
  textAt,
} from "./fields.ts";
import type { Format } from "./lines.ts";
import type { Ending, FileChange, Outcome, StreamTrace } from "./trace.ts";

/** What the reading of all three kinds of Codex events shares. */
export class CodexState {
  session: string | null = null;
  model: string | null = null;
  usage: Usage | null = null;
  started = 0;
  ended = 0;
  /** True where a turn began after the last one that ended. */
  open = false;
  failed: string | null = null;
  /** Ids start anew in each process: in one stream of several, later ones get a number. */
  readonly ids = new Map<string, string>();
  #processes = 0;

  constructor(readonly trace: StreamTrace) {}

  begins(session: string | null): void {
    this.session = session ?? this.session;
    this.#processes++;
    this.ids.clear();
  }

  turnBegins(): void {
    this.started++;
    this.open = true;
  }

  turnEnds(): void {
    this.ended++;
    this.open = false;
  }

  /** Something is done: what a turn's end told before was not the end. */
  goesOn(): void {
    this.open = true;
  }

  /** The id of an item as it stands in the record. */
  idOf(given: string): string {
    const known = this.ids.get(given);
    if (known !== undefined) return known;
    const id = this.#processes > 1 && given !== "" ? `${given}#${this.#processes}` : given;
    if (this.ids.size < EVENTS_MAX) this.ids.set(given, id);
    return id;
  }

  /** The last total counts: it is the thread's, over turns and resumes. */
  count(usage: JsonObject | undefined): void {
    this.usage = usageOf(usage) ?? this.usage;
  }
}

/** Reads the events of `codex exec --json`, of its older forms, and of its session files. */
export function codexFormat(trace: StreamTrace): Format {
  const state = new CodexState(trace);
  return {
    event(event) {
      const type = textAt(event, "type");
      const read = type !== null && Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
      if (read !== undefined) read(state, event);
      else if (!readProtocolEvent(state, event) && !readRolloutEvent(state, event)) {
        trace.unknown(event);
      }
    },
    ending: () => endingOf(state),
  };
}

function endingOf({ failed, started, ended, open, session, model, usage }: CodexState): Ending {
  const completed = ended > 0 && ended >= started && !open;
  const end: StreamEnd = failed !== null
    ? { kind: "failed", detail: failed }
    : completed
    ? { kind: "completed" }
    : { kind: "cut", detail: "no turn.completed at its end" };
  const terminal = failed !== null ? "failed" : completed ? "completed" : null;
  return { end, terminal, session, model, usage };
}

type Read = (state: CodexState, event: JsonObject) => void;

const EVENTS: Readonly<Record<string, Read>> = {
  "thread.started": (state, event) => state.begins(nameAt(event, "thread_id")),
  "session.created": (state, event) => state.begins(nameAt(event, "session_id")),
  "turn.started": (state) => state.turnBegins(),
  "turn.completed"(state, event) {
    state.count(objectAt(event, "usage"));
    state.turnEnds();
  },
  "turn.failed"(state, event) {
    state.failed ??= textAt(objectAt(event, "error"), "message") ?? "the turn failed";
  },
  error: (state, event) => state.trace.notice("warning", textAt(event, "message") ?? "an error"),
  "item.started": (state, event) => readItem(state, event, "started"),
  "item.updated": (state, event) => readItem(state, event, "updated"),
  "item.completed": (state, event) => readItem(state, event, "completed"),
};

type Phase = "started" | "updated" | "completed";

function readItem(state: CodexState, event: JsonObject, phase: Phase): void {
  const item = objectAt(event, "item");
  const type = textAt(item, "type") ?? textAt(item, "item_type");
  if (item === undefined || type === null) return state.trace.unknown(event);
  if (Object.hasOwn(DEEDS, type) || type === "agent_message") state.goesOn();
  if (Object.hasOwn(DEEDS, type)) readDeed(state, item, { begun: DEEDS[type], phase });
  else if (Object.hasOwn(WORDS, type)) {
    if (phase === "completed") WORDS[type]?.(state, item);
  } else state.trace.unknown(event);
}

const WORDS: Readonly<Record<string, Read>> = {
  agent_message: ({ trace }, item) => trace.say(textAt(item, "text") ?? ""),
  assistant_message: ({ trace }, item) => trace.say(textAt(item, "text") ?? ""),
  reasoning: ({ trace }, item) => trace.notice("debug", textAt(item, "text") ?? ""),
  error: ({ trace }, item) => trace.notice("warning", textAt(item, "message") ?? "an error"),
  todo_list({ trace }, item) {
    const todo = listAt(item, "items").map((one) => textAt(one, "text") ?? "");
    trace.notice("debug", `to do: ${todo.join("; ")}`);
  },
  collab_tool_call({ trace }, item) {
    const what = `${textAt(item, "tool") ?? ""} ${textAt(item, "prompt") ?? ""}`.trim();
    trace.notice("warning", `subagent (its calls are not in this stream): ${what}`);
  },
};

interface Deed {
  begin(state: CodexState, id: string, item: JsonObject): void;
  outcome(item: JsonObject, status: CallStatus): Outcome;
}

const DEEDS: Readonly<Record<string, Deed>> = {
  command_execution: {
    begin: ({ trace }, id, item) => trace.begin(id, { kind: "command", command: commandOf(item) }),
    outcome(item, status) {
      const code = integerAt(item, "exit_code");
      const untold = status === "ok" && textAt(item, "status") === null && code === null;
      return {
        status: untold ? "unfinished" : status === "ok" && (code ?? 0) !== 0 ? "error" : status,
        output: textAt(item, "aggregated_output") ?? "",
        exitCode: code === null ? null : { code, source: "field" },
      };
    },
  },
  file_change: {
    begin: ({ trace }, id, item) =>
      trace.begin(id, { kind: "call", tool: "apply_patch", args: { changes: changesOf(item) } }),
    outcome: (_item, status) => ({ status }),
  },
  mcp_tool_call: {
    begin({ trace }, id, item) {
      const args = fieldAt(item, "arguments");
      trace.begin(id, {
        kind: "call",
        tool: mcpName(item),
        args: isObject(args) ? args : args === undefined || args === null ? {} : { value: args },
      });
    },
    outcome: mcpOutcome,
  },
  web_search: {
    begin: ({ trace }, id, item) =>
      trace.begin(id, { kind: "call", tool: "web_search", args: { query: textAt(item, "query") } }),
    outcome: (_item, status) => ({ status }),
  },
};

function readDeed(
  state: CodexState,
  item: JsonObject,
  { begun: deed, phase }: { readonly begun: Deed | undefined; readonly phase: Phase },
): void {
  const given = nameAt(item, "id");
  if (deed === undefined || given === null) {
    state.trace.break("a call in it has no id");
    return state.trace.unknown(item);
  }
  const id = state.idOf(given);
  deed.begin(state, id, item);
  const status = statusOf(textAt(item, "status"), phase);
  if (phase !== "completed" && status === null) return;
  const outcome = deed.outcome(item, status ?? "unfinished");
  const first = state.trace.end(id, outcome);
  if (first && outcome.status === "ok") {
    changedFiles(item).forEach((file) => state.trace.file(file));
  }
}

const STATUSES: Readonly<Record<string, CallStatus>> = {
  completed: "ok",
  failed: "error",
  declined: "denied",
};

/** Null while it runs; an item that ended without a status that we know did not go through. */
function statusOf(told: string | null, phase: Phase): CallStatus | null {
  if (told !== null && Object.hasOwn(STATUSES, told)) return STATUSES[told] ?? null;
  if (phase !== "completed") return null;
  return told === null ? "ok" : told === "in_progress" ? "unfinished" : "error";
}

function commandOf(item: JsonObject): string {
  const words = listAt(item, "command").filter((word) => typeof word === "string");
  return innerCommand(textAt(item, "command") ?? words);
}

function changesOf(item: JsonObject): Json[] {
  return [...listAt(item, "changes")];
}

const KINDS: Readonly<Record<string, FileChange["change"]>> = {
  add: "added",
  delete: "deleted",
  update: "modified",
};

function changedFiles(item: JsonObject): FileChange[] {
  return listAt(item, "changes").flatMap((one) => {
    const path = nameAt(one, "path");
    const kind = textAt(one, "kind") ?? "";
    const change = Object.hasOwn(KINDS, kind) ? KINDS[kind] ?? "modified" : "modified";
    return path === null ? [] : [{ path, change }];
  });
}

/** Our tools by their bare name, those of other servers with the server's. */
function mcpName(item: JsonObject): string {
  const server = textAt(item, "server") ?? "";
  const tool = textAt(item, "tool") ?? "";
  return server === TOOL_SERVER ? tool : `mcp__${server}__${tool}`;
}

const REFUSED =
  /requires approval|approval policy|rejected by (?:the )?user|user (?:cancel|reject)/i;

function mcpOutcome(item: JsonObject, status: CallStatus): Outcome {
  const result = objectAt(item, "result");
  const failure = textAt(objectAt(item, "error"), "message");
  const denied = failure !== null && REFUSED.test(failure);
  const structured = fieldAt(result, "structured_content");
  const told = structured === undefined || structured === null
    ? contentText(fieldAt(result, "content"))
    : structured;
  const message = failure ?? (typeof told === "string" ? told : JSON.stringify(told));
  return {
    status: denied ? "denied" : failure !== null && status === "ok" ? "error" : status,
    ...(result === undefined ? {} : { result: told }),
    error: { code: failure === null ? "tool" : "protocol", message },
  };
}

function usageOf(usage: JsonObject | undefined): Usage | null {
  const [inputTokens, cachedInputTokens, outputTokens] = [
    countAt(usage, "input_tokens"),
    countAt(usage, "cached_input_tokens"),
    countAt(usage, "output_tokens"),
  ];
  if (inputTokens === null && outputTokens === null) return null;
  return {
    ...(inputTokens === null ? {} : { inputTokens }),
    ...(cachedInputTokens === null ? {} : { cachedInputTokens }),
    ...(outputTokens === null ? {} : { outputTokens }),
  };
}
