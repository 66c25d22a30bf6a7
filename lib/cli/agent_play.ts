/**
 * How is one trial played by an agent that is a program? In a folder of its own, against our model
 * server and our tool server, one process for each user turn; what all of them saw becomes one trace,
 * what lies in the folder at the end the state after. Whatever goes wrong is in how the run ended.
 */
import { diffStates } from "../judge/diff.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { CommandAgentConfig, ModelConfig } from "../model/config.ts";
import type { State } from "../model/json.ts";
import type { Ended, ProofOutcome, Run, RunAlert, Usage } from "../model/run.ts";
import { otherModels } from "../model/other_models.ts";
import { Episode } from "../run/episode.ts";
import { PERMISSION_PROMPT } from "../run/permission_prompt.ts";
import type { ToldConversation } from "../run/recorded_conversation.ts";
import { realClock, virtualClock } from "../run/run_clock.ts";
import { watchStop } from "../run/stop.ts";
import { toolService } from "../run/tool_service.ts";
import { writeArtifacts } from "./agent_artifacts.ts";
import { converse, type Talked } from "./agent_conversation.ts";
import { factsOf } from "./agent_facts.ts";
import { FileWatch } from "./file_watch.ts";
import { layAgentFiles, placesOf } from "./agent_folder.ts";
import { type AgentServers, openServers } from "./agent_servers.ts";
import { type SourceReport, takeSnapshot } from "./agent_source.ts";
import { openStage, readBefore, type Stage } from "./agent_stage.ts";
import { openWorld, readWorld } from "./real_world.ts";
import type { Session } from "./session.ts";

/** An agent that is a program. */
export interface ProgramAgent {
  readonly name: string;
  readonly config: CommandAgentConfig;
  /** Who answers in live mode, and what recorded tokens cost. */
  readonly model: ModelConfig | null;
}

/** One trial to play with such an agent. */
export interface CommandPlay {
  readonly session: Session;
  readonly loaded: LoadedScenario;
  readonly agent: ProgramAgent;
  readonly mode: "replay" | "live";
  readonly recording: LoadedRecording | null;
  readonly trial: number;
  /** The folder of the run's artifacts, absolute; null where none are kept. */
  readonly artifacts: string | null;
  /** Told the conversation of the program with our model server, at its end. */
  readonly tell?: (told: ToldConversation) => void;
}

/** The name of the model where nothing names one: programs want some name. */
const ANY_MODEL = "test-model";

/** Plays one trial to its end. */
export async function playCommand(play: CommandPlay): Promise<Run> {
  const { session, mode } = play;
  const startedAt = mode === "live" ? session.io.clock.now() : null;
  const missing = play.agent.config.isolation === "bwrap"
    ? await session.io.agents.sandboxMissing()
    : null;
  if (missing !== null) return unplayed(play, `The sandbox that was asked for: ${missing}`);
  let stage: Stage | null = null;
  try {
    stage = await openStage(play);
    return { ...await playOn(play, stage), ...(startedAt === null ? {} : { startedAt }) };
  } catch (error) {
    return unplayed(play, error instanceof Error ? error.message : String(error));
  } finally {
    await stage?.close();
  }
}

async function playOn(play: CommandPlay, stage: Stage): Promise<Run> {
  let episode: Episode | null = null;
  const said = () =>
    (episode?.events ?? []).flatMap((event) =>
      event.kind === "message" && event.role === "user" ? [event.text] : []
    );
  const servers = await openServers(play, { folder: stage.folder, said });
  try {
    if (play.mode === "replay" && !servers.needs.model) {
      return unplayed(play, NO_MODEL_URL, "stale");
    }
    const values = placesOf(stage.folder, {
      toolsUrl: servers.toolsUrl,
      modelUrl: servers.modelUrl,
      modelName: play.agent.model?.name ?? ANY_MODEL,
    });
    await layAgentFiles(play.session, play.agent.config, values);
    episode = await openEpisode(play, stage);
    return await runOn(play, { stage, servers, values, episode });
  } finally {
    await servers.close();
  }
}

const NO_MODEL_URL = "The agent's entry names no {model_url}: a replay cannot answer for its model";

/** The run before anything happened in it; the world is put back and read. */
async function openEpisode(play: CommandPlay, stage: Stage): Promise<Episode> {
  const { session, loaded, mode } = play;
  const { world } = loaded.scenario.setup;
  const opened = world === undefined ? null : await openWorld(session, world);
  if (opened?.kind === "broken") throw new Error(opened.why);
  const before = opened?.state ?? await readBefore(stage, loaded);
  const clock = mode === "live" ? realClock(session.io.clock) : virtualClock();
  const real = stage.readsFiles ? { workspace: stage.workspace } : {};
  return new Episode(loaded, clock, diffStates, { before, ...real });
}

interface Running {
  readonly stage: Stage;
  readonly servers: AgentServers;
  readonly values: ReturnType<typeof placesOf>;
  readonly episode: Episode;
}

async function runOn(play: CommandPlay, running: Running): Promise<Run> {
  const { session, agent: { config } } = play;
  const { stage: { folder }, values } = running;
  const logs = play.artifacts ?? folder.kept;
  await session.io.trees.make(logs);
  const snapshot = await takeSnapshot(session, config, { values, kept: folder.kept });
  const talked = await talk(play, { ...running, logs });
  play.tell?.(running.servers.models.conversation());
  const proofs = await proofsOf(play, running.stage);
  const source = await snapshot?.compare() ?? null;
  const after = await afterOf(play, running.episode);
  const { facts, usage, model } = await factsOf(play, { ...running, talked, proofs, source });
  await writeArtifacts(session, { folder: logs, facts, talked, proofs, source });
  const ended = "why" in after && talked.ended.kind === "completed"
    ? { kind: "environment_error" as const, detail: after.why }
    : talked.ended;
  const state = "why" in after ? running.episode.world.state : after.state;
  const alerts = alertsOf(play, source, facts.model.answered);
  return runOf(play, { running, ended, state, usage, model, proofs, alerts });
}

async function talk(
  play: CommandPlay,
  running: Running & { readonly logs: string },
): Promise<Talked> {
  const { session, agent: { config } } = play;
  const { stage, servers, values, episode, logs } = running;
  // Real processes take real time, in a replay too.
  const stop = watchStop(realClock(session.io.clock), config.timeout_s, session.io.interrupted);
  const permissionPrompt = [...config.argv, ...config.resume ?? []]
    .some((word) => word.includes(PERMISSION_PROMPT));
  const tools = toolService(episode, { stop, callsMax: config.calls_max, permissionPrompt });
  servers.bind(tools.handler);
  try {
    const places = { session, config, folder: stage.folder, values, logs };
    const { models, needs } = servers;
    const watch = stage.readsFiles ? new FileWatch(session.io, stage.folder.work) : null;
    await watch?.look(0);
    if (watch !== null) servers.beforeAnswers(() => watch.look(models.seen().answered.length));
    return await converse({ episode, places, stage, stop, tools, models, needs, watch });
  } finally {
    await tools.close();
    stop.close();
  }
}

async function proofsOf({ loaded }: CommandPlay, stage: Stage): Promise<ProofOutcome[]> {
  return (loaded.scenario.expected.proof ?? []).length === 0 ? [] : await stage.prove();
}

async function afterOf(
  { session, loaded }: CommandPlay,
  { world: { state } }: Episode,
): Promise<{ readonly state: State } | { readonly why: string }> {
  const { world } = loaded.scenario.setup;
  if (world === undefined) return { state };
  return await readWorld(session, world);
}

function alertsOf(
  { mode, agent: { model } }: CommandPlay,
  source: SourceReport | null,
  answered: readonly string[],
): RunAlert[] {
  const changed = (source?.changes ?? []).map(({ path, change }) => `${path} (${change})`);
  const other = mode === "live" && model !== null ? otherModels(model.name, answered) : [];
  return [
    ...(changed.length === 0 ? [] : [{ kind: "source_changed" as const, what: changed }]),
    ...(other.length === 0
      ? []
      : [{ kind: "other_model" as const, what: [model?.name ?? "", ...other] }]),
  ];
}

interface Outcome {
  readonly running: Running;
  readonly ended: Ended;
  readonly state: State;
  readonly usage: Usage;
  readonly model: string | null;
  readonly proofs: ProofOutcome[];
  readonly alerts: RunAlert[];
}

function runOf(play: CommandPlay, outcome: Outcome): Run {
  const { running: { episode }, ended, state, usage, model, proofs, alerts } = outcome;
  return {
    ...headOf(play, model),
    ended,
    events: episode.events,
    state: { before: episode.before, after: state },
    usage,
    ...(proofs.length === 0 ? {} : { proofs }),
    ...(alerts.length === 0 ? {} : { alerts }),
  };
}

function headOf({ loaded, agent, mode, recording, trial }: CommandPlay, model: string | null) {
  return {
    schema: "collaudo/run@1" as const,
    scenario: loaded.scenario.id,
    scenarioHash: loaded.hash,
    trial,
    mode,
    agent: { name: agent.name, ...(model === null ? {} : { model }) },
    ...(recording === null ? {} : { recording: recording.name }),
  };
}

/** The run of a world or a program that could not be made. */
function unplayed(
  play: CommandPlay,
  why: string,
  kind: "environment_error" | "stale" = "environment_error",
): Run {
  const before = play.loaded.state ?? {};
  return {
    ...headOf(play, null),
    ended: { kind, detail: why },
    events: [],
    state: { before, after: before },
  };
}
