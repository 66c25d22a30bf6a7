/**
 * Which commits let scenarios go? Removed, demoted from stable, no longer critical, or known to fail
 * for longer: what a commit did to the files of scenarios in, one entry of the ledger for each out.
 * A scenario that only moved to another suite is still there.
 */
import { diffScenarios } from "../gate/scenario_diff.ts";
import { readScenarioText } from "../load/history.ts";
import type { GateChange } from "../model/gate.ts";
import type { ScenarioFile } from "../model/scenario.ts";
import { type Commit, filesAt, filesOfCommit, readCommits, type Repository } from "./repository.ts";
import { DEMOTING } from "./triggers.ts";

const FOLDER = "scenarios";
const FILE = /^scenarios\/[^/]+\/([^/]+)\.yaml$/;

/** One scenario that a commit let go; `reason` is that of its file, null where it gives none. */
export interface Demotion {
  readonly commit: Commit;
  readonly id: string;
  readonly reason: string | null;
}

/** All of the history of `head`; null where git cannot list it. */
export async function demotions(
  repository: Repository,
  head: string,
): Promise<Demotion[] | null> {
  const list = (...how: string[]) =>
    readCommits(repository, ["--full-history", "--no-renames", ...how, head, "--", FOLDER]);
  const lists = await Promise.all([
    list("--diff-filter=D"),
    list("--diff-filter=M", "-G", DEMOTING),
    list("--merges"),
  ]);
  const commits = new Map<string, Commit>();
  for (const each of lists) {
    if (each === null) return null;
    for (const commit of each) commits.set(commit.sha, commit);
  }
  const found: Demotion[] = [];
  for (const commit of commits.values()) found.push(...await demotedIn(repository, commit));
  return found;
}

async function demotedIn(repository: Repository, commit: Commit): Promise<Demotion[]> {
  const [parent] = commit.parents;
  const paths = (await filesOfCommit(repository, commit.sha, [FOLDER])).filter((path) =>
    FILE.test(path)
  );
  if (parent === undefined || paths.length === 0) return [];
  const before = await filesAt(repository, parent, paths);
  const after = await filesAt(repository, commit.sha, paths);
  const idOf = (path: string) => FILE.exec(path)?.[1] ?? "";
  return [...new Set(paths.map(idOf))].flatMap((id) => {
    const own = paths.filter((path) => idOf(path) === id);
    const side = (texts: ReadonlyMap<string, string | null>) =>
      own.map((path) => texts.get(path) ?? null).find((text) => text !== null) ?? null;
    const [from, to] = [side(before), side(after)];
    const then = from === null ? null : readScenarioText(from);
    const now = to === null ? null : readScenarioText(to);
    // What cannot be read is no scenario to lose, and stops by itself.
    if (then === null || (to !== null && now === null)) return [];
    const changes = diffScenarios(then, now, id);
    return changes.some((each) => lets(each, id)) ? [{ commit, id, reason: reasonOf(now) }] : [];
  });
}

function lets({ what, from, direction }: GateChange, id: string): boolean {
  if (direction !== "looser") return false;
  if (what === `${id} risk`) return from === "critical";
  return [id, `${id} lifecycle`, `${id} known_failing/until`].includes(what);
}

function reasonOf(now: ScenarioFile | null): string | null {
  return now?.lifecycle === "known_failing" ? now.known_failing?.reason ?? null : null;
}
