/**
 * What did older versions of Codex tell? Events `{id, msg: {type}}`, preceded by two lines without a
 * type: the settings and the prompt.
 */
import { isObject, type JsonObject } from "../../model/json.ts";
import { innerCommand } from "../../model/shell.ts";
import { TOOL_SERVER } from "../../model/serving.ts";
import type { CodexState } from "./codex.ts";
import { contentText, fieldAt, integerAt, listAt, nameAt, objectAt, textAt } from "./fields.ts";
import type { FileChange } from "./trace.ts";

type Read = (state: CodexState, msg: JsonObject) => void;

/** Reads one such event; false where it is none. */
export function readProtocolEvent(state: CodexState, event: JsonObject): boolean {
  const msg = objectAt(event, "msg");
  if (msg === undefined) return isPreamble(state, event);
  const type = textAt(msg, "type") ?? "";
  const read = Object.hasOwn(EVENTS, type) ? EVENTS[type] : undefined;
  read?.(state, msg);
  return read !== undefined;
}

function isPreamble(state: CodexState, event: JsonObject): boolean {
  if (Object.hasOwn(event, "type")) return false;
  const settings = nameAt(event, "model") !== null && nameAt(event, "workdir") !== null;
  if (settings) state.model = nameAt(event, "model");
  return settings || (textAt(event, "prompt") !== null && Object.keys(event).length === 1);
}

const EVENTS: Readonly<Record<string, Read>> = {
  session_configured: (state, msg) => state.begins(nameAt(msg, "session_id")),
  task_started: (state) => state.turnBegins(),
  task_complete: (state) => state.turnEnds(),
  agent_message: ({ trace }, msg) => trace.say(textAt(msg, "message") ?? ""),
  agent_reasoning: ({ trace }, msg) => trace.notice("debug", textAt(msg, "text") ?? ""),
  error(state, msg) {
    state.failed ??= textAt(msg, "message") ?? "an error";
  },
  token_count: (state, msg) => state.count(objectAt(objectAt(msg, "info"), "total_token_usage")),
  exec_command_begin({ trace }, msg) {
    const words = listAt(msg, "command").filter((word) => typeof word === "string");
    trace.begin(idOf(msg), { kind: "command", command: innerCommand(words) });
  },
  exec_command_end({ trace }, msg) {
    const code = integerAt(msg, "exit_code");
    trace.end(idOf(msg), {
      status: code === 0 ? "ok" : "error",
      output: textAt(msg, "aggregated_output") ?? textAt(msg, "stdout") ?? "",
      exitCode: code === null ? null : { code, source: "field" },
    });
  },
  patch_apply_begin({ trace }, msg) {
    const args = { changes: objectAt(msg, "changes") ?? {} };
    trace.begin(idOf(msg), { kind: "call", tool: "apply_patch", args });
  },
  patch_apply_end({ trace }, msg) {
    const ok = fieldAt(msg, "success") === true;
    trace.end(idOf(msg), { status: ok ? "ok" : "error", result: textAt(msg, "stdout") ?? "" });
    const begun = trace.eventOf(idOf(msg));
    const changes = begun?.kind === "call" ? begun.args.changes : undefined;
    if (ok && isObject(changes)) changedFiles(changes).forEach((file) => trace.file(file));
  },
  mcp_tool_call_begin({ trace }, msg) {
    const called = objectAt(msg, "invocation");
    const [server, tool] = [textAt(called, "server") ?? "", textAt(called, "tool") ?? ""];
    const name = server === TOOL_SERVER ? tool : `mcp__${server}__${tool}`;
    trace.begin(idOf(msg), { kind: "call", tool: name, args: objectAt(called, "arguments") ?? {} });
  },
  mcp_tool_call_end({ trace }, msg) {
    const result = objectAt(objectAt(msg, "result"), "Ok");
    const failed = result === undefined || fieldAt(result, "isError") === true;
    const text = contentText(fieldAt(result, "content"));
    const why = textAt(objectAt(msg, "result"), "Err") ?? text;
    trace.end(idOf(msg), {
      status: failed ? "error" : "ok",
      ...(result === undefined ? {} : { result: text }),
      error: { code: result === undefined ? "protocol" : "tool", message: why },
    });
  },
};

function idOf(msg: JsonObject): string {
  return textAt(msg, "call_id") ?? "";
}

function changedFiles(changes: JsonObject): FileChange[] {
  return Object.entries(changes).map(([path, change]) => ({
    path,
    change: objectAt(change, "add") !== undefined
      ? "added"
      : objectAt(change, "delete") !== undefined
      ? "deleted"
      : "modified",
  }));
}
