/**
 * Which commit is a hook asked about? The shim tells everything that only git's own environment
 * knows (the repository, the tree to be committed, what it is compared with); nothing of that
 * environment is used again. Light: a cached verdict needs no more than this.
 */
import type { Git, GitAnswer, GitOptions, Io } from "../model/ports.ts";
import type { BaseCommit } from "./session.ts";

/** A repository, addressed explicitly: git's variables are not handed on to any child. */
export interface Repository {
  /** Top of the work tree. */
  readonly top: string;
  /** Git's folder of this work tree. */
  readonly gitDir: string;
  /** Git's folder that all work trees share. */
  readonly common: string;
  /** The project inside the repository: empty, or ending with `/`. */
  readonly prefix: string;
}

/** The folder of everything that this program keeps in a repository. */
export function homeOf({ common }: Repository): string {
  return `${common}/collaudo`;
}

/** A tree to be judged, with what it is compared with to see what changed. */
export interface TreeCall {
  readonly repository: Repository;
  readonly tree: string;
  /** A commit or a tree: what changed from it decides which scenarios run. */
  readonly base: string;
  /** All scenarios, whatever changed. */
  readonly all: boolean;
  /** False: no time limit, as in CI. */
  readonly budget: boolean;
  /** What triggers besides what the tree's own configuration says. */
  readonly triggers?: readonly string[];
  /** Whose gate judges too; absent: the tip of the branch that the tree's own configuration names. */
  readonly against?: BaseCommit;
}

/** What the shim asks for. */
export interface HookCall extends TreeCall {
  readonly hook: string;
  /** The message's file, of `commit-msg` alone. */
  readonly message: string | null;
  /** The blob of a collaudo.yaml whose triggers the shim does not know yet; null where it does. */
  readonly config: string | null;
}

const NEEDED = ["top", "git-dir", "common", "tree", "base"] as const;

/** The call in the shim's arguments; null where one is missing. */
export function hookCall(args: readonly string[]): HookCall | null {
  const [hook, ...rest] = args;
  const given = new Map<string, string>();
  for (let at = 0; at + 1 < rest.length; at += 2) {
    given.set((rest[at] ?? "").replace(/^--/, ""), rest[at + 1] ?? "");
  }
  const [top, gitDir, common, tree, base] = NEEDED.map((name) => given.get(name) ?? "");
  if (!hook || !top || !gitDir || !common || !tree || !base) return null;
  return {
    hook,
    repository: { top, gitDir, common, prefix: given.get("prefix") ?? "" },
    tree,
    base,
    all: given.get("all") === "yes",
    budget: true,
    message: given.get("message") ?? null,
    config: given.get("config") || null,
  };
}

/** The repository that a folder lies in, with the project's place in it; null where there is none. */
export async function repositoryAt(io: Pick<Io, "git">, root: string): Promise<Repository | null> {
  const places = ["--show-toplevel", "--git-dir", "--git-common-dir"];
  const answer = await io.git.ask(root, ["rev-parse", "--path-format=absolute", ...places]);
  const [top, gitDir, common] = (answer ?? "").split("\n");
  const prefix = await io.git.ask(root, ["rev-parse", "--show-prefix"]);
  if (!top || !gitDir || !common || prefix === null) return null;
  return { top, gitDir, common, prefix: prefix.trim() };
}

/** Git that is told where the repository is, for code that asks in a folder. */
export function explicitGit(git: Git, { top, gitDir }: Repository): Git {
  const full = (args: readonly string[]) => [`--git-dir=${gitDir}`, `--work-tree=${top}`, ...args];
  return {
    ask: (folder, args) => git.ask(folder, full(args)),
    run: (folder, args, options) => git.run(folder, full(args), options),
  };
}

/** Runs git in a repository, whatever folder or environment the caller stands in. */
export function gitIn(
  io: Pick<Io, "git">,
  { top, gitDir }: Repository,
  args: readonly string[],
  options?: GitOptions,
): Promise<GitAnswer> {
  return io.git.run(top, [`--git-dir=${gitDir}`, `--work-tree=${top}`, ...args], options);
}

/** The trimmed output of git, null where it failed. */
export async function askIn(
  io: Pick<Io, "git">,
  repository: Repository,
  args: readonly string[],
): Promise<string | null> {
  const { code, out } = await gitIn(io, repository, args);
  return code === 0 ? out.trim() : null;
}

/** The tree without files, in the repository's own hash. */
export async function emptyTree(io: Pick<Io, "git">, repository: Repository): Promise<string> {
  const args = ["hash-object", "-t", "tree", "--stdin"];
  return (await gitIn(io, repository, args, { input: "" })).out.trim();
}
