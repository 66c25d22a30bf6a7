/**
 * May this version ship? A gate, the figures of the run and of the baseline in; a verdict with its
 * reasons and the exit code out. Pure: the same input gives the same decision, in whatever order
 * the scenarios ran. Nothing that could not be looked at counts as good.
 */
import { EXIT } from "../model/exit.ts";
import type { Decision, DecisionVerdict, Reason } from "../model/gate.ts";
import { judgeGrading } from "./grading.ts";
import { type GateInput, newReason } from "./input.ts";
import { judgeRule, levelWithoutBaseline } from "./rules.ts";

/** First that holds decides. */
const PRECEDENCE: readonly DecisionVerdict[] = [
  "block",
  "error",
  "warn",
  "not_enough_evidence",
  "pass",
];

/** Decides over one run; reasons are ordered by their level, then as rules and groups stand. */
export async function decide(input: GateInput): Promise<Decision> {
  const reasons = [...judgeInputs(input), ...judgeGrading(input)];
  for (const rule of input.gate.rules) reasons.push(...await judgeRule(rule, input));
  const ordered = reasons.toSorted((a, b) => rank(a.level) - rank(b.level));
  const verdict = worstLevel(ordered);
  return {
    verdict,
    evidence: input.evidence,
    exitCode: exitCodeOf(verdict, input.strict),
    reasons: ordered,
  };
}

/** The verdict that reasons give together: the first that holds of the precedence. */
export function worstLevel(reasons: readonly Reason[]): DecisionVerdict {
  return PRECEDENCE.find((level) => reasons.some((reason) => reason.level === level)) ?? "pass";
}

/** The stricter of two decisions about one tree; the first where both say the same. */
export function stricter(first: Decision, second: Decision): Decision {
  return rank(second.verdict) < rank(first.verdict) ? second : first;
}

/** The exit code of a verdict; `strict` lets warn and not_enough_evidence exit with 1. */
export function exitCodeOf(verdict: DecisionVerdict, strict: boolean): number {
  const soft = strict ? EXIT.block : EXIT.ok;
  const codes: Readonly<Record<DecisionVerdict, number>> = {
    block: EXIT.block,
    error: EXIT.undecided,
    warn: soft,
    not_enough_evidence: soft,
    pass: EXIT.ok,
  };
  return codes[verdict];
}

function judgeInputs(input: GateInput): Reason[] {
  const reasons = input.invalid.map((what) =>
    newReason("invalid_comparison", "error", {
      expected: "inputs that can be compared",
      actual: what,
    })
  );
  if (input.relative !== "judged") {
    reasons.push(newReason("no_baseline", levelWithoutBaseline(input), {
      expected: "a baseline of the same kind of evidence",
      actual: input.relative,
    }));
  }
  return reasons;
}

function rank(level: DecisionVerdict): number {
  return PRECEDENCE.indexOf(level);
}
