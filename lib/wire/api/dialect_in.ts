/**
 * Which tool did a program's call mean? In: a call in the program's own terms. Out: the same in
 * canonical terms: our tools by their bare names, a plain command as `shell`, a plain new text of a
 * file as `write_file`, everything else as it is. A call that we handed out comes back as we had it,
 * whatever the program made of it where it knew no such tool.
 */
import { canonicalJson } from "../../model/hash.ts";
import { equalJson, isObject, type Json, type JsonObject, own } from "../../model/json.ts";
import type { AgentPlace } from "../../model/model_api.ts";
import type { ModelCall } from "../../model/ports.ts";
import { innerCommand } from "../../model/shell.ts";
import { SHELL } from "../../model/workspace_tools.ts";
import { nameAt, objectAt, textAt } from "../streams/fields.ts";
import { readArgs } from "./args.ts";
import { WRITE_FILE } from "./dialect_out.ts";
import type { HeardCall } from "./heard.ts";
import { mapFields, withoutPaths } from "./run_paths.ts";
import { bareName, ourTool } from "./tool_names.ts";

/** The call in canonical terms, with the id that it is given. */
export function canonicalCall(heard: HeardCall, id: string, place: AgentPlace): ModelCall {
  const known = heard.id === null ? undefined : place.issued(heard.id);
  if (known !== undefined && isUnchanged(heard, known.native)) return { ...known.call, id };
  const { tool, namespace, args } = unwrapped(heard);
  const read = readArgs(args);
  if (read.args === null) return { id, tool: bareName(tool, namespace), ...read };
  const own = ourTool(tool, namespace) ?? null;
  const call = own === null
    ? ownTool(tool, read.args, place.workspace)
    : { tool: own, args: read.args };
  const clean = mapFields(call.args, (text) => withoutPaths(text, place));
  return { id, tool: call.tool, args: clean, argsText: canonicalJson(clean) };
}

/** OpenCode's name for a tool that it does not know; the name that was called is an argument. */
const INVALID = "invalid";

function isUnchanged(heard: HeardCall, native: { readonly tool: string; readonly args: string }) {
  if (heard.tool === INVALID && native.tool !== INVALID) return true;
  if (heard.tool !== native.tool) return false;
  if (heard.args === native.args) return true;
  return equalJson(readArgs(heard.args).args, readArgs(native.args).args);
}

function unwrapped(heard: HeardCall): Pick<HeardCall, "tool" | "namespace" | "args"> {
  const args = readArgs(heard.args).args;
  if (heard.tool === INVALID && args !== null) {
    const tool = nameAt(args, "tool");
    if (tool !== null) return { tool, namespace: null, args: {} };
  }
  const inner = heard.tool === "tool_call" && args !== null ? nameAt(args, "name") : null;
  if (inner === null || args === null) return heard;
  return { tool: inner, namespace: null, args: own(args, "arguments") ?? {} };
}

/** Arguments of shells that change nothing that a conversation is compared by. */
const SHELL_EXTRAS: ReadonlySet<string> = new Set([
  ...["yield_time_ms", "max_output_tokens", "timeout", "timeout_ms", "timeoutMs", "description"],
]);
const SHELL_KEYS: Readonly<Record<string, string>> = {
  exec_command: "cmd",
  shell_command: "command",
  run_shell_command: "command",
  bash: "command",
  Bash: "command",
  exec: "command",
  shell: "command",
  local_shell: "command",
};
const FILE_TOOLS: ReadonlySet<string> = new Set(["write_file", "write", "Write"]);
const PATH_KEYS = ["file_path", "filePath", "path"];

function ownTool(
  tool: string,
  args: JsonObject,
  workspace: string,
): { readonly tool: string; readonly args: JsonObject } {
  const command = plainCommand(tool, args);
  if (command !== null) return { tool: SHELL, args: { command } };
  const file = FILE_TOOLS.has(tool) ? plainFile(args, workspace) : null;
  return file === null ? { tool, args } : { tool: WRITE_FILE, args: file };
}

/** True for the name of a program's own shell. */
export function isShellName(tool: string): boolean {
  return Object.hasOwn(SHELL_KEYS, tool);
}

/** Null where more is asked for than to run a command here and now. */
function plainCommand(tool: string, args: JsonObject): string | null {
  const key = Object.hasOwn(SHELL_KEYS, tool) ? SHELL_KEYS[tool] : undefined;
  if (key === undefined) return null;
  const more = Object.entries(args).some(([name, value]) =>
    name !== key && !SHELL_EXTRAS.has(name) && value !== false && value !== null
  );
  return more ? null : commandText(own(args, key));
}

function commandText(value: Json | undefined): string | null {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return null;
  const words = value.filter((word) => typeof word === "string");
  return words.length === value.length ? innerCommand(words) : null;
}

function plainFile(args: JsonObject, workspace: string): JsonObject | null {
  const key = PATH_KEYS.find((one) => nameAt(args, one) !== null);
  const text = textAt(args, "content");
  if (key === undefined || text === null || Object.keys(args).length !== 2) return null;
  const path = textAt(args, key) ?? "";
  const root = `${workspace}/`;
  return { path: path.startsWith(root) ? path.slice(root.length) : path, text };
}

/** The arguments of a local shell's action, as a call of `local_shell` has them. */
export function localShellArgs(item: Json): JsonObject {
  const action = objectAt(item, "action");
  const command = action === undefined ? undefined : own(action, "command");
  return isObject(action) && command !== undefined ? { command } : {};
}
