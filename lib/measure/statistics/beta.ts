/**
 * How probable is a value under Student's t or a beta distribution? The regularised incomplete beta
 * function and what follows from it: quantiles of t and exact limits of a proportion. Good to about
 * 1e-12, which the vectors of the tests hold to 1e-9.
 */
import { solveRising } from "./normal.ts";

/** Below this, the argument of ln Γ is raised by the recurrence before Stirling's series is used. */
const STIRLING_FROM = 15;

/**
 * ln Γ(x) for x > 0. Stirling's series with the Bernoulli numbers (Abramowitz and Stegun 6.1.41),
 * after Γ(x+1) = xΓ(x) has raised the argument.
 */
export function lnGamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < STIRLING_FROM; at++) shift += Math.log(at);
  const square = 1 / (at * at);
  const series = (1 / 12 -
    square * (1 / 360 - square * (1 / 1260 - square * (1 / 1680 - square / 1188)))) / at;
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + series - shift;
}

/**
 * The regularised incomplete beta function I_x(a,b), in [0,1]; a, b > 0. Continued fraction of
 * Abramowitz and Stegun 26.5.8, evaluated by W. Lentz's method (Appl. Opt. 15, 1976).
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = a * Math.log(x) + b * Math.log1p(-x) + lnGamma(a + b) - lnGamma(a) - lnGamma(b);
  return Math.exp(front) / (a * betaFraction(x, a, b));
}

const TINY = 1e-300;
const FRACTION_MAX = 1000;

function betaFraction(x: number, a: number, b: number): number {
  let [c, d, value] = [1, 0, 1];
  for (let step = 1; step <= FRACTION_MAX; step++) {
    const m = Math.floor(step / 2);
    const numerator = step % 2 === 0
      ? m * (b - m) * x / ((a + step - 1) * (a + step))
      : -(a + m) * (a + b + m) * x / ((a + step - 1) * (a + step));
    d = 1 / awayFromZero(1 + numerator * d);
    c = awayFromZero(1 + numerator / c);
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-16) break;
  }
  return value;
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** P(T ≤ t) for Student's t with `df` degrees of freedom (Abramowitz and Stegun 26.7.1). */
export function studentCdf(t: number, df: number): number {
  const tail = incompleteBeta(df / (df + t * t), df / 2, 0.5) / 2;
  return t > 0 ? 1 - tail : tail;
}

const quantiles = new Map<string, number>();

/** The t with P(T ≤ t) = p, for p in [0.5,1) and df ≥ 1; kept, as one run asks for few. */
export function studentQuantile(p: number, df: number): number {
  const key = `${p} ${df}`;
  const known = quantiles.get(key);
  if (known !== undefined) return known;
  const found = solveRising((t) => studentCdf(t, df), p, { from: 0, to: 1e6 });
  quantiles.set(key, found);
  return found;
}

/**
 * Exact two-sided limits of a proportion, x successes in n, each side with (1 − conf)/2 (C. Clopper
 * and E. Pearson, Biometrika 26, 1934, as quantiles of beta distributions); null where n is 0.
 */
export function clopperPearson(
  x: number,
  n: number,
  conf = 0.95,
): readonly [number, number] | null {
  if (n <= 0) return null;
  const tail = (1 - conf) / 2;
  const quantile = (p: number, a: number, b: number) =>
    solveRising((at) => incompleteBeta(at, a, b), p, { from: 0, to: 1 });
  return [
    x === 0 ? 0 : quantile(tail, x, n - x + 1),
    x === n ? 1 : quantile(1 - tail, x + 1, n - x),
  ];
}
