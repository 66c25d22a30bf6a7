/**
 * What are the programs' own tools for commands and files, and how do they name ours? Tables of each
 * program, from the tool's name and arguments to the event that they are.
 */
import type { JsonObject } from "../../model/json.ts";
import { TOOL_SERVER } from "../../model/serving.ts";
import { innerCommand } from "../../model/shell.ts";
import { nameAt, textAt } from "./fields.ts";
import type { Begun, FileChange } from "./trace.ts";

/** How one program names tools; keys of arguments by tool. */
export interface OwnTools {
  /** What stands before the names of our tools. */
  readonly prefix: string;
  /** Tools that run a shell command -> the argument with it. */
  readonly shell: Readonly<Record<string, string>>;
  /** Tools that write a file -> the argument with its path. */
  readonly files: Readonly<Record<string, string>>;
  /** Tools that apply a patch -> the argument with its text. */
  readonly patches: Readonly<Record<string, string>>;
}

const CLAUDE: OwnTools = {
  prefix: `mcp__${TOOL_SERVER}__`,
  shell: { Bash: "command" },
  files: {
    Write: "file_path",
    Edit: "file_path",
    MultiEdit: "file_path",
    NotebookEdit: "notebook_path",
  },
  patches: {},
};

const QWEN: OwnTools = {
  prefix: `mcp__${TOOL_SERVER}__`,
  shell: { run_shell_command: "command" },
  files: { write_file: "file_path", edit: "file_path", notebook_edit: "notebook_path" },
  patches: {},
};

/** The programs whose streams name tools as the model called them. */
export const OWN_TOOLS = {
  claude: CLAUDE,
  qwen: QWEN,
  gemini: {
    prefix: `mcp_${TOOL_SERVER}_`,
    shell: { run_shell_command: "command" },
    files: { write_file: "file_path", replace: "file_path" },
    patches: {},
  },
  opencode: {
    prefix: `${TOOL_SERVER}_`,
    shell: { bash: "command" },
    files: { write: "filePath", edit: "filePath", multiedit: "filePath" },
    patches: { patch: "patchText", apply_patch: "patchText" },
  },
  pi: {
    prefix: `mcp__${TOOL_SERVER}__`,
    shell: { bash: "command" },
    files: { write: "path", edit: "path" },
    patches: {},
  },
  openclaw: {
    prefix: `${TOOL_SERVER}__`,
    shell: { exec: "command", bash: "command" },
    files: { write: "path", edit: "path" },
    patches: { apply_patch: "input" },
  },
  codex: {
    prefix: `mcp__${TOOL_SERVER}__`,
    shell: { exec_command: "cmd", shell_command: "command" },
    files: {},
    patches: { apply_patch: "input" },
  },
} satisfies Record<string, OwnTools>;

/** The event that a call of one of the program's tools begins. */
export function begunBy(own: OwnTools, tool: string, args: JsonObject): Begun {
  const key = Object.hasOwn(own.shell, tool) ? own.shell[tool] : undefined;
  const command = key === undefined ? null : nameAt(args, key);
  if (command !== null) return { kind: "command", command: innerCommand(command) };
  return { kind: "call", tool: ourName(own, tool), args };
}

/** A tool of ours without what the program puts before its name. */
function ourName({ prefix }: OwnTools, tool: string): string {
  return tool.startsWith(prefix) && tool.length > prefix.length ? tool.slice(prefix.length) : tool;
}

/** The files that a done call changed; `created` where the program says that they are new. */
export function filesOf(
  own: OwnTools,
  { tool, args, created }: {
    readonly tool: string;
    readonly args: JsonObject;
    readonly created: boolean;
  },
): FileChange[] {
  const key = Object.hasOwn(own.files, tool) ? own.files[tool] : undefined;
  const path = key === undefined ? null : nameAt(args, key);
  if (path !== null) return [{ path, change: created ? "added" : "modified" }];
  const patch = Object.hasOwn(own.patches, tool) ? own.patches[tool] : undefined;
  return patch === undefined ? [] : patchedFiles(textAt(args, patch) ?? "");
}

const PATCH_LINE = /^\*\*\* (Add|Update|Delete) File: (.+)$/gm;
const PATCHED = { Add: "added", Update: "modified", Delete: "deleted" } as const;

/** The files that a patch of the form `*** Update File: …` names. */
export function patchedFiles(patch: string): FileChange[] {
  return [...patch.matchAll(PATCH_LINE)].map(([, verb, path]) => ({
    path: (path ?? "").trim(),
    change: PATCHED[verb as keyof typeof PATCHED],
  }));
}

/** A path as it stands below the workspace; elsewhere as it is. */
export function workspacePath(path: string, workspace: string): string {
  const root = workspace.replace(/\/+$/, "");
  const inside = root !== "" && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
  return inside.replace(/^(?:\.\/+)+/, "");
}
