/**
 * What does the repository say about this project? Files of other commits, what changed between two
 * trees, the base branch, and commits with their messages. Everything is asked in the project's own
 * folder of the work tree, and paths are relative to it. Null where git cannot say.
 */
import type { Git } from "../model/ports.ts";

/** The project's folder in a work tree. */
export interface Repository {
  readonly git: Git;
  readonly folder: string;
}

/** The paths of a project that the gate rests on. */
export const PERIMETER = [
  "gates",
  "scenarios",
  "reports/baselines",
  "collaudo.yaml",
  "fixtures",
] as const;

/** One commit; `message` is whole, `at` is the author's time in ISO 8601 with the author's offset. */
export interface Commit {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly at: string;
  readonly email: string;
  readonly message: string;
}

/** The repository that a folder lies in; null where it lies in none, or git is not there. */
export async function openRepository(git: Git, folder: string): Promise<Repository | null> {
  const inside = await git.ask(folder, ["rev-parse", "--is-inside-work-tree"]);
  return inside?.trim() === "true" ? { git, folder } : null;
}

/** The repository that a folder lies in, with the commit of HEAD; null where it has neither. */
export async function openAtHead(
  git: Git,
  folder: string,
): Promise<{ readonly repository: Repository; readonly head: string } | null> {
  const said = await git.ask(folder, ["rev-parse", "--is-inside-work-tree", "HEAD"]);
  const [inside, head = ""] = (said ?? "").trim().split("\n");
  const isThere = inside === "true" && /^[0-9a-f]{40,64}$/.test(head);
  return isThere ? { repository: { git, folder }, head } : null;
}

/** The full hash of a revision's commit, or of its tree; null where there is none. */
export async function objectOf(
  { git, folder }: Repository,
  revision: string,
  kind: "commit" | "tree" = "commit",
): Promise<string | null> {
  if (revision === "" || revision.startsWith("-")) return null;
  // Alone, HEAD may be told to stand for the commit that is judged.
  const wanted = revision === "HEAD" && kind === "commit" ? revision : `${revision}^{${kind}}`;
  const args = ["rev-parse", "--verify", "--quiet", wanted];
  return (await git.ask(folder, args))?.trim() || null;
}

/** The text of a file in a commit or tree; null where it is not there. */
export async function fileAt(
  { git, folder }: Repository,
  revision: string,
  path: string,
): Promise<string | null> {
  return await git.ask(folder, ["cat-file", "blob", `${revision}:./${path}`]);
}

/**
 * The texts of many files in a commit or tree, by one question where their names allow it; null where
 * one is not there.
 */
export async function filesAt(
  repository: Repository,
  revision: string,
  paths: readonly string[],
): Promise<Map<string, string | null>> {
  const plain = paths.filter((path) => !path.includes("\n"));
  const found = plain.length > 1 ? await batchAt(repository, revision, plain) : new Map();
  for (const path of paths) {
    if (!found.has(path)) found.set(path, await fileAt(repository, revision, path));
  }
  return found;
}

/** As far as git's answer can be read: bytes that are no UTF-8 make its lengths wrong. */
async function batchAt(
  { git, folder }: Repository,
  revision: string,
  paths: readonly string[],
): Promise<Map<string, string | null>> {
  const input = paths.map((path) => `${revision}:./${path}\n`).join("");
  const { out } = await git.run(folder, ["cat-file", "--batch"], { input });
  const bytes = new TextEncoder().encode(out);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const found = new Map<string, string | null>();
  let at = 0;
  for (const path of paths) {
    const end = bytes.indexOf(10, at);
    if (end === -1) break;
    const head = decoder.decode(bytes.subarray(at, end));
    if (head.endsWith(" missing")) {
      found.set(path, null);
      at = end + 1;
      continue;
    }
    const size = Number(/^[0-9a-f]{40,64} blob (\d+)$/.exec(head)?.[1] ?? NaN);
    if (!(bytes[end + 1 + size] === 10)) break;
    found.set(path, decoder.decode(bytes.subarray(end + 1, end + 1 + size)));
    at = end + size + 2;
  }
  return found;
}

/**
 * Files of the project below `paths` that differ between two commits or trees, or between one and
 * the work tree (`to` null); null where git could not compare.
 */
export async function changedFiles(
  { git, folder }: Repository,
  { from, to, paths }: {
    readonly from: string;
    readonly to: string | null;
    readonly paths: readonly string[];
  },
): Promise<string[] | null> {
  const sides = to === null ? [from] : [from, to];
  const how = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative"];
  const text = await git.ask(folder, ["diff", ...how, ...sides, "--", ...paths]);
  return text === null ? null : text.split("\0").filter((path) => path !== "");
}

/** Files that a commit changed against its parent; of a merge, those that it took from none. */
export async function filesOfCommit(
  { git, folder }: Repository,
  sha: string,
  paths: readonly string[],
): Promise<string[]> {
  const how = ["--no-commit-id", "--name-only", "-z", "-r", "-c", "--root", "--no-renames"];
  const args = ["diff-tree", ...how, "--relative", sha, "--", ...paths];
  return (await git.ask(folder, args) ?? "").split("\0").filter((path) => path !== "");
}

/** The base branch as git has it here, its own before that of `origin`; null where it has neither. */
export async function baseBranch(
  repository: Repository,
  name: string,
): Promise<{ readonly ref: string; readonly sha: string } | null> {
  for (
    const [ref, full] of [[name, `refs/heads/${name}`], [
      `origin/${name}`,
      `refs/remotes/origin/${name}`,
    ]] as const
  ) {
    const sha = await objectOf(repository, full);
    if (sha !== null) return { ref, sha };
  }
  return null;
}

/** The commit in which two histories part; null where there is none, or the history is cut. */
export async function mergeBase(
  { git, folder }: Repository,
  a: string,
  b: string,
): Promise<string | null> {
  return (await git.ask(folder, ["merge-base", a, b]))?.trim().split("\n")[0] || null;
}

/** True where the history was fetched in part. */
export async function isShallow({ git, folder }: Repository): Promise<boolean> {
  return (await git.ask(folder, ["rev-parse", "--is-shallow-repository"]))?.trim() === "true";
}

/** Commits as `git log` lists them for these arguments; null where git could not say. */
export async function readCommits(
  { git, folder }: Repository,
  args: readonly string[],
): Promise<Commit[] | null> {
  const format = "--format=%H%x00%P%x00%aI%x00%ae%x00%B";
  const how = ["-z", "--no-show-signature", "--encoding=UTF-8", format];
  const text = await git.ask(folder, ["log", ...how, ...args]);
  if (text === null) return null;
  const fields = text.split("\0");
  const commits: Commit[] = [];
  for (let i = 0; i + 4 < fields.length; i += 5) {
    const [sha = "", parents = "", at = "", email = "", message = ""] = fields.slice(i, i + 5);
    commits.push({
      sha,
      parents: parents.split(" ").filter((each) => each !== ""),
      at,
      email,
      message,
    });
  }
  return commits;
}

/**
 * The newest commits on which nothing but merges has been made: what they bring to the ledger cannot
 * stand in it yet.
 */
export async function newestCommits(repository: Repository, head: string): Promise<Set<string>> {
  const open = [head];
  const seen = new Set<string>();
  const found: string[] = [];
  for (let sha = open.pop(); sha !== undefined; sha = open.pop()) {
    if (seen.has(sha)) continue;
    seen.add(sha);
    const [commit] = await readCommits(repository, ["-1", sha]) ?? [];
    if (commit === undefined) continue;
    if (commit.parents.length < 2) found.push(sha);
    else open.push(...commit.parents);
  }
  const newest = new Set<string>();
  for (const sha of found) {
    const below = await Promise.all(
      found.filter((other) => other !== sha).map((other) => isAncestor(repository, sha, other)),
    );
    if (!below.includes(true)) newest.add(sha);
  }
  return newest;
}

async function isAncestor({ git, folder }: Repository, a: string, b: string): Promise<boolean> {
  return await git.ask(folder, ["merge-base", "--is-ancestor", a, b]) !== null;
}
