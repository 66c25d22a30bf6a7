/** What stands in the report for a scenario that has no run? A skipped one: it can never pass. */
import type { LoadedScenario } from "../model/loaded.ts";
import type { JudgedRun } from "./collect.ts";
import { judge } from "./pipeline.ts";
import type { Session } from "./session.ts";

/** The judged run of a selected scenario of which no run was given. */
export async function skippedTrial(session: Session, loaded: LoadedScenario): Promise<JudgedRun> {
  const state = loaded.state ?? {};
  return await judge(loaded, {
    schema: "collaudo/run@1",
    scenario: loaded.scenario.id,
    trial: 1,
    mode: "recorded",
    agent: { name: "none" },
    ended: { kind: "interrupted", detail: "skipped: no run was given" },
    events: [],
    state: { before: state, after: state },
  }, { config: session.project.config, place: null, skipped: true });
}
