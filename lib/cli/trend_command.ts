/**
 * `trend`: how did a figure go over the runs, and how steady is each scenario? Shows the strongest
 * kind of run there is: a self-test never counts as a run of a model. Proposes, and changes nothing.
 */
import { readScenarioText } from "../load/history.ts";
import { proposalFor, scenarioTrends } from "../measure/history.ts";
import { dayIn } from "../model/day.ts";
import { EXIT } from "../model/exit.ts";
import type { Evidence } from "../model/gate.ts";
import type { HistoryFigure, Outcome, Proposal, Trend, TrendScenario } from "../model/history.ts";
import type { MetricName } from "../model/metrics.ts";
import { METRIC_NAMES } from "../model/metric_names.ts";
import { nearestWithin } from "../model/near_words.ts";
import type { HistoryFile } from "../model/ports.ts";
import { renderTrend } from "../report/trend.ts";
import { askHistory } from "./history.ts";
import { colourOf } from "./judging.ts";
import { join, openSession, refuse, type Session } from "./session.ts";

/** The options of `trend`, as commander gives them. */
export interface TrendOptions {
  readonly metric?: string;
  readonly task?: string;
  readonly json?: boolean;
}

/** Runs that the scenarios are looked at in: four months of nights. */
const RUNS_MAX = 120;

/** Columns where nobody knows how many there are. */
const USUAL_WIDTH = 80;

/** Runs the command; resolves to its exit code. */
export async function trendCommand(io: Session["io"], options: TrendOptions): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const metric = METRIC_NAMES.find((name) => name === (options.metric ?? "taskSuccess"));
  if (metric === undefined) return refuseWord(io, "metric", options.metric ?? "", METRIC_NAMES);
  const task = options.task ?? null;
  const found = await askHistory(session, (file) => read(file, { metric, task }));
  const tasks = [...new Set(found.outcomes.map((one) => one.task))];
  if (task !== null && !tasks.includes(task)) return refuseWord(io, "task", task, tasks);
  const trend = await trendOf(session, { metric, task }, found);
  io.terminal.out(
    options.json === true ? `${JSON.stringify(trend, null, 1)}\n` : renderTrend(trend, {
      ...session.project.config,
      colour: colourOf(session, false),
      width: widthOf(session),
    }),
  );
  return EXIT.ok;
}

function refuseWord(
  io: Session["io"],
  noun: string,
  word: string,
  words: readonly string[],
): number {
  const near = nearestWithin(word, words, 3);
  return refuse(
    io,
    `Unknown ${noun} "${word}": expected one of ${
      [...words].sort().join(", ") || "none: no run yet"
    }`,
    near === null ? "see docs/statistics.md" : `did you mean "${near}"?`,
  );
}

interface Found {
  readonly evidence: Evidence | null;
  readonly runs: number;
  readonly points: ReturnType<HistoryFile["points"]>;
  readonly outcomes: readonly Outcome[];
}

/** The strongest kind of run there is. */
function read(file: HistoryFile, figure: HistoryFigure): Found {
  const counts = file.counts();
  const evidence = (["live", "recorded", "self_test"] as const).find((kind) => counts[kind] > 0);
  if (evidence === undefined) return { evidence: null, runs: 0, points: [], outcomes: [] };
  return {
    evidence,
    runs: counts[evidence],
    points: file.points(evidence, figure),
    outcomes: file.outcomes(evidence, RUNS_MAX),
  };
}

async function trendOf(
  session: Session,
  { metric, task }: { readonly metric: MetricName; readonly task: string | null },
  { evidence, runs, points, outcomes }: Found,
): Promise<Trend> {
  const { zone } = session.project.config;
  const currency = points.at(-1)?.currency ?? session.project.config.currency;
  const drawn = points.filter((point) =>
    point.whole && (metric !== "costPerTask" || point.currency === currency)
  );
  const scenarios = scenarioTrends({
    outcomes: stillThere(outcomes, points).filter((one) => task === null || one.task === task),
    dayOf: (time) => dayIn(zone, time),
    live: evidence === "live",
  });
  return {
    schema: "collaudo/trend@1",
    ...{ metric, task, currency, runs },
    evidence,
    points: drawn.map(({ folder, time, commit, agent, model, verdict, value }) => ({
      ...{ run: folder, time, commit, agent, model, verdict, value },
    })),
    scenarios,
    proposals: await proposalsOf(session, scenarios),
  };
}

/** Outcomes of the scenarios that the newest whole run had; of all where there is none. */
function stillThere(outcomes: readonly Outcome[], points: Found["points"]): readonly Outcome[] {
  const newest = points.findLast(({ whole }) => whole);
  const since = outcomes.filter(({ time }) => time >= (newest?.time ?? ""));
  const ids = new Set(since.map(({ id }) => id));
  return newest === undefined ? outcomes : outcomes.filter(({ id }) => ids.has(id));
}

/** A scenario whose file says otherwise by now, or is gone, needs no proposal. */
async function proposalsOf(
  { io, project }: Session,
  scenarios: readonly TrendScenario[],
): Promise<Proposal[]> {
  const proposals: Proposal[] = [];
  for (const scenario of scenarios) {
    const proposal = proposalFor(scenario);
    if (proposal === null) continue;
    const text = await io.files.readText(join(project.root, scenario.file)).catch(() => null);
    const now = text === null ? null : readScenarioText(text);
    if (now !== null && (now.lifecycle ?? "stable") === proposal.from) proposals.push(proposal);
  }
  return proposals;
}

/** As the shell says, else as the terminal does. */
function widthOf({ io }: Session): number {
  const said = Number(io.env("COLUMNS"));
  if (Number.isInteger(said) && said > 0) return said;
  return io.terminal.width?.() ?? USUAL_WIDTH;
}
