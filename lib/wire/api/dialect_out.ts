/**
 * How does this program call a tool that we know by another name? In: a call in canonical terms and
 * the tools that the program declared. Out: name, group and arguments in its own terms: tools of our
 * server by their prefixed names, `shell` and `write_file` by the program's own tools. A tool that it
 * has not keeps its bare name: the program then refuses it, and that attempt is seen.
 */
import { isObject, type Json, type JsonObject, own } from "../../model/json.ts";
import type { AgentPlace, AgentTool } from "../../model/model_api.ts";
import type { ModelCall } from "../../model/ports.ts";
import { SHELL } from "../../model/workspace_tools.ts";
import { nameAt, objectAt, textAt } from "../streams/fields.ts";
import { addingPatch, patchCommand, writeCommand } from "./file_writing.ts";
import { mapFields, withPaths } from "./run_paths.ts";
import { ourTool } from "./tool_names.ts";

/** A call in a program's own terms. */
export interface NativeCall {
  readonly tool: string;
  readonly namespace: string | null;
  readonly form: AgentTool["form"];
  /** JSON of an object; for the form `text`, the text itself. */
  readonly args: string;
}

/** The built-in tool that writes a file, as recordings name it. */
export const WRITE_FILE = "write_file";

/** How long Codex waits for a command before it lets it run on in the background, at most. */
const YIELD_MS = 30_000;

/** The call as the program takes it. */
export function nativeCall(
  call: ModelCall,
  tools: readonly AgentTool[],
  place: Pick<AgentPlace, "workspace" | "home">,
): NativeCall {
  const ours = tools.find(({ name, namespace }) => ourTool(name, namespace) === call.tool);
  const given = call.args === null ? null : mapFields(call.args, (text) => withPaths(text, place));
  if (given === null) return plain(call, ours ?? namedTool(call.tool, tools), null);
  if (ours !== undefined) return plain(call, ours, given);
  const command = call.tool === SHELL ? textAt(given, "command") : null;
  const shell = command === null ? null : shellCall(command, tools);
  if (shell !== null) return shell;
  const file = call.tool === WRITE_FILE ? fileOf(given) : null;
  const write = file === null ? null : writeCall(file, tools, place.workspace);
  return write ?? plain(call, namedTool(call.tool, tools), given);
}

function namedTool(name: string, tools: readonly AgentTool[]): AgentTool | undefined {
  return tools.find((tool) => tool.name === name);
}

function plain(call: ModelCall, tool: AgentTool | undefined, args: JsonObject | null): NativeCall {
  const { name = call.tool, namespace = null, form = "function" } = tool ?? {};
  if (args === null) return { tool: name, namespace, form, args: call.argsText };
  const input = form === "text" ? textAt(args, "input") : null;
  return { tool: name, namespace, form, args: input ?? JSON.stringify(args) };
}

/** Names of programs' shells, the first that is declared is taken. */
const SHELLS = [
  ...["exec_command", "shell_command", "run_shell_command", "bash", "Bash", "exec", "shell"],
];

function shellTool(tools: readonly AgentTool[]): AgentTool | undefined {
  const named = SHELLS.map((name) =>
    tools.find((tool) => tool.name === name && ourTool(name, tool.namespace) === null)
  );
  return named.find((tool) => tool !== undefined) ??
    tools.find(({ form }) => form === "local_shell");
}

function shellCall(command: string, tools: readonly AgentTool[]): NativeCall | null {
  const tool = shellTool(tools);
  if (tool === undefined) return null;
  const { name, namespace, form } = tool;
  return { tool: name, namespace, form, args: JSON.stringify(shellArgs(command, tool)) };
}

function shellArgs(command: string, { name, form, input }: AgentTool): JsonObject {
  if (form === "local_shell") return { command: ["bash", "-lc", command] };
  const fields = objectAt(input, "properties") ?? {};
  if (name === "exec_command") return { cmd: command, yield_time_ms: YIELD_MS };
  const asList = textAt(own(fields, "command"), "type") === "array";
  const given: JsonObject = { command: asList ? ["bash", "-lc", command] : command };
  return { ...given, ...obligatory(input, given) };
}

/** Arguments that a tool wants besides, filled with what changes nothing. */
function obligatory(input: JsonObject, given: JsonObject): JsonObject {
  const required = own(input, "required");
  const fields = objectAt(input, "properties") ?? {};
  const more: JsonObject = {};
  for (const name of Array.isArray(required) ? required : []) {
    if (typeof name !== "string" || Object.hasOwn(given, name)) continue;
    const filler = FILLERS[textAt(own(fields, name), "type") ?? ""];
    if (filler !== undefined) more[name] = filler;
  }
  return more;
}

const FILLERS: Readonly<Record<string, Json>> = { boolean: false, string: "As asked", integer: 1 };

interface TextFile {
  readonly path: string;
  readonly text: string;
}

function fileOf(args: JsonObject): TextFile | null {
  const [path, text] = [nameAt(args, "path"), textAt(args, "text")];
  return path === null || text === null ? null : { path, text };
}

const WRITERS = ["write_file", "write", "Write"];
const PATH_KEYS = ["file_path", "filePath", "path"];

/** Where a program refuses to write over a file that it has not read, the shell writes. */
const READS_FIRST = /\bread\b[^.]*\bfirst\b|\bfirst\b[^.]*\bread\b|\bprior-read\b/i;

function writeCall(
  file: TextFile,
  tools: readonly AgentTool[],
  workspace: string,
): NativeCall | null {
  const shell = shellTool(tools);
  const writer = tools.find((tool) =>
    WRITERS.includes(tool.name) && (shell === undefined || !READS_FIRST.test(tool.description))
  );
  const written = writer === undefined ? null : writerCall(file, writer, workspace);
  return written ?? patchCall(file, tools) ?? shellCall(writingCommand(file, shell), tools);
}

function writerCall(file: TextFile, tool: AgentTool, workspace: string): NativeCall | null {
  const { name, namespace, form, input } = tool;
  const fields = objectAt(input, "properties") ?? {};
  const key = PATH_KEYS.find((one) => Object.hasOwn(fields, one));
  if (key === undefined || !isObject(own(fields, "content"))) return null;
  const path = file.path.startsWith("/") ? file.path : `${workspace}/${below(file.path)}`;
  const given: JsonObject = { [key]: path, content: file.text };
  const args = JSON.stringify({ ...given, ...obligatory(input, given) });
  return { tool: name, namespace, form, args };
}

function below(path: string): string {
  return path.replace(/^(?:\.\/+)+/, "");
}

function patchCall(file: TextFile, tools: readonly AgentTool[]): NativeCall | null {
  const tool = tools.find(({ name }) => name === "apply_patch");
  const patch = tool === undefined ? null : addingPatch(file.path, file.text);
  if (tool === undefined || patch === null) return null;
  const { name, namespace, form } = tool;
  const args = form === "text" ? patch : JSON.stringify({ input: patch });
  return { tool: name, namespace, form, args };
}

/** Codex reads a patch in its shell and then tells of the file that it changed. */
function writingCommand({ path, text }: TextFile, shell: AgentTool | undefined): string {
  const patch = shell?.name === "exec_command" ? addingPatch(path, text) : null;
  return patch === null ? writeCommand(path, text) : patchCommand(patch);
}
