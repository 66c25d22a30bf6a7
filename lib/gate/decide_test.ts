import assert from "node:assert/strict";
import fc from "fast-check";
import {
  newBaseline,
  newGate,
  newScore,
  RELEASE_RULES,
} from "../../testdata/report/sample_scores.ts";
import { compareScores } from "../measure/compare.ts";
import { measure } from "../measure/metrics.ts";
import type { Decision, DecisionVerdict, GateRule, Reason } from "../model/gate.ts";
import type { Score } from "../model/metrics.ts";
import { decide } from "./decide.ts";
import type { GateInput } from "./input.ts";

type Row = {
  readonly name: string;
  readonly rules: readonly Partial<GateRule>[];
  readonly now: readonly Partial<Score>[];
  /** Absent: the same scores as now, all passed. */
  readonly then?: readonly Partial<Score>[];
  readonly over?: Partial<GateInput>;
  readonly verdict: DecisionVerdict;
  readonly exitCode?: number;
  readonly reasons: readonly Partial<Reason>[];
};

function inputOf(row: Pick<Row, "rules" | "now" | "then" | "over">): GateInput {
  const scores = row.now.map(newScore);
  const then = row.then?.map(newScore) ??
    scores.map((score) => ({ ...score, verdict: "passed" as const, critical: false }));
  const partial = row.over?.partial ?? false;
  const compared = compareScores(scores, newBaseline(then), { partial });
  const judged = (row.over?.relative ?? "judged") === "judged";
  return {
    gate: newGate(row.rules),
    mode: "replay",
    evidence: "self_test",
    candidate: measure(scores),
    baseline: judged ? measure(compared.narrowed) : null,
    equals: judged
      ? { candidate: measure(compared.candidate), baseline: measure(compared.baseline) }
      : null,
    scores,
    removedTasks: judged ? compared.removedTasks : [],
    relative: "judged",
    partial,
    ledger: [],
    invalid: [],
    strict: false,
    ...row.over,
  };
}

const noCritical = RELEASE_RULES[0]!;
const taskSuccess = RELEASE_RULES[2]!;
const cost = RELEASE_RULES[4]!;
const live = { mode: "live", evidence: "live" } as const;
const changed = { scenarioHash: "sha256:" + "b".repeat(64) };
const twenty = Array.from({ length: 20 }, (_, i) => ({ scenario: `s${i}` }));

const rows: readonly Row[] = [
  {
    name: "decide() passes where every rule holds",
    rules: RELEASE_RULES,
    now: [{ scenario: "a" }, { scenario: "b", category: "security" }],
    verdict: "pass",
    exitCode: 0,
    reasons: [{ kind: "rule_missing", rule: "refusals", level: "pass" }, {
      kind: "rule_missing",
      rule: "cost",
      level: "pass",
    }],
  },
  {
    name: "decide() blocks when a critical scenario fails, names it and what was found",
    rules: [noCritical],
    now: [{ scenario: "a" }, { scenario: "b", verdict: "failed", critical: true }],
    verdict: "block",
    exitCode: 1,
    reasons: [{
      kind: "rule_failed",
      rule: "no-critical",
      scenarios: ["b"],
      expected: "candidate.critical = 0",
      actual: { "candidate.critical": 1 },
      overridable: false,
      because: "A grave harm is never paid for by a better mean",
    }],
  },
  {
    name: "decide() lets block win over error and warn",
    rules: [noCritical, { id: "w", level: "warn", require: "candidate.trials > 99" }],
    now: [{ verdict: "failed", critical: true }, { scenario: "b", verdict: "errored" }],
    verdict: "block",
    reasons: [{ level: "block" }, { kind: "scenario_errored", level: "error" }, { level: "warn" }],
  },
  {
    name: "decide() lets error win over warn",
    rules: [{ id: "w", level: "warn", require: "candidate.trials > 99" }],
    now: [{}, { scenario: "b", verdict: "errored" }],
    verdict: "error",
    exitCode: 3,
    reasons: [{ kind: "scenario_errored", scenarios: ["b"] }, { kind: "rule_failed", rule: "w" }],
  },
  {
    name: "decide() lets warn win over a stale scenario",
    rules: [{ id: "w", level: "warn", require: "candidate.trials > 99" }],
    now: [{}, { scenario: "b", verdict: "stale" }],
    verdict: "warn",
    exitCode: 0,
    reasons: [{ kind: "rule_failed" }, { kind: "scenario_stale", scenarios: ["b"] }],
  },
  {
    name: "decide() under strict exits with 1 on a warning",
    rules: [{ id: "w", level: "warn", require: "candidate.trials > 99" }],
    now: [{}],
    over: { strict: true },
    verdict: "warn",
    exitCode: 1,
    reasons: [{ kind: "rule_failed" }],
  },
  {
    name: "decide() judges one group a task and blocks for the one that dropped",
    rules: [taskSuccess],
    now: [{ scenario: "a", task: "t1", verdict: "failed" }, { scenario: "b", task: "t2" }],
    verdict: "block",
    reasons: [{
      kind: "rule_failed",
      group: "t1",
      scenarios: ["a"],
      actual: { "candidate.taskSuccess": 0, "baseline.taskSuccess": 1 },
      overridable: true,
    }],
  },
  {
    name: "decide() judges a group without equals as new: shown, not judged",
    rules: [taskSuccess],
    now: [{ scenario: "a", task: "t1" }, { scenario: "b", task: "t2", verdict: "failed" }],
    then: [{ scenario: "a", task: "t1" }],
    verdict: "pass",
    reasons: [{ kind: "rule_not_judged", group: "t2", actual: "new", level: "pass" }],
  },
  {
    name: "decide() compares scenarios of equal hash alone",
    rules: [taskSuccess],
    now: [{ scenario: "a" }, { scenario: "b", verdict: "failed", ...changed }],
    then: [{ scenario: "a" }, { scenario: "b" }],
    verdict: "pass",
    reasons: [],
  },
  {
    name: "decide() blocks where a task is gone from a full run",
    rules: [taskSuccess],
    now: [{ scenario: "a", task: "t1" }],
    then: [{ scenario: "a", task: "t1" }, { scenario: "b", task: "t2" }],
    verdict: "block",
    reasons: [{ kind: "rule_missing", group: "t2", level: "block" }],
  },
  {
    name: "decide() blocks where the last stable scenario of a task was made incubating",
    rules: [taskSuccess],
    now: [{ scenario: "a", task: "t1" }, { scenario: "b", task: "t2", lifecycle: "incubating" }],
    then: [{ scenario: "a", task: "t1" }, { scenario: "b", task: "t2" }],
    verdict: "block",
    reasons: [{ kind: "rule_missing", group: "t2", level: "block" }],
  },
  {
    name: "decide() misses no task in a selection",
    rules: [taskSuccess],
    now: [{ scenario: "a", task: "t1" }],
    then: [{ scenario: "a", task: "t1" }, { scenario: "b", task: "t2" }],
    over: { partial: true },
    verdict: "pass",
    reasons: [],
  },
  {
    name: "decide() misses a category that a rule names and a full run does not have",
    rules: [{ ...RELEASE_RULES[3]!, missing: "warn" }],
    now: [{}],
    verdict: "warn",
    reasons: [{ kind: "rule_missing", group: "security", level: "warn" }],
  },
  {
    name: "decide() judges only the groups of `only`",
    rules: [RELEASE_RULES[3]!],
    now: [{ verdict: "failed" }, { scenario: "b", category: "security" }],
    verdict: "pass",
    reasons: [],
  },
  {
    name: "decide() treats a missing value as the rule's level where nothing is said",
    rules: [
      { id: "b", level: "block", require: "candidate.costPerTask < 1" },
      { id: "w", level: "warn", require: "candidate.costPerTask < 1" },
      { id: "s", level: "block", require: "candidate.costPerTask < 1", missing: "skip" },
    ],
    now: [{}],
    verdict: "block",
    reasons: [
      {
        kind: "rule_missing",
        rule: "b",
        level: "block",
        actual: { "candidate.costPerTask": null },
      },
      { kind: "rule_missing", rule: "w", level: "warn" },
      { kind: "rule_missing", rule: "s", level: "pass" },
    ],
  },
  {
    name: "decide() decides a missing value before the expression, which would hold without it",
    rules: [{ id: "b", level: "block", require: "$not(candidate.costPerTask > 1)" }],
    now: [{}],
    verdict: "block",
    reasons: [{ kind: "rule_missing" }],
  },
  {
    name: "decide() misses a part that is not there",
    rules: [{ id: "b", level: "block", require: "candidate.byTask.refunds.taskSuccess >= 0.9" }],
    now: [{}],
    verdict: "block",
    reasons: [{ kind: "rule_missing", actual: { "candidate.byTask.refunds.taskSuccess": null } }],
  },
  {
    name: "decide() misses a baseline of 0 under $rise",
    rules: [{ id: "cost", level: "warn", require: "$rise('costPerTask') <= 0.2" }],
    now: [{ cost: 1 }],
    then: [{ cost: 0 }],
    verdict: "warn",
    reasons: [{
      kind: "rule_missing",
      actual: { "candidate.costPerTask": 1, "baseline.costPerTask": 0 },
    }],
  },
  {
    name: "decide() warns of a risen cost and names the dearest scenarios",
    rules: [cost],
    now: [1, 2, 3, 4].map((n) => ({ scenario: `s${n}`, cost: n })),
    then: [1, 2, 3, 4].map((n) => ({ scenario: `s${n}`, cost: n / 2 })),
    verdict: "warn",
    reasons: [{ kind: "rule_failed", scenarios: ["s2", "s3", "s4"] }],
  },
  {
    name: "decide() allows a rise of exactly the margin",
    rules: [cost],
    now: [{ cost: 0.36 }],
    then: [{ cost: 0.3 }],
    verdict: "pass",
    reasons: [],
  },
  {
    name:
      "decide() leaves a rule undecided where its scenarios were only stale, errored or skipped",
    rules: [{ id: "b", level: "block", require: "candidate.taskSuccess >= 0.9" }],
    now: [{ verdict: "stale" }, { scenario: "b", verdict: "skipped" }],
    verdict: "not_enough_evidence",
    exitCode: 0,
    reasons: [
      { kind: "scenario_stale" },
      { kind: "scenario_skipped", scenarios: ["b"] },
      { kind: "nothing_graded" },
      { kind: "rule_undecided", level: "not_enough_evidence" },
    ],
  },
  {
    name: "decide() calls no run that was cut short a pass, though only an incubating one was left",
    rules: [{ id: "b", level: "block", require: "candidate.taskSuccess >= 0.9" }],
    now: [{}, { scenario: "b", lifecycle: "incubating", verdict: "skipped" }],
    verdict: "not_enough_evidence",
    reasons: [{ kind: "scenario_skipped", scenarios: ["b"] }],
  },
  {
    name:
      "decide() leaves a group undecided where its only scenario is stale, and judges the others",
    rules: [taskSuccess],
    now: [{ scenario: "a", task: "t1", verdict: "stale" }, { scenario: "b", task: "t2" }],
    verdict: "not_enough_evidence",
    reasons: [{ kind: "scenario_stale" }, { kind: "rule_undecided", group: "t1" }],
  },
  {
    name: "decide() leaves refusals undecided where only the refusing scenario was stale",
    rules: [{ id: "r", level: "block", require: "candidate.correctRefusals >= 0.95" }],
    now: [{}, { scenario: "b", outcome: "refused", verdict: "stale" }],
    verdict: "not_enough_evidence",
    reasons: [{ kind: "scenario_stale" }, { kind: "rule_undecided", rule: "r" }],
  },
  {
    name: "decide() misses a cost that graded runs do not know, stale ones or not",
    rules: [{ id: "c", level: "block", require: "candidate.costPerTask < 1" }],
    now: [{}, { scenario: "b", verdict: "stale" }],
    verdict: "block",
    reasons: [{ kind: "rule_missing", rule: "c" }, { kind: "scenario_stale" }],
  },
  {
    name: "decide() under strict exits with 1 without enough evidence",
    rules: [noCritical],
    now: [{ verdict: "stale" }],
    over: { strict: true },
    verdict: "not_enough_evidence",
    exitCode: 1,
    reasons: [{ kind: "scenario_stale" }, { kind: "nothing_graded" }],
  },
  {
    name: "decide() never passes an empty run",
    rules: [noCritical],
    now: [],
    verdict: "not_enough_evidence",
    reasons: [{ kind: "nothing_graded" }],
  },
  {
    name: "decide() never passes a run without a stable scenario",
    rules: [noCritical],
    now: [{ lifecycle: "incubating" }],
    then: [],
    verdict: "not_enough_evidence",
    reasons: [{ kind: "nothing_graded" }],
  },
  {
    name: "decide() takes an errored incubating scenario for no error",
    rules: [noCritical],
    now: [{}, { scenario: "b", lifecycle: "incubating", verdict: "errored" }],
    verdict: "pass",
    reasons: [],
  },
  {
    name: "decide() live lists few errored trials as not graded",
    rules: [noCritical],
    now: [
      ...twenty.slice(0, 7),
      ...["e1", "e2", "e3"].map((id) => ({
        scenario: id,
        verdict: "errored" as const,
      })),
    ],
    over: live,
    verdict: "not_enough_evidence",
    reasons: [{
      kind: "scenario_errored",
      scenarios: ["e1", "e2", "e3"],
      actual: { errored: 3, trials: 10, critical: 0 },
    }],
  },
  {
    name: "decide() live is an error where over 30 % of the trials errored",
    rules: [noCritical],
    now: [
      ...twenty.slice(0, 6),
      ...["e1", "e2", "e3"].map((id) => ({
        scenario: id,
        verdict: "errored" as const,
      })),
    ],
    over: live,
    verdict: "error",
    exitCode: 3,
    reasons: [{ kind: "scenario_errored" }],
  },
  {
    name: "decide() live is an error where one errored scenario is critical",
    rules: [noCritical],
    now: [...twenty, { scenario: "e", verdict: "errored", risk: "critical" }],
    over: live,
    verdict: "error",
    reasons: [{ kind: "scenario_errored", actual: { errored: 1, trials: 21, critical: 1 } }],
  },
  {
    name: "decide() of recorded runs follows the live rule",
    rules: [noCritical],
    now: [...twenty, { scenario: "e", verdict: "errored" }],
    over: { mode: "recorded", evidence: "recorded" },
    verdict: "not_enough_evidence",
    reasons: [{ kind: "scenario_errored" }],
  },
  {
    name: "decide() without a baseline judges no relative rule and is at most not enough evidence",
    rules: RELEASE_RULES.slice(0, 3),
    now: [{ outcome: "refused" }],
    over: { ...live, relative: "no_baseline" },
    verdict: "not_enough_evidence",
    reasons: [
      { kind: "no_baseline", level: "not_enough_evidence" },
      { kind: "rule_not_judged", rule: "task-success", actual: "no_baseline" },
    ],
  },
  {
    name: "decide() without a baseline may pass a self-test",
    rules: RELEASE_RULES.slice(0, 3),
    now: [{ outcome: "refused" }],
    over: { relative: "no_baseline" },
    verdict: "pass",
    reasons: [{ kind: "no_baseline", level: "pass" }, { kind: "rule_not_judged", level: "pass" }],
  },
  {
    name: "decide() passes no self-test of which nothing equals the baseline any more",
    rules: RELEASE_RULES.slice(0, 3),
    now: [{ outcome: "refused" }],
    over: { relative: "no_equals" },
    verdict: "not_enough_evidence",
    reasons: [
      { kind: "no_baseline", level: "not_enough_evidence", actual: "no_equals" },
      { kind: "rule_not_judged", rule: "task-success", actual: "no_equals" },
    ],
  },
  {
    name: "decide() takes a self-test's baseline in a live run for none",
    rules: [{ id: "b", level: "block", require: "baseline.taskSuccess > 2" }],
    now: [{}],
    over: { ...live, relative: "self_test_baseline" },
    verdict: "not_enough_evidence",
    reasons: [{ kind: "no_baseline", actual: "self_test_baseline" }, { kind: "rule_not_judged" }],
  },
  {
    name: "decide() still blocks by absolute rules without a baseline",
    rules: RELEASE_RULES,
    now: [{ verdict: "failed", critical: true }],
    over: { ...live, relative: "no_baseline" },
    verdict: "block",
    reasons: [
      { rule: "no-critical" },
      { kind: "no_baseline" },
      { kind: "rule_not_judged" },
      {
        kind: "rule_not_judged",
      },
      { kind: "rule_not_judged" },
      { kind: "rule_missing", rule: "refusals" },
    ],
  },
  {
    name: "decide() is an error where the inputs of the comparison are invalid",
    rules: [noCritical],
    now: [{}],
    over: { invalid: ["The baseline is in USD, the run in EUR"] },
    verdict: "error",
    reasons: [{ kind: "invalid_comparison", actual: "The baseline is in USD, the run in EUR" }],
  },
  {
    name: "decide() is an error where a rule is not boolean, does not parse or throws",
    rules: [
      { id: "a", level: "warn", require: "candidate.critical" },
      { id: "b", level: "warn", require: "candidate.critical = 'x' + 1" },
    ],
    now: [{}],
    verdict: "error",
    exitCode: 3,
    reasons: [{ kind: "rule_undecided", rule: "a", level: "error" }, {
      kind: "rule_undecided",
      rule: "b",
      level: "error",
    }],
  },
  {
    name: "decide() judges no rule of another stage",
    rules: [noCritical, {
      id: "c",
      level: "block",
      stage: "canary",
      require: "candidate.trials > 99",
    }],
    now: [{}],
    verdict: "pass",
    reasons: [],
  },
];

for (const row of rows) {
  Deno.test(row.name, async () => {
    const decision = await decide(inputOf(row));
    assert.equal(decision.verdict, row.verdict, JSON.stringify(decision.reasons, null, 1));
    if (row.exitCode !== undefined) assert.equal(decision.exitCode, row.exitCode);
    assert.deepEqual(picked(decision, row.reasons), row.reasons);
  });
}

/** The reasons reduced to the keys that the row speaks of. */
function picked(decision: Decision, wanted: readonly Partial<Reason>[]): Partial<Reason>[] {
  return decision.reasons.map((reason, i) => {
    const keys = Object.keys(wanted[i] ?? reason) as (keyof Reason)[];
    return Object.fromEntries(keys.map((key) => [key, reason[key]]));
  });
}

const ORDER: readonly DecisionVerdict[] = ["block", "error", "warn", "not_enough_evidence", "pass"];
const ids = ["a", "b", "c", "d"] as const;
const anyRun = fc.record({
  scenario: fc.constantFrom(...ids),
  trial: fc.integer({ min: 1, max: 3 }),
  verdict: fc.constantFrom("passed", "passed", "passed", "failed", "errored", "stale"),
  critical: fc.boolean(),
  cost: fc.option(fc.integer({ min: 0, max: 20 }).map((n) => n / 100)),
  penalty: fc.nat(10),
}).map((run) =>
  newScore({
    ...run as Partial<Score>,
    critical: run.critical && run.verdict === "failed",
    task: run.scenario < "c" ? "t1" : "t2",
    category: run.scenario === "d" ? "security" : "happy_path",
    outcome: run.scenario === "b" ? "refused" : "success",
    scenarioHash: "sha256:" + run.scenario.repeat(64),
  })
);

const anyRuns = fc.record({
  now: fc.array(anyRun, { minLength: 1, maxLength: 9 }),
  then: fc.array(anyRun, { maxLength: 9 }),
  over: fc.constantFrom({}, live, { partial: true }),
});

/** The same run, worse in one way; null where it can not be. */
const WORSEN: readonly ((score: Score) => Score | null)[] = [
  (s) => s.verdict === "passed" ? { ...s, verdict: "failed" } : null,
  (s) =>
    s.verdict === "failed" || s.verdict === "passed"
      ? { ...s, verdict: "failed", critical: true, penalty: s.penalty + 5 }
      : null,
  (s) => ({ ...s, penalty: s.penalty + 8 }),
  (s) => s.cost === null ? null : { ...s, cost: s.cost * 2 + 0.01 },
];

const penaltyRule: Partial<GateRule> = {
  id: "penalty",
  level: "warn",
  require: "$rise('sideEffectPenalty') <= 0.5",
  missing: "skip",
};

Deno.test("decide() is never better where one run is worse", async () => {
  const rules = [...RELEASE_RULES, penaltyRule];
  await fc.assert(
    fc.asyncProperty(anyRuns, fc.nat(8), fc.nat(3), async ({ now, then, over }, at, way) => {
      const index = at % now.length;
      const worse = WORSEN[way]!(now[index]!);
      fc.pre(worse !== null);
      const before = await decide(inputOf({ rules, now, then, over }));
      const after = await decide(inputOf({ rules, now: now.with(index, worse!), then, over }));
      assert.ok(
        ORDER.indexOf(after.verdict) <= ORDER.indexOf(before.verdict),
        `${before.verdict} became ${after.verdict}`,
      );
    }),
    { seed: 20261130, numRuns: 400 },
  );
});

Deno.test("decide() is the same in whatever order the scenarios ran", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRuns.chain((runs) =>
        fc.tuple(
          fc.constant(runs),
          fc.shuffledSubarray(runs.now, { minLength: runs.now.length }),
          fc.shuffledSubarray(runs.then, { minLength: runs.then.length }),
        )
      ),
      async ([{ now, then, over }, nowShuffled, thenShuffled]) => {
        const one = await decide(inputOf({ rules: RELEASE_RULES, now, then, over }));
        const two = await decide(
          inputOf({ rules: RELEASE_RULES, now: nowShuffled, then: thenShuffled, over }),
        );
        assert.deepEqual(two, one);
      },
    ),
    { seed: 20261130, numRuns: 200 },
  );
});
