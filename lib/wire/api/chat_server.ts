/**
 * How does a server of OpenAI Chat Completions read and answer? Pure: a request's body to the
 * canonical conversation, an answer to JSON or chunks that end with `[DONE]`, a real server's answer
 * to ours. What cannot be read is said, never guessed.
 */
import { type Json, type JsonObject, own } from "../../model/json.ts";
import type {
  AnswerPlace,
  CompletionRoute,
  ModelApi,
  SentAnswer,
  WrittenAnswer,
} from "../../model/model_api.ts";
import type { HeardRequest } from "../../model/serving.ts";
import { CHAT_PATH } from "../chat.ts";
import { canonicalRequest } from "./canonical.ts";
import { readChatCompletion } from "./chat_answer.ts";
import { chatRequestOf } from "./chat_request.ts";
import { eventAnswer, jsonAnswer, readBody, splitPath } from "./heard.ts";
import { placedAnswer, type WrittenCall, writtenCalls } from "./issuing.ts";
import { sseEvent } from "./sse.ts";

/** Chat Completions, as its server. */
export const CHAT_API: ModelApi = {
  name: "chat",
  route: chatRoute,
  readRequest: ({ body }, place) => canonicalRequest(chatRequestOf(body), place),
  write: writeChat,
  readAnswer: readChatCompletion,
  miss: openAiMiss,
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
};

/** A refusal in OpenAI's form. */
export function openAiMiss(why: string) {
  const error = { message: why, type: "invalid_request_error", param: null, code: "replay_miss" };
  return jsonAnswer({ error }, 400);
}

/** When answers of ours were made, for clients that read it: one second for all of them. */
export const CREATED_S = 1_790_000_000;

function chatRoute(heard: HeardRequest): ReturnType<ModelApi["route"]> {
  const { path } = splitPath(heard);
  if (heard.method === "GET" && /\/models(?:\/[^/]+)?$/.test(path)) return modelList(path);
  if (heard.method !== "POST" || !path.endsWith(CHAT_PATH)) return null;
  return bodyRoute(heard, CHAT_PATH);
}

/** The route of an interface whose body says whether it streams. */
export function bodyRoute(heard: HeardRequest, place: string): ReturnType<ModelApi["route"]> {
  const body = readBody(heard.body);
  if (body === null) return { kind: "unreadable", why: "Its body is not a JSON object" };
  const streaming = own(body, "stream") === true ? "events" : "no";
  return { kind: "complete", streaming, body, model: null, place } satisfies CompletionRoute;
}

/** One list for the interfaces that share the path; programs name their model themselves. */
function modelList(path: string): ReturnType<ModelApi["route"]> {
  const one = {
    id: "model",
    object: "model",
    type: "model",
    display_name: "model",
    owned_by: "own",
  };
  const model: JsonObject = { ...one, created: CREATED_S, created_at: "2026-09-21T14:13:20Z" };
  const named = { name: "models/model", supportedGenerationMethods: ["generateContent"] };
  const list = { object: "list", data: [model], has_more: false, models: [named] };
  return { kind: "side", answer: jsonAnswer(path.endsWith("/models") ? list : model) };
}

const FINISH = { end: "stop", calls: "tool_calls", length: "length", refused: "content_filter" };

function writeChat(bare: WrittenAnswer, about: AnswerPlace): SentAnswer {
  const answer = placedAnswer(bare, about);
  const { calls, issued } = writtenCalls(answer, about);
  const given = about.streaming === "no"
    ? jsonAnswer(wholeAnswer(answer, calls))
    : eventAnswer(chunksOf(answer, calls, about.request.usageWanted));
  return { given, issued };
}

function head(answer: WrittenAnswer, object: string): JsonObject {
  return { id: `chatcmpl-${answer.id}`, object, created: CREATED_S, model: answer.model };
}

function callJson({ id, tool, form, args }: WrittenCall): JsonObject {
  if (form === "text") return { id, type: "custom", custom: { name: tool, input: args } };
  return { id, type: "function", function: { name: tool, arguments: args } };
}

function wholeAnswer(answer: WrittenAnswer, calls: readonly WrittenCall[]): JsonObject {
  const message: JsonObject = {
    role: "assistant",
    content: answer.text === "" && calls.length > 0 ? null : answer.text,
    ...(answer.thinking === null ? {} : { reasoning_content: answer.thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callJson) }),
  };
  const choice = { index: 0, message, logprobs: null, finish_reason: FINISH[answer.stop] };
  return { ...head(answer, "chat.completion"), choices: [choice], ...usageField(answer) };
}

function usageField({ usage }: WrittenAnswer): JsonObject {
  if (usage === null) return {};
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = usage;
  return {
    usage: {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
      prompt_tokens_details: { cached_tokens: cachedInputTokens },
    },
  };
}

function chunksOf(
  answer: WrittenAnswer,
  calls: readonly WrittenCall[],
  usageWanted: boolean,
): string {
  const chunk = (choices: Json, more: JsonObject = {}) =>
    sseEvent({ ...head(answer, "chat.completion.chunk"), choices, ...more });
  const delta = (fields: JsonObject, finish: string | null = null) =>
    chunk([{ index: 0, delta: fields, logprobs: null, finish_reason: finish }]);
  const usage = usageWanted ? usageField(answer) : {};
  return [
    delta({ role: "assistant", content: "" }),
    ...(answer.thinking === null ? [] : [delta({ reasoning_content: answer.thinking })]),
    ...(answer.text === "" ? [] : [delta({ content: answer.text })]),
    ...calls.flatMap((call, index) => callDeltas(call, index).map((one) => delta(one))),
    delta({}, FINISH[answer.stop]),
    ...(Object.keys(usage).length === 0 ? [] : [chunk([], usage)]),
    sseEvent("[DONE]"),
  ].join("");
}

/** A call begins with its name; its arguments follow. */
function callDeltas(call: WrittenCall, index: number): JsonObject[] {
  const { id, tool, form, args } = call;
  if (form === "text") return [{ tool_calls: [{ index, ...callJson(call) }] }];
  return [
    { tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] },
    { tool_calls: [{ index, function: { arguments: args } }] },
  ];
}
