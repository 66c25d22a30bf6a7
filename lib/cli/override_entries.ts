/**
 * Which commits carry an override that holds? Messages of the history in, one entry of the ledger for
 * each out. Only commits that the given range reaches count.
 */
import type { LedgerEntry } from "../report/ledger.ts";
import { readBlocked } from "../wire/commit_message.ts";
import { readOverride } from "../wire/override.ts";
import { type Commit, readCommits, type Repository } from "./repository.ts";

/** Overrides of the commits of a range, such as `[head]` or `[base..head]`; null where git cannot list it. */
export async function overrideEntries(
  repository: Repository,
  range: readonly string[],
): Promise<LedgerEntry[] | null> {
  const grep = ["-E", "-i", "--grep=^eval-override *:"];
  const commits = await readCommits(repository, [...grep, ...range, "--"]);
  return commits === null ? null : commits.flatMap(overrideEntry);
}

/** The entry of a commit's own override; none where it has none that holds. */
export function overrideEntry(commit: Commit): LedgerEntry[] {
  const read = readOverride(commit.message, commit);
  if (read.kind !== "valid") return [];
  const blocked = readBlocked(commit.message);
  return [{
    ...read.override,
    sha: commit.sha,
    kind: "override",
    rules: [...blocked?.rules ?? []],
    scenarios: [...blocked?.scenarios ?? []],
  }];
}
