/**
 * How is the model of an agent that listens played? Our model server listens where the agent's entry
 * says that it asks, and answers from the recording. Out: what the model was asked for and nothing
 * else shows, as attempts; and how the run ended where the recording does not fit it.
 */
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { Ended } from "../model/run.ts";
import type { Listening } from "../model/serving.ts";
import type { Episode } from "../run/episode.ts";
import { mergeTrace } from "../run/merge_trace.ts";
import { type ModelService, modelService } from "../run/model_service.ts";
import { replayModel } from "../run/replay_model.ts";
import { MODEL_APIS } from "../wire/api/apis.ts";
import type { ListeningAgent } from "./http_exchange.ts";
import type { Session } from "./session.ts";

/** The model of one run, served at the port that the agent knows. */
export interface ListenedModel {
  readonly service: ModelService;
  readonly server: Listening;
}

/** What of a trial is played by its model. */
export interface ReplayedPlay {
  readonly session: Pick<Session, "io">;
  readonly loaded: LoadedScenario;
  readonly agent: ListeningAgent;
  readonly mode: "replay" | "live";
  readonly recording: LoadedRecording | null;
}

/** Listens in a replay; null in a live run, where the agent asks its own model. */
export async function listenAsModel(
  { session: { io }, loaded, agent, mode, recording }: ReplayedPlay,
  episode: Episode,
): Promise<ListenedModel | null> {
  const { model_port: port } = agent.config;
  if (mode === "live" || port === undefined || recording === null) return null;
  const service = modelService({
    apis: MODEL_APIS,
    model: replayModel(recording, loaded),
    // The agent works in folders of its own, which are not known here.
    workspace: "/no/such/workspace",
    home: "/no/such/home",
    said: () => saidBy(episode),
  });
  return { service, server: await io.servers.serve(service.handle, { port, path: "" }) };
}

function saidBy({ events }: Episode): string[] {
  return events.flatMap((event) =>
    event.kind === "message" && event.role === "user" ? [event.text] : []
  );
}

/** Adds the calls that the model asked for and that nothing else shows. */
export function withAttempts(episode: Episode, { service }: ListenedModel): void {
  const whole = mergeTrace({
    evidence: episode.events,
    testimony: [],
    commands: [],
    asked: service.seen().answered.map(({ id, call, native, result }) => ({
      id,
      tool: call.tool,
      args: call.args,
      native,
      told: result === null ? null : { status: result.status, text: result.text },
    })),
    tellsCalls: true,
    start: { atMs: 0, turn: 0 },
    nextId: () => `c${++episode.calls}`,
  });
  episode.events.splice(0, episode.events.length, ...whole);
}

/** How the run ended, where its recording does not say otherwise. */
export function replayEnded(ended: Ended, { service, server }: ListenedModel): Ended {
  if (ended.kind === "interrupted") return ended;
  const { misses, requests } = service.seen();
  const [miss] = misses;
  if (miss !== undefined) return { kind: "stale", detail: miss };
  if (ended.kind !== "completed") return ended;
  if (requests === 0) {
    const detail = `The agent did not ask its model at "${server.url}" during the run`;
    return { kind: "environment_error", detail };
  }
  const leftOver = service.leftOver();
  return leftOver === null ? ended : { kind: "stale", detail: leftOver };
}
