/**
 * What of an agent's folder is state? Besides `files`: `modes` of what is no plain file, and `git`,
 * the repository as records, so that the same difference judges a stash that is gone, a hook that was
 * switched off or a commit that nobody asked for.
 */
import { FILES, isObject, type JsonObject, put, type State } from "./json.ts";

/** Collection of modes: path -> `755` for a file that may be executed, `link` for a link. */
export const MODES = "modes";

/** Collection of the repository's records. */
export const GIT = "git";

/**
 * The records of `git`: `head {branch, commit}`, `refs {name: commit}`, `index {path: status}` (what
 * is staged), `stash {n: commit}`, `hooks {name: {mode, text}}`, `config {key: value}` (the
 * repository's own), `reflog {HEAD: entries}`.
 */
export const GIT_RECORDS = ["head", "refs", "index", "stash", "hooks", "config", "reflog"] as const;

/** Files beyond this are held by their hash alone, in bytes. */
export const FILE_TEXT_MAX = 64 * 1024;

/** Files of a workspace beyond which it is not read: nothing would be learnt from so many. */
export const WORKSPACE_FILES_MAX = 20_000;

/** One file or link below a folder. */
export interface TreeEntry {
  /** Relative to the folder, with `/`. */
  readonly path: string;
  /** Its text, `sha256:…` where it is not UTF-8 or too large, or where a link leads. */
  readonly value: string;
  /** `644` and `755` are told apart, everything else is its octal number; `link` for a link. */
  readonly mode: string;
}

/** What was read of a workspace: collections that take the place of those in the state before. */
export interface WorkspaceState {
  readonly files: JsonObject;
  readonly modes: JsonObject;
  /** Null where the folder is no repository. */
  readonly git: JsonObject | null;
}

/** The state's collections `files` and `modes` of a tree. */
export function treeState(entries: readonly TreeEntry[]): Pick<WorkspaceState, "files" | "modes"> {
  const files: JsonObject = {};
  const modes: JsonObject = {};
  for (const { path, value, mode } of entries) {
    put(files, path, value);
    if (mode !== "644") put(modes, path, mode);
  }
  return { files, modes };
}

/**
 * The state with what a workspace holds. Files of the state that lie outside of it (absolute paths)
 * stay as they are: an agent's folder says nothing of them.
 */
export function withWorkspace(state: State, { files, modes, git }: WorkspaceState): State {
  const before = state[FILES];
  const outside = Object.entries(isObject(before) ? before : {}).filter(([path]) =>
    path.startsWith("/")
  );
  const { [GIT]: _git, [MODES]: _modes, ...rest } = state;
  return {
    ...rest,
    [FILES]: { ...files, ...Object.fromEntries(outside) },
    ...(Object.keys(modes).length === 0 ? {} : { [MODES]: modes }),
    ...(git === null ? {} : { [GIT]: git }),
  };
}
