/**
 * How did each scenario do over its trials? Scores in; one row a scenario out, with its graded and
 * passed trials and the means of what is measured, so that no later step counts trials as scenarios.
 */
import { canonicalJson } from "../model/hash.ts";
import type { Score } from "../model/metrics.ts";
import { isGraded, isRefusal } from "../model/metric_names.ts";
import type { Reliability, StatisticsGroup } from "../model/statistics.ts";
import { passAtK, passHatK, wilson, zeroFailureBound } from "./statistics/rates.ts";

/** A stable scenario with at least one graded trial. */
export interface ScenarioRow {
  readonly scenario: string;
  readonly task: string;
  readonly category: string;
  readonly isCritical: boolean;
  readonly isRefusal: boolean;
  readonly trials: number;
  readonly passed: number;
  /** Null where no trial has one. */
  readonly stepScore: number | null;
  readonly cost: number | null;
  /** Of the first graded trial: trials of one scenario are alike. */
  readonly latencyMs: number | null;
}

/** One row a scenario, sorted by id; scenarios that are not stable, or not graded, have none. */
export function rowsOf(scores: readonly Score[]): ScenarioRow[] {
  const graded = scores.filter((score) => score.lifecycle === "stable" && isGraded(score));
  const groups = [...Map.groupBy(graded, (score) => score.scenario)];
  return groups.map(([, trials]) => rowOf(trials.toSorted((a, b) => a.trial - b.trial)))
    .sort((a, b) => a.scenario < b.scenario ? -1 : 1);
}

function rowOf(trials: readonly Score[]): ScenarioRow {
  const first = trials[0]!;
  return {
    scenario: first.scenario,
    task: first.task,
    category: first.category,
    isCritical: first.risk === "critical",
    isRefusal: isRefusal(first),
    trials: trials.length,
    passed: trials.filter((score) => score.verdict === "passed").length,
    stepScore: meanOf(trials.map((score) => score.stepScore)),
    cost: meanOf(trials.map((score) => score.cost)),
    latencyMs: first.latencyMs,
  };
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sumOf(known) / known.length;
}

/** The sum of numbers, in ascending order: the order of scenarios can not move the last digit. */
export function sumOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b).reduce((sum, value) => sum + value, 0);
}

/** The reliability of one scenario: its own rate, over its own trials. */
export function reliabilityOf(row: ScenarioRow): Reliability {
  const { passed, trials } = row;
  return {
    scenarios: 1,
    trials,
    k: trials,
    success: passed / trials,
    interval: pair(wilson(passed, trials)),
    failureBound: passed === trials ? zeroFailureBound(trials) : null,
    passHatK: passHatK(passed, trials, trials),
    passAtK: passAtK(passed, trials, trials),
  };
}

/** The reliability of a group: a scenario counts once, with the mean of its trials. */
export function groupReliability(rows: readonly ScenarioRow[]): Reliability {
  const n = rows.length;
  const k = n === 0 ? 0 : Math.min(...rows.map((row) => row.trials));
  const x = sumOf(rows.map((row) => row.passed / row.trials));
  const mean = (of: (c: number, n: number, k: number) => number | null) =>
    n === 0 ? null : unit(sumOf(rows.map((row) => of(row.passed, row.trials, k) ?? 0)) / n);
  const isClean = n > 0 && rows.every((row) => row.passed === row.trials);
  return {
    scenarios: n,
    trials: sumOf(rows.map((row) => row.trials)),
    k,
    success: n === 0 ? null : unit(x / n),
    interval: pair(wilson(x, n)),
    failureBound: isClean ? zeroFailureBound(n) : null,
    passHatK: mean(passHatK),
    passAtK: mean(passAtK),
  };
}

function unit(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/** The same interval as a list that may be stored. */
export function pair(interval: readonly [number, number] | null): [number, number] | null {
  return interval === null ? null : [interval[0], interval[1]];
}

/** Scenarios whose replayed trials differ: a replay has no chance in it, so the harness has. */
export function differingReplays(scores: readonly Score[]): string[] {
  const seen = new Map<string, string>();
  const differing = new Set<string>();
  for (const score of scores) {
    const { trial: _, ...rest } = score;
    const text = canonicalJson(rest);
    const before = seen.get(score.scenario);
    if (before !== undefined && before !== text) differing.add(score.scenario);
    seen.set(score.scenario, text);
  }
  return [...differing].sort();
}

/** The rows of a group. */
export function inGroup(rows: readonly ScenarioRow[], group: StatisticsGroup): ScenarioRow[] {
  return rows.filter((row) => group === null || row[group.by] === group.name);
}

/** A metric where more is better as a share of each scenario; null where it has none. */
export function shareOf(row: ScenarioRow, metric: string): number | null {
  if (metric === "stepScore") return row.stepScore;
  if (metric === "correctRefusals" && !row.isRefusal) return null;
  return row.passed / row.trials;
}
