/**
 * What did a run of Claude Code or Qwen Code use? `modelUsage`, which holds the subagents, where it is
 * told; else `usage`, the main conversation alone. The cost is an estimate from list prices.
 */
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/run.ts";
import { amountAt, countAt, objectAt } from "./fields.ts";

/** Tokens and cost of a result event, null where it tells none. */
export function claudeUsage(result: JsonObject): Usage | null {
  const tokens = byModel(result) ?? ofMain(objectAt(result, "usage"));
  const amount = amountAt(result, "total_cost_usd");
  const cost = amount === null || amount === 0
    ? {}
    : { cost: { amount, currency: "USD", billing: "unknown" as const } };
  return tokens === null ? null : { ...tokens, ...cost };
}

function byModel(result: JsonObject): Usage | null {
  const models = Object.values(objectAt(result, "modelUsage") ?? {}).filter(isObject);
  if (models.length === 0) return null;
  const sum = (key: string) => models.reduce((total, one) => total + (countAt(one, key) ?? 0), 0);
  const cachedInputTokens = sum("cacheReadInputTokens");
  return {
    inputTokens: sum("inputTokens") + cachedInputTokens + sum("cacheCreationInputTokens"),
    cachedInputTokens,
    outputTokens: sum("outputTokens"),
  };
}

function ofMain(usage: JsonObject | undefined): Usage | null {
  const input = countAt(usage, "input_tokens");
  const output = countAt(usage, "output_tokens");
  if (input === null || output === null) return null;
  const cachedInputTokens = countAt(usage, "cache_read_input_tokens") ?? 0;
  const total = countAt(usage, "total_tokens");
  const inside = total !== null && total === input + output;
  return {
    inputTokens: inside
      ? input
      : input + cachedInputTokens + (countAt(usage, "cache_creation_input_tokens") ?? 0),
    cachedInputTokens,
    outputTokens: output,
  };
}
