/**
 * What does an answer of a model cost? Tokens times a dated price, in the price's currency. What is
 * not known (no price, no token counts) is null, never 0.
 */
import type { ModelConfig } from "./config.ts";
import type { Money, Usage } from "./run.ts";

/**
 * The cost of `usage`, 0 where the configuration declares the model free: cached input tokens are part of the input tokens and have their own price,
 * or the full one where none is given. Billing is `metered` where the configuration says nothing.
 */
export function costOf(
  usage: Usage,
  price: ModelConfig["price"],
  billing: ModelConfig["billing"],
): Money | null {
  if (billing === "free") return { amount: 0, currency: price?.currency ?? "EUR", billing };
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  if (price === undefined || inputTokens === undefined || outputTokens === undefined) return null;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const amount = (inputTokens - cached) * price.input +
    cached * (price.cached_input ?? price.input) + outputTokens * price.output;
  return {
    amount: Number((amount / price.per).toPrecision(12)),
    currency: price.currency,
    billing: billing ?? "metered",
  };
}
