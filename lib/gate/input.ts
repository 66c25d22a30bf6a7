/** What does a decision rest on? Everything that `decide` reads, and nothing else. */
import type { DecisionVerdict, Evidence, Gate, Reason } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { MetricsSet, Score } from "../model/metrics.ts";
import type { RunMode } from "../model/run.ts";
import type { Statistics } from "../model/statistics.ts";

/** The input of a decision: plain data, measured elsewhere. */
export interface GateInput {
  readonly gate: Gate;
  readonly mode: RunMode;
  readonly evidence: Evidence;
  /** All scenarios that ran. */
  readonly candidate: MetricsSet;
  /** The baseline, narrowed to the selected scenarios; null where there is none. */
  readonly baseline: MetricsSet | null;
  /** Both sides over scenarios of equal hash, for `$drop` and `$rise`. */
  readonly equals: { readonly candidate: MetricsSet; readonly baseline: MetricsSet } | null;
  /** One a run, of every lifecycle: to name scenarios and to count what was not graded. */
  readonly scores: readonly Score[];
  /** Types of task of the baseline that a full run no longer has. */
  readonly removedTasks: readonly string[];
  /** What was tested and counted before any rule; absent where nothing asks for it. */
  readonly statistics?: Statistics | null;
  /** Whether relative rules may be judged, and if not, why. */
  readonly relative: "judged" | "no_baseline" | "self_test_baseline" | "no_equals";
  /** A selection, not the whole suite. */
  readonly partial: boolean;
  readonly ledger: readonly LedgerRow[];
  /** What makes the inputs of the comparison invalid, for people; empty where nothing does. */
  readonly invalid: readonly string[];
  /** Warn and not enough evidence exit with 1. */
  readonly strict: boolean;
}

/** A reason with the fields that are not given empty; `overridable` is false unless said. */
export function newReason(
  kind: Reason["kind"],
  level: DecisionVerdict,
  rest: Partial<Omit<Reason, "kind" | "level">>,
): Reason {
  return {
    kind,
    level,
    rule: null,
    group: null,
    expected: null,
    actual: null,
    scenarios: [],
    because: null,
    overridable: false,
    ...rest,
  };
}
