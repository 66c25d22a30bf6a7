/**
 * How sure is a rate? Counts in; intervals, bounds, reliability over several trials and the verdict
 * of a floor out. Nothing measured gives null: never 0 % and never 100 %.
 */
import { choose } from "./binomial.ts";
import { Z95, Z975 } from "./normal.ts";

/** Lower and upper end. */
export type Interval = readonly [low: number, high: number];

/**
 * Wilson's interval for x successes in n, x may be fractional (a sum of means); null where n is 0.
 * `z`: 1.96 for two-sided 95 %, `Z95` where each end is a one-sided 95 % bound. E. Wilson, JASA 22,
 * 1927; L. Brown, T. Cai and A. DasGupta, Stat. Sci. 16, 2001.
 */
export function wilson(x: number, n: number, z: number = Z975): Interval | null {
  if (n <= 0) return null;
  const p = x / n;
  const denominator = 1 + z * z / n;
  const centre = (p + z * z / (2 * n)) / denominator;
  const half = z * Math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / denominator;
  return [x <= 0 ? 0 : Math.max(0, centre - half), x >= n ? 1 : Math.min(1, centre + half)];
}

/**
 * The failure rate that no failure in n trials still lets stand, at 95 %: 1 − 0.05^(1/n), the exact
 * limit of Clopper and Pearson at 0 of n; null where n is 0.
 */
export function zeroFailureBound(n: number): number | null {
  return n <= 0 ? null : 1 - 0.05 ** (1 / n);
}

/**
 * pass^k: the probability that k trials all succeed, estimated without bias from c of n as
 * C(c,k)/C(n,k) (S. Yao and others, τ-bench, arXiv 2406.12045); null where k is above n.
 */
export function passHatK(c: number, n: number, k: number): number | null {
  return k > n ? null : choose(c, k) / choose(n, k);
}

/**
 * pass@k: the probability that one of k trials succeeds, 1 − C(n−c,k)/C(n,k) (M. Chen and others,
 * arXiv 2107.03374); null where k is above n. Shown, never a grade: it is the best of k.
 */
export function passAtK(c: number, n: number, k: number): number | null {
  return k > n ? null : 1 - choose(n - c, k) / choose(n, k);
}

/** What a floor says of a rate. `pass_weak`: reached, but the lower bound lies below it. */
export type FloorVerdict = "block" | "warn" | "pass_weak" | "pass" | "not_enough_evidence";

/**
 * Is a rate of x in n at least `min`? By one-sided 95 % bounds of Wilson: surely below blocks, below
 * warns, reached passes, weakly where the lower bound is not there yet. With several trials x is the
 * sum of the scenarios' means and n the number of scenarios, never of trials.
 */
export function judgeFloor(
  x: number,
  n: number,
  min: number,
): { readonly bounds: Interval | null; readonly verdict: FloorVerdict } {
  const bounds = wilson(x, n, Z95);
  if (bounds === null) return { bounds, verdict: "not_enough_evidence" };
  const [low, high] = bounds;
  if (high < min) return { bounds, verdict: "block" };
  if (x / n < min - 1e-12) return { bounds, verdict: "warn" };
  return { bounds, verdict: low >= min ? "pass" : "pass_weak" };
}
