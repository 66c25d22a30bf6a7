/**
 * `validate`: can the suite be trusted? All static checks of all files; then every recording must
 * do what it says, for the reason that it names, and the built-in bad agents must fail everywhere.
 * Runs no agent of the owner's; exits 0 or 2.
 */
import { loadScenarios } from "../load/scenarios.ts";
import { recordingProblems } from "../load/recordings.ts";
import { dayIn } from "../model/day.ts";
import { EXIT } from "../model/exit.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { Problem } from "../model/problem.ts";
import { createFormat } from "../report/format.ts";
import { validateWords } from "../report/words_validate.ts";
import { BAD_AGENTS } from "../run/bad_agents.ts";
import { replayModel } from "../run/replay_model.ts";
import type { Model } from "../model/ports.ts";
import type { RunVerdict } from "../model/verdict.ts";
import { chooseAgents, type ChosenAgent } from "./agents.ts";
import { gateProblems } from "./gate_versions.ts";
import { loadJudges } from "./judging.ts";
import { judge } from "./pipeline.ts";
import { needsPrograms, playWith } from "./play.ts";
import { join, openSession, printProblems, refuse, type Session } from "./session.ts";

/** The options of `validate`, as commander gives them. */
export interface ValidateOptions {
  readonly only: string[];
  readonly gate?: string;
  readonly json?: boolean;
  readonly strength?: boolean;
}

/** Runs the command; resolves to its exit code. */
export async function validateCommand(
  io: Session["io"],
  paths: readonly string[],
  options: ValidateOptions,
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const { project } = session;
  const loaded = await loadScenarios(io.files, project, {
    paths: paths.map((path) => join(io.cwd, path)),
    only: options.only,
  });
  const judges = await loadJudges(session, { ...options, alone: true });
  const problems = [
    ...session.warnings ?? [],
    ...loaded.problems,
    ...await gateProblems(session, typeof judges === "number" ? null : judges.gateFile),
    ...loaded.scenarios.flatMap((each) => expiredProblems(session, each)),
  ];
  const agents = await chooseAgents(session, loaded.scenarios, null);
  if ("what" in agents) return refuse(io, agents.what, agents.fix);
  let recordings = 0;
  const unproved: LoadedScenario[] = [];
  for (const each of loaded.scenarios) {
    problems.push(...recordingProblems(each));
    recordings += each.recordings.length;
    const agent = agents.get(each.scenario.id);
    if (agent === undefined) continue;
    if (needsPrograms(each) && !io.children.mayStart()) unproved.push(each);
    else problems.push(...await proveScenario(session, each, agent));
  }
  problems.push(...unproved.map(unprovedNotice));
  const errors = await printProblems(io, problems, project.root);
  if (options.json === true && options.strength !== true) {
    io.terminal.out(`${JSON.stringify({ problems }, null, 1)}\n`);
  }
  const sound = errors === 0 && typeof judges !== "number";
  if (sound && options.json !== true) tellValid(session, loaded.scenarios, recordings);
  if (options.strength === true) {
    const { printStrength, strengthReport } = await import("./strength_report.ts");
    const { scenarios } = loaded;
    const whole = scenarios.length === loaded.all.length;
    const report = await strengthReport(session, { scenarios, agents, whole });
    if (io.interrupted.aborted) return EXIT.interrupted;
    printStrength(session, report, options.json === true);
  }
  return sound ? EXIT.ok : EXIT.usage;
}

/** Recordings on real files are proved by the task that may start programs, and by no other. */
function unprovedNotice({ file }: LoadedScenario): Problem {
  return {
    ...atFile(file),
    code: "needs-programs",
    severity: "notice",
    what:
      "Its recordings work on real files, and this task starts no programs: they were not played",
    fix: "prove them with `deno task eval:agents validate`",
  };
}

/** An excuse that ran out is none. */
function expiredProblems({ io, project }: Session, { file, scenario }: LoadedScenario): Problem[] {
  const { known_failing: known } = scenario;
  const today = dayIn(project.config.zone, io.clock.now());
  if (known === undefined || known.until >= today) return [];
  return [{
    ...atFile(file),
    code: "known-failing-expired",
    what: `The scenario may be known to fail until ${known.until}, and today is ${today}`,
    fix: `ask ${known.owner}: mend it and write \`lifecycle: stable\`, or set a new day`,
  }];
}

function tellValid(
  { io, project }: Session,
  scenarios: readonly LoadedScenario[],
  recordings: number,
): void {
  const { locale, zone, currency } = project.config;
  const words = validateWords(locale).valid(createFormat(locale, zone, currency), {
    scenarios: scenarios.length,
    recordings,
    badAgents: BAD_AGENTS.length,
  });
  io.terminal.out(`${words}\n`);
}

async function proveScenario(
  session: Session,
  loaded: LoadedScenario,
  agent: ChosenAgent,
): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const recording of loaded.recordings) {
    const player = await playerOf(session, recording, { loaded, agent });
    if (player === null) {
      problems.push(ofProgramNotice(recording));
      continue;
    }
    const verdict = await tryModel(session, {
      loaded,
      agent: player,
      model: replayModel(recording, loaded),
    });
    problems.push(...recordingKeepsWord(recording, verdict));
  }
  for (const bad of BAD_AGENTS) {
    const verdict = await tryModel(session, { loaded, agent, model: bad.model(loaded) });
    if (verdict.verdict === "failed") continue;
    problems.push({
      ...atFile(loaded.file),
      code: "bad-agent-not-failed",
      what: `The bad agent that ${bad.name} is ${verdict.verdict}, wanted failed`,
      fix: "say in `expected` what must have been read, changed, sent or asked about",
    });
  }
  return problems;
}

/** Who plays a recording: the agent that it was recorded of; null where that is none of our own. */
async function playerOf(
  session: Session,
  { recording }: LoadedRecording,
  { loaded, agent }: { readonly loaded: LoadedScenario; readonly agent: ChosenAgent },
): Promise<ChosenAgent | null> {
  const { agents } = session.project.config;
  const name = recording.origin === "recorded" ? recording.agent ?? "" : "";
  const config = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (config === undefined) return agent;
  if (config.kind !== "loop") return null;
  const chosen = await chooseAgents(session, [loaded], name);
  return "what" in chosen ? agent : chosen.get(loaded.scenario.id) ?? agent;
}

function ofProgramNotice({ file, name, recording: { agent } }: LoadedRecording): Problem {
  return {
    ...atFile(file),
    code: "needs-agent",
    severity: "notice",
    what: `Recording "${name}" is one of agent "${agent}", a program of its own: it was not played`,
    fix: `play it with \`deno task eval:agents --agent ${agent} --recording ${name}\``,
  };
}

async function tryModel(
  session: Session,
  { loaded, agent, model }: {
    readonly loaded: LoadedScenario;
    readonly agent: ChosenAgent;
    readonly model: Model;
  },
): Promise<RunVerdict> {
  const run = await playWith({ session, loaded, agent }, model);
  const { verdict } = await judge(loaded, run, { config: session.project.config, place: null });
  return verdict;
}

/** Recording and scenario are not the same conversation. */
const STALE_FIX =
  "add the user turn that is missing to the scenario's conversation, or take the turn out of the recording";

function recordingKeepsWord(loaded: LoadedRecording, verdict: RunVerdict): Problem[] {
  const failed = verdict.conditions.filter((each) => each.verdict === "failed").map((each) =>
    each.id
  );
  const wanted = loaded.recording.fails;
  if (wanted === undefined) {
    if (verdict.verdict === "passed") return [];
    const undecided = verdict.conditions.filter((each) => each.verdict === "errored")
      .map((each) => `${each.id} (undecided: ${String(each.actual)})`);
    return [{
      ...atFile(loaded.file),
      code: "recording-does-not-pass",
      what: `Recording "${loaded.name}" must pass and is ${verdict.verdict}: ${
        [...failed, ...undecided, ...verdict.notes].join(", ") || "no condition failed"
      }`,
      fix: verdict.verdict === "stale"
        ? STALE_FIX
        : "mend the recording, or list the conditions under `fails`",
    }];
  }
  const absent = wanted.filter((id) => !failed.includes(id));
  if (verdict.verdict === "failed" && absent.length === 0) return [];
  return [{
    ...atFile(loaded.file),
    code: "recording-fails-otherwise",
    what: `Recording "${loaded.name}" must fail ${
      absent.map((id) => `"${id}"`).join(", ") || "it"
    } and is ${verdict.verdict}; failed: ${failed.join(", ") || "nothing"}`,
    fix: verdict.verdict === "stale"
      ? STALE_FIX
      : "mend the recording, its `fails`, or the scenario that does not catch it",
  }];
}

function atFile(file: string): Omit<Problem, "code" | "what" | "fix"> {
  return { severity: "error", file, line: 1, col: 1, length: 1 };
}
