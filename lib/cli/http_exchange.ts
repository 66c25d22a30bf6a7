/**
 * How is one user turn told to an agent that listens? One request, OpenAI-compatible or as its entry
 * maps it. In: the turn. Out: what it said, or how the run ended: an answer that is an error is the
 * agent's failure, an agent that cannot be reached or a mapping that finds nothing is ours.
 */
import type { HttpAgentConfig } from "../model/config.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { AgentPlace } from "../model/model_api.ts";
import type { Ended } from "../model/run.ts";
import { type AgentSaid, type AgentTurn, mapRequest, mapResponse } from "../run/agent_mapping.ts";
import type { Told } from "../run/told_run.ts";
import { readChatCompletion } from "../wire/api/chat_answer.ts";
import { readChatError } from "../wire/chat.ts";
import { accessOf } from "./http_access.ts";
import type { Session } from "./session.ts";

/** An agent that listens, as its entry has it. */
export interface ListeningAgent {
  readonly name: string;
  readonly config: HttpAgentConfig;
}

type Io = Pick<Session["io"], "http" | "clock" | "env">;

/** Tells the agent one turn. */
export async function tellAgent(
  io: Io,
  { name, config }: ListeningAgent,
  { turn, signal }: { readonly turn: AgentTurn; readonly signal: AbortSignal },
): Promise<Told> {
  const fault = (why: string): Ended => ({
    kind: "environment_error",
    detail: `Agent "${name}": ${why}`,
  });
  const access = accessOf(io, config);
  if (access.kind === "unset") return fault(`${access.name} is not set in the environment`);
  const request = await bodyOf(config, turn);
  if (request.kind === "unmapped") return fault(request.why);
  const startMs = io.clock.monotonicMs();
  try {
    const { headers, url, key } = access;
    const answer = await io.http.post(url, { headers, body: request.body }, {
      timeoutMs: config.timeout_s * 1000,
      signal,
    });
    const text = key === null ? answer.text : answer.text.replaceAll(key, "[key]");
    const said = await readAnswer({ name, config }, { ...answer, text });
    const latencyMs = Math.round(io.clock.monotonicMs() - startMs);
    return said.kind === "said" ? { ...said, latencyMs } : said;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const late = error instanceof Error && error.name === "TimeoutError";
    return late ? { kind: "timeout", detail: `Agent "${name}": ${why}` } : fault(why);
  }
}

async function bodyOf(config: HttpAgentConfig, turn: AgentTurn) {
  if (config.request !== undefined) return await mapRequest(config.request, turn);
  return { kind: "body", body: chatBody(config, turn) } as const;
}

/** The whole conversation; who keeps sessions by itself may know them by `user`. */
function chatBody({ model, stream }: HttpAgentConfig, turn: AgentTurn): JsonObject {
  const system = turn.setting === "" ? [] : [{ role: "system", content: turn.setting }];
  const said = turn.messages.map(({ role, text }) => ({ role, content: text }));
  return {
    ...(model === undefined ? {} : { model }),
    messages: [...system, ...said],
    user: turn.session,
    ...(stream ? { stream } : {}),
  };
}

interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

async function readAnswer(agent: ListeningAgent, received: Received): Promise<AgentSaid | Ended> {
  const { name, config } = agent;
  const { status, text } = received;
  if (status < 200 || status > 299) {
    const detail = `Agent "${name}" answered with status ${status}: ${readChatError(text)}`;
    return { kind: status === 500 ? "agent_error" : "environment_error", detail };
  }
  if (config.response === undefined) return chatSaid(name, received);
  const answer = parsed(text);
  if (answer === undefined) {
    return { kind: "agent_error", detail: `Agent "${name}" answered with what is no JSON` };
  }
  const said = await mapResponse(config.response, answer);
  if (said.kind === "said") return said;
  return { kind: "environment_error", detail: `Agent "${name}": ${said.why}` };
}

/** No folder of ours lies where such an agent works. */
const PLACE: AgentPlace = {
  workspace: "/no/such/workspace",
  home: "/no/such/home",
  said: () => [],
  issued: () => undefined,
};

function chatSaid(name: string, { headers, text }: Received): AgentSaid | Ended {
  const streamed = headers["content-type"]?.startsWith("text/event-stream") === true;
  const read = readChatCompletion(text, { streaming: streamed ? "events" : "no", place: PLACE });
  if (read.kind === "unreadable") {
    const detail = `Agent "${name}" gave an answer that cannot be read: ${read.why}`;
    return { kind: "agent_error", detail };
  }
  const { usage, model, issued } = read;
  const calls = issued.map(({ call: { tool, args, argsText } }) => ({
    tool: tool === "" ? "(unnamed)" : tool,
    args,
    argsText,
    status: "unfinished" as const,
  }));
  return { kind: "said", text: read.text, session: null, calls, usage, model };
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
