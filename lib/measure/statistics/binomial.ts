/**
 * How probable are so many successes? Binomial and hypergeometric counts in, exact probabilities
 * out: r-of-k rules, Fisher's test of one scenario's collapse, the power of McNemar's test.
 */

/** C(n,k) as a double; exact up to 2^53, 0 where k is outside 0…n. */
export function choose(n: number, k: number): number {
  if (k < 0 || k > n) return 0;
  let value = 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) value = value * (n - Math.min(k, n - k) + i) / i;
  return value;
}

/** P(X = x) of every x in 0…n for X binomial(n, p), by the ratio of neighbours from the mode. */
export function binomialPmf(n: number, p: number): Float64Array {
  const pmf = new Float64Array(n + 1);
  if (p <= 0 || p >= 1) {
    pmf[p <= 0 ? 0 : n] = 1;
    return pmf;
  }
  const mode = Math.min(n, Math.floor((n + 1) * p));
  const odds = p / (1 - p);
  pmf[mode] = 1;
  for (let x = mode; x > 0; x--) pmf[x - 1] = (pmf[x] ?? 0) * x / ((n - x + 1) * odds);
  for (let x = mode; x < n; x++) pmf[x + 1] = (pmf[x] ?? 0) * (n - x) * odds / (x + 1);
  const sum = pmf.reduce((total, value) => total + value, 0);
  return pmf.map((value) => value / sum);
}

/** P(X ≥ r) for X binomial(k, p): how often r of k trials are reached. */
export function atLeastOf(r: number, k: number, p: number): number {
  return sum(binomialPmf(k, p).subarray(Math.max(0, r)));
}

/**
 * One-sided p of a fall of one scenario from `base` to `cand` successes: P(X ≤ cand) for the
 * hypergeometric X given all successes (R. Fisher's exact test), with `trials` on each side.
 */
export function collapseP(
  base: { readonly successes: number; readonly trials: number },
  cand: { readonly successes: number; readonly trials: number },
): number {
  const all = base.successes + cand.successes;
  const total = choose(base.trials + cand.trials, all);
  let p = 0;
  for (let x = 0; x <= cand.successes; x++) {
    p += choose(cand.trials, x) * choose(base.trials, all - x) / total;
  }
  return Math.min(1, p);
}

/**
 * Of k trials of a critical scenario, how many must succeed in live mode: all of one or two, else all
 * but one in five, at least all but one (2 of 3, 4 of 5, 8 of 10).
 */
export function neededOf(k: number): number {
  return k < 3 ? k : k - Math.max(1, Math.floor(k / 5));
}

/**
 * Power of the exact one-sided McNemar test at one trial: P(p ≤ alpha) where a scenario regresses
 * with `regress` and improves with `improve`. Sum over the trinomial counts; exact.
 */
export function mcnemarPower(
  n: number,
  rates: { readonly regress: number; readonly improve: number },
  alpha: number,
): number {
  const { regress, improve } = rates;
  const discordant = binomialPmf(n, regress + improve);
  let power = 0;
  discordant.forEach((probability, m) => {
    const least = rejectsFrom(m, alpha);
    if (least !== null) power += probability * atLeastOf(least, m, regress / (regress + improve));
  });
  return power;
}

/** Of m discordant scenarios, the fewest regressions that the sign test calls significant; null: none. */
export function rejectsFrom(m: number, alpha: number): number | null {
  const pmf = binomialPmf(m, 0.5);
  let tail = 0;
  let least: number | null = null;
  for (let b = m; b >= 0; b--) {
    tail += pmf[b] ?? 0;
    if (tail > alpha * (1 + 1e-12)) break;
    least = b;
  }
  return least;
}

function sum(values: Float64Array): number {
  return values.reduceRight((total, value) => total + value, 0);
}
