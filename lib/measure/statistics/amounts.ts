/**
 * How sure is a percentile, and did it get dearer? Amounts in; ranks whose values bound a quantile,
 * and ratios of paired costs out. Where no bound exists it is null: a percentile is never resampled,
 * as a sample can not see beyond its largest value.
 */
import { studentQuantile } from "./beta.ts";
import { binomialPmf } from "./binomial.ts";
import type { Interval } from "./rates.ts";

/** Ranks (from 1) whose ordered values bound a quantile from below and above, each with 95 %. */
export interface QuantileRanks {
  readonly lower: number | null;
  readonly upper: number | null;
}

/**
 * Distribution-free ranks for the quantile `q` of n values: the upper one is the least s with
 * P(Bin(n,q) ≤ s−1) ≥ `conf`, the lower one the largest r with P(Bin(n,q) ≥ r) ≥ `conf`. W. Conover,
 * Practical Nonparametric Statistics, 3.2. Below 59 values no upper bound of the 95th exists.
 */
export function quantileRanks(n: number, q = 0.95, conf = 0.95): QuantileRanks {
  const pmf = binomialPmf(n, q);
  let upper: number | null = null;
  for (let s = 1, below = 0; s <= n && upper === null; s++) {
    below += pmf[s - 1] ?? 0;
    if (below >= conf) upper = s;
  }
  let lower: number | null = null;
  for (let r = n, above = 0; r >= 1 && lower === null; r--) {
    above += pmf[r] ?? 0;
    if (above >= conf) lower = r;
  }
  return { lower, upper };
}

/** The fewest values of which the largest bounds the quantile from above: qⁿ ≤ `alpha`. */
export function fewestFor(q: number, alpha: number): number {
  return Math.ceil(Math.log(alpha) / Math.log(q) - 1e-9);
}

/** Fewer latencies than this give no upper bound of the 95th percentile: at most a warning. */
export const P95_SAMPLES_MIN = 59;

/** The smallest value that a share `q` of the values does not exceed (nearest rank); null of none. */
export function nearestRank(values: readonly number[], q: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * q) - 1] ?? null;
}

/** A ratio of costs over paired scenarios. */
export interface CostRatio {
  /** Geometric mean of candidate over baseline: 1.1 is a tenth dearer. */
  readonly ratio: number;
  /** Two-sided 95 %; null with fewer than two pairs. */
  readonly interval: Interval | null;
  readonly ratioOfSums: number;
  readonly pairs: number;
}

/**
 * Paired geometric ratio exp(mean ln(c/b)) with a t interval on the logarithms. Pairs with a cost
 * that is not above 0 have no logarithm and are left out; null where none is left.
 */
export function costRatio(
  pairs: readonly { readonly baseline: number; readonly candidate: number }[],
): CostRatio | null {
  const known = pairs.filter(({ baseline, candidate }) => baseline > 0 && candidate > 0);
  const n = known.length;
  if (n === 0) return null;
  const logs = known.map(({ baseline, candidate }) => Math.log(candidate / baseline))
    .sort((a, b) => a - b);
  const mean = logs.reduce((sum, value) => sum + value, 0) / n;
  const squares = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const half = n < 2 ? null : studentQuantile(0.975, n - 1) * Math.sqrt(squares / (n - 1) / n);
  const sums = known.reduce(
    (sum, pair) => [sum[0] + pair.candidate, sum[1] + pair.baseline] as const,
    [0, 0] as readonly [number, number],
  );
  return {
    ratio: Math.exp(mean),
    interval: half === null ? null : [Math.exp(mean - half), Math.exp(mean + half)],
    ratioOfSums: sums[0] / sums[1],
    pairs: n,
  };
}
