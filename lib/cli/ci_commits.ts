/**
 * Which commits of a branch were blocked, and by what right are they there? Each tree is judged by
 * what its commit changed, and each blocked one needs an override of its own: bound to what its
 * trailer names, valid on the day of its author, and not run out where it still fails.
 */
import { blockedBy, overrideDecision } from "../gate/override.ts";
import { readConfigText } from "../load/history.ts";
import { dayIn } from "../model/day.ts";
import { EXIT } from "../model/exit.ts";
import type { Decision, LiftedBy } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { isTooFar } from "../model/ledger_rows.ts";
import { type CommitState, type JudgedCommit, notJudged } from "../report/ci_commits.ts";
import { projectLedger } from "../report/ledger.ts";
import { readBlocked } from "../wire/commit_message.ts";
import { readOverride } from "../wire/override.ts";
import {
  askIn,
  emptyTree,
  explicitGit,
  gitIn,
  type Repository,
  type TreeCall,
} from "./hook_call.ts";
import { projectsIn } from "./gone_project.ts";
import { withoutTouched } from "./hook_message.ts";
import { verdictFor } from "./hook_run.ts";
import { overrideEntries, overrideEntry } from "./override_entries.ts";
import type { Commit } from "./repository.ts";
import type { BaseCommit, Session } from "./session.ts";
import type { TreeVerdict } from "./tree_cache.ts";
import { changedNames, triggersAmong } from "./triggers.ts";

/** The commits to be judged, oldest first. */
export interface Range {
  readonly repository: Repository;
  readonly base: string;
  /** The base as a commit, whose gate judges too; null where the branch has nothing before it. */
  readonly against: BaseCommit | null;
  /** Where the branch left the base; null where they have nothing in common. */
  readonly fork: string | null;
  readonly head: string;
  readonly commits: readonly Commit[];
}

/** What became of them. */
export interface CommitsFound {
  readonly commits: readonly JudgedCommit[];
  /** How many touch nothing that triggers. */
  readonly untouched: number;
  /** Overrides of the whole history, those of messages without a trailer bound to what stopped them. */
  readonly overrides: readonly LedgerRow[];
}

/** Judges the commits of a range. */
export async function judgeCommits(session: Session, range: Range): Promise<CommitsFound> {
  const { repository } = range;
  const here = { git: explicitGit(session.io.git, repository), folder: repository.top };
  const idle = new Set<string>();
  const ofBase = await triggersAt(session, repository, range.base);
  const commits: JudgedCommit[] = [];
  const extra: LedgerRow[] = [];
  let untouched = 0;
  for (const commit of range.commits) {
    if (session.io.interrupted.aborted) break;
    const call = await callFor(session, range, { commit, triggers: ofBase });
    const own = await triggersAt(session, call.repository, commit.sha);
    const names = await changedNames(session.io, call);
    if (triggersAmong(names, call, own).length === 0) {
      untouched++;
      idle.add(commit.sha);
      continue;
    }
    const { verdict } = await verdictFor(session.io, { ...call, commit: commit.sha });
    if (verdict.code === EXIT.ok) idle.add(commit.sha);
    const standing = await standingAt(here, commit, { verdict, idle });
    const judged = judgeCommit(commit, { verdict, standing, today: todayOf(session) });
    commits.push(judged);
    if (judged.state === "overridden") extra.push(...boundRow(commit, verdict));
  }
  const known = await rowsOf(here, [range.head], idle);
  const told = await withInherited(here, commits);
  return { commits: told, untouched, overrides: [...known, ...extra] };
}

/**
 * An override that an older commit gave already, on whatever branch, was picked: it is inherited,
 * also where the message does not say so.
 */
async function withInherited(
  here: { readonly git: Session["io"]["git"]; readonly folder: string },
  commits: readonly JudgedCommit[],
): Promise<readonly JudgedCommit[]> {
  if (!commits.some(({ state }) => state === "overridden")) return commits;
  const entries = await overrideEntries(here, ["--all", "HEAD"]) ?? [];
  const those = ["-E", "-i", "--grep=^eval-override *:", "--format=%H %ct"];
  const times = await here.git.ask(here.folder, ["log", "--all", ...those, "HEAD"]);
  const made = new Map(
    (times ?? "").split("\n").map((line) => {
      const [sha = "", seconds = ""] = line.split(" ");
      return [sha, Number(seconds)] as const;
    }),
  );
  const older = ({ sha, by }: JudgedCommit) =>
    entries.some((entry) =>
      by.includes(entry.id) && entry.sha !== sha &&
      (made.get(entry.sha) ?? Infinity) < (made.get(sha) ?? 0)
    );
  return commits.map((commit) =>
    commit.state === "overridden" && older(commit) ? { ...commit, state: "inherited" } : commit
  );
}

/** The day in the project's zone. */
export function todayOf({ io, project }: Session): string {
  return dayIn(project.config.zone, io.clock.now());
}

async function callFor(
  { io }: Session,
  { against, ...range }: Range,
  { commit, triggers }: { readonly commit: Commit; readonly triggers: readonly string[] },
): Promise<TreeCall> {
  const repository = await placeAt(io, range, commit.sha);
  const tree = await askIn(io, repository, ["rev-parse", `${commit.sha}^{tree}`]);
  const base = commit.parents[0] ?? await emptyTree(io, repository);
  return {
    ...{ repository, tree: tree ?? commit.sha, base, all: false, budget: false, triggers },
    ...(against === null ? {} : { against }),
  };
}

/** The repository with the project where the commit has it: the branch may move it later. */
async function placeAt(
  io: Session["io"],
  { repository, base }: Pick<Range, "repository" | "base">,
  commit: string,
): Promise<Repository> {
  const file = `${repository.prefix}collaudo.yaml`;
  const has = async (tree: string) =>
    (await gitIn(io, repository, ["cat-file", "-e", `${tree}:${file}`])).code === 0;
  if (await has(commit) || await has(base)) return repository;
  const [before, ...more] = await projectsIn(io, repository, base);
  return before === undefined || more.length > 0 ? repository : { ...repository, prefix: before };
}

async function triggersAt(
  { io }: Session,
  repository: Repository,
  revision: string,
): Promise<readonly string[]> {
  const path = `${revision}:${repository.prefix}collaudo.yaml`;
  const { code, out } = await gitIn(io, repository, ["cat-file", "blob", path]);
  return code === 0 ? readConfigText(out)?.triggers ?? [] : [];
}

/** Overrides before a commit that say nothing of what it touched; those that a merge brings, whole. */
async function standingAt(
  here: { readonly git: Session["io"]["git"]; readonly folder: string },
  commit: Commit,
  { verdict: { touched, code }, idle }: {
    readonly verdict: TreeVerdict;
    readonly idle: ReadonlySet<string>;
  },
): Promise<LedgerRow[]> {
  if (code === EXIT.ok) return [];
  const [first, ...merged] = commit.parents;
  if (first === undefined) return [];
  const earlier = await rowsOf(here, [first], idle);
  const brought = merged.length === 0 ? [] : await rowsOf(here, [...merged, `^${first}`], idle);
  return [...withoutTouched(earlier, touched), ...brought];
}

/**
 * Overrides of a range. That of an `idle` commit, which nothing stopped, lets nothing else pass,
 * whatever its trailer says: anybody can write one.
 */
async function rowsOf(
  here: { readonly git: Session["io"]["git"]; readonly folder: string },
  range: readonly string[],
  idle: ReadonlySet<string>,
): Promise<LedgerRow[]> {
  const entries = await overrideEntries(here, range) ?? [];
  return projectLedger(entries.filter(({ sha }) => !idle.has(sha)));
}

interface Judging {
  readonly verdict: TreeVerdict;
  readonly standing: readonly LedgerRow[];
  readonly today: string;
}

function judgeCommit(commit: Commit, judging: Judging): JudgedCommit {
  const { verdict } = judging;
  const { decision } = verdict;
  const blocked = decision === null ? { rules: [], scenarios: [] } : blockedBy(decision);
  const own = readOverride(commit.message, commit);
  const { state, by } = stateOf(commit, judging);
  return {
    sha: commit.sha,
    subject: commit.message.split("\n", 1)[0] ?? "",
    state,
    by,
    unguarded: verdict.code !== EXIT.ok && state !== "standing" &&
      (own.kind !== "valid" || readBlocked(commit.message) === null),
    ...(verdict.code !== EXIT.ok ? blocked : {
      rules: [],
      scenarios: decision === null ? [] : notJudged(decision),
    }),
    lines: verdict.lines,
  };
}

function stateOf(
  commit: Commit,
  { verdict, standing, today }: Judging,
): { readonly state: CommitState; readonly by: readonly string[] } {
  const { decision, code } = verdict;
  if (code === EXIT.ok) {
    const whole = decision === null || notJudged(decision).length === 0;
    return { state: whole ? "open" : "unproved", by: [] };
  }
  if (code === EXIT.usage || decision === null) return { state: "unusable", by: [] };
  const read = readOverride(commit.message, commit);
  if (read.kind === "valid") {
    const { id, reason, by, until } = read.override;
    if (!holds(decision, commit, { id, reason, by, until }, read.override.date)) {
      return { state: "exceeded", by: [] };
    }
    if (until < today) return { state: "expired", by: [id] };
    if (isTooFar(until, today)) return { state: "blocked", by: [] };
    const picked = /^\(cherry picked from commit [0-9a-f]{7,}\)$/m.test(commit.message);
    return { state: picked ? "inherited" : "overridden", by: [id] };
  }
  const after = overrideDecision(decision, { own: null, standing, today }, false);
  if (after.overridden !== undefined) {
    return { state: "standing", by: after.overridden.map(({ id }) => id) };
  }
  return { state: code === EXIT.undecided ? "undecided" : "blocked", by: [] };
}

/** Does a commit's own override cover all that stops it? Where it bears a trailer, no more than that. */
function holds(decision: Decision, commit: Commit, own: LiftedBy, day: string): boolean {
  const bound = readBlocked(commit.message);
  if (bound === null || decision.verdict !== "block") {
    return overrideDecision(decision, { own, standing: [], today: day }, false).overridden !==
      undefined;
  }
  const standing = projectLedger(overrideEntry(commit));
  return overrideDecision(decision, { own: null, standing, today: day }, false).overridden !==
    undefined;
}

/** The row of an override whose message bears no trailer: bound to what the judging found. */
function boundRow(commit: Commit, { decision }: TreeVerdict): LedgerRow[] {
  if (decision === null || readBlocked(commit.message) !== null) return [];
  return projectLedger(overrideEntry(commit)).map((row) => ({ ...row, ...blockedBy(decision) }));
}
