import assert from "node:assert/strict";
import type { Decision, DecisionVerdict, Reason } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { exitCodeOf, stricter } from "./decide.ts";
import { newReason } from "./input.ts";
import { blockedBy, overrideDecision } from "./override.ts";
import { judgeStale } from "./stale.ts";

const TODAY = "2026-11-30";
const OWN = {
  id: "0123456789ab",
  reason: "The hub is late",
  by: "anna@example.test",
  until: TODAY,
};

function failed(rule: string, scenarios: string[], over: Partial<Reason> = {}): Reason {
  return newReason("rule_failed", "block", { rule, scenarios, overridable: true, ...over });
}

function decided(verdict: DecisionVerdict, reasons: Reason[]): Decision {
  return { verdict, evidence: "self_test", exitCode: exitCodeOf(verdict, false), reasons };
}

function row(over: Partial<LedgerRow> = {}): LedgerRow {
  return {
    id: "aaaaaaaaaaaa",
    date: "2026-11-20",
    kind: "override",
    commits: ["9c1e0f3a"],
    rules: ["task-success"],
    scenarios: ["d07", "d08"],
    reason: "Known",
    until: "2026-12-04",
    by: "bo@example.test",
    git: "reachable",
    ...over,
  };
}

function lifted(decision: Decision, own: typeof OWN | null, standing: LedgerRow[], strict = false) {
  const after = overrideDecision(decision, { own, standing, today: TODAY }, strict);
  assert.equal(after.verdict, decision.verdict);
  return [after.exitCode, (after.overridden ?? []).map(({ id }) => id).join()];
}

Deno.test("overrideDecision() lets the own override lift block and error, never an `override: never`", () => {
  const block = decided("block", [failed("a", ["d07"]), failed("b", [])]);
  assert.deepEqual(lifted(block, OWN, []), [0, OWN.id]);
  assert.deepEqual(lifted(block, null, []), [1, ""]);
  const never = decided("block", [
    failed("a", []),
    failed("no-critical", [], { overridable: false }),
  ]);
  assert.deepEqual(lifted(never, OWN, [row({ rules: ["a", "no-critical"] })]), [1, ""]);
  const error = decided("error", [newReason("scenario_errored", "error", { scenarios: ["d07"] })]);
  assert.deepEqual(lifted(error, OWN, []), [0, OWN.id]);
  assert.deepEqual(lifted(error, null, [row()]), [3, ""]);
  const named = row({ rules: ["scenario_errored"] });
  assert.deepEqual(lifted(error, null, [named]), [0, "aaaaaaaaaaaa"]);
  assert.deepEqual(blockedBy(error), { rules: ["scenario_errored"], scenarios: ["d07"] });
  const warn = decided("warn", [failed("a", [], { level: "warn" })]);
  assert.deepEqual(lifted(warn, OWN, []), [0, ""]);
  const more = decided("block", [failed("a", []), failed("w", [], { level: "warn" })]);
  assert.deepEqual(lifted(more, OWN, []), [0, OWN.id]);
  assert.deepEqual(lifted(more, OWN, [], true), [1, OWN.id]);
});

Deno.test("overrideDecision() lets a standing override cover its rules and scenarios until its last day", () => {
  const one = decided("block", [failed("task-success", ["d07"])]);
  assert.deepEqual(lifted(one, null, [row()]), [0, "aaaaaaaaaaaa"]);
  assert.deepEqual(lifted(one, null, [row({ until: TODAY })]), [0, "aaaaaaaaaaaa"]);
  assert.deepEqual(lifted(one, null, [row({ until: "2026-11-29" })]), [1, ""]);
  assert.deepEqual(lifted(one, null, [row({ rules: ["other"] })]), [1, ""]);
  assert.deepEqual(lifted(one, null, [row({ kind: "gate_loosened" })]), [1, ""]);
  const two = decided("block", [failed("task-success", ["d07", "d09"])]);
  assert.deepEqual(lifted(two, null, [row()]), [1, ""]);
  const other = row({ id: "bbbbbbbbbbbb", scenarios: ["d09"] });
  assert.deepEqual(lifted(two, null, [other, row()]), [0, "aaaaaaaaaaaa,bbbbbbbbbbbb"]);
  assert.deepEqual(blockedBy(two), { rules: ["task-success"], scenarios: ["d07", "d09"] });
});

Deno.test("judgeStale() stops where the change took a recording away, or all outdated ones stop", () => {
  const stale = newReason("scenario_stale", "not_enough_evidence", { scenarios: ["d07"] });
  const open = decided("not_enough_evidence", [stale]);
  const told = (lost: string[], blocks: boolean, from = open) => {
    const { verdict, exitCode, reasons } = judgeStale(from, { lost, blocks });
    return [verdict, exitCode, reasons.map(({ kind, level }) => `${kind} ${level}`).join()];
  };
  const asItWas = "scenario_stale not_enough_evidence";
  assert.deepEqual(told([], false), ["not_enough_evidence", 0, asItWas]);
  assert.deepEqual(told(["d07"], false), ["block", 1, `recording_lost block,${asItWas}`]);
  assert.deepEqual(told([], true), ["block", 1, "scenario_stale block"]);
  const error = decided("error", [newReason("scenario_errored", "error", {}), stale]);
  assert.deepEqual(told([], false, error)[0], "error");
  assert.deepEqual(told(["d07"], true, error).slice(0, 2), ["block", 1]);
  const after = judgeStale(open, { lost: ["d07"], blocks: true });
  assert.deepEqual(lifted(after, OWN, []), [0, OWN.id]);
  const held = row({ rules: ["recording_lost", "scenario_stale"] });
  assert.deepEqual(lifted(after, null, [held]), [0, "aaaaaaaaaaaa"]);
});

Deno.test("stricter() takes the worse of two decisions, the first of equals", () => {
  const order = ["block", "error", "warn", "not_enough_evidence", "pass"] as const;
  for (const [i, first] of order.entries()) {
    for (const [j, second] of order.entries()) {
      const [a, b] = [decided(first, []), decided(second, [])];
      assert.equal(stricter(a, b), j < i ? b : a);
    }
  }
});
