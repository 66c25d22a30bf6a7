/**
 * What of a week must be told? Its runs and those of the week before, the rows of the ledger and the
 * scenarios that come from incidents in; how each task went, who was needed, what came, went and
 * failed, out: ids and numbers, no words yet. Runs of different evidence are never mixed.
 */
import type { DecisionVerdict, Evidence } from "../model/gate.ts";
import { addDays } from "../model/day.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { ledgerStatus } from "../model/ledger_rows.ts";
import type { Report } from "../model/report.ts";
import type { RunMode } from "../model/run.ts";
import { isCritical } from "./summary_facts.ts";

/** One run, as far as a week tells of it. */
export interface WeekRun {
  readonly time: string;
  readonly mode: RunMode;
  readonly evidence: Evidence;
  readonly partial: boolean;
  readonly verdict: DecisionVerdict;
  readonly scenarios: readonly WeekScenario[];
}

/** One scenario in it. */
export interface WeekScenario {
  readonly id: string;
  readonly task: string;
  readonly stable: boolean;
  readonly passed: number;
  readonly failed: number;
  /** Trials in which a person was needed without need. */
  readonly interventions: number;
  readonly critical: boolean;
}

/** What a report says of its run. */
export function weekRun(report: Report): WeekRun {
  return {
    time: report.time,
    mode: report.mode,
    evidence: report.decision.evidence,
    partial: report.partial,
    verdict: report.decision.verdict,
    scenarios: report.scenarios.map((scenario) => {
      const of = (verdict: string) => scenario.trials.filter((trial) => trial.verdict === verdict);
      const graded = [...of("passed"), ...of("failed")];
      return {
        id: scenario.id,
        task: scenario.task,
        stable: scenario.lifecycle === "stable",
        passed: of("passed").length,
        failed: of("failed").length,
        interventions: graded.filter(({ score }) => score.intervention).length,
        critical: scenario.verdict === "failed" && isCritical(scenario),
      };
    }),
  };
}

/** So many of so many; `of` is above 0. */
export interface Share {
  readonly n: number;
  readonly of: number;
}

/** How a task went, this week and the one before; null where nothing of it was graded. */
export interface TaskTrend {
  readonly task: string;
  readonly now: Share;
  readonly before: Share | null;
}

/** Two shares that should go together, this week and the one before. */
export interface Divergence {
  readonly success: readonly [Share, Share];
  readonly interventions: readonly [Share, Share];
  /** `hidden`: no worse here, more often in need of people there. `strict`: the other way round. */
  readonly kind: "together" | "hidden" | "strict";
}

/** The facts of a week; lists are in the order in which they are told. */
export interface WeekFacts {
  /** First and last day. */
  readonly from: string;
  readonly to: string;
  readonly runs: number;
  /** What the figures are of: the strongest that ran. */
  readonly evidence: Evidence | null;
  /** Of the newest run of the whole suite with that evidence, null where there was none. */
  readonly last: DecisionVerdict | null;
  readonly success: { readonly now: Share; readonly before: Share | null } | null;
  readonly tasks: readonly TaskTrend[];
  readonly interventions: { readonly now: Share; readonly before: Share | null } | null;
  readonly critical: readonly string[];
  /** Scenarios that come from incidents, all of them, those that came this week, and those that failed. */
  readonly incidents: {
    readonly all: number;
    readonly added: readonly string[];
    readonly failed: readonly string[];
  };
  /** Null where there is nothing to compare with. */
  readonly suite: { readonly added: readonly string[]; readonly removed: readonly string[] } | null;
  /** Null where the ledger cannot be used. */
  readonly overrides: {
    readonly opened: readonly LedgerRow[];
    readonly closed: readonly LedgerRow[];
    readonly open: number;
  } | null;
  /** Reports that cannot be read. */
  readonly unreadable: number;
  /** Null where one of the two was not measured in both weeks. */
  readonly divergence: Divergence | null;
}

/** What a week is made of. */
export interface WeekInput {
  /** Runs of the two weeks. */
  readonly runs: readonly WeekRun[];
  /** When this week began, ISO 8601: earlier runs are of the one before. */
  readonly begun: string;
  /** The last day of the week, in the project's zone. */
  readonly today: string;
  /** Null where the ledger cannot be used. */
  readonly rows: readonly LedgerRow[] | null;
  /** Reports of the week that cannot be read. */
  readonly unreadable: number;
  /** Ids of the scenarios that come from incidents. */
  readonly incidents: readonly string[];
}

const DAYS = 7;

/** The facts. */
export function weekFacts(
  { runs, begun, today, rows, unreadable, incidents }: WeekInput,
): WeekFacts {
  const sorted = runs.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
  const now = sorted.filter(({ time }) => Date.parse(time) >= Date.parse(begun));
  const before = sorted.filter(({ time }) => Date.parse(time) < Date.parse(begun));
  const evidence = strongest(now);
  const counted = ofKind(now, evidence);
  const earlier = ofKind(before, evidence);
  const from = addDays(today, 1 - DAYS);
  const suite = suiteChange(wholeRuns(counted).at(-1), wholeRuns(earlier).at(-1));
  const failed = new Set(now.flatMap((run) => failedIn(run)));
  return {
    from,
    to: today,
    runs: now.length,
    last: wholeRuns(counted).at(-1)?.verdict ?? null,
    evidence,
    success: compared(successOf, counted, earlier),
    tasks: taskTrends(counted, earlier),
    interventions: compared(interventionsOf, counted, earlier),
    critical: unique(
      now.flatMap(({ scenarios }) =>
        scenarios.filter(({ critical }) => critical).map(({ id }) => id)
      ),
    ),
    incidents: {
      all: incidents.length,
      added: suite === null ? [] : suite.added.filter((id) => incidents.includes(id)),
      failed: incidents.filter((id) => failed.has(id)),
    },
    suite,
    overrides: rows === null ? null : overridesOf(rows, from, today),
    unreadable,
    divergence: divergenceOf(now, before),
  };
}

/** Live runs say most, self-tests least; what people recorded elsewhere is no run of the suite. */
function strongest(runs: readonly WeekRun[]): Evidence | null {
  const order: readonly Evidence[] = ["live", "recorded", "self_test"];
  const own = runs.filter(isOffline);
  return order.find((evidence) => own.some((run) => run.evidence === evidence)) ?? null;
}

function isOffline({ mode }: WeekRun): boolean {
  return mode !== "recorded";
}

function ofKind(runs: readonly WeekRun[], evidence: Evidence | null): WeekRun[] {
  return runs.filter((run) => isOffline(run) && run.evidence === evidence);
}

function wholeRuns(runs: readonly WeekRun[]): WeekRun[] {
  return runs.filter(({ partial }) => !partial);
}

function failedIn({ scenarios }: WeekRun): string[] {
  return scenarios.filter(({ failed }) => failed > 0).map(({ id }) => id);
}

function unique(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort();
}

type Measure = (scenarios: readonly WeekScenario[]) => Share | null;

function successOf(scenarios: readonly WeekScenario[]): Share | null {
  return share(scenarios.filter(({ stable }) => stable), ({ passed }) => passed);
}

function interventionsOf(scenarios: readonly WeekScenario[]): Share | null {
  return share(scenarios, ({ interventions }) => interventions);
}

/** Of the graded trials; null where there is none: then nothing was measured. */
function share(
  scenarios: readonly WeekScenario[],
  count: (scenario: WeekScenario) => number,
): Share | null {
  const of = scenarios.reduce((sum, { passed, failed }) => sum + passed + failed, 0);
  return of === 0 ? null : { n: scenarios.reduce((sum, each) => sum + count(each), 0), of };
}

function all(runs: readonly WeekRun[]): WeekScenario[] {
  return runs.flatMap(({ scenarios }) => scenarios);
}

function compared(
  measure: Measure,
  now: readonly WeekRun[],
  before: readonly WeekRun[],
): { readonly now: Share; readonly before: Share | null } | null {
  const share = measure(all(now));
  return share === null ? null : { now: share, before: measure(all(before)) };
}

/** The greatest falls first, what is as it was last. */
function taskTrends(now: readonly WeekRun[], before: readonly WeekRun[]): TaskTrend[] {
  const earlier = Map.groupBy(all(before), ({ task }) => task);
  const trends = [...Map.groupBy(all(now), ({ task }) => task)].flatMap(([task, scenarios]) => {
    const share = successOf(scenarios);
    return share === null ? [] : [{ task, now: share, before: successOf(earlier.get(task) ?? []) }];
  });
  return trends.sort((a, b) => rise(a) - rise(b) || (a.task < b.task ? -1 : 1));
}

/** How much a task rose, from -1 to 1; 0 where there is nothing to compare with. */
export function rise({ now, before }: Pick<TaskTrend, "now" | "before">): number {
  return before === null ? 0 : rate(now) - rate(before);
}

/** From 0 to 1. */
export function rate({ n, of }: Share): number {
  return n / of;
}

function suiteChange(now: WeekRun | undefined, before: WeekRun | undefined): WeekFacts["suite"] {
  if (now === undefined || before === undefined) return null;
  const ids = (run: WeekRun) => new Set(run.scenarios.map(({ id }) => id));
  const [new_, old] = [ids(now), ids(before)];
  return {
    added: unique([...new_.difference(old)]),
    removed: unique([...old.difference(new_)]),
  };
}

function overridesOf(
  rows: readonly LedgerRow[],
  from: string,
  today: string,
): WeekFacts["overrides"] {
  const overrides = rows.filter(({ kind }) => kind === "override");
  const isOpen = (row: LedgerRow, day: string) =>
    row.date <= day && ledgerStatus(row, day) === "open";
  return {
    opened: overrides.filter(({ date }) => date >= from && date <= today),
    // One that was written and ran out within the week is told of twice: it did both.
    closed: overrides.filter((row) =>
      !isOpen(row, today) && (isOpen(row, addDays(from, -1)) || row.date >= from)
    ),
    open: overrides.filter((row) => isOpen(row, today)).length,
  };
}

/** Success in our own runs beside the need for people in runs that were recorded elsewhere. */
function divergenceOf(now: readonly WeekRun[], before: readonly WeekRun[]): Divergence | null {
  const evidence = strongest(now);
  const own = (runs: readonly WeekRun[]) => successOf(all(ofKind(runs, evidence)));
  const people = (runs: readonly WeekRun[]) =>
    interventionsOf(all(runs.filter((run) => !isOffline(run))));
  const [successNow, successThen] = [own(now), own(before)];
  const [peopleNow, peopleThen] = [people(now), people(before)];
  if (successNow === null || successThen === null) return null;
  if (peopleNow === null || peopleThen === null) return null;
  const better = rate(successNow) - rate(successThen);
  const needier = rate(peopleNow) - rate(peopleThen);
  return {
    success: [successNow, successThen],
    interventions: [peopleNow, peopleThen],
    kind: better >= 0 && needier > 0
      ? "hidden"
      : better < 0 && needier <= 0
      ? "strict"
      : "together",
  };
}
