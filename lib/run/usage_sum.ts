/**
 * What did a run cost in tokens, time and money? Sums the model's answers; what is unknown of one
 * answer is unknown of the run, never 0.
 */
import type { Money, Usage } from "../model/run.ts";
import type { RunUsage } from "../model/verdict.ts";

/** What is known of one answer of a model. */
export interface AnswerUsage {
  readonly usage: Usage | null;
  readonly latencyMs: number | null;
  /** Who answered, as it names itself; null or absent where it did not. */
  readonly model?: string | null;
}

/** The usage of a run as files store it; unknown parts are left out. */
export function sumUsage(answers: readonly AnswerUsage[]): Usage {
  const tokens = (key: "inputTokens" | "cachedInputTokens" | "outputTokens") =>
    sum(answers.map(({ usage }) => usage?.[key] ?? null));
  const parts = {
    inputTokens: tokens("inputTokens"),
    cachedInputTokens: tokens("cachedInputTokens"),
    outputTokens: tokens("outputTokens"),
    latencyMs: sum(answers.map(({ latencyMs }) => latencyMs)),
  };
  const known = Object.entries(parts).filter(([, value]) => value !== null);
  return { ...Object.fromEntries(known), cost: sumCost(answers) };
}

/** The same in the shape that expressions see. */
export function runUsage(usage: Usage, counts: { calls: number; turns: number }): RunUsage {
  const cost = (currency: string) => usage.cost?.currency === currency ? usage.cost.amount : null;
  return {
    ...counts,
    inputTokens: usage.inputTokens ?? null,
    outputTokens: usage.outputTokens ?? null,
    costEur: cost("EUR"),
    costUsd: cost("USD"),
    latencyMs: usage.latencyMs ?? null,
  };
}

function sum(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  return values.reduce<number | null>((a, b) => a === null || b === null ? null : a + b, 0);
}

function sumCost(answers: readonly AnswerUsage[]): Money | null {
  const [first, ...rest] = answers.map(({ usage }) => usage?.cost ?? null);
  if (first === undefined || first === null) return null;
  let amount = first.amount;
  for (const cost of rest) {
    if (cost === null || cost.currency !== first.currency || cost.billing !== first.billing) {
      return null;
    }
    amount += cost.amount;
  }
  return { ...first, amount: Number(amount.toPrecision(12)) };
}
