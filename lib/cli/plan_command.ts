/**
 * `plan`: what drop can a live run of so many trials find, what does it cost and how long does it
 * take? From the suite's size and its newest live runs in the history; without any it says so. Runs nothing.
 */
import { loadScenarios } from "../load/scenarios.ts";
import {
  type PlanRow,
  planRow,
  planTrials,
  type SuiteHistory,
  trialsWithin,
} from "../measure/plan.ts";
import { EXIT } from "../model/exit.ts";
import type { Outcome } from "../model/history.ts";
import { hasErrors } from "../model/problem.ts";
import { renderPlan } from "../report/plan.ts";
import { askHistory } from "./history.ts";
import { programOf } from "./reproduce.ts";
import { join, openSession, printProblems, refuse, type Session } from "./session.ts";

/** The options of `plan`, as commander gives them. */
export interface PlanOptions {
  readonly only: string[];
  readonly budgetEur?: number;
  readonly budgetMinutes?: number;
  readonly json?: boolean;
}

/** Live runs that are looked at, the newest ones. */
const RUNS_MAX = 10;

/** Runs the command; resolves to its exit code. */
export async function planCommand(
  io: Session["io"],
  paths: readonly string[],
  options: PlanOptions,
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const { project } = session;
  const { currency, locale } = project.config;
  if (options.budgetEur !== undefined && currency !== "EUR") {
    return refuse(io, `Costs are counted in ${currency}`, "set `currency: EUR` in collaudo.yaml");
  }
  const loaded = await loadScenarios(io.files, project, {
    paths: paths.map((path) => join(io.cwd, path)),
    only: options.only,
    recordings: [],
  });
  await printProblems(io, loaded.problems, project.root);
  if (hasErrors(loaded.problems)) return EXIT.usage;
  const stable = loaded.scenarios.filter(({ scenario }) => scenario.lifecycle === "stable");
  const ids = loaded.scenarios.map(({ scenario }) => scenario.id);
  const outcomes = await askHistory(session, (file) => file.outcomes("live", RUNS_MAX));
  const history = historyOf(outcomes, ids, currency);
  const budget = { cost: options.budgetEur ?? null, minutes: options.budgetMinutes ?? null };
  const trials = trialsWithin(history, budget);
  const rows = planTrials(stable.length, history);
  const chosen: PlanRow | null = trials === null
    ? null
    : planRow(stable.length, history, Math.max(1, trials));
  const told = {
    scenarios: stable.length,
    runs: history.runs,
    currency,
    rows,
    budget: options.budgetEur !== undefined || options.budgetMinutes !== undefined,
    chosen: chosen === null ? null : { ...chosen, trials: trials ?? 0 },
    command: programOf(io).live,
  };
  io.terminal.out(options.json === true ? `${JSON.stringify(told)}\n` : renderPlan(told, locale));
  return EXIT.ok;
}

/** One trial of every scenario, each as the newest live runs of it were in the mean. */
function historyOf(
  outcomes: readonly Outcome[],
  ids: readonly string[],
  currency: string,
): SuiteHistory {
  const byScenario = Map.groupBy(outcomes, ({ id }) => id);
  const total = (of: (one: Outcome) => number | null) => {
    let sum = 0;
    for (const id of ids) {
      const known = (byScenario.get(id) ?? []).map(of).filter((value) => value !== null);
      if (known.length === 0) return null;
      sum += known.reduce((all, value) => all + value, 0) / known.length;
    }
    return ids.length === 0 ? null : sum;
  };
  const mine = outcomes.filter(({ id }) => ids.includes(id));
  const passed = mine.reduce((sum, one) => sum + one.passed, 0);
  const graded = mine.reduce((sum, one) => sum + one.passed + one.failed, 0);
  const latencyMs = total((one) => one.latencyMs);
  return {
    runs: new Set(outcomes.map(({ folder, time }) => `${folder} ${time}`)).size,
    success: graded === 0 ? null : passed / graded,
    cost: total((one) => one.currency === currency ? one.cost : null),
    minutes: latencyMs === null ? null : latencyMs / 60_000,
  };
}
