/** Which conditions speak against a scenario? Of all its trials, each once, in their order. */
import type { ReportScenario, Trial } from "../model/report.ts";
import type { ConditionOutcome, ConditionVerdict } from "../model/verdict.ts";

/** Conditions of the shown trial with this outcome, and then those of other trials that are not among them. */
export function conditionsWith(
  scenario: ReportScenario,
  outcome: ConditionOutcome,
): ConditionVerdict[] {
  const all = [...scenario.conditions, ...scenario.trials.flatMap((trial) => trial.failed)];
  const found = new Map<string, ConditionVerdict>();
  for (const condition of all) {
    if (condition.verdict === outcome && !found.has(condition.id)) {
      found.set(condition.id, condition);
    }
  }
  return [...found.values()];
}

/** The first trial that had the scenario's verdict: the one whose details a report shows. */
export function shownTrial(scenario: ReportScenario): Trial | undefined {
  return scenario.trials.find(({ verdict }) => verdict === scenario.verdict);
}

/** `✗ ✓ ✓`: each trial as it went. */
export function trialMarks(scenario: ReportScenario): string {
  return scenario.trials.map(({ verdict }) => VERDICT_MARKS[verdict]).join(" ");
}

/** One sign a verdict. */
export const VERDICT_MARKS = {
  passed: "✓",
  failed: "✗",
  errored: "!",
  stale: "~",
  skipped: "–",
} as const;
