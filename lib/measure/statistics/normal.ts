/**
 * How far from the mean does a share of a normal distribution lie? Probabilities in, quantiles out,
 * and the reverse; both to about 1e-14. Outside (0,1) there is no quantile: null.
 */

/** The one-sided 95 % quantile. */
export const Z95 = 1.6448536269514715;

/** The two-sided 95 % quantile. */
export const Z975 = 1.959963984540054;

const TERMS_MAX = 200;

/**
 * P(Z ≤ x) for a standard normal Z, in [0,1]. Series of G. Marsaglia, Evaluating the normal
 * distribution, J. Stat. Software 11(4), 2004: 1/2 + φ(x)·Σ x^(2n+1)/(1·3·…·(2n+1)).
 */
export function normalCdf(x: number): number {
  if (x < -8) return 0;
  if (x > 8) return 1;
  let [term, sum] = [x, x];
  for (let n = 1; n < TERMS_MAX && Math.abs(term) > 1e-18; n++) {
    term *= x * x / (2 * n + 1);
    sum += term;
  }
  return 0.5 + sum * Math.exp(-x * x / 2) / Math.sqrt(2 * Math.PI);
}

/** The x with P(Z ≤ x) = p, by halving; null where p is not inside (0,1). */
export function normalQuantile(p: number): number | null {
  return p > 0 && p < 1 ? solveRising(normalCdf, p, { from: -8, to: 8 }) : null;
}

/** Where a function that rises reaches a value, by halving an interval until it is a double wide. */
export function solveRising(
  rising: (x: number) => number,
  value: number,
  between: { readonly from: number; readonly to: number },
): number {
  let { from, to } = between;
  for (let step = 0; step < TERMS_MAX; step++) {
    const middle = (from + to) / 2;
    if (middle <= from || middle >= to) break;
    if (rising(middle) < value) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}
