/**
 * How is one trial played? Joins an agent, a model (recording or interface) and a clock to the
 * runner. A replay never reaches a live model: without a recording it is stale.
 */
import { diffStates } from "../judge/diff.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { Model } from "../model/ports.ts";
import type { Run } from "../model/run.ts";
import { chatModel } from "../wire/chat_model.ts";
import { replayModel } from "../run/replay_model.ts";
import { type RunOptions, runScenario } from "../run/run_scenario.ts";
import { realClock, virtualClock } from "../run/run_clock.ts";
import { type ChosenAgent, NO_RECORDING, reachModel } from "./agents.ts";
import { tellingModel } from "../run/told_model.ts";
import type { ToldConversation } from "../run/recorded_conversation.ts";
import type { Session } from "./session.ts";

/** One trial to play. */
export interface Play {
  readonly session: Session;
  readonly loaded: LoadedScenario;
  readonly agent: ChosenAgent;
  readonly mode: "replay" | "live";
  readonly recording: LoadedRecording | null;
  readonly trial: number;
  /** The folder for what is kept of a program's run, absolute; null or absent where nothing is. */
  readonly artifacts?: string | null;
  /** Told the conversation with the model as it stands, at least at its end. */
  readonly tell?: (told: ToldConversation) => void;
}

/** Plays a scenario in virtual time against a model of our own, as proofs of recordings do. */
export async function playWith(
  { session, loaded, agent }: Pick<Play, "session" | "loaded" | "agent">,
  model: Model,
): Promise<Run> {
  const { calls_max, timeout_s } = agent.config;
  return await playOnFiles({ session, loaded, mode: "replay" }, {
    mode: "replay",
    agentName: agent.name,
    agent: { calls_max, timeout_s, system: agent.system },
    model,
    modelName: null,
    trial: 1,
    recording: null,
    clock: virtualClock(),
    signal: session.io.interrupted,
    startedAt: null,
    difference: diffStates,
  });
}

/**
 * Plays on real files where the scenario has a workspace and the task may start programs; a model of
 * the outside gets no shell of this machine.
 */
async function playOnFiles(
  { session, loaded, mode }: Pick<Play, "session" | "loaded" | "mode">,
  options: RunOptions,
): Promise<Run> {
  const { workspace, world } = loaded.scenario.setup;
  if (world !== undefined) return unplayed(loaded, options, NO_WORLD);
  if (workspace === undefined || mode === "live" || !session.io.children.mayStart()) {
    return await runScenario(loaded, options);
  }
  const { openWorkspace } = await import("./real_workspace.ts");
  const real = await openWorkspace(session, loaded).catch((error: unknown) => whyOf(error));
  if (typeof real === "string") return unplayed(loaded, options, real);
  try {
    const run = await runScenario(loaded, { ...options, real });
    const proofs = loaded.scenario.expected.proof ?? [];
    return proofs.length === 0 ? run : { ...run, proofs: await real.prove() };
  } finally {
    await real.close();
  }
}

/** True for a scenario that cannot be played in a simulated world alone. */
export function needsPrograms({ scenario: { setup, expected } }: LoadedScenario): boolean {
  return setup.workspace !== undefined || setup.world !== undefined ||
    (expected.proof ?? []).length > 0;
}

const NO_WORLD =
  "Simulated tools do not reach the world of `setup.world`: choose an agent of kind command or http";

/** The run of a world that could not be made. */
function unplayed(loaded: LoadedScenario, options: RunOptions, why: string): Run {
  const { mode, agentName, trial, recording } = options;
  const before = loaded.state ?? {};
  return {
    schema: "collaudo/run@1",
    scenario: loaded.scenario.id,
    scenarioHash: loaded.hash,
    trial,
    mode,
    agent: { name: agentName },
    ...(recording === null ? {} : { recording }),
    ended: { kind: "environment_error", detail: why },
    events: [],
    state: { before, after: before },
  };
}

function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Plays one trial to its end; whatever goes wrong is in how the run ended. */
export async function play(one: Play): Promise<Run> {
  const { session, agent, mode } = one;
  const { name, config } = agent;
  if (config.kind === "command") {
    const { playCommand } = await import("./agent_play.ts");
    const { artifacts = null } = one;
    return await playCommand({ ...one, agent: { name, config, model: agent.model }, artifacts });
  }
  if (config.kind === "http") {
    const { playHttp } = await import("./http_agent.ts");
    return await playHttp({ ...one, agent: { name, config } });
  }
  return await playOnFiles(one, {
    mode,
    agentName: agent.name,
    agent: {
      calls_max: agent.config.calls_max,
      timeout_s: agent.config.timeout_s,
      system: agent.system,
    },
    model: modelOf(one),
    modelName: mode === "live" ? agent.modelName : one.recording?.recording.model ?? null,
    trial: one.trial,
    recording: one.recording?.name ?? null,
    clock: mode === "live" ? realClock(session.io.clock) : virtualClock(),
    signal: session.io.interrupted,
    startedAt: mode === "live" ? session.io.clock.now() : null,
    difference: diffStates,
  });
}

function modelOf(one: Play): Model {
  const model = askedModel(one);
  return one.tell === undefined ? model : tellingModel(model, one.tell);
}

function askedModel({ session, loaded, agent, mode, recording }: Play): Model {
  if (mode === "replay") {
    return recording === null ? NO_RECORDING : replayModel(recording, loaded, agent.model ?? {});
  }
  if (agent.model === null) return unreachable(`agent "${agent.name}" has no model`);
  const reached = reachModel(session, agent.model);
  if ("what" in reached) return unreachable(reached.what);
  return chatModel(agent.model, { ...reached, http: session.io.http, clock: session.io.clock });
}

function unreachable(why: string): Model {
  return {
    complete: () => Promise.resolve({ kind: "failed", why, timedOut: false }),
    leftOver: () => null,
  };
}

/** The run of a trial that was never played: it is told as skipped, with the reason. */
export function skippedRun({ loaded, agent, mode, trial }: Play, why: string): Run {
  const before = loaded.state ?? {};
  return {
    schema: "collaudo/run@1",
    scenario: loaded.scenario.id,
    scenarioHash: loaded.hash,
    trial,
    mode,
    agent: { name: agent.name },
    ended: { kind: "interrupted", detail: `skipped: ${why}` },
    events: [],
    state: { before, after: before },
  };
}
