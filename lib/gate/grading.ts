/**
 * Was enough graded to decide anything? Scores in; reasons out for stable scenarios that errored,
 * were stale or skipped, and for a run in which nothing was graded at all.
 */
import type { DecisionVerdict, Reason } from "../model/gate.ts";
import type { Score } from "../model/metrics.ts";
import { isGraded } from "../model/metric_names.ts";
import type { VerdictKind } from "../model/verdict.ts";
import { type GateInput, newReason } from "./input.ts";

/** Share of the trials that may error, outside replay, before the run decides nothing. */
const ERRORED_SHARE_MAX = 0.3;

/** Reasons that cap the decision: an incomplete run is never a pass. */
export function judgeGrading(input: GateInput): Reason[] {
  const stable = input.scores.filter((score) => score.lifecycle === "stable");
  const graded = stable.filter(isGraded).length;
  const reasons = [
    judgeErrored(stable, { graded, replay: input.mode === "replay" }),
    judgeMissing(stable, { verdict: "stale", kind: "scenario_stale" }),
    // A run that was cut short is no whole run, whichever scenarios were left.
    judgeMissing(input.scores, { verdict: "skipped", kind: "scenario_skipped" }),
    graded > 0 ? null : newReason("nothing_graded", "not_enough_evidence", {
      expected: "at least one stable scenario graded",
      actual: { graded, trials: stable.length },
    }),
  ];
  return reasons.filter((reason) => reason !== null);
}

function judgeErrored(
  stable: readonly Score[],
  run: { readonly graded: number; readonly replay: boolean },
): Reason | null {
  const errored = stable.filter((score) => score.verdict === "errored");
  if (errored.length === 0) return null;
  const trials = run.graded + errored.length;
  const critical = errored.filter((score) => score.risk === "critical").length;
  const grave = run.replay || critical > 0 || errored.length / trials > ERRORED_SHARE_MAX;
  const level: DecisionVerdict = grave ? "error" : "not_enough_evidence";
  return newReason("scenario_errored", level, {
    expected: run.replay
      ? "no stable scenario errored"
      : `at most ${ERRORED_SHARE_MAX * 100} % of the trials errored, none of risk critical`,
    actual: { errored: errored.length, trials, critical },
    scenarios: idsOf(errored),
  });
}

function judgeMissing(
  stable: readonly Score[],
  what: { readonly verdict: VerdictKind; readonly kind: Reason["kind"] },
): Reason | null {
  const rows = stable.filter((score) => score.verdict === what.verdict);
  if (rows.length === 0) return null;
  return newReason(what.kind, "not_enough_evidence", {
    expected: `no stable scenario ${what.verdict}`,
    actual: { [what.verdict]: rows.length, trials: stable.length },
    scenarios: idsOf(rows),
  });
}

/** The scenarios of the scores, each once, sorted. */
export function idsOf(scores: readonly Score[]): string[] {
  return [...new Set(scores.map((score) => score.scenario))].sort();
}
