/**
 * What happens when this agent meets this scenario? Plays the conversation against a simulated
 * world, with a model behind a port. Out: the run, which also says how it ended; nothing that an
 * agent, a model or a tools file does wrong makes it throw.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import type { Model } from "../model/ports.ts";
import type { State } from "../model/json.ts";
import type { Ended, Run, RunMode } from "../model/run.ts";
import { otherModels } from "../model/other_models.ts";
import { conversationOver, nextTurn } from "./conversation.ts";
import { Episode, type StateDifference } from "./episode.ts";
import { answerUser, type Drive } from "./loop.ts";
import type { RealWorkspace } from "./real_workspace.ts";
import type { RunClock } from "./run_clock.ts";
import { watchStop } from "./stop.ts";
import { systemPrompt } from "./system_prompt.ts";
import { sumUsage } from "./usage_sum.ts";

/** How one trial is played. */
export interface RunOptions {
  readonly mode: RunMode;
  readonly agentName: string;
  readonly agent: {
    /** Calls after which the run ends as `limit`. */
    readonly calls_max: number;
    /** Seconds after which a live run ends as `timeout`. */
    readonly timeout_s: number;
    /** The agent's system text. */
    readonly system: string | null;
  };
  readonly model: Model;
  readonly modelName: string | null;
  /** From 1. */
  readonly trial: number;
  /** The recording's name in a replay. */
  readonly recording: string | null;
  /** One for each run. */
  readonly clock: RunClock;
  readonly signal: AbortSignal;
  /** ISO 8601, null in a replay. */
  readonly startedAt: string | null;
  /** What conditional turns see as `changes`. */
  readonly difference: StateDifference;
  /** A folder that the built-in tools of a workspace work in; absent: files are simulated. */
  readonly real?: { readonly before: State; readonly workspace: RealWorkspace };
}

/** Plays one trial to its end. */
export async function runScenario(loaded: LoadedScenario, options: RunOptions): Promise<Run> {
  const episode = new Episode(loaded, options.clock, options.difference, options.real);
  const { system, timeout_s, calls_max } = options.agent;
  episode.messages.push({ role: "system", text: systemPrompt(system, loaded.scenario) });
  const stop = watchStop(options.clock, timeout_s, options.signal);
  try {
    const ended = await converse(episode, { model: options.model, stop, callsMax: calls_max });
    return runOf(episode, options, settled(episode, options.model, ended));
  } finally {
    stop.close();
  }
}

async function converse(episode: Episode, drive: Drive): Promise<Ended> {
  for (;;) {
    const turn = await nextTurn(episode);
    if (turn.kind === "undecided") return { kind: "environment_error", detail: turn.why };
    turn.notices.forEach((notice) => episode.notice(notice));
    if (turn.kind === "over") return conversationOver(episode);
    episode.hear(turn.text);
    episode.messages.push({ role: "user", text: turn.text });
    const ended = await answerUser(episode, drive);
    if (ended !== null) return ended;
  }
}

/** A recording with turns left over was made for another conversation. */
function settled(episode: Episode, model: Model, ended: Ended): Ended {
  const leftOver = ended.kind === "completed" ? model.leftOver(episode.messages) : null;
  return leftOver === null ? ended : { kind: "stale", detail: leftOver };
}

function runOf(episode: Episode, options: RunOptions, ended: Ended): Run {
  const { loaded } = episode;
  const { modelName, recording, startedAt } = options;
  return {
    schema: "collaudo/run@1",
    scenario: loaded.scenario.id,
    scenarioHash: loaded.hash,
    trial: options.trial,
    mode: options.mode,
    agent: { name: options.agentName, ...(modelName === null ? {} : { model: modelName }) },
    ...(recording === null ? {} : { recording }),
    ...(startedAt === null ? {} : { startedAt }),
    ended,
    events: episode.events,
    state: { before: episode.before, after: episode.world.state },
    usage: sumUsage(episode.answers),
    ...alertsOf(episode, options),
  };
}

/** In a live run the model that answers may be another than the one that was asked for. */
function alertsOf(
  { answers }: Episode,
  { mode, modelName }: RunOptions,
): Pick<Run, "alerts"> {
  if (mode !== "live" || modelName === null) return {};
  const answered = answers.flatMap(({ model }) => model ?? []);
  const other = otherModels(modelName, answered);
  return other.length === 0
    ? {}
    : { alerts: [{ kind: "other_model", what: [modelName, ...other] }] };
}
