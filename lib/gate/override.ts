/**
 * Does an override let a closed gate pass? A decision and the overrides that may speak in; the same
 * verdict out, marked with those that lift it, or the decision as it was. The own override of a
 * commit covers whatever stopped it; one of an earlier commit only its own rules and scenarios, until
 * its last day. A rule with `override: never` is lifted by nobody, and nothing is lifted half.
 */
import { EXIT } from "../model/exit.ts";
import type { Decision, LiftedBy, Reason } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { ledgerStatus } from "../model/ledger_rows.ts";
import { exitCodeOf, worstLevel } from "./decide.ts";

/** The overrides that may speak for a tree. */
export interface Overrides {
  /** That of the commit itself, null where it has none. */
  readonly own: LiftedBy | null;
  /** Rows of the ledger; only those of kind `override` that still hold count. */
  readonly standing: readonly LedgerRow[];
  /** The day, such as `2026-10-01`. */
  readonly today: string;
}

/** The decision as these overrides leave it; `strict` as for `decide`. */
export function overrideDecision(
  decision: Decision,
  { own, standing, today }: Overrides,
  strict: boolean,
): Decision {
  if (decision.verdict !== "block" && decision.verdict !== "error") return decision;
  const stopping = decision.reasons.filter(({ level }) => level === "block" || level === "error");
  const open = standing.filter((row) => ledgerStatus(row, today) === "open");
  const lifted = stopping.map((reason) => liftersOf(reason, own, open));
  if (stopping.length === 0 || lifted.some((by) => by === null)) return decision;
  const by = uniqueById(lifted.flatMap((each) => each ?? []));
  const rest = decision.reasons.filter((reason) => !stopping.includes(reason));
  const exitCode = rest.length === 0 ? EXIT.ok : exitCodeOf(worstLevel(rest), strict);
  return by.length === 0 ? decision : { ...decision, exitCode, overridden: by };
}

/** The overrides that together lift a reason; null where none do. */
function liftersOf(
  reason: Reason,
  own: LiftedBy | null,
  open: readonly LedgerRow[],
): LiftedBy[] | null {
  if (reason.rule !== null && !reason.overridable) return null;
  if (own !== null) return [own];
  const rows = open.filter((row) => row.rules.includes(nameOf(reason)));
  const covers = (id: string) => rows.find((row) => row.scenarios.includes(id));
  const found = reason.scenarios.length === 0
    ? rows.slice(0, 1)
    : reason.scenarios.map(covers).filter((row) => row !== undefined);
  const whole = reason.scenarios.length === 0
    ? found.length > 0
    : found.length === reason.scenarios.length;
  return whole ? found.map(({ id, reason, by, until }) => ({ id, reason, by, until })) : null;
}

function uniqueById(all: readonly LiftedBy[]): LiftedBy[] {
  const ids = [...new Set(all.map(({ id }) => id))].sort();
  return ids.flatMap((id) => all.find((each) => each.id === id) ?? []);
}

/** A reason that is no rule's goes by its kind. */
function nameOf({ rule, kind }: Reason): string {
  return rule ?? kind;
}

/** What an overridden decision was blocked by: rules and scenarios, sorted, for the trailer and the ledger. */
export function blockedBy(decision: Decision): { rules: string[]; scenarios: string[] } {
  const stopping = decision.reasons.filter(({ level }) => level === "block" || level === "error");
  const sorted = (ids: readonly string[]) => [...new Set(ids)].sort();
  return {
    rules: sorted(stopping.map(nameOf)),
    scenarios: sorted(stopping.flatMap(({ scenarios }) => scenarios)),
  };
}
