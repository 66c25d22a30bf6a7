import assert from "node:assert/strict";
import fc from "fast-check";
import vectors from "../../../testdata/vectors/statistics.json" with { type: "json" };
import { costRatio, fewestFor, nearestRank, quantileRanks } from "./amounts.ts";
import { clopperPearson, studentQuantile } from "./beta.ts";
import { atLeastOf, collapseP, mcnemarPower, rejectsFrom } from "./binomial.ts";
import { normalQuantile, Z95, Z975 } from "./normal.ts";
import { bonettPrice, hiddenDrop, holm, judgeDrop, signFlip, smoothedInterval } from "./paired.ts";
import { findableDrop } from "./planning.ts";
import { judgeFloor, passAtK, passHatK, wilson, zeroFailureBound } from "./rates.ts";

// deno-lint-ignore no-explicit-any
type Vector = { id: string; input: any; expected: any; tol?: number };
type Answer = (vector: Vector) => unknown;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const pairedOf = (cand: readonly number[], base: readonly number[], k: number) => ({
  differences: cand.map((c, i) => c - (base[i] ?? 0)),
  unit: k,
  pseudo: 1 / k,
});

/** For each family of vectors, what our functions answer in the vector's own shape. */
const ANSWERS: readonly (readonly [id: RegExp, answer: Answer])[] = [
  [/^wilson95_/, ({ input }) => wilson(input.x, input.n)],
  [/^wilson_onesided/, ({ input }) => wilson(input.x, input.n, Z95)?.[0]],
  [/^zero_fail/, ({ input: { n } }) => ({
    exact: zeroFailureBound(n),
    rule_of_three: Math.min(1, 3 / n),
  })],
  [/^clopper/, ({ input }) => clopperPearson(input.x, input.n)],
  [/^passk_/, ({ input: { c, n, k } }) => ({
    pass_hat_k: passHatK(c, n, k),
    pass_at_k: passAtK(c, n, k),
  })],
  [
    /^passhat_suite/,
    ({ input: { successes_per_task: all, n, k } }) =>
      sum(all.map((c: number) => passHatK(c, n, k))) / all.length,
  ],
  [/^mcnemar_b/, ({ input: { b, c } }) => {
    const { drop } = signFlip([...Array(b).fill(-1), ...Array(c).fill(1)]);
    return { one_sided: drop, two_sided: Math.min(1, 2 * drop) };
  }],
  [/^mcnemar_min/, ({ input, expected }) => {
    const least = (c: number) => {
      for (let b = 0;; b++) {
        const from = rejectsFrom(b + c, input.alpha);
        if (from !== null && b >= from) return b;
      }
    };
    return Object.fromEntries(Object.keys(expected).map((c) => [c, least(Number(c))]));
  }],
  [/^mcnemar_power/, ({ expected }) =>
    Object.fromEntries(
      Object.keys(expected).map((key) => {
        const [, n, regress, improve] = /^N(\d+)_preg([\d.]+)_pimp([\d.]+)$/.exec(key) ?? [];
        const rates = { regress: Number(regress), improve: Number(improve) };
        return [key, mcnemarPower(Number(n), rates, 0.05)];
      }),
    )],
  [/^mcnemar_mde/, ({ input, expected }) =>
    Object.fromEntries(
      Object.keys(expected).map((n) => {
        const improve: number = input.p_improve;
        for (let net = 1;; net++) {
          const regress = improve + net / 1000;
          if (mcnemarPower(Number(n), { regress, improve }, 0.05) >= 0.8) return [n, net / 1000];
        }
      }),
    )],
  [/^t_quantiles/, ({ input: { df } }) => ({
    q975: df.map((n: number) => studentQuantile(0.975, n)),
    q95: df.map((n: number) => studentQuantile(0.95, n)),
  })],
  [/^paired_n20/, pairedFigures],
  [/^signflip_n20/, ({ input }) => {
    const D = input.d_nonzero.map((d: number) => Math.round(d * 5));
    return { m: D.length, p_one_sided: signFlip(D).drop };
  }],
  [/^signflip_dp/, ({ input: { D } }) => {
    const { drop, gain } = signFlip(D);
    return {
      m: D.filter((d: number) => d !== 0).length,
      sum: sum(D),
      p_drop: drop,
      p_gain: gain,
    };
  }],
  [/^clustered_se/, clusteredError],
  [/^mde_table/, ({ input, expected }) =>
    Object.fromEntries(
      Object.keys(expected).map((key) => {
        const [, n, k] = (/^N(\d+)_k(\d+)$/.exec(key) ?? []).map(Number);
        const found = (omega2: number) =>
          findableDrop(n ?? 0, { candidate: k ?? 0, baseline: k ?? 0 }, {
            p: input.p,
            icc: input.icc,
            omega2,
            alpha: input.alpha_one_sided,
            power: input.power,
          });
        return [key, { fixed_suite_omega0: found(0), "population_omega2_0.02": found(0.02) }];
      }),
    )],
  [
    /^critical_false_block/,
    ({ expected }) =>
      Object.fromEntries(
        Object.keys(expected).map((key) => {
          const [, p, k, m] = (/^p([\d.]+)_k(\d+)_crit(\d+)$/.exec(key) ?? []).map(Number);
          return [key, 1 - atLeastOf(k! * m!, k! * m!, p!)];
        }),
      ),
  ],
  [/^r_of_k/, ({ expected }) =>
    Object.fromEntries(
      Object.entries<Record<string, number>>(expected).map(([rule, byP]) => {
        const [r, k] = rule.split("of").map(Number);
        return [rule, mapKeys(byP, (p) => atLeastOf(r ?? 0, k ?? 0, p))];
      }),
    )],
  [/^holm/, ({ input }) => holm(input.p)],
  [
    /^bh$/,
    ({ input: { p } }) =>
      p.map((_: number, i: number) =>
        Math.min(...p.slice(i).map((q: number, j: number) => q * p.length / (i + j + 1)))
      ),
  ],
  [/^family_false/, ({ input }) => input.m.map((m: number) => 1 - atLeastOf(m, m, 0.95))],
  [/^p95_ranks/, ({ input }) => {
    const { lower, upper } = quantileRanks(input.n, input.q, input.conf_one_sided);
    return { lower_rank_one_sided: lower, upper_rank_one_sided: upper };
  }],
  [/^p95_min_n/, () => ({
    one_sided_95: fewestFor(0.95, 0.05),
    two_sided_95: fewestFor(0.95, 0.025),
    p50_one_sided: fewestFor(0.5, 0.05),
    p90_one_sided: fewestFor(0.9, 0.05),
    p99_one_sided: fewestFor(0.99, 0.05),
  })],
  [/^p95_definitions/, ({ input: { x, q } }) => ({
    nearest_rank: nearestRank(x, q),
    type7: interpolated(x, q),
    max: nearestRank(x, 1),
  })],
  [/^cost_ratio_paired/, ({ input }) => {
    const found = costRatio(pairsOf(input));
    return { gmr: found?.ratio, ci95: found?.interval, ratio_of_sums: found?.ratioOfSums };
  }],
  [/^bonett_price/, ({ input: { N, b_regressed, c_improved } }) => {
    const { difference, se, interval } = bonettPrice(N, {
      regressed: b_regressed,
      improved: c_improved,
    });
    return { diff_raw: (c_improved - b_regressed) / N, diff_adj: difference, se, ci95: interval };
  }],
  [/^noninferior/, ({ input }) => {
    const least = (margin: number, z: number) => {
      for (let n = 1;; n++) {
        if (bonettPrice(n, { regressed: 0, improved: 0 }, z).interval[0] >= -margin) return n;
      }
    };
    const table = (z: number) =>
      Object.fromEntries(input.margins.map((margin: number) => [margin, least(margin, z)]));
    return { two_sided_95: table(Z975), one_sided_95: table(Z95) };
  }],
  [/^mulberry32/, ({ input, expected }) => {
    const next = mulberry32(input.seed);
    return expected.map(() => next());
  }],
  [/^boot_cost/, ({ input }) => {
    const pairs = pairsOf(input);
    const ratio = (some: typeof pairs) => costRatio(some)?.ratioOfSums ?? 0;
    return { ratio: ratio(pairs), ci95: percentiles(resample(pairs, ratio, input)) };
  }],
  [/^boot_p95/, ({ input }) => {
    const p95 = (some: readonly number[]) => nearestRank(some, 0.95) ?? 0;
    const all = resample<number>(input.x, p95, input);
    return { p95: p95(input.x), ci95: percentiles(all), distinct_values: new Set(all).size };
  }],
  [/^floor_trials/, ({ input: { successes, k, min } }) => {
    const x = sum(successes) / k;
    const n = successes.length;
    const { bounds, verdict } = judgeFloor(x, n, min);
    const nk = wilson(sum(successes), n * k, Z95);
    return { x, n, bounds, naive_bounds_nk: nk, verdict };
  }],
  [/^floor_/, ({ input: { x, n, min } }) => judgeFloor(x, n, min)],
  [/^rule4_/, ({ input: { base, cand, k, margin_block, margin_warn, alpha } }) => {
    const paired = pairedOf(cand, base, k);
    const p = signFlip(paired.differences).drop;
    const found = smoothedInterval(paired);
    const margins = { block: margin_block, warn: margin_warn, alpha };
    return {
      mean_d: found?.mean,
      p_drop: p,
      smoothed_ci95: found?.interval,
      verdict: judgeDrop(paired, margins, p),
    };
  }],
  [
    /^collapse_/,
    ({ input: { base, cand, k } }) =>
      collapseP({ successes: base, trials: k }, { successes: cand, trials: k }),
  ],
];

for (const [family, answer] of ANSWERS) {
  const concerned = (vectors as Vector[]).filter(({ id }) =>
    ANSWERS.find(([pattern]) => pattern.test(id))?.[0] === family
  );
  Deno.test(`statistics meet the vectors ${family.source} (${concerned.length})`, () => {
    assert.ok(concerned.length > 0);
    for (const vector of concerned) {
      near(answer(vector), vector.expected, { tol: vector.tol ?? 1e-9, at: vector.id });
    }
  });
}

Deno.test("every vector of the statistics is met by a function", () => {
  const unmet = (vectors as Vector[]).filter(({ id }) =>
    !ANSWERS.some(([pattern]) => pattern.test(id))
  );
  assert.deepEqual(unmet.map(({ id }) => id), []);
  assert.equal(vectors.length, 120);
});

/** Every number of `expected` within the tolerance, relative above 1; what is not expected is free. */
function near(found: unknown, expected: unknown, of: { tol: number; at: string }): void {
  if (typeof expected === "number") {
    assert.equal(typeof found, "number", `${of.at}: ${found}`);
    const gap = Math.abs(Number(found) - expected) / Math.max(1, Math.abs(expected));
    assert.ok(gap <= of.tol + 1e-15, `${of.at}: found ${found}, expected ${expected}`);
  } else if (typeof expected !== "object" || expected === null) {
    assert.equal(found, expected, of.at);
  } else {
    for (const [key, value] of Object.entries(expected)) {
      near((found as Record<string, unknown>)?.[key], value, { ...of, at: `${of.at}.${key}` });
    }
  }
}

function mapKeys(of: Record<string, number>, value: (key: number) => number) {
  return Object.fromEntries(Object.keys(of).map((key) => [key, value(Number(key))]));
}

function pairedFigures({ input }: Vector) {
  const { baseline_successes: base, candidate_successes: cand, k } = input;
  const n = base.length;
  const d: number[] = cand.map((c: number, i: number) => (c - base[i]) / k);
  const mean = sum(d) / n;
  const variance = (values: number[], m = sum(values) / values.length) =>
    sum(values.map((value) => (value - m) ** 2)) / (values.length - 1);
  const rates = (all: number[]) => all.map((c) => c / k);
  const se = Math.sqrt(variance(d) / n);
  const t = studentQuantile(0.975, n - 1);
  const own = (all: number[]) => sum(rates(all).map((p) => p * (1 - p) / (k - 1)));
  const fixed = Math.sqrt(own(base) + own(cand)) / n;
  return {
    mean_base: sum(rates(base)) / n,
    mean_cand: sum(rates(cand)) / n,
    mean_diff: mean,
    sd_diff: Math.sqrt(variance(d)),
    se_paired: se,
    t975: t,
    ci95: [mean - t * se, mean + t * se],
    se_unpaired: Math.sqrt((variance(rates(base)) + variance(rates(cand))) / n),
    se_fixed_suite: fixed,
    ci95_fixed_suite: [mean - Z975 * fixed, mean + Z975 * fixed],
  };
}

function clusteredError({ input: { scores, clusters } }: Vector) {
  const n = scores.length;
  const mean = sum(scores) / n;
  const own = sum(scores.map((s: number) => (s - mean) ** 2));
  let cross = 0;
  scores.forEach((a: number, i: number) =>
    scores.forEach((b: number, j: number) => {
      if (i !== j && clusters[i] === clusters[j]) cross += (a - mean) * (b - mean);
    })
  );
  const clt = Math.sqrt(own / (n - 1) / n);
  const clustered = Math.sqrt(clt ** 2 + cross / n ** 2);
  return {
    mean,
    se_clt: clt,
    cross_sum: cross,
    se_clustered: clustered,
    se_clustered_n_denominator: Math.sqrt((own + cross) / n ** 2),
    design_effect: (clustered / clt) ** 2,
  };
}

function interpolated(x: readonly number[], q: number): number {
  const at = (x.length - 1) * q;
  const low = x[Math.floor(at)] ?? 0;
  return low + (at - Math.floor(at)) * ((x[Math.ceil(at)] ?? 0) - low);
}

function pairsOf({ base, cand }: { base: number[]; cand: number[] }) {
  return base.map((baseline, i) => ({ baseline, candidate: cand[i] ?? 0 }));
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x100000000;
  };
}

function resample<T>(
  from: readonly T[],
  of: (some: T[]) => number,
  { B, seed }: { B: number; seed: number },
): number[] {
  const next = mulberry32(seed);
  return Array.from(
    { length: B },
    () => of(from.map(() => from[Math.floor(next() * from.length)]!)),
  ).sort((a, b) => a - b);
}

function percentiles(sorted: readonly number[]) {
  return [0.025, 0.975].map((q) => sorted[Math.ceil(q * sorted.length) - 1]);
}

Deno.test("normalQuantile() is the constants to 1e-14 and null outside (0,1)", () => {
  assert.ok(Math.abs((normalQuantile(0.95) ?? 0) - Z95) < 1e-13);
  assert.ok(Math.abs((normalQuantile(0.975) ?? 0) - Z975) < 1e-13);
  assert.equal(normalQuantile(0), null);
  assert.equal(normalQuantile(1.5), null);
});

Deno.test("judgeDrop() never improves with one more failure, nor by the order of scenarios", () => {
  const rank = ["pass", "not_enough_evidence", "warn", "block"];
  const suite = fc.integer({ min: 1, max: 6 }).chain((k) =>
    fc.record({
      k: fc.constant(k),
      sides: fc.array(fc.tuple(fc.nat(k), fc.nat(k)), { minLength: 1, maxLength: 40 }),
      at: fc.nat(),
      margins: fc.constantFrom([0.05, 0.02], [0.1, 0.05], [0.1, 0.1]),
    })
  );
  fc.assert(
    fc.property(suite, ({ k, sides, at, margins: [block = 0, warn = 0] }) => {
      const judge = (rows: readonly (readonly [number, number])[]) => {
        const paired = pairedOf(rows.map(([c]) => c), rows.map(([, b]) => b), k);
        const p = signFlip(paired.differences).drop;
        return judgeDrop(paired, { block, warn, alpha: 0.05 }, p);
      };
      const verdict = judge(sides);
      assert.equal(judge(sides.toReversed()), verdict);
      const index = at % sides.length;
      const worse = sides.map(([c, b], i) => [i === index ? c - 1 : c, b] as const);
      if (worse[index]![0] < 0) return;
      assert.ok(rank.indexOf(judge(worse)) >= rank.indexOf(verdict), `${verdict} improved`);
    }),
    { seed: 20261130, numRuns: 3000 },
  );
});

Deno.test("k trials of one scenario never count as k scenarios: duplicated trials change no p", () => {
  const sides = fc.array(fc.tuple(fc.nat(3), fc.nat(3)), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(sides, (rows) => {
      const once = pairedOf(rows.map(([c]) => c), rows.map(([, b]) => b), 3);
      const twice = pairedOf(rows.map(([c]) => 2 * c), rows.map(([, b]) => 2 * b), 6);
      assert.ok(
        Math.abs(signFlip(once.differences).drop - signFlip(twice.differences).drop) < 1e-12,
      );
      const lows = [once, { ...twice, pseudo: once.pseudo }].map(hiddenDrop);
      assert.ok(Math.abs((lows[0] ?? 0) - (lows[1] ?? 0)) < 1e-12);
    }),
    { seed: 20261130, numRuns: 500 },
  );
});
