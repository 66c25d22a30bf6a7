/**
 * How does a conversation go with an agent that listens, and holds its tools itself? The user's turns
 * are told one by one; while it answers, our tool server may record calls (evidence); what it then
 * says and tells of calls is testimony. In: an episode and a way to tell the agent. Out: how it ended.
 */
import type { JsonObject } from "../model/json.ts";
import type { Ended } from "../model/run.ts";
import type { AgentSaid, AgentTurn, ToldCall } from "./agent_mapping.ts";
import { conversationOver, nextTurn } from "./conversation.ts";
import type { Episode } from "./episode.ts";
import type { Stop } from "./stop.ts";
import { systemPrompt } from "./system_prompt.ts";
import type { ToolService } from "./tool_service.ts";

/** One answer of the agent, or how the run ended instead. */
export type Told = AgentSaid & { readonly latencyMs: number | null } | Ended;

/** What such a conversation needs besides its episode. */
export interface TellDrive {
  tell(turn: AgentTurn, signal: AbortSignal): Promise<Told>;
  readonly stop: Stop;
  /** Null where the agent has no tools of ours. */
  readonly tools: ToolService | null;
  /** The session's name before the agent gives it another. */
  readonly session: string;
}

/** Talks until no turn is left, or the run ends otherwise. */
export async function converseTelling(episode: Episode, drive: TellDrive): Promise<Ended> {
  const setting = systemPrompt(null, episode.loaded.scenario);
  const messages: AgentTurn["messages"][number][] = [];
  let { session } = drive;
  for (;;) {
    const turn = await nextTurn(episode);
    if (turn.kind === "undecided") return { kind: "environment_error", detail: turn.why };
    turn.notices.forEach((notice) => episode.notice(notice));
    if (turn.kind === "over") return conversationOver(episode);
    episode.hear(turn.text);
    messages.push({ role: "user", text: turn.text });
    const { turn: number } = episode;
    const told = await answerOf(drive, {
      text: turn.text,
      turn: number,
      session,
      setting,
      messages: [...messages],
    });
    if (told.kind !== "said") return told;
    episode.answers.push(told);
    told.calls.forEach((call, index) => recordTold(episode, call, `told-${number}.${index + 1}`));
    episode.record({ kind: "message", role: "assistant", text: told.text });
    messages.push({ role: "assistant", text: told.text });
    session = told.session ?? session;
  }
}

/** The agent's answer once all its calls are recorded, unless one of them ended the run. */
async function answerOf({ tell, stop, tools }: TellDrive, turn: AgentTurn): Promise<Told> {
  const work = tell(turn, stop.signal);
  const first = tools === null ? work : Promise.race([work, tools.ended]);
  // Nobody waits any more for an answer after the run's end.
  work.catch(() => {});
  const told = stop.ended() ?? await stop.race(first);
  await tools?.idle();
  return tools?.over() ?? told;
}

function recordTold(episode: Episode, call: ToldCall, id: string): void {
  const args: JsonObject = call.args ?? { "(unreadable)": call.argsText };
  const { tool, status } = call;
  episode.record({ kind: "call", id, tool, args, status, source: "stream" });
}
