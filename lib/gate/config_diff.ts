/**
 * Does the configuration still let the gate look at everything? Two versions of `collaudo.yaml` in;
 * what makes the gate run less often, count harm for less, or stop for less, out.
 */
import type { Config } from "../model/config.ts";
import { DEFAULT_SEVERITIES } from "../model/severities.ts";
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
      ranked(ON_STALE),
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

/** From the strictest. */
const ON_STALE = ["block", "live", "warn"] as const;

/**
 * The configuration by which a candidate is judged that brings another than `before`: nobody chooses
 * his own judge, nor gives him less to look at, less time or less to weigh.
 */
export function stricterConfig(now: Config, before: Config): Config {
  const names = new Set([...Object.keys(now.severities), ...Object.keys(before.severities)]);
  const graver = (name: string): number =>
    Math.max(severityOf(now.severities, name) ?? 0, severityOf(before.severities, name) ?? 0);
  return {
    ...now,
    base: before.base,
    triggers: [...new Set([...before.triggers, ...now.triggers])],
    severities: Object.fromEntries([...names].map((name) => [name, graver(name)])),
    hook: {
      ...now.hook,
      budget_s: Math.max(now.hook.budget_s, before.hook.budget_s),
      on_stale: ON_STALE.find((each) => [now.hook.on_stale, before.hook.on_stale].includes(each)) ??
        "block",
    },
  };
}

/** As it counts: what is not given has its default. */
function severityOf(severities: Config["severities"], name: string): number | undefined {
  const all = { ...DEFAULT_SEVERITIES, ...severities };
  return Object.entries(all).find(([key]) => key === name)?.[1];
}
