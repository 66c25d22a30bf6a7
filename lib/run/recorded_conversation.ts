/**
 * Which recording replays this conversation? In: the user's conversation as it was at its end, and what
 * is known of each answer. Out: the data of a recording: what was said and called, digests of what the
 * tools answered, tokens, reasons, thoughts, and the hashes of the system prompt and the tools.
 */
import { isObject, type Json, type JsonObject, put } from "../model/json.ts";
import type { ModelMessage, ModelTool } from "../model/ports.ts";
import type { AssistantTurn, RecordedTurn, Recording } from "../model/recording.ts";
import type { Usage } from "../model/run.ts";
import type { ToolSet } from "../model/tool.ts";
import { digestAnswer, digestSystem, digestTools } from "./normalise.ts";
import { askedAnswer } from "./replay_walk.ts";

/** What is known of one answer besides its words. */
export type AnswerFacts = Pick<AssistantTurn, "usage" | "latencyMs" | "stop" | "thinking">;

/** A conversation that really happened. */
export interface ToldConversation {
  /** Canonical, the last answer included; without system texts. */
  readonly messages: readonly ModelMessage[];
  /** By the answer's place among the messages. */
  readonly facts: ReadonlyMap<number, AnswerFacts>;
  readonly system: string;
  readonly tools: readonly ModelTool[];
}

/** What a recording says besides its turns. */
export interface RecordingAbout {
  readonly model: string;
  /** When it was made, ISO 8601 with offset. */
  readonly at: string;
  /** The agent's name. */
  readonly agent: string;
  /** The scenario's tools: which of them ask the user. */
  readonly tools: ToolSet;
  /** Takes secrets out of a text. An answer that held one has no digest: it would be one of the secret. */
  readonly mask: (text: string) => string;
}

type Assistant = ModelMessage & { readonly role: "assistant" };
type Answer = ModelMessage & { readonly role: "tool" };

/** The recording of a conversation; null where nobody said anything in it. */
export function recordingOf(told: ToldConversation, about: RecordingAbout): Recording | null {
  const turns = told.messages.flatMap((_, at) => turnsOf(told, at, about));
  if (turns.length === 0) return null;
  return {
    origin: "recorded",
    model: about.model,
    at: about.at,
    agent: about.agent,
    system: digestSystem(told.system),
    tools: digestTools(told.tools),
    turns,
  };
}

function turnsOf(told: ToldConversation, at: number, about: RecordingAbout): RecordedTurn[] {
  const message = told.messages[at];
  if (message?.role === "user") return userTurn(message.text, about);
  if (message?.role !== "assistant") return [];
  const answers = answersAfter(told.messages, at);
  // The user's answer to a tool that asks is a turn of its own.
  const asked = answers.map((answer) => askedAnswer(about.tools, answer) ?? "");
  const turn = assistantTurn(message, { answers, facts: told.facts.get(at) ?? {}, about });
  return [turn, ...asked.flatMap((text) => userTurn(text, about))];
}

function userTurn(text: string, { mask }: RecordingAbout): RecordedTurn[] {
  return text === "" ? [] : [{ user: mask(text) }];
}

function answersAfter(messages: readonly ModelMessage[], at: number): Answer[] {
  const answers: Answer[] = [];
  for (const message of messages.slice(at + 1)) {
    if (message.role !== "tool") break;
    answers.push(message);
  }
  return answers;
}

function assistantTurn(
  { text, calls }: Assistant,
  { answers, facts, about: { mask } }: {
    readonly answers: readonly Answer[];
    readonly facts: AnswerFacts;
    readonly about: RecordingAbout;
  },
): AssistantTurn {
  const made = calls.map(({ id, tool, args, argsText }) => {
    const answer = answers.find(({ call }) => call === id);
    return {
      tool: tool === "" ? "(unnamed)" : mask(tool),
      args: maskedObject(args ?? { [UNREADABLE]: argsText }, mask),
      ...(answer === undefined || mask(answer.text) !== answer.text
        ? {}
        : { digest: digestAnswer(answer.text) }),
    };
  });
  const { thinking } = facts;
  return {
    ...(text === "" && made.length > 0 ? {} : { say: mask(text) }),
    ...(made.length === 0 ? {} : { calls: made }),
    ...facts,
    ...(thinking === undefined ? {} : { thinking: mask(thinking) }),
  };
}

/** The name under which arguments that are no JSON object are kept: such a turn does not replay. */
const UNREADABLE = "(unreadable)";

function maskedObject(value: JsonObject, mask: (text: string) => string): JsonObject {
  const copy: JsonObject = {};
  for (const [key, one] of Object.entries(value)) put(copy, key, masked(one, mask));
  return copy;
}

function masked(value: Json, mask: (text: string) => string): Json {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((one) => masked(one, mask));
  return isObject(value) ? maskedObject(value, mask) : value;
}

/** Tokens as a recording keeps them: both counts, or none. */
export function recordedUsage(usage: Usage | null): Pick<AnswerFacts, "usage"> {
  const { inputTokens, cachedInputTokens, outputTokens } = usage ?? {};
  if (inputTokens === undefined || outputTokens === undefined) return {};
  const cached = cachedInputTokens === undefined ? {} : { cachedInputTokens };
  return { usage: { inputTokens, ...cached, outputTokens } };
}
