/**
 * How does a server of Gemini's `generateContent` read and answer? Pure: a request's body to the
 * canonical conversation, an answer to JSON, to events (`alt=sse`) or to a list. Every call has an id:
 * without one the program invents its own. A real server's answer is read by `gemini_answer.ts`.
 */
import type { JsonObject } from "../../model/json.ts";
import type {
  AnswerPlace,
  CompletionRoute,
  ModelApi,
  SentAnswer,
  WrittenAnswer,
} from "../../model/model_api.ts";
import type { HeardRequest } from "../../model/serving.ts";
import { jsonOf } from "./args.ts";
import { canonicalRequest } from "./canonical.ts";
import { readContent } from "./gemini_answer.ts";
import { geminiRequestOf } from "./gemini_request.ts";
import { eventAnswer, jsonAnswer, likelyTokens, readBody, splitPath } from "./heard.ts";
import { placedAnswer, type WrittenCall, writtenCalls } from "./issuing.ts";
import { sseEvent } from "./sse.ts";

/** Gemini, as its server. */
export const GEMINI_API: ModelApi = {
  name: "gemini",
  route: geminiRoute,
  readRequest: ({ body, model }, place) =>
    canonicalRequest(geminiRequestOf(body, model ?? ""), place),
  write: writeContent,
  readAnswer: readContent,
  miss: (why) => {
    const error = { code: 400, message: why, status: "INVALID_ARGUMENT" };
    return jsonAnswer({ error }, 400);
  },
  keyHeaders: (key) => ({ "x-goog-api-key": key }),
};

const ADDRESS = /\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens)$/;

function geminiRoute(heard: HeardRequest): ReturnType<ModelApi["route"]> {
  const { path, query } = splitPath(heard);
  const [, model = "", verb] = ADDRESS.exec(path) ?? [];
  if (heard.method !== "POST" || verb === undefined) return null;
  if (verb === "countTokens") {
    return { kind: "side", answer: jsonAnswer({ totalTokens: likelyTokens(heard.body) }) };
  }
  const body = readBody(heard.body);
  if (body === null) return { kind: "unreadable", why: "Its body is not a JSON object" };
  const events = query.get("alt") === "sse";
  const streaming = verb === "generateContent" ? "no" : events ? "events" : "list";
  const place = `/models/${model}:${verb}${events ? "?alt=sse" : ""}`;
  return { kind: "complete", streaming, body, model, place } satisfies CompletionRoute;
}

const FINISH = { end: "STOP", calls: "STOP", length: "MAX_TOKENS", refused: "SAFETY" };

function writeContent(bare: WrittenAnswer, about: AnswerPlace): SentAnswer {
  const answer = placedAnswer(bare, about);
  const { calls, issued } = writtenCalls(answer, about);
  const parts = partsOf(answer, calls);
  if (about.streaming === "no") {
    return { given: jsonAnswer(contentOf(answer, parts, true)), issued };
  }
  const pieces = piecesOf(answer, parts);
  const given = about.streaming === "events"
    ? eventAnswer(pieces.map((piece) => sseEvent(piece)).join(""))
    : jsonAnswer(pieces);
  return { given, issued };
}

function partsOf({ text, thinking }: WrittenAnswer, calls: readonly WrittenCall[]): JsonObject[] {
  return [
    ...(thinking === null ? [] : [{ text: thinking, thought: true }]),
    ...(text === "" && calls.length > 0 ? [] : [{ text }]),
    ...calls.map(({ id, tool: name, args }) => ({
      functionCall: { id, name, args: jsonOf(args) },
    })),
  ];
}

/** One piece for each part; the last says why it ends and what it cost. */
function piecesOf(answer: WrittenAnswer, parts: readonly JsonObject[]): JsonObject[] {
  return parts.map((part, i) => contentOf(answer, [part], i === parts.length - 1));
}

function contentOf(answer: WrittenAnswer, parts: JsonObject[], isLast: boolean): JsonObject {
  const candidate: JsonObject = {
    content: { role: "model", parts },
    ...(isLast ? { finishReason: FINISH[answer.stop] } : {}),
    index: 0,
  };
  return {
    candidates: [candidate],
    ...(isLast ? usageField(answer) : {}),
    modelVersion: answer.model,
    responseId: answer.id,
  };
}

function usageField({ usage }: WrittenAnswer): JsonObject {
  if (usage === null) return {};
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = usage;
  return {
    usageMetadata: {
      promptTokenCount: inputTokens,
      cachedContentTokenCount: cachedInputTokens,
      candidatesTokenCount: outputTokens,
      totalTokenCount: inputTokens + outputTokens,
    },
  };
}
