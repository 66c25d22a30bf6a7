/**
 * What do outdated recordings do to a decision? Those that a change itself took away stop it: nobody
 * can tell any more whether their scenarios hold. Others count as the configuration says, and never
 * as a pass.
 */
import type { Decision, Reason } from "../model/gate.ts";
import { exitCodeOf, worstLevel } from "./decide.ts";
import { newReason } from "./input.ts";

/** The decision with what became of recordings. */
export function judgeStale(
  decision: Decision,
  { lost, blocks }: {
    /** Stable scenarios whose recording the change deleted or made unfit, sorted. */
    readonly lost: readonly string[];
    /** True where every outdated recording stops. */
    readonly blocks: boolean;
  },
): Decision {
  const stops = (reason: Reason): Reason =>
    blocks && reason.kind === "scenario_stale"
      ? { ...reason, level: "block", overridable: true }
      : reason;
  const told = decision.reasons.map(stops);
  const gone = newReason("recording_lost", "block", {
    expected: "the recordings still play",
    actual: { stale: lost.length },
    scenarios: [...lost],
    overridable: true,
  });
  const blocking = told.filter(({ level }) => level === "block");
  const rest = told.filter(({ level }) => level !== "block");
  const reasons = [...blocking, ...(lost.length === 0 ? [] : [gone]), ...rest];
  const verdict = worstLevel(reasons);
  const isSame = verdict === decision.verdict;
  const exitCode = isSame ? decision.exitCode : exitCodeOf(verdict, false);
  return { ...decision, verdict, exitCode, reasons };
}
