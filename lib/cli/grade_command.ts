/**
 * `grade`: what do recorded runs deserve? Reads JSONL as a stream, judges each run against its own
 * before-state by the same judges, gate and reports as `run`; it runs nothing and writes no run
 * files. A run of an unknown scenario, of another scenario hash or that cannot be read stops it.
 */
import { readRuns } from "../load/runs.ts";
import { EXIT } from "../model/exit.ts";
import type { Evidence } from "../model/gate.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import { hashState } from "../model/hash.ts";
import { FILES, isObject, type State } from "../model/json.ts";
import { GIT, MODES } from "../model/workspace.ts";
import { hasErrors, type Problem } from "../model/problem.ts";
import type { Change, Run, RunMode } from "../model/run.ts";
import { Collector } from "./collect.ts";
import {
  commitOf,
  finish,
  type Judges,
  type JudgingOptions,
  loadJudges,
  reportFolder,
  versionsOf,
  withLock,
} from "./judging.ts";
import { conclude, judge } from "./pipeline.ts";
import { programOf } from "./reproduce.ts";
import { loadSelected } from "./remembered_loads.ts";
import {
  fromRoot,
  join,
  openSession,
  printProblems,
  refuse,
  type Session,
  sourceOf,
} from "./session.ts";
import { skippedTrial } from "./skipped.ts";

/** How many problems of a runs file are told before the reading stops. */
const PROBLEMS_MAX = 50;

/** What was seen in the runs that were read. */
interface Seen {
  readonly modes: Set<RunMode>;
  readonly models: Set<string>;
  readonly agents: Set<string>;
  readonly missing: Set<"wrote" | "usage" | "times">;
  /** Where each trial of each scenario was first seen. */
  readonly trials: Map<string, string>;
}

/** Runs the command; resolves to its exit code. */
export async function gradeCommand(
  io: Session["io"],
  files: readonly string[],
  options: JudgingOptions,
): Promise<number> {
  const session = await openSession(io, { remembers: true });
  if (typeof session === "number") return session;
  const { project } = session;
  const loaded = await loadSelected(sourceOf(session), { paths: [], only: options.only });
  await printProblems(io, loaded.problems, project.root);
  if (hasErrors(loaded.problems)) return EXIT.usage;
  const judges = await loadJudges(session, options);
  if (typeof judges === "number") return judges;
  const grading = {
    session,
    options,
    judges,
    scenarios: loaded.scenarios,
    known: new Set(loaded.all.map(({ id }) => id)),
    partial: loaded.scenarios.length < loaded.all.length,
  };
  return await withLock(session, options.wait === true, () => gradeFiles(grading, files));
}

interface Grading {
  readonly session: Session;
  readonly options: JudgingOptions;
  readonly judges: Judges;
  readonly scenarios: readonly LoadedScenario[];
  readonly known: ReadonlySet<string>;
  readonly partial: boolean;
}

async function gradeFiles(grading: Grading, files: readonly string[]): Promise<number> {
  const { session, options, judges, scenarios } = grading;
  const { io, project } = session;
  const collected = new Collector(programOf(io));
  const seen: Seen = {
    modes: new Set(),
    models: new Set(),
    agents: new Set(),
    missing: new Set(),
    trials: new Map(),
  };
  const problems: Problem[] = [];
  for (const file of files) {
    problems.push(...await gradeFile(grading, join(io.cwd, file), { collected, seen }));
  }
  if (problems.length === 0 && collected.scores.length === 0) {
    return refuse(io, "No run to grade in the named files", "name a JSONL file with runs");
  }
  if (problems.length > 0) {
    await printProblems(io, problems, project.root);
    return EXIT.usage;
  }
  for (const loaded of scenarios) {
    if (!collected.has(loaded.scenario.id)) collected.add(await skippedTrial(session, loaded));
  }
  const time = io.clock.now();
  const evidence = evidenceOf(seen);
  const versions = await versionsOf(session, scenarios, {
    ...versionsSeen(seen),
    ...commitOf(judges),
  }, options.note);
  const folder = await reportFolder(session, options.out, {
    time,
    commit: versions["commit"] ?? null,
  });
  if (folder === null) {
    return refuse(io, `Folder "${options.out}" is not empty`, "name a new folder with --out");
  }
  const report = await conclude(collected, {
    ...judges,
    mode: "recorded",
    evidence,
    partial: grading.partial,
    strict: options.strict === true,
    ids: scenarios.map((loaded) => loaded.scenario.id),
    config: project.config,
    command: "grade",
    time,
    versions,
    limits: ["graded_elsewhere", ...seen.missing, ...(grading.partial ? ["selection"] : [])],
  });
  return await finish(session, { report, folder, json: options.json === true });
}

async function gradeFile(
  grading: Grading,
  path: string,
  into: { readonly collected: Collector; readonly seen: Seen },
): Promise<Problem[]> {
  const { session, scenarios } = grading;
  const { io, project } = session;
  const byId = new Map(scenarios.map((loaded) => [loaded.scenario.id, loaded]));
  const name = fromRoot(project.root, path);
  const problems: Problem[] = [];
  for await (const entry of readRuns(io.files, project, path)) {
    if (problems.length >= PROBLEMS_MAX) break;
    if ("problem" in entry) {
      problems.push(entry.problem);
      continue;
    }
    const loaded = byId.get(entry.run.scenario);
    if (loaded === undefined && grading.known.has(entry.run.scenario)) continue;
    const problem = mismatch(entry, loaded, name) ?? repeated(entry, name, into.seen.trials) ??
      otherWorld(entry, loaded, { session, file: name });
    if (problem !== null || loaded === undefined) {
      if (problem !== null) problems.push(problem);
      continue;
    }
    note(entry.run, into.seen);
    into.collected.add(
      await judge(loaded, entry.run, {
        config: project.config,
        place: `${name}:${entry.line}`,
        ...(entry.changes === undefined ? {} : { changes: entry.changes }),
      }),
    );
  }
  return problems;
}

/** A trial counts once: copies of a good run must not thin out a bad one. */
function repeated(
  { run, line }: { readonly run: Run; readonly line: number },
  file: string,
  trials: Map<string, string>,
): Problem | null {
  const key = JSON.stringify([run.scenario, run.trial]);
  const first = trials.get(key);
  trials.set(key, first ?? `${file}:${line}`);
  if (first === undefined) return null;
  return {
    ...placeOf(file, line),
    code: "repeated-trial",
    what: `Trial ${run.trial} of scenario "${run.scenario}" stands at ${first} already`,
    fix: "number the trials of a scenario from 1, each with its own `trial`",
  };
}

const stateHashes = new WeakMap<State, string>();

/** Runs share their states by reference: each is hashed once. */
function hashOf(state: State): string {
  const known = stateHashes.get(state);
  if (known !== undefined) return known;
  const hash = hashState(state);
  stateHashes.set(state, hash);
  return hash;
}

/** A run that names this very scenario must have begun in its world. */
function otherWorld(
  { run, line }: { readonly run: Run; readonly line: number },
  loaded: LoadedScenario | undefined,
  { session, file }: { readonly session: Session; readonly file: string },
): Problem | null {
  const state = loaded?.state ?? null;
  if (state === null || run.scenarioHash === undefined) return null;
  const onFiles = loaded?.scenario.setup.workspace !== undefined;
  const world = onFiles ? hashState(knownOf(run.state.before, state)) : hashOf(run.state.before);
  if (world === hashOf(state) || world === hashState(session.masker.maskDeep(state))) return null;
  return {
    ...placeOf(file, line),
    code: "other-before-state",
    what: `The run of scenario "${run.scenario}" did not begin in the scenario's world`,
    fix: "record it again from the scenario's state, or leave its scenarioHash out",
  };
}

/** What a folder holds besides the scenario's own files (its repository, an agent's files) is no other world. */
function knownOf(before: State, { [FILES]: wanted }: State): State {
  const { [GIT]: _git, [MODES]: _modes, [FILES]: files, ...rest } = before;
  if (!isObject(files) || !isObject(wanted)) return before;
  const known = Object.entries(files).filter(([path]) => Object.hasOwn(wanted, path));
  return { ...rest, [FILES]: Object.fromEntries(known) };
}

function placeOf(
  file: string,
  line: number,
): Pick<Problem, "severity" | "file" | "line" | "col" | "length"> {
  return { severity: "error", file, line, col: 1, length: 1 };
}

function mismatch(
  { run, line }: { readonly run: Run; readonly line: number; readonly changes?: readonly Change[] },
  loaded: LoadedScenario | undefined,
  file: string,
): Problem | null {
  const at = placeOf(file, line);
  if (loaded === undefined) {
    return {
      ...at,
      code: "unknown-scenario",
      what: `Run of scenario "${run.scenario}", which this project does not have`,
      fix: "grade it in its own project, or take the line out",
    };
  }
  if (run.scenarioHash !== undefined && run.scenarioHash !== loaded.hash) {
    return {
      ...at,
      code: "other-scenario-hash",
      what: `Run of another version of scenario "${run.scenario}"`,
      fix: `record it again: the scenario, its tools or its state changed since (${loaded.hash})`,
    };
  }
  return null;
}

function note(run: Run, seen: Seen): void {
  seen.modes.add(run.mode);
  seen.agents.add(run.agent.name);
  if (run.agent.model !== undefined) seen.models.add(run.agent.model);
  if (run.usage === undefined) seen.missing.add("usage");
  for (const event of run.events) {
    if (event.atMs === undefined) seen.missing.add("times");
    if (event.kind === "call" && event.wrote === undefined) seen.missing.add("wrote");
  }
}

function evidenceOf({ modes }: Seen): Evidence {
  if (modes.has("replay")) return "self_test";
  return modes.has("recorded") ? "recorded" : "live";
}

function versionsSeen({ agents, models }: Seen): Record<string, string | null> {
  return {
    agent: [...agents].sort().join(", ") || null,
    model: [...models].sort().join(", ") || null,
  };
}
