/**
 * What of a report must be told in the morning? A report in; who failed anew, who was known to, what
 * could not be graded, what it cost, out: ids and numbers, no words yet.
 */
import type { DecisionVerdict } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { ledgerStatus } from "../model/ledger_rows.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import type { Format } from "./format.ts";

/** Why a scenario was not graded. */
export type NotGraded = "stale" | "skipped" | "environment" | "undecided";

/** The facts of a report; lists are in the order in which they are told. */
export interface SummaryFacts {
  readonly verdict: DecisionVerdict;
  readonly overridden: boolean;
  /** Stable scenarios that passed, and those that were graded. */
  readonly passed: number;
  readonly graded: number;
  /** Failed and not known to: critical ones first. */
  readonly failures: readonly ReportScenario[];
  /** True where a baseline tells new failures from old ones. */
  readonly compared: boolean;
  readonly known: readonly ReportScenario[];
  /** Known to fail, and passed. */
  readonly passAgain: readonly string[];
  readonly fixed: readonly string[];
  readonly notGraded: readonly { readonly id: string; readonly why: NotGraded }[];
  /** Rules that speak against it, with the group that they were judged for. */
  readonly rules: readonly string[];
  readonly spending: Spending;
  /** Trials in which a person was needed without need. */
  readonly interventions: number;
  readonly trials: number;
  readonly openOverrides: readonly LedgerRow[];
}

/** What the runs cost together: the sum of the known costs, and how many are unknown. */
export interface Spending {
  readonly known: number;
  readonly runs: number;
  readonly unknown: number;
}

/** The facts; `today` is the calendar day in the project's zone. */
export function summaryFacts(report: Report, today: string): SummaryFacts {
  const stable = report.scenarios.filter(({ lifecycle }) => lifecycle === "stable");
  const failed = stable.filter(({ verdict }) => verdict === "failed");
  const old = new Set(report.comparison?.stillFailing ?? []);
  const passed = stable.filter(({ verdict }) => verdict === "passed").length;
  const knownFailing = report.scenarios.filter(({ lifecycle }) => lifecycle === "known_failing");
  const scores = report.scenarios.flatMap(({ trials }) => trials.map(({ score }) => score));
  return {
    verdict: report.decision.verdict,
    overridden: report.decision.overridden !== undefined,
    passed,
    graded: passed + failed.length,
    failures: criticalFirst(failed.filter(({ id }) => !old.has(id))),
    compared: report.comparison !== null,
    known: [
      ...failed.filter(({ id }) => old.has(id)),
      ...knownFailing.filter(({ verdict }) => verdict === "failed"),
    ],
    passAgain: knownFailing.filter(({ verdict }) => verdict === "passed").map(({ id }) => id),
    fixed: report.comparison?.fixed ?? [],
    notGraded: stable.flatMap((scenario) => {
      const why = notGraded(scenario);
      return why === null ? [] : [{ id: scenario.id, why }];
    }),
    rules: rulesOf(report),
    spending: spendingOf(scores),
    interventions: scores.filter(({ intervention }) => intervention).length,
    trials: Math.max(1, ...report.scenarios.map(({ trials }) => trials.length)),
    openOverrides: (report.overrides ?? []).filter((row) => ledgerStatus(row, today) === "open"),
  };
}

/** True where anything that a scenario did is critical, in any trial. */
export function isCritical({ sideEffects, trials }: ReportScenario): boolean {
  return sideEffects.critical || trials.some(({ score }) => score.critical);
}

/** That it is critical, and how many of several trials passed. */
export function marks(scenario: ReportScenario, format: Format): string {
  const { trials } = scenario;
  const passed = trials.filter(({ verdict }) => verdict === "passed").length;
  const share = trials.length > 1
    ? ` ${format.number(passed)}/${format.number(trials.length)}`
    : "";
  return `${isCritical(scenario) ? " ⛔" : ""}${share}`;
}

function criticalFirst(failed: readonly ReportScenario[]): ReportScenario[] {
  return [...failed.filter(isCritical), ...failed.filter((one) => !isCritical(one))];
}

/** Why a scenario was not graded; null where it passed or failed. */
export function notGraded({ verdict, trials }: ReportScenario): NotGraded | null {
  if (verdict === "stale" || verdict === "skipped") return verdict;
  if (verdict !== "errored") return null;
  const broke = trials.some(({ verdict, ended }) =>
    verdict === "errored" && ended === "environment_error"
  );
  return broke ? "environment" : "undecided";
}

/** The rules whose reasons weigh as much as the decision itself. */
function rulesOf({ decision }: Report): string[] {
  const weigh = decision.reasons.filter(({ level, rule }) =>
    rule !== null && level === decision.verdict && level !== "pass"
  );
  const names = weigh.map(({ rule, group }) => group === null ? `${rule}` : `${rule}/${group}`);
  return [...new Set(names)];
}

function spendingOf(scores: readonly { readonly cost: number | null }[]): Spending {
  const costs = scores.flatMap(({ cost }) => cost === null ? [] : [cost]);
  return {
    known: costs.reduce((sum, cost) => sum + cost, 0),
    runs: scores.length,
    unknown: scores.length - costs.length,
  };
}
