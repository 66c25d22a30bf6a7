/**
 * Does one gate let through what another stops? Two gates in; every difference out, as looser,
 * tighter or neutral. Two expressions are compared only where both are the same left side, the same
 * operator and a number: any other difference counts as looser, because nobody can tell.
 */
import type { Direction, Gate, GateChange, GateRule } from "../model/gate.ts";
import { change, limited, listChanges, pairsById, ranked } from "./differences.ts";

const NUMBER = String.raw`(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`;
const COMPARISON = new RegExp(`^(.+?)\\s*(<=|>=|<|>|=)\\s*${NUMBER}$`, "s");

/**
 * Every difference between two versions of a gate; null where there is none. `file` names it in
 * `what`, as in `gates/release.yaml rules/cost/level`.
 */
export function diffGates(from: Gate | null, to: Gate | null, file: string): GateChange[] {
  const ends = { from, to };
  const at = (place: string) => `${file} ${place}`;
  const of = <T>(pick: (gate: Gate) => T) => ({
    from: ends.from === null ? undefined : pick(ends.from),
    to: ends.to === null ? undefined : pick(ends.to),
  });
  return [
    ...pairsById(from?.rules ?? [], to?.rules ?? []).flatMap(({ id, before, after }) =>
      diffRules(before, after, at(`rules/${id}`))
    ),
    ...change(at("trials/live"), of((gate) => gate.trials?.live), limited("more")),
    ...change(at("trials/critical"), of((gate) => gate.trials?.critical), limited("more")),
    ...change(
      at("baseline"),
      of((gate) => gate.baseline),
      (before) => before === null ? "tighter" : "looser",
    ),
    ...change(at("gate"), of((gate) => gate.gate), "neutral"),
    ...change(at("version"), of((gate) => gate.version), "neutral"),
    ...change(at("reason"), of((gate) => gate.reason), "neutral"),
  ];
}

/** True for entries that say nothing of what the gate lets through: version and words for people. */
export function isWording({ what }: GateChange): boolean {
  return / (?:version|reason|rules\/[^/]+\/because)$/.test(what);
}

function diffRules(
  before: GateRule | undefined,
  after: GateRule | undefined,
  at: string,
): GateChange[] {
  if (before === undefined || after === undefined) {
    return change(
      at,
      { from: before?.require, to: after?.require },
      (from) => from === null ? "tighter" : "looser",
    );
  }
  const of = <T>(pick: (rule: GateRule) => T) => ({ from: pick(before), to: pick(after) });
  const other: Direction = "looser";
  return [
    ...change(
      `${at}/require`,
      of((rule) => rule.require.trim()),
      () => compareRequire(before.require, after.require),
    ),
    ...change(`${at}/level`, of((rule) => rule.level), ranked(["block", "warn"])),
    ...change(
      `${at}/missing`,
      of((rule) => rule.missing ?? rule.level),
      ranked(["block", "warn", "skip"]),
    ),
    ...change(`${at}/override`, of((rule) => rule.override), ranked(["never", "allowed"])),
    ...change(
      `${at}/stage`,
      of((rule) => rule.stage),
      (_, to) => to === "offline" ? "tighter" : "looser",
    ),
    ...change(`${at}/for_each`, of((rule) => rule.for_each), other),
    ...diffOnly(before.only, after.only, `${at}/only`),
    ...change(`${at}/because`, of((rule) => rule.because), "neutral"),
  ];
}

/** A rule without `only` is over all groups. */
function diffOnly(
  from: readonly string[] | undefined,
  to: readonly string[] | undefined,
  at: string,
): GateChange[] {
  if (from === undefined || to === undefined) {
    return change(at, { from, to }, () => to === undefined ? "tighter" : "looser");
  }
  return listChanges(at, { from, to }, "tighter");
}

/** What a changed expression asks, compared with before. */
function compareRequire(from: string, to: string): Direction {
  const [before, after] = [comparisonIn(from), comparisonIn(to)];
  if (before === null || after === null) return "looser";
  if (before.left !== after.left || before.operator !== after.operator) return "looser";
  if (before.limit === after.limit) return "neutral";
  if (before.operator === "=") return "looser";
  const asksMore = before.operator.startsWith(">");
  return (after.limit > before.limit) === asksMore ? "tighter" : "looser";
}

/** A left side that holds another comparison, or joins several, is not one side of one comparison. */
function comparisonIn(text: string) {
  const [, left, operator, limit] = COMPARISON.exec(text.trim()) ?? [];
  if (left === undefined || operator === undefined || limit === undefined) return null;
  if (/[<>=?:]|\b(?:and|or)\b/.test(left.replace(/'[^']*'|"[^"]*"/g, ""))) return null;
  return { left: left.trim(), operator, limit: Number(limit) };
}
