/**
 * Which checkpoints hold, and what share of their weight? In: facts. Out: one condition each; a
 * checkpoint that is not required moves the step score alone, one that is undecided makes it null.
 */
import { decideExpression } from "../expression/compile.ts";
import type { Checkpoint } from "../model/scenario.ts";
import type { ConditionVerdict } from "../model/verdict.ts";
import type { Facts } from "./facts.ts";
import { positionOf } from "./plan.ts";

/** Checkpoints judged. */
export interface JudgedCheckpoints {
  readonly conditions: readonly ConditionVerdict[];
  /** In [0,1]; null where there is no checkpoint or one is undecided. */
  readonly stepScore: number | null;
}

/** Evaluates every checkpoint, in their order. */
export async function judgeCheckpoints(facts: Facts): Promise<JudgedCheckpoints> {
  const conditions: ConditionVerdict[] = [];
  const checkpoints = facts.loaded.scenario.expected.checkpoints ?? [];
  for (const [i, checkpoint] of checkpoints.entries()) {
    const at = positionOf(facts.loaded, `expected/checkpoints/${i}/check`);
    conditions.push(await judgeCheckpoint(facts, checkpoint, at));
  }
  return { conditions, stepScore: stepScoreOf(conditions) };
}

async function judgeCheckpoint(
  facts: Facts,
  { id, check, required, weight }: Checkpoint,
  at: string,
): Promise<ConditionVerdict> {
  const decided = await decideExpression(check, facts.scope());
  const told = { id: `checkpoint:${id}`, required, weight, expected: true, at, expression: check };
  if (decided.kind === "undecided") return { ...told, verdict: "errored", actual: decided.why };
  return { ...told, verdict: decided.value ? "passed" : "failed", actual: decided.value };
}

function stepScoreOf(conditions: readonly ConditionVerdict[]): number | null {
  let whole = 0;
  let reached = 0;
  for (const { verdict, weight } of conditions) {
    if (verdict === "errored") return null;
    whole += weight ?? 0;
    if (verdict === "passed") reached += weight ?? 0;
  }
  return whole === 0 ? null : reached / whole;
}
