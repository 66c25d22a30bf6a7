/**
 * What in a change triggers a verdict? The files that a tree has otherwise than what it is compared
 * with, those of them that the project's own folders hold or that `triggers` names.
 */
import { globRegex } from "../load/selection.ts";
import type { Io } from "../model/ports.ts";
import { gitIn, type TreeCall } from "./hook_call.ts";

/** What triggers in every project, relative to it. */
export const OWN_TRIGGERS = [
  "scenarios/**",
  "gates/**",
  "fixtures/**",
  "reports/baselines/**",
  "collaudo.yaml",
] as const;

/** Lines of a scenario's file that may demote it, for git; a backslash may write any of the words. */
export const DEMOTING = "lifecycle|risk|known_failing|until|\\\\";

/** All files of the repository that a tree has otherwise than what it is compared with. */
export async function changedNames(
  io: Pick<Io, "git">,
  { repository, base, tree }: Pick<TreeCall, "repository" | "base" | "tree">,
): Promise<string[]> {
  const how = ["--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=none"];
  const args = ["diff", ...how, base, tree];
  const { code, out, err } = await gitIn(io, repository, args);
  if (code !== 0) throw new Error(`Cannot compare ${base} with ${tree}: ${err.trim()}`);
  return out.split("\0").filter((name) => name !== "");
}

/** The changed files that trigger: relative to the project, null for one that lies elsewhere. */
export function triggersAmong(
  names: readonly string[],
  { repository: { prefix }, triggers: more = [] }: Pick<TreeCall, "repository" | "triggers">,
  globs: readonly string[],
): (string | null)[] {
  return names.filter((name) => triggers(name, prefix, [...globs, ...more]))
    .map((name) => within(name, prefix));
}

/** True where a file of the repository triggers; a submodule is a file by the name of its folder. */
export function triggers(file: string, prefix: string, globs: readonly string[]): boolean {
  const own = OWN_TRIGGERS.map((glob) => ({ glob, file: within(file, prefix) }));
  return [...own, ...globs.map((glob) => ({ glob, file }))].some(({ glob, file }) =>
    file !== null && [file, `${file}/`].some((path) => globRegex(glob).test(path))
  );
}

function within(file: string, prefix: string): string | null {
  return file.startsWith(prefix) ? file.slice(prefix.length) : null;
}
