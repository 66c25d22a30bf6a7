/** Summaries of runs that the tests of the history start from. */
import type { HistoryRun, HistoryScenario } from "../../lib/model/history.ts";
import { measure } from "../../lib/measure/metrics.ts";

/** A scenario of a run: three trials, all of them passed. */
export function newOutcome(over: Partial<HistoryScenario> = {}): HistoryScenario {
  return {
    id: "d04-backup-ran",
    file: "scenarios/home/d04-backup-ran.yaml",
    hash: "sha256:" + "a".repeat(64),
    task: "backup",
    risk: "medium",
    lifecycle: "stable",
    passed: 3,
    failed: 0,
    trials: 3,
    cost: 0.01,
    latencyMs: 1500,
    ...over,
  };
}

/** A live run of the whole suite at half past two of a day in November. */
export function newRun(day: number, over: Partial<HistoryRun> = {}): HistoryRun {
  const two = String(day).padStart(2, "0");
  return {
    folder: `reports/runs/2026-11-${two}T01-30-00Z-aaaaaaaa`,
    time: `2026-11-${two}T02:30:00+01:00`,
    mode: "live",
    evidence: "live",
    verdict: "pass",
    whole: true,
    currency: "EUR",
    commit: "a".repeat(40),
    agent: "home",
    model: "tiny-1",
    headline: {
      taskSuccess: { value: 1, baseline: null },
      costPerTask: { value: 0.01, baseline: null },
      latencyP95Ms: { value: 1500, baseline: null },
    },
    metrics: { overall: { ...measure([]).overall, taskSuccess: 1 }, byTask: {} },
    scenarios: [newOutcome()],
    ...over,
  };
}
