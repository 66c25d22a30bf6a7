/**
 * What does the project look like in a tree that may not be checked out? Lays it out in a folder of
 * its own below git's shared one, with an index of its own, so that neither the work tree nor the
 * user's index is touched. What a run usually needs is laid at once, the rest when it is first read.
 */
import type { Files, Git, Io } from "../model/ports.ts";
import { gitIn, homeOf, type Repository } from "./hook_call.ts";

/** A project laid out of a tree. */
export interface LaidTree {
  /** The project's folder. */
  readonly root: string;
  /** The files of the machine, which lay out what they are asked for. */
  readonly files: Files;
  /** Git, for which the laid tree is the work tree and its index. */
  readonly git: Git;
  remove(): Promise<void>;
}

/** Laid out at once; `reports` for its baselines alone. */
const AT_ONCE = /^(?:collaudo\.yaml$|(?:scenarios|fixtures|gates|reports\/baselines)\/)/;

/** Recordings that only `validate` plays: most of a project's files, and a hook asks for none. */
const PROOFS = /^fixtures\/recordings\/[^/]+\/(?!pass\.yaml$)[^/]+\.yaml$/;

/** What is laid out together when the first of it is looked at: a topmost entry, or the proofs. */
function partOf(path: string): string {
  return PROOFS.test(path) ? "proofs" : `top:${path.split("/", 1)[0] ?? ""}`;
}

/** Lays out the project of a tree; null where the tree has none. */
export async function layTree(
  io: Io,
  repository: Repository,
  { tree, commit }: { readonly tree: string; readonly commit: string | null },
): Promise<LaidTree | null> {
  const { prefix, gitDir } = repository;
  const folder = await newFolder(io, repository);
  const top = `${folder}/tree`;
  const root = `${top}/${prefix}`.replace(/\/$/, "");
  await io.files.writeText(`${root}/.about`, `${tree}\n`);
  await io.files.remove(`${root}/.about`);
  const laid = { ...repository, top };
  const env = { GIT_INDEX_FILE: `${folder}/index` };
  const remove = () => io.files.remove(folder);
  const names = await readNames(io, laid, { tree, env });
  if (!names.includes("collaudo.yaml")) {
    await remove();
    return null;
  }
  const lay = async (wanted: readonly string[]) => {
    if (wanted.length === 0) return;
    const input = wanted.map((name) => `${prefix}${name}\0`).join("");
    const args = ["checkout-index", "-f", "-q", "-z", "--stdin"];
    const { code, err } = await gitIn(io, laid, args, { env, input });
    if (code !== 0) throw new Error(`Cannot lay out the tree ${tree}: ${err.trim()}`);
  };
  const atOnce = (name: string) => AT_ONCE.test(name) && !PROOFS.test(name);
  await lay(names.filter(atOnce));
  const rest = Map.groupBy(names.filter((name) => !atOnce(name)), partOf);
  const git = laidGit(io.git, { gitDir, top, root, commit, env });
  return { root, files: layingFiles(io.files, root, { rest, lay }), git, remove };
}

/** Fills the index from the tree; the project's files in it, relative to the project. */
async function readNames(
  io: Io,
  laid: Repository,
  { tree, env }: { readonly tree: string; readonly env: Readonly<Record<string, string>> },
): Promise<string[]> {
  const read = await gitIn(io, laid, ["read-tree", tree], { env });
  if (read.code !== 0) throw new Error(`Cannot read the tree ${tree}: ${read.err.trim()}`);
  const { out } = await gitIn(io, laid, ["ls-files", "-z", "--", `./${laid.prefix}`], { env });
  return out.split("\0").filter((name) => name.startsWith(laid.prefix) && name !== "")
    .map((name) => name.slice(laid.prefix.length));
}

interface Laid {
  readonly gitDir: string;
  readonly top: string;
  readonly root: string;
  readonly commit: string | null;
  readonly env: Readonly<Record<string, string>>;
}

/** Git as the laid project sees it: what is in it is committed, and `HEAD` may be another commit. */
function laidGit(git: Git, { gitDir, top, root, commit, env }: Laid): Git {
  const run: Git["run"] = (folder, args, options = {}) =>
    git.run(folder.startsWith(top) ? folder : root, [
      `--git-dir=${gitDir}`,
      `--work-tree=${top}`,
      ...args.map((each) => each === "HEAD" && commit !== null ? commit : each),
    ], { ...options, env: { ...env, ...options.env } });
  return {
    run,
    ask: async (folder, args) => {
      if (args[0] === "status") return "";
      const { code, out } = await run(folder, args);
      return code === 0 ? out : null;
    },
  };
}

/** A folder of this process alone; those of processes that were killed an hour ago go. */
async function newFolder(io: Io, repository: Repository): Promise<string> {
  const all = `${homeOf(repository)}/tmp`;
  const now = Date.parse(io.clock.now());
  for (const { name } of await io.files.list(all)) {
    const begun = Number(name.split("-", 1)[0]);
    if (!(now - begun < 3_600_000)) await io.files.remove(`${all}/${name}`);
  }
  for (let n = 1;; n++) {
    const folder = `${all}/${now}-${Math.floor(io.clock.monotonicMs() * 1000)}-${n}`;
    if (await io.files.stat(folder) === null) return folder;
  }
}

interface Rest {
  readonly rest: Map<string, string[]>;
  readonly lay: (names: readonly string[]) => Promise<void>;
}

/** Files that lay out a part of the project before it is first looked at. */
function layingFiles(files: Files, root: string, { rest, lay }: Rest): Files {
  const begun = new Map<string, Promise<void>>();
  const ensure = async (path: string): Promise<string> => {
    if (!path.startsWith(`${root}/`)) return path;
    const part = partOf(path.slice(root.length + 1));
    const names = rest.get(part);
    if (names === undefined) return path;
    const laying = begun.get(part) ?? lay(names);
    begun.set(part, laying);
    await laying;
    return path;
  };
  return {
    readText: async (path) => await files.readText(await ensure(path)),
    readBytes: async (path) => await files.readBytes(await ensure(path)),
    async *readLines(path) {
      yield* files.readLines(await ensure(path));
    },
    stat: async (path) => await files.stat(await ensure(path)),
    realPath: async (path) => await files.realPath(await ensure(path)),
    list: async (path) => await files.list(await ensure(path)),
    readSqlite: async (path) => await files.readSqlite(await ensure(path)),
    writeText: files.writeText,
    remove: files.remove,
  };
}
