import assert from "node:assert/strict";
import fc from "fast-check";
import { newBaseline, newGate, newScore } from "../../testdata/report/sample_scores.ts";
import { decide } from "../gate/decide.ts";
import type { Decision, GateRule } from "../model/gate.ts";
import type { Score } from "../model/metrics.ts";
import { type Statistics, statistics } from "../model/statistics.ts";
import { compareScores } from "./compare.ts";
import { weigh } from "./evidence.ts";
import { measure } from "./metrics.ts";
import { differingReplays } from "./trials.ts";

/** Successes of each scenario in k trials, with what else is said of it. */
type Suite = readonly (readonly [passed: number, over?: Partial<Score>])[];

function scoresOf(suite: Suite, k: number): Score[] {
  return suite.flatMap(([passed, over], i) =>
    Array.from({ length: k }, (_, trial) =>
      newScore({
        scenario: `s${String(i).padStart(3, "0")}`,
        trial: trial + 1,
        verdict: trial < passed ? "passed" : "failed",
        ...over,
      }))
  );
}

const OVERALL: Partial<GateRule> = {
  id: "success",
  level: "block",
  require: "$not($significantDrop('taskSuccess', {'margin': 0.1, 'warn': 0.05}))",
};
const BY_TASK: Partial<GateRule> = {
  id: "by-task",
  level: "block",
  for_each: "task",
  require: "$not($significantDrop('taskSuccess', {'margin': 0.1}))",
};

async function judge(
  now: readonly Score[],
  then: readonly Score[],
  rules: readonly Partial<GateRule>[],
  mode: "live" | "replay" = "live",
): Promise<{ decision: Decision; statistics: Statistics }> {
  const gate = newGate(rules);
  const compared = compareScores(now, newBaseline(then, { evidence: "live" }), { partial: false });
  const found = weigh({ gate, live: mode === "live", scores: now, equals: compared });
  assert.deepEqual(statistics.parse(found), found);
  const decision = await decide({
    gate,
    mode,
    evidence: mode === "live" ? "live" : "self_test",
    candidate: measure(now),
    baseline: measure(compared.narrowed),
    equals: { candidate: measure(compared.candidate), baseline: measure(compared.baseline) },
    scores: now,
    removedTasks: compared.removedTasks,
    statistics: found,
    relative: "judged",
    partial: false,
    ledger: [],
    invalid: [],
    strict: false,
  });
  return { decision, statistics: found };
}

const full = (n: number, k: number, over?: Partial<Score>): Suite =>
  Array.from({ length: n }, () => over === undefined ? [k] as const : [k, over] as const);

Deno.test("weigh() and decide() give the four verdicts of a relative rule, live, and say how sure", async () => {
  const then = scoresOf(full(20, 3), 3);
  const fallen = (n: number, by: number) =>
    scoresOf(full(20, 3).map(([k], i) => [i < n ? k - by : k] as const), 3);
  const rows: [string, Score[], string][] = [
    ["unchanged", then, "pass"],
    ["five scenarios lost two of three", fallen(5, 2), "block"],
    ["four lost two: too few to be sure", fallen(4, 2), "warn"],
    ["one lost one", fallen(1, 1), "pass"],
  ];
  for (const [name, now, verdict] of rows) {
    assert.equal((await judge(now, then, [OVERALL])).decision.verdict, verdict, name);
  }
  const once = await judge(scoresOf(full(20, 1), 1), scoresOf(full(20, 1), 1), [OVERALL]);
  assert.equal(once.decision.verdict, "not_enough_evidence");
  assert.equal(once.decision.reasons[0]?.kind, "rule_evidence");
  const head = once.statistics.drops[0];
  assert.ok(Math.abs((head?.hidden ?? 0) - 0.1368285) < 1e-6);
  assert.deepEqual(head?.rules, ["success"]);
  assert.equal(once.statistics.surer?.trials, 3);
  const replayed = await judge(fallen(2, 3), then, [OVERALL], "replay");
  assert.equal(replayed.decision.verdict, "block", "in a replay every difference is real");
  assert.equal(replayed.statistics.drops[0]?.p, null);
});

Deno.test("small groups are judged by counts: a critical collapse blocks, two trials warn, the rest is too small", async () => {
  const suite = (passed: readonly number[], risk: Score["risk"]): Suite =>
    passed.map((c, i) => [c, { task: `t${i}`, risk }] as const);
  const then = scoresOf(suite([3, 3, 3], "high"), 3);
  const small = await judge(scoresOf(suite([3, 2, 3], "high"), 3), then, [BY_TASK]);
  assert.equal(small.decision.verdict, "pass");
  assert.deepEqual(small.statistics.drops.slice(1).map((one) => one.verdict), [
    "too_small",
    "too_small",
    "too_small",
  ]);
  const two = await judge(scoresOf(suite([3, 1, 3], "high"), 3), then, [BY_TASK]);
  assert.equal(two.decision.verdict, "warn");
  assert.equal(two.decision.reasons[0]?.group, "t1");
  const high = await judge(scoresOf(suite([3, 0, 3], "high"), 3), then, [BY_TASK]);
  assert.equal(high.decision.verdict, "warn");
  const critical = await judge(
    scoresOf(suite([3, 0, 3], "critical"), 3),
    scoresOf(suite([3, 3, 3], "critical"), 3),
    [BY_TASK],
  );
  assert.equal(critical.decision.verdict, "block");
  assert.deepEqual(critical.decision.reasons[0]?.scenarios, ["s001"]);
});

Deno.test("p-values are adjusted over all comparisons of a run, and small groups take none of them", async () => {
  const suite = (lost: number): Suite =>
    Array.from({ length: 24 }, (_, i) => {
      const task = i < 10 ? "big" : i < 20 ? "large" : `small${i}`;
      return [i < lost ? 1 : 3, { task }] as const;
    });
  const { statistics: found } = await judge(scoresOf(suite(6), 3), scoresOf(suite(0), 3), [
    OVERALL,
    BY_TASK,
  ]);
  const tested = found.drops.filter((one) => one.test === "sign_flip");
  assert.deepEqual(tested.map((one) => one.group?.name ?? null), [null, "big", "large"]);
  assert.deepEqual(tested.map((one) => one.family), [3, 3, 3]);
  assert.equal(tested[0]?.p, 1 / 64);
  assert.equal(tested[0]?.pAdjusted, 3 / 64);
  assert.equal(tested[1]?.pAdjusted, 3 / 64);
  assert.equal(found.drops.filter((one) => one.test === "counts").length, 4);
});

Deno.test("floors are judged by bounds over scenarios, critical scenarios by r of k", async () => {
  const floor: Partial<GateRule> = {
    id: "floor",
    level: "block",
    require: "$atLeast('taskSuccess', 0.85)",
  };
  const at = async (passed: number, mode?: "replay") => {
    const now = scoresOf(full(20, 1).map((_, i) => [i < passed ? 1 : 0] as const), 1);
    return (await judge(now, now, [floor], mode)).decision.verdict;
  };
  assert.deepEqual(
    [await at(12), await at(16), await at(18), await at(20), await at(16, "replay")],
    ["block", "warn", "pass", "pass", "block"],
  );
  const critical: Partial<GateRule> = { id: "c", level: "block", require: "$criticalHolds()" };
  const held = async (passed: number, k: number, mode?: "replay") => {
    const now = scoresOf([[passed, { risk: "critical" }], [0]], k);
    return (await judge(now, now, [critical], mode)).decision;
  };
  assert.equal((await held(2, 3)).verdict, "pass");
  assert.equal((await held(4, 5)).verdict, "pass");
  assert.equal((await held(2, 3, "replay")).verdict, "block");
  assert.deepEqual((await held(1, 3)).reasons[0]?.scenarios, ["s000"]);
});

Deno.test("a latency rule warns at most below 59 scenarios in live mode; costs are told as a paired ratio", async () => {
  const rule: Partial<GateRule> = {
    id: "latency",
    level: "block",
    require: "$rise('latencyP95Ms') <= 0.3",
  };
  const cost: Partial<GateRule> = {
    id: "cost",
    level: "warn",
    require: "$rise('costPerTask') < 9",
  };
  const at = (n: number, latencyMs: number) =>
    scoresOf(full(n, 1, { latencyMs, cost: latencyMs / 1000 }), 1);
  const few = await judge(at(58, 2000), at(58, 1000), [rule, cost]);
  assert.equal(few.decision.verdict, "warn");
  const [latency, ratio] = few.statistics.amounts;
  assert.equal(latency?.bounded, false);
  assert.equal(latency?.interval, null);
  assert.ok(Math.abs((ratio?.ratio ?? 0) - 2) < 1e-12);
  const many = await judge(at(59, 2000), at(59, 1000), [rule]);
  assert.equal(many.decision.verdict, "block");
  const replay = await judge(at(58, 2000), at(58, 1000), [rule], "replay");
  assert.equal(replay.decision.verdict, "block");
});

Deno.test("differingReplays() names scenarios whose trials differ, whatever their number", () => {
  const scores = [newScore(), newScore({ trial: 2 }), newScore({ scenario: "b" })];
  assert.deepEqual(differingReplays(scores), []);
  const odd = newScore({ scenario: "b", trial: 2, penalty: 5, verdict: "failed" });
  assert.deepEqual(differingReplays([...scores, odd]), ["b"]);
});

const ORDER = ["pass", "not_enough_evidence", "warn", "block"];

const suites = fc.integer({ min: 1, max: 4 }).chain((k) =>
  fc.record({
    k: fc.constant(k),
    rows: fc.array(
      fc.record({
        now: fc.nat(k),
        then: fc.nat(k),
        task: fc.constantFrom("t1", "t2", "t3"),
        risk: fc.constantFrom("low" as const, "critical" as const),
      }),
      { minLength: 1, maxLength: 25 },
    ),
    at: fc.nat(),
  })
);

const RULES: readonly Partial<GateRule>[] = [
  OVERALL,
  BY_TASK,
  { id: "floor", level: "block", require: "$atLeast('taskSuccess', 0.5)" },
  { id: "critical", level: "warn", require: "$criticalHolds()" },
];

Deno.test("one more failure never improves a decision; names and order of scenarios and trials change nothing", async () => {
  await fc.assert(
    fc.asyncProperty(suites, async ({ k, rows, at }) => {
      const then = scoresOf(rows.map(({ then, task, risk }) => [then, { task, risk }]), k);
      const now = scoresOf(rows.map(({ now, task, risk }) => [now, { task, risk }]), k);
      const { decision, statistics: found } = await judge(now, then, RULES);
      const passed = now.flatMap((score, index) => score.verdict === "passed" ? [index] : []);
      const fails = passed[at % Math.max(1, passed.length)];
      if (fails !== undefined) {
        const worse = now.map((score, index) =>
          index === fails ? { ...score, verdict: "failed" as const } : score
        );
        const { verdict } = (await judge(worse, then, RULES)).decision;
        assert.ok(ORDER.indexOf(verdict) >= ORDER.indexOf(decision.verdict), decision.verdict);
      }
      const renamed = (scores: readonly Score[]) =>
        scores.map((score) => ({
          ...score,
          scenario: `z${999 - Number(score.scenario.slice(1))}`,
          trial: k + 1 - score.trial,
        })).reverse();
      const other = await judge(renamed(now), renamed(then), RULES);
      assert.equal(other.decision.verdict, decision.verdict);
      assert.deepEqual(
        other.statistics.drops.map((one) => ({ ...one, collapsed: one.collapsed.length })),
        found.drops.map((one) => ({ ...one, collapsed: one.collapsed.length })),
      );
    }),
    { seed: 20261130, numRuns: 150 },
  );
});

Deno.test("weigh() counts scenarios, not trials: the same trials twice give the same p and n", async () => {
  await fc.assert(
    fc.asyncProperty(suites, async ({ k, rows }) => {
      const side = (of: "now" | "then") =>
        scoresOf(rows.map((row) => [row[of], { task: row.task, risk: "low" as const }]), k);
      const twice = (scores: readonly Score[]) => [
        ...scores,
        ...scores.map((score) => ({ ...score, trial: score.trial + k })),
      ];
      const once = (await judge(side("now"), side("then"), RULES)).statistics;
      const both = (await judge(twice(side("now")), twice(side("then")), RULES)).statistics;
      const figures = ({ drops }: Statistics) =>
        drops.map((one) => [one.scenarios, one.p, one.pAdjusted, one.difference]);
      const near = (a: unknown, b: unknown) =>
        assert.ok(a === b || Math.abs(Number(a) - Number(b)) < 1e-9, `${a} and ${b}`);
      figures(once).flat().forEach((value, i) => near(value, figures(both).flat()[i]));
      assert.equal(both.overall.scenarios, once.overall.scenarios);
      assert.deepEqual(
        both.floors.map((one) => one.verdict),
        once.floors.map((one) => one.verdict),
      );
    }),
    { seed: 20261130, numRuns: 100 },
  );
});
