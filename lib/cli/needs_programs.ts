/**
 * Which scenarios cannot be played here? A task that may start no program has no shell, runs no
 * hidden tests and reads no world of the team's own. In: the selected scenarios, and which of them
 * somebody insists on. Out: those to play, those to skip (they cap the decision), those left out.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import { programRefused } from "./agent_plan.ts";
import type { ChosenAgent, Refusal } from "./agents.ts";
import { needsPrograms } from "./play.ts";
import { agentsProgram } from "./reproduce.ts";
import type { Session } from "./session.ts";

/** What becomes of the scenarios that need programs. */
export interface Playable {
  /** To be played or told as skipped, in their order. */
  readonly scenarios: readonly LoadedScenario[];
  /** Ids of those among them that cannot be played here. */
  readonly unplayable: ReadonlySet<string>;
  /** Ids of those that nobody asked for by name: told, not judged. */
  readonly leftOut: readonly string[];
}

/** What is known of the scenarios besides themselves. */
export interface Asked {
  /** True for those that somebody named. */
  insisted(id: string): boolean;
  /** The agent of each, by id. */
  readonly agents: ReadonlyMap<string, ChosenAgent>;
}

/** Sorts the scenarios. */
export function playableHere(
  { io }: Pick<Session, "io">,
  scenarios: readonly LoadedScenario[],
  { insisted, agents }: Asked,
): Playable {
  const isProgram = (id: string) => agents.get(id)?.config.kind === "command";
  const needing = scenarios.filter((each) => needsPrograms(each) || isProgram(each.scenario.id));
  if (needing.length === 0 || io.children.mayStart()) {
    return { scenarios, unplayable: new Set(), leftOut: [] };
  }
  const named = needing.filter(({ scenario }) => insisted(scenario.id));
  const leftOut = needing.filter((each) => !named.includes(each));
  return {
    scenarios: scenarios.filter((each) => !leftOut.includes(each)),
    unplayable: new Set(named.map(({ scenario }) => scenario.id)),
    leftOut: leftOut.map(({ scenario }) => scenario.id),
  };
}

/** Why nothing of a selection can be played here, with the task that plays it; else null. */
export function refusedHere(
  { io }: Pick<Session, "io">,
  { scenarios, unplayable, leftOut }: Playable,
  agents: ReadonlyMap<string, ChosenAgent>,
): Refusal | null {
  const first = [...unplayable, ...leftOut][0];
  if (first === undefined || unplayable.size < scenarios.length) return null;
  const agent = agents.get(first);
  if (agent?.config.kind === "command") return programRefused(io, agent.name);
  return {
    what: `"${first}" works on real files, and this task starts no programs but git`,
    fix: `play it with \`${agentsProgram(io).replay} --only ${first}\``,
  };
}
