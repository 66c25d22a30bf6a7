/**
 * What does a run leave in the history, and what does the history say of each scenario? A report in,
 * its summary out; a scenario's outcomes by time in, how flaky it is, since when it fails, and what a
 * person may want to do about it out. Nothing is changed here, and nothing proposed from self-tests.
 */
import type {
  HistoryRun,
  HistoryScenario,
  Outcome,
  Proposal,
  ReportDigest,
  TrendScenario,
} from "../model/history.ts";

/** Nights that a proposal rests on. */
export const NIGHTS_NEEDED = 7;

/** Of these nights, how many with both outcomes make a scenario flaky. */
const MIXED_NIGHTS = 3;

/** A report as the history keeps it; `folder` is where the report lies. */
export function summarise(report: ReportDigest, folder: string): HistoryRun {
  const { versions, metrics } = report;
  const cut = report.scenarios.some(({ lifecycle, trials }) =>
    lifecycle === "stable" && trials.some(({ verdict }) => verdict === "skipped")
  );
  return {
    folder,
    time: report.time,
    mode: report.mode,
    evidence: report.decision.evidence,
    verdict: report.decision.verdict,
    whole: !report.partial && !cut,
    currency: report.currency,
    commit: versions["tree"] === "clean" ? versions["commit"] ?? null : null,
    agent: agentOf(versions),
    model: versions["model"] ?? null,
    headline: report.headline,
    metrics: { overall: metrics.overall, byTask: metrics.byTask },
    scenarios: report.scenarios.map(outcomeOf),
  };
}

/** A note for the machine's own bookkeeping, other in each run. */
const OWN_NOTE = "note.tree";

/** The agent with the notes that it was run under: runs under other notes are of another agent. */
function agentOf(versions: ReportDigest["versions"]): string | null {
  const notes = Object.keys(versions).sort()
    .filter((name) => name.startsWith("note.") && name !== OWN_NOTE)
    .map((name) => `${name.slice("note.".length)}=${versions[name]}`);
  const agent = versions["agent"] ?? null;
  return notes.length === 0 ? agent : `${agent ?? "?"} (${notes.join(", ")})`;
}

function outcomeOf({ trials, ...about }: ReportDigest["scenarios"][number]): HistoryScenario {
  const number = (wanted: string) => trials.filter(({ verdict }) => verdict === wanted).length;
  const { id, file, hash, task, risk, lifecycle } = about;
  return {
    ...{ id, file, hash, task, risk, lifecycle },
    passed: number("passed"),
    failed: number("failed"),
    trials: trials.length,
    cost: meanOf(trials.map(({ score }) => score.cost)),
    latencyMs: meanOf(trials.map(({ score }) => score.latencyMs)),
  };
}

function meanOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** What is told of the scenarios. */
export interface Looked {
  /** Outcomes of runs of one kind, oldest first. */
  readonly outcomes: readonly Outcome[];
  /** The calendar day of a time, in the project's zone. */
  readonly dayOf: (time: string) => string;
  /** False for replays, whose runs are no nights of a model. */
  readonly live: boolean;
}

/** Each scenario of the outcomes as it is now: earlier versions of it do not count. Sorted by id. */
export function scenarioTrends(looked: Looked): TrendScenario[] {
  const byId = [...Map.groupBy(looked.outcomes, ({ id }) => id).values()];
  const days = new Map<string, string>();
  const dayOf = (time: string) => {
    const day = days.get(time) ?? looked.dayOf(time);
    days.set(time, day);
    return day;
  };
  return byId.map((rows) => scenarioTrend(rows, { ...looked, dayOf }))
    .sort((a, b) => a.id < b.id ? -1 : 1);
}

function scenarioTrend(all: readonly Outcome[], { dayOf, live }: Looked): TrendScenario {
  const now = all.at(-1)!;
  const rows = all.filter(({ hash, passed, failed }) => hash === now.hash && passed + failed > 0);
  const { id, file, task, risk, lifecycle } = now;
  const failure = rows.find(({ failed }) => failed > 0);
  const nights = live ? nightsOf(rows.filter(isAs(now)), dayOf) : [];
  return {
    ...{ id, file, task, risk, lifecycle },
    runs: rows.length,
    trials: { passed: sum(rows, "passed"), failed: sum(rows, "failed") },
    flaky: flakiness(rows),
    firstFailure: failure === undefined ? null : { time: failure.time, run: failure.folder },
    lastChange: lastChange(rows),
    nights: {
      full: lengthOf(nights, ({ full }) => full),
      failed: lengthOf(nights, ({ failed }) => failed),
      mixed: nights.slice(0, NIGHTS_NEEDED).filter(({ mixed }) => mixed).length,
    },
  };
}

function isAs({ agent, model }: Outcome): (row: Outcome) => boolean {
  return (row) => row.agent === agent && row.model === model;
}

function sum(rows: readonly Outcome[], of: "passed" | "failed" | "trials"): number {
  return rows.reduce((all, row) => all + row[of], 0);
}

/**
 * Both outcomes for one tree, scenario, agent and model. A tree without a commit of its own is known
 * to be the same within one run only.
 */
function flakiness(rows: readonly Outcome[]): TrendScenario["flaky"] {
  const cases = [...Map.groupBy(rows, caseOf).values()]
    .filter((some) => sum(some, "passed") + sum(some, "failed") > 1);
  return { mixed: cases.filter(isMixed).length, cases: cases.length };
}

function caseOf({ commit, folder, time, agent, model }: Outcome): string {
  return [commit ?? `${folder} ${time}`, agent ?? "", model ?? ""].join("\n");
}

function isMixed(rows: readonly Outcome[]): boolean {
  return sum(rows, "passed") > 0 && sum(rows, "failed") > 0;
}

type Often = NonNullable<TrendScenario["lastChange"]>["from"];

function often({ passed, failed }: Outcome): Often {
  return failed === 0 ? "always" : passed === 0 ? "never" : "sometimes";
}

function lastChange(rows: readonly Outcome[]): TrendScenario["lastChange"] {
  const at = rows.findLastIndex((row, i) => i > 0 && often(row) !== often(rows[i - 1]!));
  if (at < 0) return null;
  const { time, folder } = rows[at]!;
  return { time, run: folder, from: often(rows[at - 1]!), to: often(rows[at]!) };
}

interface Night {
  readonly full: boolean;
  readonly failed: boolean;
  readonly mixed: boolean;
}

/** Newest first. A trial that was not graded keeps a night from being full. */
function nightsOf(rows: readonly Outcome[], dayOf: (time: string) => string): Night[] {
  const days = [...Map.groupBy(rows, ({ time }) => dayOf(time))];
  return days.sort(([a], [b]) => a < b ? 1 : -1).map(([, some]) => ({
    full: sum(some, "passed") === sum(some, "trials"),
    failed: sum(some, "failed") === sum(some, "trials"),
    mixed: [...Map.groupBy(some, caseOf).values()].some(isMixed),
  }));
}

function lengthOf(nights: readonly Night[], is: (night: Night) => boolean): number {
  const first = nights.findIndex((night) => !is(night));
  return first < 0 ? nights.length : first;
}

/**
 * What a person may want to change after seven nights: what always passed may block, what never did is
 * known to fail, what does both on three of them is not steady enough to block. A critical scenario is
 * never proposed to block no longer.
 */
export function proposalFor(scenario: TrendScenario): Proposal | null {
  const { id, file, risk, lifecycle, nights } = scenario;
  const propose = (to: Proposal["to"], why: Proposal["why"], shown: number): Proposal => ({
    ...{ scenario: id, file, from: lifecycle, to, why, nights: shown },
  });
  if (lifecycle !== "stable") {
    return nights.full >= NIGHTS_NEEDED ? propose("stable", "always_passed", nights.full) : null;
  }
  if (risk === "critical") return null;
  if (nights.failed >= NIGHTS_NEEDED) {
    return propose("known_failing", "never_passed", nights.failed);
  }
  return nights.mixed >= MIXED_NIGHTS ? propose("incubating", "flaky", nights.mixed) : null;
}
