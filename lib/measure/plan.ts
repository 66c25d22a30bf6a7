/**
 * How many trials are worth it? A suite's size and what its live runs cost so far in; for each number
 * of trials the drop that would be found, the cost and the time out. What no run has told is null.
 */
import { ASSUMED, findableDrop } from "./statistics/planning.ts";

/** What live runs of a suite showed; per trial of the whole suite. */
export interface SuiteHistory {
  readonly runs: number;
  /** Mean success of a trial, a share; null where nothing was graded. */
  readonly success: number | null;
  /** In the configured currency, one trial of every scenario; null where any cost is unknown. */
  readonly cost: number | null;
  /** One after another; null where any time is unknown. */
  readonly minutes: number | null;
}

/** One number of trials. */
export interface PlanRow {
  readonly trials: number;
  /** A drop that is found four times in five, as a share. */
  readonly drop: number;
  readonly cost: number | null;
  readonly minutes: number | null;
}

/** What may be spent; null where nothing limits it. */
export interface Budget {
  readonly cost: number | null;
  readonly minutes: number | null;
}

/** The numbers of trials that are told. */
const TRIALS = [1, 3, 5, 10];

/** Most trials that a budget may choose. */
const TRIALS_MAX = 20;

/** A row for each number of trials; the baseline is assumed to have as many. */
export function planTrials(scenarios: number, history: SuiteHistory): PlanRow[] {
  return TRIALS.map((trials) => planRow(scenarios, history, trials));
}

/** What so many trials find, cost and take. */
export function planRow(scenarios: number, history: SuiteHistory, trials: number): PlanRow {
  const p = Math.min(0.98, Math.max(0.5, history.success ?? ASSUMED.p));
  const drop = findableDrop(scenarios, { candidate: trials, baseline: trials }, { ...ASSUMED, p });
  return {
    trials,
    drop: Math.min(1, drop),
    cost: history.cost === null ? null : history.cost * trials,
    minutes: history.minutes === null ? null : history.minutes * trials,
  };
}

/**
 * The most trials that fit a budget: 0 where not even one does; null where nothing is limited, or
 * what is limited was never measured.
 */
export function trialsWithin(history: SuiteHistory, budget: Budget): number | null {
  const limits = [[budget.cost, history.cost], [budget.minutes, history.minutes]] as const;
  let most: number | null = null;
  for (const [limit, each] of limits) {
    if (limit === null) continue;
    if (each === null) return null;
    const fits = each === 0 ? TRIALS_MAX : Math.min(TRIALS_MAX, Math.floor(limit / each + 1e-9));
    most = most === null ? fits : Math.min(most, fits);
  }
  return most;
}
