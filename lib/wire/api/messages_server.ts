/**
 * How does a server of Anthropic Messages read and answer? Pure: a request's body to the canonical
 * conversation, an answer to JSON or to events from `message_start` to `message_stop`. A real
 * server's answer is read by `messages_answer.ts`.
 */
import type { JsonObject } from "../../model/json.ts";
import type { AnswerPlace, ModelApi, SentAnswer, WrittenAnswer } from "../../model/model_api.ts";
import type { HeardRequest } from "../../model/serving.ts";
import { jsonOf } from "./args.ts";
import { canonicalRequest } from "./canonical.ts";
import { bodyRoute } from "./chat_server.ts";
import { eventAnswer, jsonAnswer, likelyTokens, splitPath } from "./heard.ts";
import { placedAnswer, type WrittenCall, writtenCalls } from "./issuing.ts";
import { readMessage } from "./messages_answer.ts";
import { messagesRequestOf } from "./messages_request.ts";
import { sseEvent } from "./sse.ts";

/** Messages, as its server. */
export const MESSAGES_API: ModelApi = {
  name: "messages",
  route: messagesRoute,
  readRequest: ({ body }, place) => canonicalRequest(messagesRequestOf(body), place),
  write: writeMessage,
  readAnswer: readMessage,
  miss: (why) => {
    const error = { type: "invalid_request_error", message: why };
    return jsonAnswer({ type: "error", error }, 400);
  },
  keyHeaders: (key) => ({ "x-api-key": key }),
};

const PLACE = "/messages";

function messagesRoute(heard: HeardRequest): ReturnType<ModelApi["route"]> {
  const { path } = splitPath(heard);
  if (heard.method !== "POST") return null;
  if (path.endsWith(`${PLACE}/count_tokens`)) {
    return { kind: "side", answer: jsonAnswer({ input_tokens: likelyTokens(heard.body) }) };
  }
  return path.endsWith(PLACE) ? bodyRoute(heard, PLACE) : null;
}

const STOPS = { end: "end_turn", calls: "tool_use", length: "max_tokens", refused: "refusal" };

/** Thoughts come with a signature that only their server can read: ours says that there is none. */
const SIGNATURE = "cmVwbGF5";

function writeMessage(bare: WrittenAnswer, about: AnswerPlace): SentAnswer {
  const answer = placedAnswer(bare, about);
  const { calls, issued } = writtenCalls(answer, about);
  const blocks = blocksOf(answer, calls);
  const message = messageOf(answer);
  const given = about.streaming === "no"
    ? jsonAnswer({ ...message, content: blocks, stop_reason: STOPS[answer.stop] })
    : eventAnswer(eventsOf(answer, message, blocks));
  return { given, issued };
}

function blocksOf({ text, thinking }: WrittenAnswer, calls: readonly WrittenCall[]): JsonObject[] {
  return [
    ...(thinking === null ? [] : [{ type: "thinking", thinking, signature: SIGNATURE }]),
    ...(text === "" ? [] : [{ type: "text", text }]),
    ...calls.map(({ id, tool: name, args }) => ({
      type: "tool_use",
      id,
      name,
      input: jsonOf(args),
    })),
  ];
}

function messageOf(answer: WrittenAnswer): JsonObject {
  return {
    id: `msg_${answer.id}`,
    type: "message",
    role: "assistant",
    model: answer.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(answer),
  };
}

/** Tokens read from a cache are counted beside the others here. */
function usageOf({ usage }: WrittenAnswer): JsonObject {
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = usage ?? {};
  return {
    input_tokens: Math.max(0, inputTokens - cachedInputTokens),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: outputTokens,
  };
}

function eventsOf(answer: WrittenAnswer, begun: JsonObject, blocks: readonly JsonObject[]): string {
  const event = (type: string, fields: JsonObject = {}) => sseEvent({ type, ...fields }, type);
  const usage = usageOf(answer);
  const delta = { stop_reason: STOPS[answer.stop], stop_sequence: null };
  return [
    event("message_start", { message: { ...begun, usage: { ...usage, output_tokens: 1 } } }),
    event("ping"),
    ...blocks.flatMap((block, index) => [
      event("content_block_start", { index, content_block: emptyBlock(block) }),
      ...deltasOf(block).map((part) => event("content_block_delta", { index, delta: part })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta, usage }),
    event("message_stop"),
  ].join("");
}

function emptyBlock(block: JsonObject): JsonObject {
  if (block.type === "text") return { type: "text", text: "" };
  return block.type === "tool_use"
    ? { ...block, input: {} }
    : { type: "thinking", thinking: "", signature: "" };
}

function deltasOf({ type, text, thinking, signature, input }: JsonObject): JsonObject[] {
  if (type === "text") return [{ type: "text_delta", text: text ?? "" }];
  if (type === "tool_use") {
    return [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
  }
  return [
    { type: "thinking_delta", thinking: thinking ?? "" },
    { type: "signature_delta", signature: signature ?? "" },
  ];
}
