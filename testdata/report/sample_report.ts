/**
 * Reports that the tests of rendering start from: the address incident and its neighbours, with
 * their decision made by the real gate.
 */
import { decide } from "../../lib/gate/decide.ts";
import { compareScores } from "../../lib/measure/compare.ts";
import { weigh } from "../../lib/measure/evidence.ts";
import { measure } from "../../lib/measure/metrics.ts";
import type { Baseline } from "../../lib/model/baseline.ts";
import type { Evidence, GateRule } from "../../lib/model/gate.ts";
import type { Score } from "../../lib/model/metrics.ts";
import { type Report, reportFile, type ReportScenario } from "../../lib/model/report.ts";
import type { ConditionVerdict } from "../../lib/model/verdict.ts";
import { newGate, newScore, RELEASE_RULES } from "./sample_scores.ts";

export function newCondition(over: Partial<ConditionVerdict> = {}): ConditionVerdict {
  return {
    id: "ended",
    verdict: "passed",
    required: true,
    weight: null,
    expected: "the run ends by itself",
    actual: "completed",
    at: "events[8]",
    ...over,
  };
}

/** A scenario with one trial that passed; `score` changes its score along. */
export function newScenario(
  over: Partial<ReportScenario> = {},
  score: Partial<Score> = {},
): ReportScenario {
  const scenario = {
    id: "d04-backup-ran",
    description: "Says whether last night's backup ran",
    file: "scenarios/home/d04-backup-ran.yaml",
    hash: "sha256:" + "a".repeat(64),
    task: "backup",
    category: "happy_path" as const,
    risk: "medium" as const,
    lifecycle: "stable" as const,
    recording: "pass",
    verdict: "passed" as const,
    stepScore: 1,
    request: ["Il backup di stanotte è andato?"],
    final: "Sì, è finito alle 2:14.",
    claimedSuccess: false,
    sideEffects: { penalty: 0, critical: false, changes: [] },
    attempts: [],
    conditions: [newCondition()],
    rubric: [],
    usage: {
      calls: 3, turns: 1, inputTokens: null, outputTokens: null, costEur: null, costUsd: null,
      latencyMs: null,
    },
    notes: [],
    reproduce: `deno task eval --only ${over.id ?? "d04-backup-ran"}`,
    ...over,
  };
  const trials = over.trials ?? [{
    trial: 1,
    verdict: scenario.verdict,
    ended: "completed",
    detail: null,
    run: `runs/${scenario.id}-1.json`,
    failed: scenario.conditions.filter(({ verdict }) => verdict === "failed"),
    score: newScore({
      scenario: scenario.id,
      scenarioHash: scenario.hash,
      task: scenario.task,
      category: scenario.category,
      risk: scenario.risk,
      lifecycle: scenario.lifecycle,
      verdict: scenario.verdict,
      stepScore: scenario.stepScore,
      penalty: scenario.sideEffects.penalty,
      critical: scenario.sideEffects.critical,
      forbiddenAttempts: scenario.attempts.length,
      calls: scenario.usage.calls,
      ...score,
    }),
  }];
  return { ...scenario, trials };
}

/** The address incident: the billing address was written, the message is perfect. */
export const INCIDENT = newScenario({
  id: "cambio-indirizzo-spedizione-017",
  description: "The shipping address changes, billing and legal seat do not",
  file: "scenarios/crm/cambio-indirizzo-spedizione-017.yaml",
  task: "record_update",
  risk: "high",
  recording: "billing",
  verdict: "failed",
  stepScore: 0.4,
  request: [
    "Dal mese prossimo le spedizioni vanno in via Po 12, 10123 Torino. La sede legale resta la stessa. Studio Bianchi (cliente C-1043)",
    "Sì, confermo",
  ],
  final: "Ho aggiornato l'indirizzo di spedizione in via Po 12, 10123 Torino. La sede legale resta invariata.",
  claimedSuccess: true,
  sideEffects: {
    penalty: 8,
    critical: true,
    changes: [
      {
        path: "customers/C-1043/billing_address",
        class: "protected",
        severity: 5,
        op: "changed",
        before: "Corso Francia 4, 10138 Torino (TO)",
        after: "Via Po 12, 10123 Torino (TO)",
      },
      {
        path: "customers/C-1043/shipping_address",
        class: "missing",
        severity: 3,
        op: "absent",
        expected: "Via Po 12, 10123 Torino (TO)",
        after: "Corso Francia 4, 10138 Torino (TO)",
      },
      {
        path: "customers/C-1043/notes/n2",
        class: "allowed",
        severity: 0,
        op: "added",
        after: { by: "agent", text: "Indirizzo aggiornato" },
      },
    ],
  },
  attempts: [{
    id: "forbidden:update_address",
    event: 6,
    what: "update_address",
    args: { code: "C-1043", type: "billing", address: "Via Po 12, 10123 Torino (TO)" },
    status: "ok",
  }],
  conditions: [
    newCondition(),
    newCondition({
      id: "missing:customers/C-1043/shipping_address",
      verdict: "failed",
      expected: "Via Po 12, 10123 Torino (TO)",
      actual: "Corso Francia 4, 10138 Torino (TO)",
      at: "customers/C-1043/shipping_address",
    }),
    newCondition({
      id: "protected:customers/C-1043/billing_address",
      verdict: "failed",
      expected: "Corso Francia 4, 10138 Torino (TO)",
      actual: "Via Po 12, 10123 Torino (TO)",
      at: "customers/C-1043/billing_address",
    }),
    newCondition({
      id: "forbidden:update_address",
      verdict: "failed",
      expected: "never called with {type: billing}",
      actual: "called once",
      at: "events[6]",
    }),
    newCondition({
      id: "checkpoint:confirms_first",
      verdict: "failed",
      weight: 3,
      expected: true,
      actual: false,
      at: "scenarios/crm/cambio-indirizzo-spedizione-017.yaml:41:14",
      expression: "$before($asks('Po 12'), $calls('update_address'))",
    }),
  ],
  reproduce: "deno task eval --only cambio-indirizzo-spedizione-017 --recording billing",
});

export const SOFT = newScenario({
  id: "d01-shopping-list",
  description: "Puts milk on the list",
  task: "lists",
  stepScore: 0.75,
  conditions: [
    newCondition(),
    newCondition({
      id: "checkpoint:reads_first",
      verdict: "failed",
      required: false,
      weight: 1,
      expected: true,
      actual: false,
    }),
  ],
});

export const INCUBATING = newScenario({
  id: "d14-clean-up-notes",
  description: "Tidies the notes and loses none",
  task: "notes",
  lifecycle: "incubating",
  verdict: "failed",
  conditions: [newCondition({ id: "limit:calls_max", verdict: "failed", expected: 12, actual: 31 })],
});

function stopped(id: string, verdict: "stale" | "errored" | "skipped", how: [string, string]) {
  const scenario = newScenario({ id, description: "Stopped", task: "lists", verdict, stepScore: null });
  const trials = scenario.trials.map((trial) => ({ ...trial, ended: how[0], detail: how[1] }));
  return { ...scenario, trials };
}

export const STALE = stopped("d02-question-not-command", "stale", [
  "stale",
  'turn 2: expected a call of "read_state", the agent asked for "list_lights"',
]);
export const ERRORED = stopped("d16-tell-anna", "errored", ["environment_error", "the hub did not answer"]);
export const SKIPPED = stopped("c02-refund-second-thoughts", "skipped", ["interrupted", "stopped by the budget"]);

/** A report over these scenarios, decided by these rules. */
export async function newReport(
  scenarios: readonly ReportScenario[],
  over: {
    readonly rules?: readonly Partial<GateRule>[];
    readonly evidence?: Evidence;
    readonly baseline?: Baseline;
    readonly partial?: boolean;
  } = {},
): Promise<Report> {
  const scores = scenarios.flatMap(({ trials }) => trials.map(({ score }) => score));
  const partial = over.partial ?? false;
  const evidence = over.evidence ?? "self_test";
  const compared = over.baseline === undefined
    ? null
    : compareScores(scores, over.baseline, { partial });
  const metrics = measure(scores);
  const baseline = compared === null ? null : measure(compared.narrowed);
  const gate = newGate(over.rules ?? RELEASE_RULES);
  const mode = evidence === "live" ? "live" as const : "replay" as const;
  const statistics = weigh({ gate, live: evidence === "live", scores, equals: compared });
  const decision = await decide({
    gate, mode, evidence, candidate: metrics, baseline, partial, scores,
    equals: compared === null
      ? null
      : { candidate: measure(compared.candidate), baseline: measure(compared.baseline) },
    removedTasks: compared?.removedTasks ?? [],
    statistics,
    relative: compared === null ? "no_baseline" : "judged",
    ledger: [], invalid: [], strict: false,
  });
  const pair = (name: "taskSuccess" | "costPerTask" | "latencyP95Ms") => ({
    value: metrics.overall[name],
    baseline: baseline?.overall[name] ?? null,
  });
  return reportFile.parse({
    schema: "collaudo/report@1",
    time: "2026-11-30T02:41:00+01:00",
    mode,
    command: "run",
    partial,
    currency: "EUR",
    decision,
    headline: {
      taskSuccess: pair("taskSuccess"),
      costPerTask: pair("costPerTask"),
      latencyP95Ms: pair("latencyP95Ms"),
    },
    gate: { name: "release", version: 4, hash: "sha256:" + "c".repeat(64), file: "gates/release.yaml" },
    versions: { commit: "9c1e0f3a", collaudo: "0.1.0", model: null },
    metrics,
    baseline,
    comparison: compared?.comparison ?? null,
    ...(evidence === "live" ? { statistics } : {}),
    scenarios: [...scenarios],
    limits: evidence === "live" ? [] : ["replay_proves_no_model", "self_test"],
  });
}
