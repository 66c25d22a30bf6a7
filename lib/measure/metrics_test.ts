import assert from "node:assert/strict";
import fc from "fast-check";
import { newBaseline, newScore } from "../../testdata/report/sample_scores.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Metrics, Score } from "../model/metrics.ts";
import { METRIC_NAMES } from "../model/metric_names.ts";
import type { Run, RunEvent } from "../model/run.ts";
import type { RunVerdict } from "../model/verdict.ts";
import { compareScores } from "./compare.ts";
import { measure } from "./metrics.ts";
import { scoreRun } from "./score.ts";
import { worstVerdict } from "./worst.ts";

const rows: readonly {
  readonly name: string;
  readonly scores: readonly Partial<Score>[];
  readonly wanted: Partial<Metrics>;
}[] = [
  {
    name: "measure() of nothing has null rates and counts of 0",
    scores: [],
    wanted: {
      taskSuccess: null,
      stepScore: null,
      sideEffectPenalty: null,
      critical: 0,
      forbiddenAttempts: 0,
      efficiency: null,
      repeatedCalls: null,
      costPerTask: null,
      latencyP95Ms: null,
      humanIntervention: null,
      correctRefusals: null,
      errored: 0,
      stale: 0,
      scenarios: 0,
      trials: 0,
    },
  },
  {
    name:
      "measure() takes rates over runs and critical, forbiddenAttempts, scenarios over scenarios",
    scores: [
      {
        scenario: "a",
        trial: 1,
        verdict: "failed",
        critical: true,
        forbiddenAttempts: 2,
        penalty: 5,
      },
      {
        scenario: "a",
        trial: 2,
        verdict: "failed",
        critical: true,
        forbiddenAttempts: 1,
        penalty: 5,
      },
      { scenario: "a", trial: 3 },
      { scenario: "b" },
    ],
    wanted: {
      taskSuccess: 0.5,
      critical: 1,
      forbiddenAttempts: 1,
      scenarios: 2,
      trials: 4,
      sideEffectPenalty: 2.5,
    },
  },
  {
    name:
      "measure() grades neither errored, stale and skipped runs nor scenarios that are not stable",
    scores: [
      { scenario: "a", verdict: "errored", cost: 9, intervention: true },
      { scenario: "b", verdict: "stale", critical: true },
      { scenario: "c", verdict: "skipped" },
      { scenario: "d", verdict: "failed", lifecycle: "incubating", critical: true },
      { scenario: "e", verdict: "errored", lifecycle: "known_failing" },
      { scenario: "f" },
    ],
    wanted: {
      taskSuccess: 1,
      errored: 1,
      stale: 1,
      scenarios: 1,
      trials: 1,
      critical: 0,
      costPerTask: null,
      humanIntervention: 0,
    },
  },
  {
    name:
      "measure() takes the median of calls / reference_calls, of an even count the middle of two",
    scores: [
      { calls: 4, referenceCalls: 4 },
      { calls: 8, referenceCalls: 4 },
      { calls: 30, referenceCalls: 3 },
      { calls: 12, referenceCalls: 4 },
      { calls: 99 },
    ],
    wanted: { efficiency: 2.5 },
  },
  {
    name: "measure() takes the 95th percentile by nearest rank",
    scores: Array.from({ length: 21 }, (_, i) => ({ latencyMs: 1000 - i * 10 })),
    wanted: { latencyP95Ms: 990 },
  },
  {
    name: "measure() takes the mean of known costs and of known step scores",
    scores: [
      { cost: 0.1, stepScore: 0.5 },
      { cost: null, stepScore: null },
      { cost: 0.3, stepScore: 1 },
    ],
    wanted: { costPerTask: 0.2, stepScore: 0.75 },
  },
  {
    name:
      "measure() counts as refusals the outcomes refused, asked, handed_over and the category refusal",
    scores: [
      { outcome: "refused" },
      { outcome: "asked", verdict: "failed" },
      { outcome: "handed_over" },
      { category: "refusal" },
      { verdict: "failed" },
    ],
    wanted: { correctRefusals: 0.75 },
  },
];

for (const row of rows) {
  Deno.test(row.name, () => {
    const { overall } = measure(row.scores.map(newScore));
    for (const [name, value] of Object.entries(row.wanted)) {
      const found = overall[name as keyof Metrics];
      const near = typeof found === "number" && Math.abs(found - Number(value)) < 1e-12;
      assert.ok(near || found === value, `${name}: found ${found}, wanted ${value}`);
    }
  });
}

Deno.test("measure() parts by task and by category, names sorted, hostile names kept", () => {
  const set = measure([
    newScore({ task: "z", category: "security" }),
    newScore({ task: "__proto__", verdict: "failed" }),
    newScore({ task: "constructor", verdict: "stale" }),
  ]);
  assert.deepEqual(Object.keys(set.byTask), ["__proto__", "constructor", "z"]);
  assert.equal(Object.getOwnPropertyDescriptor(set.byTask, "__proto__")?.value.taskSuccess, 0);
  assert.deepEqual(Object.keys(set.byCategory), ["happy_path", "security"]);
  assert.equal(set.byCategory["happy_path"]?.stale, 1);
});

const anyScore = fc.record({
  scenario: fc.constantFrom("a", "b", "c"),
  verdict: fc.constantFrom("passed", "failed", "errored", "stale", "skipped"),
  stepScore: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  penalty: fc.double({ min: 0, max: 30, noNaN: true }),
  cost: fc.option(fc.double({ min: 0, max: 3, noNaN: true })),
  latencyMs: fc.option(fc.nat(9000)),
  referenceCalls: fc.option(fc.integer({ min: 1, max: 9 })),
  critical: fc.boolean(),
}).map((over) => newScore(over as Partial<Score>));

Deno.test("measure() gives the same bytes in whatever order the scores stand, and no NaN", () => {
  fc.assert(
    fc.property(
      fc.array(anyScore, { maxLength: 30 }).chain((scores) =>
        fc.tuple(fc.constant(scores), fc.shuffledSubarray(scores, { minLength: scores.length }))
      ),
      ([scores, shuffled]) => {
        const set = measure(scores);
        assert.equal(JSON.stringify(measure(shuffled)), JSON.stringify(set));
        for (const name of METRIC_NAMES) {
          const value = set.overall[name];
          assert.ok(value === null || Number.isFinite(value), `${name} is ${value}`);
        }
      },
    ),
    { seed: 20261130, numRuns: 300 },
  );
});

const other = "sha256:" + "b".repeat(64);

Deno.test("compareScores() compares equals alone and lists changed, new and removed apart", () => {
  const baseline = newBaseline([
    newScore({ scenario: "same" }),
    newScore({ scenario: "regressed" }),
    newScore({ scenario: "fixed", verdict: "failed" }),
    newScore({ scenario: "still", verdict: "failed" }),
    newScore({ scenario: "changed" }),
    newScore({ scenario: "gone", task: "retired" }),
    newScore({ scenario: "demoted" }),
    newScore({ scenario: "stale" }),
    newScore({ scenario: "errored" }),
  ]);
  const candidate = [
    newScore({ scenario: "stale", verdict: "stale" }),
    newScore({ scenario: "errored", verdict: "errored" }),
    newScore({ scenario: "same" }),
    newScore({ scenario: "regressed", trial: 1 }),
    newScore({ scenario: "regressed", trial: 2, verdict: "failed" }),
    newScore({ scenario: "fixed" }),
    newScore({ scenario: "still", verdict: "failed" }),
    newScore({ scenario: "changed", scenarioHash: other, verdict: "failed" }),
    newScore({ scenario: "new", verdict: "failed" }),
    newScore({ scenario: "demoted", lifecycle: "incubating", verdict: "failed" }),
  ];
  const compared = compareScores(candidate, baseline, { partial: false });
  assert.deepEqual(compared.comparison, {
    baseline: "production",
    equal: ["errored", "fixed", "regressed", "same", "stale", "still"],
    changed: ["changed"],
    added: ["new"],
    removed: ["demoted", "gone"],
    regressions: ["regressed"],
    fixed: ["fixed"],
    stillFailing: ["still"],
    errored: ["errored"],
    stale: ["stale"],
    unchanged: 1,
  });
  const ids = (scores: readonly Score[]) => [...new Set(scores.map((s) => s.scenario))].sort();
  assert.deepEqual(ids(compared.candidate), compared.comparison.equal);
  assert.deepEqual(ids(compared.baseline), ["fixed", "regressed", "same", "still"]);
  assert.deepEqual(compared.removedTasks, ["retired"]);
  assert.equal(compared.narrowed.length, 9);
});

Deno.test("compareScores() of a selection narrows the baseline and removes nothing", () => {
  const baseline = newBaseline([
    newScore({ scenario: "a" }),
    newScore({ scenario: "b", task: "t" }),
  ]);
  const compared = compareScores([newScore({ scenario: "a" })], baseline, { partial: true });
  assert.deepEqual(compared.narrowed.map((s) => s.scenario), ["a"]);
  assert.deepEqual(compared.comparison.removed, []);
  assert.deepEqual(compared.removedTasks, []);
});

Deno.test("worstVerdict() lets no good trial hide a bad one", () => {
  assert.equal(worstVerdict(["passed", "failed", "stale"]), "stale");
  assert.equal(worstVerdict(["passed", "errored", "failed"]), "failed");
  assert.equal(worstVerdict(["passed", "skipped", "errored"]), "errored");
  assert.equal(worstVerdict([]), "skipped");
});

const call = (over: object): RunEvent => ({
  kind: "call",
  id: "c",
  tool: "t",
  args: {},
  status: "ok",
  source: "tools",
  ...over,
} as RunEvent);
const say = (role: string, text: string): RunEvent => ({ kind: "message", role, text } as RunEvent);

function score(
  events: readonly RunEvent[],
  over: { expected?: object; cost?: object; startedAt?: string } = {},
): Score {
  const loaded = {
    hash: other,
    scenario: {
      id: "a",
      task: "t",
      category: "happy_path",
      risk: "low",
      lifecycle: "stable",
      conversation: [{ user: "x" }],
      expected: { outcome: "success", tools_called: [], ...over.expected },
    },
  } as unknown as LoadedScenario;
  const { cost, startedAt } = over;
  const run = { trial: 2, events, usage: { cost }, startedAt } as unknown as Run;
  const verdict = {
    verdict: "passed",
    stepScore: 1,
    penalty: 0,
    critical: false,
    attempts: [],
    usage: { calls: 3, latencyMs: null },
  } as unknown as RunVerdict;
  return scoreRun(loaded, run, verdict, {
    currency: "EUR",
    rates: [
      { from: "USD", to: "EUR", rate: 0.8, as_of: "2026-09-01" },
      { from: "USD", to: "EUR", rate: 0.9, as_of: "2026-11-01" },
    ],
  });
}

Deno.test("scoreRun() counts calls repeated with the same arguments by value", () => {
  const events = [
    call({ args: { a: 1, b: [2] } }),
    call({ args: { b: [2], a: 1 } }),
    call({ args: { a: 1 } }),
    call({ tool: "u" }),
    call({ args: { a: 1, b: [2] }, status: "error" }),
  ];
  assert.equal(score(events).repeatedCalls, 2);
});

Deno.test("scoreRun() converts by a dated rate; an unknown currency, billing or cost is null, never 0", () => {
  const cost = (amount: number, currency: string, billing = "metered") =>
    score([], { cost: { amount, currency, billing } }).cost;
  assert.equal(cost(0.5, "EUR"), 0.5);
  assert.equal(cost(1, "USD"), 0.9);
  assert.equal(cost(1, "GBP"), null);
  assert.equal(cost(1, "EUR", "subscription"), null);
  assert.equal(cost(0, "EUR", "unknown"), null);
  assert.equal(cost(0, "EUR", "free"), 0);
  assert.equal(score([]).cost, null);
  const usd = { amount: 1, currency: "USD", billing: "metered" };
  const on = (day: string) => score([], { cost: usd, startedAt: `${day}T08:00:00+01:00` }).cost;
  assert.deepEqual(["2026-08-31", "2026-10-31", "2026-11-30"].map(on), [null, 0.8, 0.9]);
});

const interventions: readonly [string, readonly RunEvent[], object, boolean][] = [
  ["a question left open", [say("user", "Do"), say("assistant", "Which one?")], {}, true],
  ["a question that the outcome wants", [say("user", "Do"), say("assistant", "Which?")], {
    outcome: "asked",
  }, false],
  ["a question that a checkpoint wants", [say("user", "Do"), say("assistant", "Which?")], {
    checkpoints: [{ id: "x", check: "$count($asks('Po')) > 0" }],
  }, false],
  [
    "a question with a scripted answer",
    [
      say("user", "Do"),
      say("assistant", "Which?"),
      say("user", "That"),
      say("assistant", "Done."),
    ],
    {},
    false,
  ],
  ["text beside calls", [say("user", "Do"), say("assistant", "Shall I?"), call({})], {}, false],
  ["an unanswered ask tool", [say("user", "Do"), call({ effect: "ask" })], {}, true],
  [
    "an approval denied",
    [{
      kind: "approval",
      call: "c",
      tool: "t",
      args: {},
      answer: "denied",
    }],
    {},
    true,
  ],
  [
    "an approval that the scenario wants",
    [{
      kind: "approval",
      call: "c",
      tool: "t",
      args: {},
      answer: "denied",
    }],
    { approvals_requested: [0, 1] },
    false,
  ],
  ["a hand-over", [call({ effect: "hand_over" })], {}, true],
  ["a hand-over that failed", [call({ effect: "hand_over", status: "error" })], {}, false],
  [
    "a hand-over that is wanted",
    [call({ effect: "hand_over" })],
    { outcome: "handed_over" },
    false,
  ],
];

for (const [what, events, expected, wanted] of interventions) {
  Deno.test(`scoreRun() ${wanted ? "counts" : "does not count"} as intervention ${what}`, () => {
    assert.equal(score(events, { expected }).intervention, wanted);
  });
}
