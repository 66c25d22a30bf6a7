/**
 * What did a real server of Messages answer? In: the whole body, JSON or events. Out: the answer in
 * our terms; one without `message_stop`, or an error, is `unreadable`.
 */
import { type Json, type JsonObject, own } from "../../model/json.ts";
import type { AnswerPlace, StopReason, UpstreamAnswer } from "../../model/model_api.ts";
import type { Usage } from "../../model/run.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "../streams/fields.ts";
import { type HeardCall, readBody } from "./heard.ts";
import { heardCalls, heardText } from "./issuing.ts";
import { messagesCall } from "./messages_request.ts";
import { readSse } from "./sse.ts";

/** Reads an answer of a real server. */
export function readMessage(body: string, about: AnswerPlace): UpstreamAnswer {
  if (about.streaming !== "no") return readEvents(readSse(body), about);
  const message = readBody(body);
  if (textAt(message, "type") !== "message") return failed(message, "It is no message");
  const content = listAt(message, "content");
  return answerOf({
    content: content.map((block) => ({ block, text: "", json: "" })),
    stop: textAt(message, "stop_reason"),
    usage: objectAt(message, "usage") ?? {},
    model: textAt(message, "model"),
  }, about);
}

/** A block as it began, and what came after. */
interface Block {
  readonly block: Json;
  text: string;
  json: string;
}

interface Message {
  readonly content: readonly Block[];
  readonly stop: string | null;
  readonly usage: JsonObject;
  readonly model: string | null;
}

function readEvents(events: readonly Json[], about: AnswerPlace): UpstreamAnswer {
  const broken = events.find((event) => textAt(event, "type") === "error");
  if (broken !== undefined) return failed(broken, "It broke off with an error");
  if (!events.some((event) => textAt(event, "type") === "message_stop")) {
    return { kind: "unreadable", why: "It ends before `message_stop`" };
  }
  const blocks = new Map<number, Block>();
  for (const event of events) {
    const index = countAt(event, "index") ?? 0;
    if (textAt(event, "type") === "content_block_start") {
      blocks.set(index, { block: fieldAt(event, "content_block") ?? {}, text: "", json: "" });
    }
    const delta = objectAt(event, "delta");
    const block = blocks.get(index);
    if (block === undefined || textAt(event, "type") !== "content_block_delta") continue;
    block.text += textAt(delta, "text") ?? textAt(delta, "thinking") ?? "";
    block.json += textAt(delta, "partial_json") ?? "";
  }
  const first = objectAt(
    events.find((event) => textAt(event, "type") === "message_start"),
    "message",
  );
  const last = events.findLast((event) => textAt(event, "type") === "message_delta");
  return answerOf({
    content: [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block),
    stop: textAt(objectAt(last, "delta"), "stop_reason"),
    usage: { ...objectAt(first, "usage"), ...objectAt(last, "usage") },
    model: textAt(first, "model"),
  }, about);
}

function failed(value: Json | null, otherwise: string): UpstreamAnswer {
  const error = textAt(objectAt(value ?? undefined, "error"), "message");
  return { kind: "unreadable", why: error ?? otherwise };
}

const STOPS: Readonly<Record<string, StopReason>> = {
  end_turn: "end",
  stop_sequence: "end",
  tool_use: "calls",
  max_tokens: "length",
  refusal: "refused",
};

function answerOf({ content, stop, usage, model }: Message, about: AnswerPlace): UpstreamAnswer {
  const texts = (type: string) =>
    content.filter(({ block }) => textAt(block, "type") === type)
      .map(({ block, text }) => (textAt(block, type) ?? "") + text).join("");
  const calls = content.map(callOf).filter((call) => call !== null);
  const thinking = texts("thinking");
  return {
    kind: "answer",
    text: heardText(texts("text"), about),
    issued: heardCalls(calls, about),
    thinking: thinking === "" ? null : thinking,
    stop: STOPS[stop ?? ""] ?? "end",
    usage: usageOf(usage),
    model,
  };
}

function callOf({ block, json }: Block): HeardCall | null {
  const call = messagesCall(block);
  return call === null || json === "" ? call : { ...call, args: json };
}

/** Tokens written to and read from a cache count as input. */
function usageOf(usage: JsonObject): Usage | null {
  const count = (key: string) => countAt(usage, key);
  const input = count("input_tokens");
  const output = count("output_tokens");
  if (input === null && output === null) return null;
  const cached = count("cache_read_input_tokens");
  const written = own(usage, "cache_creation_input_tokens") === undefined
    ? 0
    : count("cache_creation_input_tokens") ?? 0;
  return {
    ...(input === null ? {} : { inputTokens: input + (cached ?? 0) + written }),
    ...(cached === null ? {} : { cachedInputTokens: cached }),
    ...(output === null ? {} : { outputTokens: output }),
  };
}
