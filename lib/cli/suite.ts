/**
 * What happens between options and a report? Loads and checks everything before anything runs, runs
 * every trial (in parallel where `jobs` says so, told in fixed order), and concludes. Used by the
 * command line and by other programs through `lib/mod.ts`.
 */
import type { Config, ModelConfig } from "../model/config.ts";
import { EXIT } from "../model/exit.ts";
import type { Evidence } from "../model/gate.ts";
import { hashText } from "../model/hash.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import { hasErrors } from "../model/problem.ts";
import type { Report } from "../model/report.ts";
import type { RunMode } from "../model/run.ts";
import {
  chooseAgents,
  chooseRecording,
  type ChosenAgent,
  reachModel,
  type Refusal,
} from "./agents.ts";
import { addChecks } from "./agent_checks.ts";
import { unfitPrograms } from "./agent_plan.ts";
import { Collector, type JudgedRun } from "./collect.ts";
import {
  commitOf,
  type Judges,
  type JudgingOptions,
  loadJudges,
  reportFolder,
  versionsOf,
} from "./judging.ts";
import { conclude, judge } from "./pipeline.ts";
import { runFolder, writeRun } from "./report_files.ts";
import { unfitListener } from "./http_access.ts";
import { failedLast } from "./last_report.ts";
import { type Play, play, skippedRun } from "./play.ts";
import { agentsProgram, programOf } from "./reproduce.ts";
import { loadSelected } from "./remembered_loads.ts";
import { createFormat } from "../report/format.ts";
import { wordsOf } from "../report/words.ts";
import { type Playable, playableHere, refusedHere } from "./needs_programs.ts";
import { join, printProblems, refuse, type Session, sourceOf } from "./session.ts";
import { interleaved, trialsOf } from "./trial_order.ts";
import { unknownWord } from "./unknown_word.ts";

/** The options of `run`, as commander gives them. */
export interface RunOptions extends JudgingOptions {
  /** False: no file is written. */
  readonly write?: boolean;
  readonly mode: "replay" | "live";
  readonly agent?: string;
  readonly recording?: string;
  /** Absent: the gate's in live mode, else one. */
  readonly trials?: number;
  readonly jobs: number;
  readonly budgetEur?: number;
  /** No run starts once so many minutes went by. */
  readonly budgetMinutes?: number;
  readonly rerunFailed?: boolean;
  readonly dryRun?: boolean;
  /** Scenarios that must be judged even where this task cannot play them; absent: those that paths or `only` select. */
  readonly insisted?: (id: string) => boolean;
  /** No run starts after this moment of the monotonic clock, in milliseconds. */
  readonly deadlineMs?: number;
  /** True for scenario and tools files that were checked before, as they are. */
  readonly sound?: (file: string) => boolean;
}

/** Everything that was chosen before the first run starts. */
export interface Plan {
  readonly session: Session;
  readonly options: RunOptions;
  readonly scenarios: readonly LoadedScenario[];
  readonly agents: ReadonlyMap<string, ChosenAgent>;
  readonly judges: Judges;
  readonly partial: boolean;
  /** Ids of scenarios that this task cannot play: told as skipped. */
  readonly unplayable: ReadonlySet<string>;
}

/** Chooses and checks everything before the first run; an exit code where it cannot start. */
export async function planRuns(
  session: Session,
  paths: readonly string[],
  options: RunOptions,
): Promise<Plan | number> {
  const { io, project } = session;
  const word = await unknownWord(io, paths);
  if (word !== null) return refuse(io, word.what, word.fix);
  const only = [...options.only];
  if (options.rerunFailed === true) {
    const failed = await failedLast(session);
    if ("what" in failed) return refuse(io, failed.what, failed.fix);
    only.push(...failed.ids);
  }
  const absolute = paths.map((path) => join(io.cwd, path));
  const recordings = recordingsNeeded(options);
  const { sound } = options;
  const selection = { paths: absolute, only, recordings, ...(sound ? { sound } : {}) };
  const loaded = await loadSelected(sourceOf(session), selection);
  await printProblems(io, loaded.problems, project.root);
  if (hasErrors(loaded.problems)) return EXIT.usage;
  const judges = await loadJudges(session, options);
  if (typeof judges === "number") return judges;
  const agents = await chooseAgents(session, loaded.scenarios, options.agent ?? null);
  if ("what" in agents) return refuse(io, agents.what, agents.fix);
  const wanted = options.recording;
  if (wanted !== undefined && !loaded.scenarios.some((each) => hasRecording(each, wanted))) {
    return refuse(
      io,
      `No selected scenario has a recording "${wanted}"`,
      "see fixtures/recordings",
    );
  }
  const named = options.insisted ?? (asksForSome(paths, options) ? () => true : () => false);
  const playable = playableHere(session, loaded.scenarios, { insisted: named, agents });
  const refused = options.insisted === undefined ? refusedHere(session, playable, agents) : null;
  if (refused !== null) return refuse(io, refused.what, refused.fix);
  if (playable.leftOut.length > 0) tellLeftOut(session, playable.leftOut.length);
  const unready = await unfitPrograms(session, agentsOf(playable, agents), options);
  if (unready !== null) return refuse(io, unready.what, unready.fix);
  const unfit = options.mode === "live" ? unfitForLive(session, options, agents) : null;
  if (unfit !== null) return refuse(io, unfit.what, unfit.fix);
  const { scenarios, unplayable } = playable;
  const partial = scenarios.length < loaded.all.length;
  return { session, options, scenarios, agents, judges, partial, unplayable };
}

/** The agents of what is played here. */
function agentsOf(
  { scenarios, unplayable }: Playable,
  agents: ReadonlyMap<string, ChosenAgent>,
): ChosenAgent[] {
  return scenarios.flatMap(({ scenario: { id } }) =>
    unplayable.has(id) ? [] : agents.get(id) ?? []
  );
}

function asksForSome(paths: readonly string[], { only, agent, rerunFailed }: RunOptions): boolean {
  return paths.length > 0 || only.length > 0 || agent !== undefined || rerunFailed === true;
}

/** Said before anything runs: what is left out here would else look like a pass. */
export function tellLeftOut({ io, project }: Session, count: number): void {
  const { locale, zone, currency } = project.config;
  const format = createFormat(locale, zone, currency);
  const words = wordsOf(locale).leftOut(format, count, agentsProgram(io).replay);
  io.terminal.err(`${words}\n`);
}

/** Why a live run cannot begin: a model without address or key, a budget without a price; else null. */
export function unfitForLive(
  session: Session,
  { budgetEur }: Pick<RunOptions, "budgetEur">,
  agents: ReadonlyMap<string, ChosenAgent>,
): Refusal | null {
  for (const { name, model, config } of new Set(agents.values())) {
    if (config.kind === "command" && model === null) continue;
    if (config.kind === "http") {
      const unfit = unfitListener(session, { name, config }, budgetEur !== undefined);
      if (unfit !== null) return unfit;
      continue;
    }
    if (model === null) {
      return {
        what: `Agent "${name}" has no model to ask`,
        fix: "name a model of collaudo.yaml in the agent's `model`",
      };
    }
    const reached = reachModel(session, model);
    if ("what" in reached) return reached;
    if (budgetEur !== undefined && !hasCostInEur(session.project.config, model)) {
      return {
        what: `A budget in EUR cannot be kept: what model "${model.name}" costs in EUR is unknown`,
        fix: "give the model a `price` in collaudo.yaml, and a dated rate where it is not in EUR",
      };
    }
  }
  return null;
}

function hasCostInEur({ rates }: Config, { price, billing }: ModelConfig): boolean {
  if (billing === "free") return true;
  if (price === undefined || billing === "subscription") return false;
  return price.currency === "EUR" ||
    rates.some((rate) => rate.from === price.currency && rate.to === "EUR");
}

/** A live run plays none; a replay `pass` and the one that is named. */
function recordingsNeeded({ mode, recording }: RunOptions): string[] {
  return mode === "live" ? [] : recording === undefined ? ["pass"] : ["pass", recording];
}

function hasRecording(loaded: LoadedScenario, name: string): boolean {
  return loaded.recordings.some((each) => each.name === name);
}

/** A finished run of the suite: its report, not yet written, and the folder that is its. */
export interface SuiteRun {
  readonly report: Report;
  readonly folder: string;
}

/** Runs a plan to its report, writing run files into its folder; an exit code where it has none. */
export async function runPlan(
  plan: Plan,
  told: (judged: JudgedRun) => void,
): Promise<SuiteRun | number> {
  const { session, options, judges } = plan;
  const { io, project } = session;
  const time = io.clock.now();
  const plays = playsOf(plan, time);
  const versions = await versionsOf(session, plan.scenarios, {
    ...agentVersions(plan),
    ...commitOf(judges),
    ...(isMixed(plan) ? { order: time } : {}),
  }, options.note);
  const commit = versions["commit"] ?? null;
  const folder = await reportFolder(session, options.out, { time, commit });
  if (folder === null) {
    return refuse(io, `Folder "${options.out}" is not empty`, "name a new folder with --out");
  }
  const collected = new Collector(startsPrograms(plan) ? agentsProgram(io) : programOf(io));
  await runAll(withDeadline(plan), { folder, plays }, (judged) => {
    collected.add(judged);
    told(judged);
  });
  const isCut = collected.scores.some(({ verdict }) => verdict === "skipped");
  const report = await conclude(collected, {
    ...judges,
    mode: options.mode,
    evidence: evidenceOf(plan),
    partial: plan.partial || isCut,
    strict: options.strict === true,
    ids: plan.scenarios.map((loaded) => loaded.scenario.id),
    config: project.config,
    command: "run",
    time,
    versions,
    limits: [...(isCut ? ["cut_short"] : []), ...limitsOf(options.mode, plan)],
    budgets: {
      ...(options.budgetEur === undefined ? {} : { budgetEur: options.budgetEur }),
      ...(options.budgetMinutes === undefined ? {} : { budgetMinutes: options.budgetMinutes }),
    },
  });
  return { report, folder };
}

function startsPrograms({ agents }: Plan): boolean {
  return [...agents.values()].some(({ config }) => config.kind === "command");
}

/** The plan with the moment at which its budget of minutes is used up, counted from now. */
function withDeadline(plan: Plan): Plan {
  const { session, options } = plan;
  if (options.budgetMinutes === undefined) return plan;
  const byBudget = session.io.clock.monotonicMs() + options.budgetMinutes * 60_000;
  const deadlineMs = Math.min(byBudget, options.deadlineMs ?? Infinity);
  return { ...plan, options: { ...options, deadlineMs } };
}

/** Runs every trial of every scenario, at most `jobs` at a time; tells them in their fixed order. */
async function runAll(
  plan: Plan,
  { folder, plays }: { readonly folder: string; readonly plays: readonly Play[] },
  told: (judged: JudgedRun) => void,
): Promise<void> {
  const done: (JudgedRun | undefined)[] = plays.map(() => undefined);
  let next = 0;
  let shown = 0;
  let spent: number | null = 0;
  const work = async () => {
    while (next < plays.length) {
      const index = next++;
      const one = plays[index];
      if (one === undefined) return;
      const stop = plan.unplayable.has(one.loaded.scenario.id)
        ? NEEDS_PROGRAMS
        : stopReason(plan, spent);
      const artifacts = plan.options.write === false ? null : runFolder(folder, one);
      const run = stop === null ? await play({ ...one, artifacts }) : skippedRun(one, stop);
      const place = stop === null && plan.options.write !== false
        ? await writeRun(plan.session, folder, run)
        : null;
      const judged = await judge(one.loaded, run, {
        config: plan.session.project.config,
        place,
        skipped: stop !== null || plan.session.io.interrupted.aborted,
      });
      if (artifacts !== null && one.agent.config.kind === "command") {
        await addChecks(plan.session, artifacts, judged);
      }
      const cost = judged.verdict.usage.costEur;
      if (stop === null) spent = spent === null || cost === null ? null : spent + cost;
      done[index] = judged;
      for (let each = done[shown]; each !== undefined; each = done[++shown]) told(each);
    }
  };
  await Promise.all(Array.from({ length: Math.min(plan.options.jobs, plays.length) }, work));
}

const NEEDS_PROGRAMS = "it works on real files, and this task starts no programs but git";

function stopReason({ session, options }: Plan, spent: number | null): string | null {
  if (session.io.interrupted.aborted) return "interrupted";
  const { deadlineMs } = options;
  if (deadlineMs !== undefined && session.io.clock.monotonicMs() > deadlineMs) {
    return options.budgetMinutes === undefined
      ? "the time for it was used up"
      : `budget of ${options.budgetMinutes} minutes reached`;
  }
  if (options.budgetEur === undefined) return null;
  if (spent === null) return "cost unknown, so the budget cannot be kept";
  return spent >= options.budgetEur ? `budget of ${options.budgetEur} EUR reached` : null;
}

/** True where chance has a part in it, so that the order of the runs could too. */
function isMixed({ options, scenarios, judges }: Plan): boolean {
  return options.mode === "live" ||
    scenarios.some(({ scenario }) => trialsOf(options, judges.gate, scenario) > 1);
}

/** Every trial of every scenario; the time of the run is the seed of their order. */
function playsOf(plan: Plan, seed: string): Play[] {
  const { session, options, judges } = plan;
  const plays = plan.scenarios.flatMap((loaded) => {
    const agent = plan.agents.get(loaded.scenario.id);
    if (agent === undefined) return [];
    const recording = options.mode === "live"
      ? null
      : chooseRecording(loaded, options.recording ?? null);
    const trials = trialsOf(options, judges.gate, loaded.scenario);
    return Array.from({ length: trials }, (_, index) => ({
      session,
      loaded,
      agent,
      mode: options.mode,
      recording,
      trial: index + 1,
    }));
  });
  return isMixed(plan) ? interleaved(plays, seed) : plays;
}

/** Handmade recordings test the harness, not a model; one handmade recording makes it a self-test. */
function evidenceOf({ options, scenarios }: Plan): Evidence {
  if (options.mode === "live") return "live";
  const recorded = scenarios.every((loaded) =>
    chooseRecording(loaded, options.recording ?? null)?.recording.origin === "recorded"
  );
  return recorded ? "recorded" : "self_test";
}

function limitsOf(mode: RunMode, plan: Plan): string[] {
  const limits = mode === "live" ? [] : ["replay_proves_no_model"];
  if (evidenceOf(plan) === "self_test") limits.push("self_test");
  if (plan.partial) limits.push("selection");
  if (plan.scenarios.some((loaded) => loaded.scenario.expected.rubric.length > 0)) {
    limits.push("rubric_not_judged");
  }
  return limits;
}

function agentVersions({ agents, session }: Plan): Record<string, string | null> {
  const used = [...new Set(agents.values())];
  const join = (parts: (string | null)[]) =>
    [...new Set(parts.filter((part) => part !== null))].sort().join(", ") || null;
  return {
    agent: join(used.map((agent) => agent.name)),
    model: join(used.map((agent) => agent.modelName)),
    prompt: join(used.map((agent) => agent.system === null ? null : hashText(agent.system))),
    prices: join(used.map((agent) => agent.model?.price?.as_of ?? null)),
    locale: session.project.config.locale,
  };
}
