/**
 * `plan`: what drop can a live run of so many trials find, what does it cost and how long does it
 * take? From the suite's size and its newest live reports; without any it says so. Runs nothing.
 */
import { loadReport } from "../load/report.ts";
import { loadScenarios } from "../load/scenarios.ts";
import {
  type PlanRow,
  planRow,
  planTrials,
  type SuiteHistory,
  trialsWithin,
} from "../measure/plan.ts";
import { EXIT } from "../model/exit.ts";
import { hasErrors } from "../model/problem.ts";
import type { Report } from "../model/report.ts";
import { renderPlan } from "../report/plan.ts";
import { programOf } from "./reproduce.ts";
import { join, openSession, printProblems, refuse, type Session } from "./session.ts";

/** The options of `plan`, as commander gives them. */
export interface PlanOptions {
  readonly only: string[];
  readonly budgetEur?: number;
  readonly budgetMinutes?: number;
  readonly json?: boolean;
}

/** Live reports that are looked at, the newest first. */
const REPORTS_MAX = 10;

/** Folders that are looked at for them. */
const FOLDERS_MAX = 100;

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
  const history = historyOf(await liveReports(session), ids);
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

async function liveReports({ io, project }: Session): Promise<Report[]> {
  const folder = join(project.root, "reports/runs");
  const folders = (await io.files.list(folder)).filter(({ kind }) => kind === "folder");
  const reports: Report[] = [];
  for (const { name } of folders.reverse().slice(0, FOLDERS_MAX)) {
    if (reports.length >= REPORTS_MAX) break;
    const path = `${folder}/${name}/report.json`;
    if (await io.files.stat(path) === null) continue;
    const { report } = await loadReport(io.files, project, path);
    if (report?.mode === "live") reports.push(report);
  }
  return reports;
}

/** One trial of every scenario, each as the newest live runs of it were in the mean. */
function historyOf(reports: readonly Report[], ids: readonly string[]): SuiteHistory {
  const trials = reports.flatMap(({ scenarios }) =>
    scenarios.flatMap((one) => one.trials.map(({ score }) => score))
  );
  const byScenario = Map.groupBy(trials, ({ scenario }) => scenario);
  const total = (of: (score: (typeof trials)[number]) => number | null) => {
    let sum = 0;
    for (const id of ids) {
      const known = (byScenario.get(id) ?? []).map(of).filter((value) => value !== null);
      if (known.length === 0) return null;
      sum += known.reduce((all, value) => all + value, 0) / known.length;
    }
    return ids.length === 0 ? null : sum;
  };
  const graded = trials.filter(({ verdict, scenario }) =>
    (verdict === "passed" || verdict === "failed") && ids.includes(scenario)
  );
  const latencyMs = total(({ latencyMs }) => latencyMs);
  return {
    runs: reports.length,
    success: graded.length === 0
      ? null
      : graded.filter(({ verdict }) => verdict === "passed").length / graded.length,
    cost: total(({ cost }) => cost),
    minutes: latencyMs === null ? null : latencyMs / 60_000,
  };
}
