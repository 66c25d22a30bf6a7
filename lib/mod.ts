/**
 * How does another program use Collaudo? `run` a suite to a report, `runOne` scenario to its run
 * and verdict, `evaluate` a run that was recorded elsewhere. The command line does the same through
 * the same functions. Problems in files are thrown as one Error whose message lists them all.
 */
import { createIo } from "./io/real.ts";
import { chooseAgents, chooseRecording } from "./cli/agents.ts";
import { judge } from "./cli/pipeline.ts";
import { play } from "./cli/play.ts";
import { writeReport } from "./cli/report_files.ts";
import { openSession, printProblems, type Session } from "./cli/session.ts";
import { planRuns, type RunOptions as SuiteOptions, runPlan } from "./cli/suite.ts";
import { loadScenarios } from "./load/scenarios.ts";
import type { LoadedScenario } from "./model/loaded.ts";
import type { Io } from "./model/ports.ts";
import { hasErrors } from "./model/problem.ts";
import type { Report } from "./model/report.ts";
import type { Run } from "./model/run.ts";
import type { RunVerdict } from "./model/verdict.ts";

export type { Report } from "./model/report.ts";
export type { Run } from "./model/run.ts";
export type { Scenario } from "./model/scenario.ts";
export type { RunVerdict } from "./model/verdict.ts";

/** What may be chosen; everything has the default of the command line. */
export interface Options extends Partial<Omit<SuiteOptions, "dryRun" | "json" | "wait">> {
  /** Folder inside the project; default the current one. */
  readonly cwd?: string;
}

/** Loads, runs, judges, decides; paths are files, folders or globs, none means all. */
export async function run(scenarios: readonly string[], options: Options = {}): Promise<Report> {
  const { session, said } = await open(options);
  const plan = await planRuns(session, scenarios, defaults(options));
  if (typeof plan === "number") throw new Error(said());
  const ended = await runPlan(plan, () => {});
  if (typeof ended === "number") throw new Error(said());
  const report = session.masker.maskDeep(ended.report);
  if (options.write !== false) await writeReport(session, ended.folder, report);
  return report;
}

/** Runs one scenario once, given by its file or id; useful while writing it. */
export async function runOne(
  scenario: string,
  options: Options = {},
): Promise<{ readonly run: Run; readonly verdict: RunVerdict }> {
  const { session, said } = await open(options);
  const loaded = await loadOne(session, scenario, said);
  const agents = await chooseAgents(session, [loaded], options.agent ?? null);
  if ("what" in agents) throw new Error(agents.what);
  const agent = agents.get(loaded.scenario.id);
  if (agent === undefined) throw new Error(`Scenario "${scenario}" has no agent`);
  const mode = options.mode ?? "replay";
  const recording = mode === "live" ? null : chooseRecording(loaded, options.recording ?? null);
  const played = await play({ session, loaded, agent, mode, recording, trial: 1 });
  const { verdict } = await judge(loaded, played, { config: session.project.config, place: null });
  return { run: played, verdict };
}

/** Judges a run of a scenario, given by its file or id, without running anything. */
export async function evaluate(
  scenario: string,
  recorded: Run,
  options: Pick<Options, "cwd"> = {},
): Promise<RunVerdict> {
  const { session, said } = await open(options);
  const loaded = await loadOne(session, scenario, said);
  const judged = await judge(loaded, recorded, { config: session.project.config, place: null });
  return judged.verdict;
}

async function open(options: Options): Promise<{ session: Session; said: () => string }> {
  const lines: string[] = [];
  const real = createIo(undefined);
  const io: Io = {
    ...real,
    cwd: options.cwd ?? real.cwd,
    terminal: {
      out: () => {},
      err: (text) => lines.push(text),
      outIsTerminal: false,
      errIsTerminal: false,
    },
  };
  const said = () => lines.join("");
  const session = await openSession(io);
  if (typeof session === "number") throw new Error(said());
  return { session, said };
}

async function loadOne(
  session: Session,
  scenario: string,
  said: () => string,
): Promise<LoadedScenario> {
  const byFile = /[/.]/.test(scenario);
  const { scenarios, problems } = await loadScenarios(session.io.files, session.project, {
    paths: byFile ? [scenario.startsWith("/") ? scenario : `${session.io.cwd}/${scenario}`] : [],
    only: byFile ? [] : [scenario],
  });
  if (hasErrors(problems)) {
    await printProblems(session.io, problems, session.project.root);
    throw new Error(said());
  }
  const [loaded] = scenarios;
  if (loaded === undefined || scenarios.length > 1) {
    throw new Error(`Expected one scenario for "${scenario}", found ${scenarios.length}`);
  }
  return loaded;
}

function defaults(options: Options): SuiteOptions {
  return { mode: "replay", only: [], note: [], trials: 1, jobs: 1, ...options };
}
