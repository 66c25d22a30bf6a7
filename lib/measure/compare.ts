/**
 * How does each scenario stand against the baseline? Scores of both sides in; lists of ids and the
 * rows that may be compared out. Only scenarios of equal hash, stable on both sides, are compared;
 * changed, new and removed ones are listed apart. A selection narrows the baseline to what was
 * selected and removes nothing.
 */
import type { Baseline } from "../model/baseline.ts";
import type { Comparison, Score } from "../model/metrics.ts";
import { isGraded } from "../model/metric_names.ts";
import type { VerdictKind } from "../model/verdict.ts";
import { worstVerdict } from "./worst.ts";

/** What a comparison hands on. */
export interface Compared {
  readonly comparison: Comparison;
  /** Candidate rows of the equal scenarios: measured, the candidate's side of `equals`. */
  readonly candidate: Score[];
  /** Their baseline rows, without scenarios that the candidate could not grade. */
  readonly baseline: Score[];
  /** Baseline rows of the selected ids; of a full run, all of them. */
  readonly narrowed: Score[];
  /** Types of task of the baseline that a full run no longer has. */
  readonly removedTasks: string[];
}

/** One scenario on one side. */
interface Standing {
  readonly hashes: ReadonlySet<string>;
  readonly verdict: VerdictKind;
  readonly graded: boolean;
}

/** Compares by scenario; all lists are sorted by id. `partial`: the candidate is a selection. */
export function compareScores(
  candidate: readonly Score[],
  baseline: Baseline,
  options: { readonly partial: boolean },
): Compared {
  const selected = new Set(candidate.map((score) => score.scenario));
  const narrowed = options.partial
    ? baseline.scores.filter((score) => selected.has(score.scenario))
    : baseline.scores;
  const now = standings(candidate);
  const then = standings(narrowed);
  const comparison = compareStandings(now, then, { name: baseline.name, ...options });
  const equal = new Set(comparison.equal);
  const isCompared = (score: Score) => score.lifecycle === "stable" && equal.has(score.scenario);
  return {
    comparison,
    candidate: candidate.filter(isCompared),
    baseline: narrowed.filter((score) =>
      isCompared(score) && now.get(score.scenario)?.graded === true
    ),
    narrowed,
    removedTasks: options.partial ? [] : tasksGone(candidate, narrowed),
  };
}

function standings(scores: readonly Score[]): Map<string, Standing> {
  const rows = Map.groupBy(
    scores.filter((score) => score.lifecycle === "stable"),
    (score) => score.scenario,
  );
  return new Map([...rows].map(([id, trials]) => [id, {
    hashes: new Set(trials.map((trial) => trial.scenarioHash)),
    verdict: worstVerdict(trials.map((trial) => trial.verdict)),
    graded: trials.some(isGraded),
  }]));
}

function compareStandings(
  now: ReadonlyMap<string, Standing>,
  then: ReadonlyMap<string, Standing>,
  options: { readonly name: string; readonly partial: boolean },
): Comparison {
  const ids = [...now.keys()].sort();
  const equal = ids.filter((id) => areEqual(now.get(id), then.get(id)));
  const is = (side: ReadonlyMap<string, Standing>, verdict: VerdictKind) => (id: string) =>
    side.get(id)?.verdict === verdict;
  const failed = equal.filter(is(now, "failed"));
  const passed = equal.filter(is(now, "passed"));
  return {
    baseline: options.name,
    equal,
    changed: ids.filter((id) => then.has(id) && !areEqual(now.get(id), then.get(id))),
    added: ids.filter((id) => !then.has(id)),
    removed: options.partial ? [] : [...then.keys()].filter((id) => !now.has(id)).sort(),
    regressions: failed.filter((id) => !is(then, "failed")(id)),
    fixed: passed.filter((id) => !is(then, "passed")(id)),
    stillFailing: failed.filter(is(then, "failed")),
    errored: ids.filter(is(now, "errored")),
    stale: ids.filter(is(now, "stale")),
    unchanged: passed.filter(is(then, "passed")).length,
  };
}

/** Equal where every run of both sides is of one and the same hash. */
function areEqual(a: Standing | undefined, b: Standing | undefined): boolean {
  return a !== undefined && b !== undefined && a.hashes.union(b.hashes).size === 1;
}

function tasksGone(candidate: readonly Score[], baseline: readonly Score[]): string[] {
  const tasks = (scores: readonly Score[]) =>
    new Set(scores.filter((score) => score.lifecycle === "stable").map((score) => score.task));
  return [...tasks(baseline).difference(tasks(candidate))].sort();
}
