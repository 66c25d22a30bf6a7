/**
 * What do an agent's files look like before and after? Lays a scenario's workspace into a folder (its
 * repository included) and reads a folder back as state. The repository is asked with no settings of
 * the machine and starts nothing that the agent may have put there.
 */
import { FILES, isObject, type JsonObject, own, put } from "../model/json.ts";
import { hashText } from "../model/hash.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Io } from "../model/ports.ts";
import type { Repository } from "../model/scenario.ts";
import {
  FILE_TEXT_MAX,
  type TreeEntry,
  treeState,
  WORKSPACE_FILES_MAX,
  type WorkspaceState,
} from "../model/workspace.ts";
import { join, type Session } from "./session.ts";

type Effects = Pick<Io, "git" | "trees" | "files">;

/** Settings under which a repository of an agent is asked: none but its own, and no program of it. */
const ALONE: readonly string[] = [
  "-c",
  "core.hooksPath=/dev/null",
  "-c",
  "core.pager=cat",
  "-c",
  "safe.directory=*",
];

/**
 * Lays the world's files into an empty folder: the workspace's, then the single ones, then the
 * repository. Throws where a file of the world lies outside of the folder, and where git fails.
 */
export async function layWorkspace(
  { io, project }: Pick<Session, "io" | "project">,
  loaded: LoadedScenario,
  folder: string,
): Promise<void> {
  const { setup } = loaded.scenario;
  const place = (name: string) => join(project.root, name);
  await io.trees.make(folder);
  const gitOf = repository(io, folder, setup.clock);
  if (setup.git !== undefined) await commitAll(gitOf, { io, git: setup.git, folder, place });
  await layFiles(io, loaded, { folder, place });
  if (setup.git !== undefined) await settleRepository(gitOf, { io, git: setup.git, folder, place });
}

interface Laying {
  readonly folder: string;
  /** The absolute path of a file of the project. */
  readonly place: (name: string) => string;
}

async function layFiles(io: Effects, loaded: LoadedScenario, laying: Laying): Promise<void> {
  const { setup } = loaded.scenario;
  const laid = new Set<string>();
  if (setup.workspace !== undefined) {
    await io.trees.copy(laying.place(setup.workspace), laying.folder);
    for (const { path } of await io.trees.read(laying.folder, WORKSPACE_FILES_MAX)) laid.add(path);
  }
  for (const { path, content_fixture } of setup.fixtures ?? []) {
    laid.add(path);
    const bytes = await io.files.readBytes(laying.place(content_fixture));
    await io.trees.write(inside(laying.folder, path), bytes, 0o644);
  }
  const files = loaded.state?.[FILES];
  for (const [path, value] of Object.entries(isObject(files) ? files : {})) {
    if (laid.has(path) || typeof value !== "string") continue;
    await io.trees.write(inside(laying.folder, path), new TextEncoder().encode(value), 0o644);
  }
}

function inside(folder: string, path: string): string {
  const steps = path.split("/");
  if (path.startsWith("/") || steps.includes("..") || steps.includes(".git")) {
    throw new Error(
      `Cannot lay "${path}": expected a place below the workspace, for an agent that works on files`,
    );
  }
  return join(folder, path);
}

type AskGit = (...args: readonly string[]) => Promise<string>;

/** Git in the folder, on the scenario's clock; throws what git said where it failed. */
function repository(io: Effects, folder: string, clock: string): AskGit {
  const env = {
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_CONFIG_NOSYSTEM: "1",
    // Where an object is missing git fetches it, by whatever program the repository's settings name.
    GIT_ALLOW_PROTOCOL: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_AUTHOR_NAME: "Owner",
    GIT_AUTHOR_EMAIL: "owner@example.test",
    GIT_AUTHOR_DATE: clock,
    GIT_COMMITTER_NAME: "Owner",
    GIT_COMMITTER_EMAIL: "owner@example.test",
    GIT_COMMITTER_DATE: clock,
  };
  return async (...args) => {
    const { code, out, err } = await io.git.run(folder, [...ALONE, ...args], { env });
    if (code === 0) return out;
    const why = err.trim().split("\n").at(-1) ?? "";
    throw new Error(`\`git ${args.join(" ")}\` failed in the workspace: ${why || `code ${code}`}`);
  };
}

interface Making extends Laying {
  readonly io: Effects;
  readonly git: Repository;
}

/** Makes the repository and its commits; where none is named, the workspace itself is committed later. */
async function commitAll(git: AskGit, making: Making): Promise<void> {
  await git("init", "-q", "-b", "main", "--template=");
  await git("config", "user.name", "Owner");
  await git("config", "user.email", "owner@example.test");
  for (const [index, commit] of (making.git.commits ?? []).entries()) {
    const { tree, message } = typeof commit === "string"
      ? { tree: commit, message: `Commit ${index + 1}` }
      : commit;
    await making.io.trees.clear(making.folder);
    await making.io.trees.copy(making.place(tree), making.folder);
    await git("add", "-A", "-f");
    await git("commit", "-q", "--allow-empty", "-m", message);
  }
  if (making.git.commits !== undefined) await making.io.trees.clear(making.folder);
}

async function settleRepository(git: AskGit, { io, git: wanted, folder, place }: Making) {
  if (wanted.commits === undefined) {
    await git("add", "-A", "-f");
    await git("commit", "-q", "--allow-empty", "-m", "Commit 1");
  }
  const staged = wanted.staged ?? [];
  if (staged.length > 0) await git("add", "-f", "--", ...staged);
  for (const [hook, file] of Object.entries(wanted.hooks ?? {})) {
    const bytes = await io.files.readBytes(place(file));
    await io.trees.write(join(folder, `.git/hooks/${hook}`), bytes, 0o755);
  }
}

/**
 * Removes a folder of a run that is over. What an agent left there may not let itself be removed:
 * that is told, and costs the other runs nothing.
 */
export async function discard(io: Pick<Io, "files" | "terminal">, folder: string): Promise<void> {
  try {
    await io.files.remove(folder);
  } catch (error) {
    io.terminal.err(`warning: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

/** Reads a folder back as state. Throws where it cannot be read whole. */
export async function readWorkspace(io: Effects, folder: string): Promise<WorkspaceState> {
  const kind = (await io.files.stat(folder))?.kind ?? "gone";
  if (kind !== "folder") {
    throw new Error(
      `The workspace is no folder any more: it is ${kind === "gone" ? kind : "a " + kind}`,
    );
  }
  const entries = await io.trees.read(folder, WORKSPACE_FILES_MAX);
  return { ...treeState(entries), git: await readRepository(io, folder) };
}

/** The repository as records; null where there is none. */
async function readRepository(io: Effects, folder: string): Promise<JsonObject | null> {
  const found = await io.files.stat(`${folder}/.git`);
  if (found === null) return null;
  if (found.kind !== "folder") return { head: { branch: null, commit: null, kind: found.kind } };
  const git = repository(io, folder, "2000-01-01T00:00:00Z");
  const [refs, config] = await Promise.all([
    git("for-each-ref", "--format=%(refname) %(objectname)"),
    git("config", "--local", "--list", "-z"),
  ]);
  const names = pairs(refs.split("\n"), " ");
  const head = await headOf(io, folder, names);
  return {
    head,
    refs: names,
    index: await stagedFiles(git, head.commit === null ? null : "HEAD"),
    stash: await stashed(io, folder),
    hooks: await hooksIn(io, `${folder}/.git/hooks`),
    config: pairs(config.split("\0"), "\n"),
    reflog: { HEAD: (await reflog(io, `${folder}/.git/logs/HEAD`)).length },
  };
}

/** Where HEAD stands; `commit` null before the first one. */
async function headOf(io: Effects, folder: string, refs: JsonObject) {
  const text = (await io.files.readText(`${folder}/.git/HEAD`)).trim();
  const ref = /^ref: (.*)$/.exec(text)?.[1];
  if (ref === undefined) return { branch: null, commit: text };
  return { branch: ref.replace(/^refs\/heads\//, ""), commit: own(refs, ref) ?? null };
}

/** What is staged: path -> letter of its status, mode and blob, as `git diff --cached --raw` has them. */
async function stagedFiles(git: AskGit, commit: string | null): Promise<JsonObject> {
  const base = commit ?? (await git("hash-object", "-t", "tree", "/dev/null")).trim();
  const raw = await git(
    "diff",
    "--cached",
    "--raw",
    "-z",
    "--no-renames",
    "--no-ext-diff",
    "--no-abbrev",
    base,
  );
  const parts = raw.split("\0");
  const staged: JsonObject = {};
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, mode = "", , blob = "", status = ""] = (parts[at] ?? "").split(" ");
    put(staged, parts[at + 1] ?? "", `${status} ${mode} ${blob}`);
  }
  return staged;
}

/** Its commits, newest first, as the log of the ref has them. */
async function stashed(io: Effects, folder: string): Promise<JsonObject> {
  const moves = await reflog(io, `${folder}/.git/logs/refs/stash`);
  const commits = moves.map((line) => line.split(" ")[1] ?? "").reverse();
  return Object.fromEntries(commits.map((commit, index) => [`${index}`, commit]));
}

async function hooksIn(io: Effects, folder: string): Promise<JsonObject> {
  const hooks: JsonObject = {};
  for (const { path, value, mode } of await treeOf(io, folder)) {
    put(hooks, path, { mode, text: value.length > FILE_TEXT_MAX ? hashText(value) : value });
  }
  return hooks;
}

async function treeOf(io: Effects, folder: string): Promise<readonly TreeEntry[]> {
  const found = await io.files.stat(folder);
  if (found === null) return [];
  if (found.kind === "folder") return await io.trees.read(folder, 1_000);
  return [{ path: "", value: "", mode: found.kind }];
}

/** How a ref has moved, oldest first. */
async function reflog(io: Effects, file: string): Promise<string[]> {
  const found = await io.files.stat(file);
  if (found === null) return [];
  return (await io.files.readText(file)).split("\n").filter((line) => line !== "");
}

/** Lines of a name and a value; a name that comes again keeps all its values. */
function pairs(lines: readonly string[], between: string): JsonObject {
  const found: JsonObject = {};
  for (const line of lines) {
    if (line === "") continue;
    const at = line.indexOf(between);
    const [name, value] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
    const known = Object.hasOwn(found, name) ? found[name] : undefined;
    put(found, name, known === undefined ? value : `${known}\n${value}`);
  }
  return found;
}
