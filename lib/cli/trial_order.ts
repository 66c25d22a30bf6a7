/**
 * How often does each scenario run, and in what order? A gate's wishes and the command line's in, a
 * number of trials out; plays in, the same plays mixed round by round out: the first trials of all
 * scenarios come before the second ones, each round in an order that a seed decides, so that neither
 * the hour of the night nor a neighbour always falls on the same scenario.
 */
import type { Gate } from "../model/gate.ts";
import type { RunMode } from "../model/run.ts";
import type { Scenario } from "../model/scenario.ts";
import { seededNumbers } from "../run/seeded.ts";

/** Trials of a scenario: those that were asked for, else in live mode the gate's, else one. */
export function trialsOf(
  asked: { readonly trials?: number; readonly mode: RunMode },
  gate: Pick<Gate, "trials">,
  { risk }: Pick<Scenario, "risk">,
): number {
  if (asked.trials !== undefined) return asked.trials;
  if (asked.mode !== "live") return 1;
  const wanted = gate.trials?.live ?? 1;
  return risk === "critical" ? Math.max(wanted, gate.trials?.critical ?? 1) : wanted;
}

/** The plays by rounds of trials, each round shuffled; the same for the same seed and plays. */
export function interleaved<Play extends { readonly trial: number }>(
  plays: readonly Play[],
  seed: string,
): Play[] {
  const rounds = [...Map.groupBy(plays, ({ trial }) => trial)].sort(([a], [b]) => a - b);
  return rounds.flatMap(([trial, round]) => shuffled(round, seededNumbers(`${seed} ${trial}`)));
}

/** R. Fisher and F. Yates's shuffle. */
function shuffled<Item>(items: readonly Item[], numbers: () => number): Item[] {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last--) {
    const at = Math.floor(numbers() * (last + 1));
    const item = mixed[last]!;
    mixed[last] = mixed[at]!;
    mixed[at] = item;
  }
  return mixed;
}
