/**
 * What did a run use? Counts always; tokens, money and time only where they were measured, else
 * null, never 0. Money in another currency only by a dated rate, the newest one not after the run.
 */
import type { Config } from "../model/config.ts";
import type { Money, Run } from "../model/run.ts";
import type { RunUsage } from "../model/verdict.ts";
import type { SeenCalls } from "./calls.ts";

type Rates = Config["rates"];

/** Counts and amounts of a run; a command that is no call of its own counts as a call. */
export function usageOf(run: Run, seen: SeenCalls, rates: Rates): RunUsage {
  const ids = new Set(seen.calls.map((call) => call.event.id));
  const commands = seen.commands.filter(({ event }) => !ids.has(event.id)).length;
  let turns = 0;
  for (const event of run.events) {
    if (event.kind === "message" && event.role === "user") turns++;
  }
  const day = run.startedAt?.slice(0, 10);
  return {
    calls: seen.calls.length + commands,
    turns,
    inputTokens: run.usage?.inputTokens ?? null,
    outputTokens: run.usage?.outputTokens ?? null,
    costEur: costIn("EUR", run.usage?.cost, { rates, day }),
    costUsd: costIn("USD", run.usage?.cost, { rates, day }),
    latencyMs: latencyOf(run),
  };
}

/** The cost in a currency; null where it is unknown or no dated rate leads there. */
function costIn(
  currency: string,
  cost: Money | null | undefined,
  { rates, day }: { readonly rates: Rates; readonly day: string | undefined },
): number | null {
  if (cost === null || cost === undefined || cost.billing === "unknown") return null;
  if (cost.currency === currency) return cost.amount;
  const leading = rates
    .filter(({ from, to }) =>
      (from === cost.currency && to === currency) || (to === cost.currency && from === currency)
    )
    .filter((rate) => day === undefined || rate.as_of <= day)
    .sort((a, b) => a.as_of < b.as_of ? 1 : -1);
  const [rate] = leading;
  if (rate === undefined) return null;
  const amount = rate.from === cost.currency ? cost.amount * rate.rate : cost.amount / rate.rate;
  return Math.round(amount * 1e12) / 1e12;
}

/** As measured; else, outside a replay, from the first to the last event if all carry their time. */
function latencyOf(run: Run): number | null {
  if (run.usage?.latencyMs !== undefined) return run.usage.latencyMs;
  if (run.mode === "replay" || run.events.length === 0) return null;
  let first = Infinity;
  let last = 0;
  for (const event of run.events) {
    if (event.atMs === undefined) return null;
    const end = "endMs" in event ? event.endMs ?? event.atMs : event.atMs;
    first = Math.min(first, event.atMs);
    last = Math.max(last, end);
  }
  return Math.max(0, last - first);
}
