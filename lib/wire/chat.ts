/**
 * How do a model's request and answer look in OpenAI Chat Completions? Pure: our terms to JSON, the
 * answer's text to our terms. Foreign input is read with tolerance where its meaning is clear;
 * an answer without a message is `unreadable`, never an empty one.
 */
import { isObject, type Json, type JsonObject, own } from "../model/json.ts";
import type { StopReason } from "../model/model_api.ts";
import type { ModelCall, ModelMessage, ModelRequest, ModelTool } from "../model/ports.ts";
import type { Usage } from "../model/run.ts";
import { readArgs } from "./api/args.ts";

/** What an answer says, before time and cost are known. */
export type ReadAnswer =
  | {
    readonly kind: "answer";
    readonly text: string;
    readonly calls: readonly ModelCall[];
    /** Tokens, null where the server told none. */
    readonly usage: Usage | null;
    /** The exact model that answered, as the server names it. */
    readonly model: string | null;
    /** Why it ended; absent where the server does not say. */
    readonly stop?: StopReason;
    /** What it thought before it spoke; absent where the server tells none. */
    readonly thinking?: string;
  }
  | { readonly kind: "unreadable"; readonly why: string };

/** Path of the interface below a base URL. */
export const CHAT_PATH = "/chat/completions";

/** The body of a request for the model `name`. */
export function chatRequest(
  { messages, tools }: ModelRequest,
  { name, temperature }: { readonly name: string; readonly temperature?: number | undefined },
): JsonObject {
  return {
    model: name,
    messages: messages.map(chatMessage),
    ...(tools.length === 0 ? {} : { tools: tools.map(chatTool) }),
    ...(temperature === undefined ? {} : { temperature }),
  };
}

function chatMessage(message: ModelMessage): JsonObject {
  if (message.role === "tool") {
    return { role: "tool", tool_call_id: message.call, content: message.text };
  }
  if (message.role !== "assistant") return { role: message.role, content: message.text };
  if (message.calls.length === 0) return { role: "assistant", content: message.text };
  return {
    role: "assistant",
    content: message.text === "" ? null : message.text,
    tool_calls: message.calls.map(({ id, tool, argsText }) => ({
      id,
      type: "function",
      function: { name: tool, arguments: argsText },
    })),
  };
}

function chatTool({ name, description, input }: ModelTool): JsonObject {
  return { type: "function", function: { name, description, parameters: input } };
}

/** Reads the body of a successful answer. */
export function readChatAnswer(body: string): ReadAnswer {
  const answer = parseJson(body);
  if (!isObject(answer)) return unreadable(`its body is not a JSON object: ${cut(body)}`);
  const choices = own(answer, "choices");
  const choice = Array.isArray(choices) ? choices[0] : undefined;
  const message = isObject(choice) ? own(choice, "message") : undefined;
  if (!isObject(message)) return unreadable(errorWords(answer) ?? "it has no choices[0].message");
  const model = own(answer, "model");
  const stop = chatStop(choice);
  const thinking = chatThinking(message);
  return {
    kind: "answer",
    text: textOf(message),
    calls: callsOf(own(message, "tool_calls")),
    usage: chatUsage(own(answer, "usage")),
    model: typeof model === "string" && model !== "" ? model : null,
    ...(stop === null ? {} : { stop }),
    ...(thinking === null ? {} : { thinking }),
  };
}

const STOPS: Readonly<Record<string, StopReason>> = {
  stop: "end",
  tool_calls: "calls",
  function_call: "calls",
  length: "length",
  content_filter: "refused",
};

/** Why a choice ended, null where it does not say; a reason of its own counts as its end. */
export function chatStop(choice: Json | undefined): StopReason | null {
  const reason = isObject(choice) ? own(choice, "finish_reason") : undefined;
  if (typeof reason !== "string") return null;
  return Object.hasOwn(STOPS, reason) ? STOPS[reason] ?? "end" : "end";
}

/** What a message, or a piece of one, tells of the model's thoughts; null where it tells none. */
export function chatThinking(message: Json | undefined): string | null {
  if (!isObject(message)) return null;
  const words = ["reasoning_content", "reasoning"].map((key) => own(message, key))
    .find((text) => typeof text === "string");
  return typeof words === "string" && words !== "" ? words : null;
}

/** The server's own words for a failed request, shortened; its body where it has no such words. */
export function readChatError(body: string): string {
  const answer = parseJson(body);
  const words = isObject(answer) ? errorWords(answer) : null;
  return words ?? (body.trim() === "" ? "no words" : cut(body.replace(/<[^>]*>/g, " ")));
}

function errorWords(answer: JsonObject): string | null {
  for (const key of ["error", "message", "detail"]) {
    const value = own(answer, key);
    const words = isObject(value) ? own(value, "message") : value;
    if (typeof words === "string" && words !== "") return cut(words);
  }
  return null;
}

function textOf(message: JsonObject): string {
  const content = own(message, "content");
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(partText).join("");
  const refusal = own(message, "refusal");
  return typeof refusal === "string" ? refusal : "";
}

function partText(part: Json): string {
  const text = isObject(part) ? own(part, "text") : part;
  return typeof text === "string" ? text : "";
}

function callsOf(value: Json | undefined): ModelCall[] {
  const calls: ModelCall[] = [];
  for (const call of Array.isArray(value) ? value : []) {
    const called = isObject(call) ? own(call, "function") : undefined;
    const [name, args] = isObject(called)
      ? [own(called, "name"), own(called, "arguments")]
      : [undefined, undefined];
    const given = isObject(call) ? own(call, "id") : undefined;
    const free = typeof given === "string" && given !== "" && !calls.some(({ id }) => id === given);
    calls.push({
      id: free ? given : `call_${calls.length + 1}`,
      tool: typeof name === "string" ? name : "",
      ...readArgs(args),
    });
  }
  return calls;
}

/** Tokens of an answer, null where it tells none. */
export function chatUsage(value: Json | undefined): Usage | null {
  if (!isObject(value)) return null;
  const details = own(value, "prompt_tokens_details");
  const counts = {
    inputTokens: countAt(value, "prompt_tokens"),
    cachedInputTokens: isObject(details) ? countAt(details, "cached_tokens") : null,
    outputTokens: countAt(value, "completion_tokens"),
  };
  const known = Object.entries(counts).filter(([, count]) => count !== null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

function countAt(value: JsonObject, key: string): number | null {
  const count = own(value, key);
  return typeof count === "number" && Number.isInteger(count) && count >= 0 ? count : null;
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function unreadable(why: string): ReadAnswer {
  return { kind: "unreadable", why };
}

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}
