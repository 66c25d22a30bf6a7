/**
 * What became of a tool that Claude Code or Qwen Code called? Ok, failed, denied by a permission, or
 * cancelled by an interruption: by the event's own marks where there are some, else by its words,
 * which can make a result worse and never better.
 */
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { ClaudeState } from "./claude.ts";
import { contentText, fieldAt, listAt, nameAt, objectAt, textAt } from "./fields.ts";
import { filesOf } from "./own_tools.ts";
import type { Outcome } from "./trace.ts";

const DENIED =
  /denied by your permission|requires? approval|needs approval|haven't granted it|permission to use .{0,80} (?:has been|was) denied|permission was declined|matching deny rule/i;
const CANCELLED =
  /^\[Request interrupted|^The user doesn't want to proceed|^\[Operation Cancelled\]/;
const EXIT = /^Exit code (\d+)(?:\n|$)/;

/** Reads the results in a user event; false where there are none. */
export function readResults(state: ClaudeState, event: JsonObject): boolean {
  const blocks = listAt(objectAt(event, "message"), "content")
    .filter(isObject).filter((block) => textAt(block, "type") === "tool_result");
  for (const block of blocks) readOne(state, event, block);
  return blocks.length > 0;
}

function readOne(state: ClaudeState, event: JsonObject, block: JsonObject): void {
  const id = textAt(block, "tool_use_id") ?? "";
  const text = contentText(fieldAt(block, "content"));
  const failed = fieldAt(block, "is_error") === true;
  const details = fieldAt(event, "tool_use_result") ?? fieldAt(event, "toolUseResult");
  const status = failed || isInterrupted(details)
    ? failureOf(state, { id, text, event })
    : CANCELLED.test(text)
    ? "cancelled"
    : nameAt(details, "backgroundTaskId") !== null
    ? "unfinished"
    : "ok";
  const first = state.trace.end(id, {
    status,
    output: outputOf(details, text),
    result: text,
    error: { code: status, message: text },
    exitCode: exitOf(state, { text, failed }),
  });
  if (first && status === "ok") changedFiles(state, { id, text, details });
}

/** A wish to interrupt looks like a refusal; only a permission's own mark makes it one. */
function failureOf(
  state: ClaudeState,
  { id, text, event }: { readonly id: string; readonly text: string; readonly event: JsonObject },
): Outcome["status"] {
  const meta = listAt(event, "tool_result_meta").find((one) => textAt(one, "id") === id);
  const decision = textAt(objectAt(meta, "permission_decision"), "decision");
  const kind = textAt(meta, "non_execution_kind");
  if (decision === "reject" || kind === "permission-rule" || state.denied.has(id)) return "denied";
  if (kind === "user-rejected" || CANCELLED.test(text)) return "cancelled";
  return DENIED.test(text.slice(0, 2_000)) ? "denied" : "error";
}

function isInterrupted(details: Json | undefined): boolean {
  return isObject(details) && fieldAt(details, "interrupted") === true;
}

/** Only a failing exit code stands in the text: that of a command that went well is not told. */
function exitOf(
  state: ClaudeState,
  { text, failed }: { readonly text: string; readonly failed: boolean },
): NonNullable<Outcome["exitCode"]> | null {
  const told = state.dialect === "claude" && failed ? EXIT.exec(text)?.[1] : undefined;
  const code = Number(told ?? 0);
  return code === 0 || !Number.isSafeInteger(code) ? null : { code, source: "text" };
}

function outputOf(details: Json | undefined, text: string): string {
  const stdout = textAt(details, "stdout");
  const stderr = textAt(details, "stderr") ?? "";
  if (stdout === null) return text.replace(EXIT, "");
  return stderr === "" ? stdout : `${stdout}\n${stderr}`;
}

const CREATED = /^(?:Successfully )?created|^File created/i;

function changedFiles(
  { trace, own, called }: ClaudeState,
  { id, text, details }: {
    readonly id: string;
    readonly text: string;
    readonly details: Json | undefined;
  },
): void {
  const call = called.get(id);
  if (call === undefined) return;
  const created = textAt(details, "type") === "create" || CREATED.test(text);
  filesOf(own, { ...call, created }).forEach((file) => trace.file(file));
}

/** Denials that were told apart from the results, even after them. */
export function settleDenials({ trace, denied }: ClaudeState): void {
  for (const id of denied) {
    const event = trace.eventOf(id);
    if (event === undefined || (event.kind !== "call" && event.kind !== "command")) {
      trace.break(`it tells a denial of "${id}" and not the call`);
    } else if (event.status !== "denied") trace.end(id, { status: "denied" });
  }
}
