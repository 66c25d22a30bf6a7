/**
 * Did this run do what the scenario asks, and nothing else? In: a scenario and one run of it. Out:
 * the run's verdict with every condition, expected, found and where. What the agent says can only
 * add a failure; what cannot be decided is errored, never passed.
 */
import type { Config, Severities } from "../model/config.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Change, EndedKind, Run } from "../model/run.ts";
import type { ConditionOutcome, ConditionVerdict, RunVerdict } from "../model/verdict.ts";
import type { VerdictKind } from "../model/verdict.ts";
import { judgeAttempts } from "./attempts.ts";
import { judgeCheckpoints } from "./checkpoints.ts";
import { claimsSuccess } from "./claim.ts";
import { condition, eventPlace, isCritical, required } from "./conditions.ts";
import { type Facts, gatherFacts } from "./facts.ts";
import { judgeLimits } from "./limits.ts";
import { judgeMessages } from "./messages.ts";
import { notesOf } from "./notes.ts";
import { judgeOutcome } from "./outcome.ts";
import { positionOf } from "./plan.ts";
import { judgeSideEffects } from "./side_effects.ts";
import { judgeSugar } from "./sugar.ts";

/** What judging needs besides the scenario and the run. */
export interface JudgeOptions {
  readonly severities: Severities;
  /** Dated exchange rates for costs. */
  readonly rates: Config["rates"];
  /** The changes that made the state after out of the one before, where they are known: only these places are compared. */
  readonly changes?: readonly Change[];
}

const ENDED: Readonly<Record<EndedKind, ConditionOutcome>> = {
  completed: "passed",
  limit: "failed",
  timeout: "failed",
  interrupted: "failed",
  agent_error: "failed",
  environment_error: "errored",
  stale: "errored",
};

/** Judges one run; the first of stale, failed, errored that holds, else passed. */
export async function judgeRun(
  loaded: LoadedScenario,
  run: Run,
  options: JudgeOptions,
): Promise<RunVerdict> {
  const facts = gatherFacts(loaded, run, options);
  if (run.ended.kind === "stale") return staleVerdict(facts);
  const { severities } = options;
  const state = await judgeSideEffects(facts, severities);
  const messages = await judgeMessages(facts, severities);
  const attempts = judgeAttempts(facts);
  const changes = [...state.changes, ...messages.changes];
  const steps = await judgeCheckpoints(facts);
  const conditions = settle(run, [
    endedCondition(run),
    ...state.conditions,
    ...messages.conditions,
    ...attempts.conditions,
    await judgeOutcome(facts, changes),
    ...judgeSugar(facts),
    ...judgeLimits(facts),
    ...steps.conditions,
    ...judgeProof(facts),
    ...judgeEvidence(facts),
  ]);
  const critical = conditions.some(isCritical);
  const penalty = changes.reduce((sum, change) => sum + change.severity, 0) +
    attempts.attempts.length * severities.forbidden;
  return {
    ...identity(facts),
    verdict: verdictOf(conditions),
    stepScore: run.ended.kind === "environment_error" ? null : steps.stepScore,
    penalty,
    critical,
    changes,
    attempts: attempts.attempts,
    conditions,
    claimedSuccess: changes.some((change) => change.severity > 0 || change.class === "missing") &&
      claimsSuccess(facts.final),
    notes: notesOf(facts),
  };
}

function identity({ loaded, run, usage }: Facts): Pick<RunVerdict, "scenario" | "trial" | "usage"> {
  return { scenario: loaded.scenario.id, trial: run.trial, usage };
}

/** A run that could not be made has no world to judge. */
function staleVerdict(facts: Facts): RunVerdict {
  return {
    ...identity(facts),
    verdict: "stale",
    stepScore: null,
    penalty: 0,
    critical: false,
    changes: [],
    attempts: [],
    conditions: [endedCondition(facts.run)],
    claimedSuccess: false,
    notes: [],
  };
}

function endedCondition({ ended, events }: Run): ConditionVerdict {
  const actual = ended.detail === undefined ? ended.kind : `${ended.kind}: ${ended.detail}`;
  const at = eventPlace(Math.max(0, events.length - 1));
  return required("ended", ENDED[ended.kind], { expected: "completed", actual, at });
}

/** Where the environment broke, only critical facts count: what else failed could not be decided. */
function settle(run: Run, conditions: readonly ConditionVerdict[]): readonly ConditionVerdict[] {
  if (run.ended.kind !== "environment_error") return conditions;
  return conditions.map((one) =>
    one.verdict === "failed" && !isCritical(one) ? { ...one, verdict: "errored" } : one
  );
}

function verdictOf(conditions: readonly ConditionVerdict[]): VerdictKind {
  const needed = conditions.filter((one) => one.required);
  if (needed.some((one) => one.verdict === "failed")) return "failed";
  return needed.some((one) => one.verdict === "errored") ? "errored" : "passed";
}

/** Proofs run commands on the agent's files; a run without such files cannot be proved. */
function judgeProof({ loaded, run: { proofs } }: Facts): ConditionVerdict[] {
  return (loaded.scenario.expected.proof ?? []).map(({ id, run, exit }, i) => {
    const found = proofs?.find((each) => each.id === id);
    const at = positionOf(loaded, `expected/proof/${i}`);
    const expected = `exit code ${exit} of ${JSON.stringify(run)}`;
    if (found === undefined) {
      return required(`proof:${id}`, "errored", { expected, actual: UNRUN, at });
    }
    const { exitCode, why, output } = found;
    if (found.timedOut === true) {
      return condition(`proof:${id}`, false, { expected, actual: why ?? "", at });
    }
    if (exitCode === null) {
      const actual = why ?? "it was ended before it had an exit code";
      return required(`proof:${id}`, "errored", { expected, actual, at });
    }
    const said = output === undefined || output.trim() === "" ? "" : `: ${output.trim()}`;
    return condition(`proof:${id}`, exitCode === exit, {
      expected,
      actual: `exit code ${exitCode}${exitCode === exit ? "" : said}`,
      at,
    });
  });
}

const UNRUN = "not run: this run left no folder of files in which a command could run";

function judgeEvidence({ seen }: Facts): ConditionVerdict[] {
  if (seen.conflicts === null) return [];
  const expected = "the tools' record and the agent's stream agree";
  const [first] = seen.conflicts;
  if (first === undefined) {
    const told = { expected, actual: "they agree", at: eventPlace(0) };
    return [condition("evidence_conflict", true, told)];
  }
  const at = eventPlace(first.index);
  return [required("evidence_conflict", "errored", { expected, actual: first.why, at })];
}
