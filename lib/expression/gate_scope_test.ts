import assert from "node:assert/strict";
import type { Metrics, MetricsSet } from "../model/metrics.ts";
import { decideExpression } from "./compile.ts";
import { gateReferences, gateScope } from "./gate_scope.ts";

function metricsOf(rest: Partial<Metrics>): Metrics {
  return {
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
    scenarios: 1,
    trials: 1,
    ...rest,
  };
}

function setOf(overall: Partial<Metrics>, refund: Partial<Metrics>): MetricsSet {
  return { overall: metricsOf(overall), byTask: { refund: metricsOf(refund) }, byCategory: {} };
}

const candidate = setOf({ taskSuccess: 0.7, costPerTask: 0.12 }, { taskSuccess: 0.5 });
const baseline = setOf({ taskSuccess: 0.8, costPerTask: 0.1 }, { taskSuccess: 1, costPerTask: 0 });
const equals = { candidate, baseline };

Deno.test("gateScope() has metrics at the top, parts below, and differences of equals", async () => {
  const whole = gateScope({ candidate, baseline, equals, group: null, ledger: [] });
  const part = gateScope({
    candidate,
    baseline,
    equals,
    group: { by: "task", name: "refund" },
    ledger: [],
  });
  const alone = gateScope({ candidate, baseline: null, equals: null, group: null, ledger: [] });
  const rows: [string, typeof whole, boolean | null][] = [
    ["candidate.critical = 0 and candidate.byTask.refund.taskSuccess = 0.5", whole, true],
    ["$drop('taskSuccess') = 0.1", whole, true],
    ["$rise('costPerTask') = 0.2", whole, true],
    ["$drop('taskSuccess') = 0.5 and baseline.taskSuccess = 1", part, true],
    ["$rise('costPerTask') <= 1", part, null],
    ["$drop('efficiency') <= 0", whole, null],
    ["$drop('constructor') <= 0", whole, null],
    ["$drop('taskSuccess') <= 0", alone, null],
    ["baseline.taskSuccess < 1", alone, null],
    ["$count(ledger) = 0", alone, true],
  ];
  for (const [text, scope, expected] of rows) {
    const decided = await decideExpression(text, scope);
    assert.equal(decided.kind === "decided" ? decided.value : null, expected, text);
  }
});

Deno.test("gateReferences() names what a rule reads, each once", () => {
  const text = "candidate.a.b > 1 and $drop('x') < $rise('y') or $$.baseline.a[0].c = 1 and " +
    "$drop('x') < $count(ledger[kind = $$.candidate.a.b])";
  assert.deepEqual(gateReferences(text), {
    reads: [
      { root: "candidate", path: ["a", "b"] },
      { root: "baseline", path: ["a", "c"] },
      { root: "ledger", path: [] },
    ],
    drops: ["x"],
    rises: ["y"],
    tests: [],
    floors: [],
    critical: false,
  });
  const none = { reads: [], drops: [], rises: [], tests: [], floors: [], critical: false };
  assert.deepEqual(gateReferences("(("), none);
  const asked = "$not($significantDrop('taskSuccess', {'margin': 0.1})) and " +
    "$atLeast('correctRefusals', 0.95) and $criticalHolds() and $significantDrop('stepScore')";
  assert.deepEqual(gateReferences(asked), {
    ...none,
    tests: [
      { metric: "taskSuccess", margin: 0.1, warn: 0.05, replay: 0.1, alpha: 0.05 },
      { metric: "stepScore", margin: 0.05, warn: 0.05, replay: 0.05, alpha: 0.05 },
    ],
    floors: [{ metric: "correctRefusals", floor: 0.95 }],
    critical: true,
  });
});
