/**
 * What does every command need first? The project that the caller stands in, its configuration,
 * a masker for everything that is written or printed, and the words of its locale.
 */
import { nearestRoot } from "../load/project_root.ts";
import type { Config } from "../model/config.ts";
import type { Project } from "../model/loaded.ts";
import type { Io } from "../model/ports.ts";
import { hasErrors, type Problem, sortProblems } from "../model/problem.ts";
import { escapeTerminal } from "../report/escape.ts";
import { createMasker, type Masker } from "../report/mask.ts";
import { renderProblems } from "../report/problems.ts";
import { EXIT } from "../model/exit.ts";
import { type Memory, openMemory } from "./remembered.ts";
import { loadProject, type Source } from "./remembered_loads.ts";

/** A command's surroundings. */
export interface Session {
  readonly io: Io;
  readonly project: Project;
  readonly masker: Masker;
  /** What is doubtful in `collaudo.yaml`, told by the commands that look after the project. */
  readonly warnings?: readonly Problem[];
  /** The commit whose gate judges too, where the caller says so; else the tip of the configuration's `base`. */
  readonly base?: BaseCommit;
  /**
   * A commit or tree whose baseline judges too, as this tree's moves together with what it is compared
   * with; absent: this tree's judges alone.
   */
  readonly former?: string;
  /** The tree that lies here and nothing else, where the project was laid out of one. */
  readonly tree?: string;
  /** Where loads are remembered; absent or null: everything is read and checked. */
  readonly memory?: Memory | null;
}

/** A commit of the base branch, and how it is called here. */
export interface BaseCommit {
  readonly ref: string;
  readonly sha: string;
}

/**
 * The session, or the exit code of a command that cannot start. `remembers`: what this program found
 * sound before, byte for byte, is not checked again.
 */
export async function openSession(
  io: Io,
  { remembers = false }: { readonly remembers?: boolean } = {},
): Promise<Session | number> {
  const root = remembers ? await nearestRoot(io.files, io.cwd) : null;
  const memory = root === null ? null : await openMemory(io, root);
  const { project, problems } = await loadProject(io.files, io.cwd, memory);
  if (project === null || hasErrors(problems)) {
    await printProblems(io, problems, project?.root ?? io.cwd);
    return EXIT.usage;
  }
  const secrets = secretNames(project.config).map((name) => io.env(name) ?? "");
  const masker = createMasker(secrets.filter((secret) => secret !== ""));
  return { io, project, masker, warnings: problems, memory };
}

/** Variables whose values never reach a file: those that are named so, keys, and what agents are handed. */
function secretNames({ mask_env, models, agents }: Config): string[] {
  const names = [...mask_env];
  const add = (value: unknown) => {
    if (typeof value === "object" && value !== null && "env" in value) names.push(`${value.env}`);
  };
  for (const { key } of Object.values(models)) add(key);
  for (const agent of Object.values(agents)) {
    if (agent.kind === "command") Object.values(agent.env ?? {}).forEach(add);
    else if (agent.kind === "http") [agent.key, ...Object.values(agent.headers ?? {})].forEach(add);
  }
  return [...new Set(names)];
}

/** Where a session loads from. */
export function sourceOf({ io, project, memory = null }: Session): Source {
  return { files: io.files, project, memory };
}

/** Prints problems with their source lines on standard error; returns how many are errors. */
export async function printProblems(
  io: Io,
  problems: readonly Problem[],
  root: string,
): Promise<number> {
  const sorted = sortProblems(problems);
  const sources = new Map<string, string>();
  for (const file of new Set(sorted.map((problem) => problem.file))) {
    const text = await readSource(io, join(root, file));
    if (text !== null) sources.set(file, text);
  }
  io.terminal.err(renderProblems(sorted, sources));
  return sorted.filter((problem) => problem.severity === "error").length;
}

async function readSource(io: Io, path: string): Promise<string | null> {
  const stat = await io.files.stat(path).catch(() => null);
  if (stat?.kind !== "file" || stat.size > 4_000_000) return null;
  return await io.files.readText(path).catch(() => null);
}

/** Prints one line about bad usage on standard error; returns exit code 2. */
export function refuse(io: Io, what: string, fix: string): number {
  io.terminal.err(`error: ${escapeTerminal(what)}\n  fix: ${fix}\n`);
  return EXIT.usage;
}

/** `path` where it is absolute, else below `folder`; `.` and `..` resolved. */
export function join(folder: string, path: string): string {
  const parts: string[] = [];
  for (const part of (path.startsWith("/") ? path : `${folder}/${path}`).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** `path` as seen from the project's root, where it lies below it; else as it is. */
export function fromRoot(root: string, path: string): string {
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
