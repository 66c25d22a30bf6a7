/**
 * Which scenarios are recorded, with which agents, and which recording of each is meant? In: paths and
 * options. Out: everything that is known before the first run; an exit code where it cannot start.
 * Refuses agents whose model traffic does not come by us: there is nothing to record.
 */
import { loadScenarios } from "../load/scenarios.ts";
import { EXIT } from "../model/exit.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import { hasErrors } from "../model/problem.ts";
import { needsOf } from "./agent_servers.ts";
import { unfitPrograms } from "./agent_plan.ts";
import { chooseAgents, type ChosenAgent, type Refusal } from "./agents.ts";
import { playableHere, refusedHere } from "./needs_programs.ts";
import { join, printProblems, refuse, type Session } from "./session.ts";
import { tellLeftOut } from "./suite.ts";
import { unknownWord } from "./unknown_word.ts";

/** The options of `record`, as commander gives them. */
export interface RecordOptions {
  readonly only: string[];
  readonly stale?: boolean;
  readonly agent?: string;
  readonly budgetEur?: number;
  /** The name under which runs that failed are kept. */
  readonly keepFailed?: string;
  /** True where a recording by hand may be overwritten. */
  readonly replace?: boolean;
  readonly json?: boolean;
  readonly wait?: boolean;
}

/** One scenario to record. */
export interface RecordTask {
  readonly loaded: LoadedScenario;
  readonly agent: ChosenAgent;
  /** True where this task cannot play it. */
  readonly unplayable: boolean;
}

/** The name of the recording that must pass, and that `run` plays. */
export const PASS = "pass";
/** Where a run is kept whose scenario has a `pass` by hand. */
export const BESIDE = "recorded";

/** Chooses and checks everything before the first run. */
export async function planRecord(
  session: Session,
  paths: readonly string[],
  options: RecordOptions,
): Promise<RecordTask[] | number> {
  const { io, project } = session;
  const wrong = await unknownWord(io, paths) ?? wrongName(options.keepFailed);
  if (wrong !== null) return refuse(io, wrong.what, wrong.fix);
  const loaded = await loadScenarios(io.files, project, {
    paths: paths.map((path) => join(io.cwd, path)),
    only: options.only,
  });
  await printProblems(io, loaded.problems, project.root);
  if (hasErrors(loaded.problems)) return EXIT.usage;
  const agents = await chooseAgents(session, loaded.scenarios, options.agent ?? null);
  if ("what" in agents) return refuse(io, agents.what, agents.fix);
  const named = paths.length > 0 || options.only.length > 0 || options.agent !== undefined;
  const playable = playableHere(session, loaded.scenarios, { insisted: () => named, agents });
  const used = playable.scenarios.flatMap(({ scenario: { id } }) =>
    playable.unplayable.has(id) ? [] : agents.get(id) ?? []
  );
  const unfit = refusedHere(session, playable, agents) ?? await unheard(session, new Set(used)) ??
    await unfitPrograms(session, used, { mode: "replay" });
  if (unfit !== null) return refuse(io, unfit.what, unfit.fix);
  if (playable.leftOut.length > 0) tellLeftOut(session, playable.leftOut.length);
  return playable.scenarios.flatMap((each) => {
    const agent = agents.get(each.scenario.id);
    const unplayable = playable.unplayable.has(each.scenario.id);
    return agent === undefined ? [] : [{ loaded: each, agent, unplayable }];
  });
}

function wrongName(name: string | undefined): Refusal | null {
  if (
    name === undefined || (/^[a-z0-9][a-z0-9_-]*$/.test(name) && ![PASS, BESIDE].includes(name))
  ) {
    return null;
  }
  const taken = name === PASS || name === BESIDE;
  return {
    what: taken
      ? `A run that failed cannot be kept as "${name}": that is the name of one that passed`
      : `"${name}" is no name of a recording: expected lower-case letters, digits, "_" and "-"`,
    fix: "write a name such as --keep-failed wrong_address",
  };
}

/** Why nothing can be recorded of an agent, null where all of them ask their model through us. */
async function unheard(
  session: Session,
  agents: Iterable<ChosenAgent>,
): Promise<Refusal | null> {
  for (const { name, config } of agents) {
    if (config.kind === "http") {
      return {
        what: `Agent "${name}" listens at an address and asks a model of its own: ` +
          "what that answers cannot be recorded",
        fix: "record it as an agent of kind `command` or `loop`, or write the recording by hand",
      };
    }
    if (config.kind === "command" && !(await needsOf(session, config)).model) {
      return {
        what: `Agent "${name}" names no {model_url} in its entry: it asks its model past us`,
        fix: "tell the program to ask {model_url}, in `argv`, `env` or one of its `files`",
      };
    }
  }
  return null;
}

/** The recording that `record` would renew: `recorded` beside a `pass` by hand, else `pass`. */
export function renewed({ recordings }: LoadedScenario): LoadedRecording | null {
  const named = (name: string) => recordings.find((each) => each.name === name) ?? null;
  const pass = named(PASS);
  return pass?.recording.origin === "recorded" ? pass : named(BESIDE) ?? pass;
}
