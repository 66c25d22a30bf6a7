/**
 * What stands in a session file of Codex? Lines `{timestamp, type, payload}` with what the model asked
 * for and what it was answered, refused attempts included. It has no word for its end: a record made
 * of it alone counts as cut.
 */
import { isObject, type JsonObject } from "../../model/json.ts";
import type { CodexState } from "./codex.ts";
import { contentText, fieldAt, nameAt, objectAt, textAt } from "./fields.ts";
import { parseJson } from "./lines.ts";
import { begunBy, OWN_TOOLS, patchedFiles } from "./own_tools.ts";
import type { Outcome } from "./trace.ts";

type Read = (state: CodexState, payload: JsonObject) => void;

/** Reads one such line; false where it is none. */
export function readRolloutEvent(state: CodexState, event: JsonObject): boolean {
  const payload = objectAt(event, "payload");
  const type = textAt(event, "type") ?? "";
  if (payload === undefined || !Object.hasOwn(LINES, type)) return false;
  const kind = textAt(payload, "type") ?? "";
  const reads = LINES[type] ?? {};
  const read = Object.hasOwn(reads, kind) ? reads[kind] : reads[""];
  read?.(state, payload);
  return read !== undefined;
}

const NOTHING: Read = () => {};

const LINES: Readonly<Record<string, Readonly<Record<string, Read>>>> = {
  session_meta: { "": (state, payload) => state.begins(nameAt(payload, "id")) },
  turn_context: {
    "": (state, payload) => {
      state.model = nameAt(payload, "model") ?? state.model;
    },
  },
  world_state: { "": NOTHING },
  token_usage_record: { "": NOTHING },
  response_item: {
    message({ trace }, payload) {
      if (textAt(payload, "role") === "assistant") {
        trace.say(contentText(fieldAt(payload, "content")));
      }
    },
    reasoning: NOTHING,
    function_call: begin,
    custom_tool_call: begin,
    local_shell_call: begin,
    function_call_output: end,
    custom_tool_call_output: end,
  },
  event_msg: {
    token_count: (state, payload) =>
      state.count(objectAt(objectAt(payload, "info"), "total_token_usage")),
    "": NOTHING,
  },
};

function begin({ trace }: CodexState, payload: JsonObject): void {
  const given = textAt(payload, "arguments");
  const read = given === null ? undefined : parseJson(given);
  const args = isObject(read)
    ? read
    : given === null
    ? { input: textAt(payload, "input") ?? "" }
    : { unreadable: given };
  const tool = textAt(payload, "name") ?? "";
  trace.begin(textAt(payload, "call_id") ?? "", begunBy(OWN_TOOLS.codex, tool, args));
}

const EXIT = /^(?:Exit code: |Process exited with code )(-?\d+)$/m;

function end({ trace }: CodexState, payload: JsonObject): void {
  const id = textAt(payload, "call_id") ?? "";
  const output = textAt(payload, "output") ?? "";
  const begun = trace.eventOf(id);
  const outcome = outcomeOf(output);
  trace.end(id, begun?.kind === "call" ? { ...outcome, result: output } : { ...outcome, output });
  if (outcome.status !== "ok" || begun?.kind !== "call" || begun.tool !== "apply_patch") return;
  patchedFiles(textAt(begun.args, "input") ?? "").forEach((file) => trace.file(file));
}

/** The exit code is a text whose form changes with the version: only failure is taken from it. */
function outcomeOf(output: string): Outcome {
  const metadata = objectAt(parseJson(output), "metadata");
  const field = fieldAt(metadata, "exit_code");
  const told = EXIT.exec(output.slice(0, 400))?.[1];
  const code = typeof field === "number" ? field : told === undefined ? null : Number(told);
  if (code !== null && code !== 0) {
    return { status: "error", exitCode: { code, source: "text" } };
  }
  return { status: code === 0 ? "ok" : "error", exitCode: null };
}
