/**
 * What could a run of so many trials find? Numbers of scenarios and trials in, the smallest drop
 * that would be found with a given power out. An estimate by the normal approximation: for one trial
 * the exact figures are worse.
 */
import { normalQuantile } from "./normal.ts";

/** What is assumed of the suite: rates are shares. */
export interface Assumptions {
  /** Mean success. */
  readonly p: number;
  /** How alike the trials of one scenario are, in [0,1]. */
  readonly icc: number;
  /** Variance of the true difference between scenarios; 0 where only this suite is meant. */
  readonly omega2: number;
  readonly alpha: number;
  readonly power: number;
}

/** What a suite is assumed to be where no history says otherwise. */
export const ASSUMED: Assumptions = { p: 0.9, icc: 0.5, omega2: 0, alpha: 0.05, power: 0.8 };

/**
 * The smallest drop found with that power: (z₁₋α + z_power)·√((ω² + σ²/k_A + σ²/k_B)/N), σ² =
 * (1 − icc)·p·(1 − p). E. Miller, Adding Error Bars to Evals, arXiv 2411.00640, section 5.
 */
export function findableDrop(
  scenarios: number,
  trials: { readonly candidate: number; readonly baseline: number },
  { p, icc, omega2, alpha, power }: Assumptions = ASSUMED,
): number {
  const variance = (1 - icc) * p * (1 - p);
  const spread = omega2 + variance / trials.candidate + variance / trials.baseline;
  const z = (normalQuantile(1 - alpha) ?? 0) + (normalQuantile(power) ?? 0);
  return z * Math.sqrt(spread / scenarios);
}
