/**
 * How is one trial played by an agent that its owner started and that listens? Its turns are told
 * over HTTP, one run at a time; what it did shows in our tool server, at a port that it knows, or in
 * the team's own world. Where neither is there and something could have been done, nothing can be
 * judged: the run is an environment error. A replay plays its model, at a port that it knows too.
 */
import { diffStates } from "../judge/diff.ts";
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { State } from "../model/json.ts";
import type { Ended, Run } from "../model/run.ts";
import type { Listening } from "../model/serving.ts";
import { Episode } from "../run/episode.ts";
import { realClock, replayClock } from "../run/run_clock.ts";
import { type Stop, watchStop } from "../run/stop.ts";
import { converseTelling } from "../run/told_run.ts";
import { type ToolService, toolService } from "../run/tool_service.ts";
import { sumUsage } from "../run/usage_sum.ts";
import { type ListeningAgent, tellAgent } from "./http_exchange.ts";
import { listenAsModel, type ListenedModel, replayEnded, withAttempts } from "./http_replay.ts";
import { openWorld, readWorld } from "./real_world.ts";
import type { Session } from "./session.ts";

/** One trial to play with an agent that listens. */
export interface HttpPlay {
  readonly session: Session;
  readonly loaded: LoadedScenario;
  readonly agent: ListeningAgent;
  readonly mode: "replay" | "live";
  /** What its model answers in a replay. */
  readonly recording: LoadedRecording | null;
  readonly trial: number;
}

/** Below the port that `tools_port` names. */
const TOOLS_PATH = "mcp";

/** Such agents have one world and fixed ports: their runs follow one another. */
let last: Promise<unknown> = Promise.resolve();

/** Plays one trial to its end; whatever goes wrong is in how the run ended. */
export function playHttp(play: HttpPlay): Promise<Run> {
  const mine = last.then(() => playAlone(play));
  last = mine.catch(() => {});
  return mine;
}

/** What a run comes to, before it is written down. */
interface Played {
  readonly ended: Ended;
  readonly before: State;
  readonly after: State;
  readonly episode: Episode | null;
}

async function playAlone(play: HttpPlay): Promise<Run> {
  const { session: { io }, loaded, agent, mode, trial, recording } = play;
  const startedAt = mode === "live" ? io.clock.now() : null;
  const { ended, before, after, episode } = await playedOf(play, startedAt);
  const answered = episode?.answers.map((answer) => "model" in answer ? answer.model : null)
    .findLast((name) => typeof name === "string") ?? agent.config.model;
  const model = mode === "live" ? answered : recording?.recording.model;
  return {
    schema: "collaudo/run@1",
    scenario: loaded.scenario.id,
    scenarioHash: loaded.hash,
    trial,
    mode,
    agent: { name: agent.name, ...(typeof model === "string" ? { model } : {}) },
    ...(recording === null ? {} : { recording: recording.name }),
    ...(startedAt === null ? {} : { startedAt }),
    ended,
    events: episode?.events ?? [],
    state: { before, after },
    ...(episode === null ? {} : { usage: sumUsage(episode.answers) }),
  };
}

async function playedOf(play: HttpPlay, startedAt: string | null): Promise<Played> {
  const { session, loaded, mode } = play;
  const given = loaded.state ?? {};
  const unplayed = (ended: Ended): Played => ({
    ended,
    before: given,
    after: given,
    episode: null,
  });
  const early = notPlayable(play);
  if (early !== null) return unplayed(early);
  const { world } = loaded.scenario.setup;
  const opened = world === undefined ? null : await openWorld(session, world);
  if (opened?.kind === "broken") return unplayed({ kind: "environment_error", detail: opened.why });
  const before = opened?.state ?? given;
  const clock = (mode === "live" ? realClock : replayClock)(session.io.clock);
  const episode = new Episode(loaded, clock, diffStates, { before });
  const ended = await converse(play, episode, startedAt);
  if (world === undefined) return { ended, before, after: episode.world.state, episode };
  const read = await readWorld(session, world);
  if (read.kind === "read") return { ended, before, after: read.state, episode };
  return {
    ended: { kind: "environment_error", detail: read.why },
    before,
    after: before,
    episode,
  };
}

/** How a run ends that need not begin. */
function notPlayable({ loaded, agent, mode, recording }: HttpPlay): Ended | null {
  const { name, config: { tools_port, model_port } } = agent;
  if (mode === "replay" && model_port === undefined) {
    const why = "a replay plays its model, expected `model_port` in its entry";
    return { kind: "stale", detail: `Agent "${name}" listens: ${why}` };
  }
  if (mode === "replay" && recording === null) {
    return { kind: "stale", detail: "no recording to replay" };
  }
  const { setup, expected } = loaded.scenario;
  const fault = (why: string): Ended => ({
    kind: "environment_error",
    detail: `Agent "${name}" listens: ${why}`,
  });
  if (setup.workspace !== undefined || (expected.proof ?? []).length > 0) {
    return fault("it works on no files of ours, and the scenario has a workspace or a proof");
  }
  if (tools_port !== undefined || setup.world !== undefined) return null;
  const atStake = setup.available_tools.length > 0 || Object.keys(loaded.state ?? {}).length > 0;
  if (!atStake) return null;
  return fault(
    "nothing shows what it did: expected `tools_port` in its entry, or `setup.world` in the scenario",
  );
}

async function converse(
  play: HttpPlay,
  episode: Episode,
  startedAt: string | null,
): Promise<Ended> {
  const { session: { io }, agent, loaded, mode, trial } = play;
  const { timeout_s } = agent.config;
  const stop = watchStop(episode.clock, timeout_s, io.interrupted);
  let served: ServedTools | null = null;
  let model: ListenedModel | null = null;
  try {
    served = await serveTools(play, episode, stop);
    model = await listenAsModel(play, episode);
    const ended = await converseTelling(episode, {
      tell: async (turn, signal) => {
        const told = await tellAgent(io, agent, { turn, signal });
        return told.kind === "said" && mode === "replay" ? { ...told, latencyMs: null } : told;
      },
      stop,
      tools: served?.service ?? null,
      session: `collaudo-${loaded.scenario.id}-${trial}-${startedAt ?? "replay"}`,
    });
    if (model === null) return unconnected(ended, served, loaded);
    withAttempts(episode, model);
    return replayEnded(unconnected(ended, served, loaded), model);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "environment_error", detail: why };
  } finally {
    await served?.service.close();
    await served?.server.close();
    await model?.server.close();
    stop.close();
  }
}

interface ServedTools {
  readonly service: ToolService;
  readonly server: Listening;
}

async function serveTools(
  { session: { io }, agent: { config } }: HttpPlay,
  episode: Episode,
  stop: Stop,
): Promise<ServedTools | null> {
  const { tools_port: port, calls_max: callsMax } = config;
  if (port === undefined) return null;
  const service = toolService(episode, { stop, callsMax });
  return {
    service,
    server: await io.servers.serveTools(service.handler, { port, path: TOOLS_PATH }),
  };
}

/** An agent that never asked for the scenario's tools did not have them. */
function unconnected(
  ended: Ended,
  served: ServedTools | null,
  { scenario }: LoadedScenario,
): Ended {
  const needed = served !== null && scenario.setup.available_tools.length > 0;
  if (!needed || ended.kind !== "completed") return ended;
  const { initialize, toolsList } = served.service.seen();
  if (initialize > 0 && toolsList > 0) return ended;
  const detail = `The agent did not ask for its tools at "${served.server.url}" during the run`;
  return { kind: "environment_error", detail };
}
