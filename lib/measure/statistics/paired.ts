/**
 * Did it get worse? Differences of the same scenarios on both sides in; an exact test, an interval,
 * adjusted p-values and the verdict of a relative rule out. A scenario counts once, however often it
 * ran. Integers are compared, so that no rounding flips a verdict at its margin.
 */
import { studentQuantile } from "./beta.ts";
import { Z975 } from "./normal.ts";
import type { Interval } from "./rates.ts";

/**
 * Differences of one metric, scenario by scenario. `differences`: candidate minus baseline in steps
 * of 1/`unit` (successes of k trials have unit k), whole numbers. `pseudo`: what the two pseudo
 * scenarios of the interval differ by, 1/k in the metric's unit.
 */
export interface Paired {
  readonly differences: readonly number[];
  readonly unit: number;
  readonly pseudo: number;
}

/**
 * Exact sign-flip test: under no change each difference has either sign equally often. `drop` is
 * P(Σ ±|Dᵢ| ≤ ΣDᵢ), `gain` the other side, 1 where all are 0. By dynamic programming over subset
 * sums, R. Fisher's randomisation test (The Design of Experiments, 1935); at one trial it is the
 * one-sided exact test of Q. McNemar (Psychometrika 12, 1947).
 */
export function signFlip(differences: readonly number[]): { drop: number; gain: number } {
  const sizes = differences.map(Math.abs).filter((size) => size > 0);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const threshold = differences.reduce((sum, each) => each < 0 ? sum - each : sum, 0);
  const chance = new Float64Array(total + 1);
  chance[0] = 1;
  let reach = 0;
  for (const size of sizes) {
    reach += size;
    for (let at = reach; at >= 0; at--) {
      const flipped = at >= size ? chance[at - size] ?? 0 : 0;
      chance[at] = ((chance[at] ?? 0) + flipped) / 2;
    }
  }
  const of = (part: Float64Array) => Math.min(1, part.reduce((sum, value) => sum + value, 0));
  return { drop: of(chance.subarray(threshold)), gain: of(chance.subarray(0, threshold + 1)) };
}

/** The smallest p that the sign-flip test can give with so many scenarios that differ. */
export function leastP(scenarios: number): number {
  return 0.5 ** scenarios;
}

/** S. Holm's step-down adjustment (Scand. J. Stat. 6, 1979), in the order of the input. */
export function holm(ps: readonly number[]): number[] {
  const order = ps.map((p, at) => ({ p, at })).sort((a, b) => a.p - b.p);
  const adjusted = ps.map(() => 1);
  let most = 0;
  order.forEach(({ p, at }, rank) => {
    most = Math.max(most, Math.min(1, (ps.length - rank) * p));
    adjusted[at] = most;
  });
  return adjusted;
}

/** Mean and the t interval at 95 % after adding two pseudo scenarios of ±`pseudo`. */
export interface SmoothedInterval {
  readonly mean: number;
  readonly interval: Interval;
}

/**
 * The paired interval: mean ± t·sd/√n over the scenarios' differences and two pseudo scenarios, so
 * that equal results never give a width of 0. At one trial it is close to D. Bonett and R. Price's
 * (J. Educ. Behav. Stat. 37, 2012), with t for z. Null where there is no scenario.
 */
export function smoothedInterval({ differences, unit, pseudo }: Paired): SmoothedInterval | null {
  if (differences.length === 0) return null;
  const values = inOrder(differences, unit);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean, interval: tInterval([...values, pseudo, -pseudo]) };
}

/** Ascending, so that the order of the scenarios can not move the last digit. */
function inOrder(differences: readonly number[], unit: number): number[] {
  return differences.toSorted((a, b) => a - b).map((each) => each / unit);
}

function tInterval(values: readonly number[]): Interval {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = studentQuantile(0.975, n - 1) * Math.sqrt(squares / (n - 1) / n);
  return [mean - half, mean + half];
}

const CAPS = 64;

/**
 * How large a drop could still hide: the lower end of the interval, with gains above a cap counted as
 * the cap where that raises it. A capped mean is at most the real one, so the bound still holds; and
 * a scenario that was fixed can not widen the interval until an unchanged build looks unsure. Null
 * where there is no scenario. At most 0.
 */
export function hiddenDrop({ differences, unit, pseudo }: Paired): number | null {
  if (differences.length === 0) return null;
  const values = inOrder(differences, unit);
  const most = Math.max(...values);
  const least = Math.min(...values, 0);
  const lows = most <= 0 ? [most] : Array.from(
    { length: CAPS + 1 },
    (_, step) => most - (most - least) * step / CAPS,
  );
  const ends = lows.map((cap) =>
    tInterval([...values.map((value) => Math.min(value, cap)), pseudo, -pseudo])[0]
  );
  return Math.min(0, Math.max(...ends));
}

/** Margins as positive shares, such as 0.05 for five points. */
export interface Margins {
  readonly block: number;
  readonly warn: number;
  readonly alpha: number;
}

/** What a relative rule says of one group. */
export type RelativeVerdict = "block" | "warn" | "not_enough_evidence" | "pass";

const SLACK = 1e-12;

/** True where the mean difference is at most −margin, compared in whole steps. */
export function fellBy({ differences, unit }: Paired, margin: number): boolean {
  const sum = differences.reduce((total, each) => total + each, 0);
  return sum <= -margin * unit * differences.length + SLACK && differences.length > 0;
}

/**
 * Blocks where the mean fell by the margin and the (adjusted) p is at most alpha; else warns where it
 * fell by the smaller margin; else there is not enough evidence where a drop of the margin could
 * still hide; else passes. No scenario: not enough evidence.
 */
export function judgeDrop(paired: Paired, margins: Margins, p: number): RelativeVerdict {
  if (fellBy(paired, margins.block) && p <= margins.alpha + SLACK) return "block";
  if (fellBy(paired, Math.min(margins.warn, margins.block))) return "warn";
  const hidden = hiddenDrop(paired);
  if (hidden === null || hidden < -margins.block) return "not_enough_evidence";
  return "pass";
}

/**
 * The interval of D. Bonett and R. Price for paired proportions at one trial: `regressed` and
 * `improved` of n scenarios, each raised by one pseudo scenario; `z` 1.96 for two-sided 95 %.
 */
export function bonettPrice(
  n: number,
  flips: { readonly regressed: number; readonly improved: number },
  z: number = Z975,
): { readonly difference: number; readonly se: number; readonly interval: Interval } {
  const worse = (flips.regressed + 1) / (n + 2);
  const better = (flips.improved + 1) / (n + 2);
  const difference = better - worse;
  const se = Math.sqrt((worse + better - difference ** 2) / (n + 2));
  return { difference, se, interval: [difference - z * se, difference + z * se] };
}
