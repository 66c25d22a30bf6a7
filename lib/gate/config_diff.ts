/**
 * Does the configuration still let the gate look at everything? Two versions of `collaudo.yaml` in;
 * what makes the gate run less often, count harm for less, or stop for less, out.
 */
import type { Config } from "../model/config.ts";
import type { GateChange } from "../model/gate.ts";
import { change, limited, listChanges, ranked } from "./differences.ts";

/** Every difference that moves the gate; null where the file is absent. */
export function diffConfigs(from: Config | null, to: Config | null, file: string): GateChange[] {
  if (from === null || to === null) return [];
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
    ...change(
      `${file} hook/on_missing_runtime`,
      of(({ hook }) => hook.on_missing_runtime),
      ranked(["block", "warn"]),
    ),
    ...[...names].flatMap((name) =>
      change(
        `${file} severities/${name}`,
        of(({ severities }) => Object.entries(severities).find(([key]) => key === name)?.[1]),
        limited("more"),
      )
    ),
  ];
}
