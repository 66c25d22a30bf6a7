/**
 * Does the configuration still let the gate look at everything? Two versions of `collaudo.yaml` in;
 * what makes the gate run less often, count harm for less, or stop for less, out.
 */
import { type Config, DEFAULT_SEVERITIES } from "../model/config.ts";
import type { GateChange } from "../model/gate.ts";
import { change, limited, listChanges, ranked } from "./differences.ts";

/** Every difference that moves the gate; null where the file is absent. */
export function diffConfigs(from: Config | null, to: Config | null, file: string): GateChange[] {
  // Without the file there is no project: nothing is judged any more.
  if (from === null || to === null) {
    const sides = { from: from === null ? undefined : true, to: to === null ? undefined : true };
    return change(file, sides, to === null ? "looser" : "tighter");
  }
  const of = <T>(pick: (config: Config) => T) => ({ from: pick(from), to: pick(to) });
  const names = new Set([...Object.keys(from.severities), ...Object.keys(to.severities)]);
  return [
    ...listChanges(`${file} triggers`, of(({ triggers }) => triggers), "tighter"),
    ...change(`${file} base`, of(({ base }) => base), "looser"),
    ...change(
      `${file} hook/on_stale`,
      of(({ hook }) => hook.on_stale),
      ranked(["block", "live", "warn"]),
    ),
    ...change(`${file} hook/budget_s`, of(({ hook }) => hook.budget_s), limited("more")),
    ...change(
      `${file} hook/on_missing_runtime`,
      of(({ hook }) => hook.on_missing_runtime),
      ranked(["block", "warn"]),
    ),
    ...[...names].flatMap((name) =>
      change(
        `${file} severities/${name}`,
        of(({ severities }) => severityOf(severities, name)),
        limited("more"),
      )
    ),
  ];
}

/** As it counts: what is not given has its default. */
function severityOf(severities: Config["severities"], name: string): number | undefined {
  const all = { ...DEFAULT_SEVERITIES, ...severities };
  return Object.entries(all).find(([key]) => key === name)?.[1];
}
