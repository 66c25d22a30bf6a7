/**
 * What did a real server of Gemini answer? In: the whole body: JSON, events or a list. Out: the answer
 * in our terms; one that never says why it ended is `unreadable`.
 */
import { isObject, type Json } from "../../model/json.ts";
import type { AnswerPlace, StopReason, UpstreamAnswer } from "../../model/model_api.ts";
import type { Usage } from "../../model/run.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "../streams/fields.ts";
import { geminiCall } from "./gemini_request.ts";
import { textParts } from "./heard.ts";
import { heardCalls, heardText } from "./issuing.ts";
import { readSse } from "./sse.ts";

/** Reads an answer of a real server. */
export function readContent(body: string, about: AnswerPlace): UpstreamAnswer {
  const pieces = about.streaming === "events" ? readSse(body) : piecesOf(body);
  const error = pieces.map((piece) => textAt(objectAt(piece, "error"), "message"))
    .find((why) => why !== null);
  if (error !== undefined && error !== null) return { kind: "unreadable", why: error };
  const candidates = pieces.map((piece) => listAt(piece, "candidates")[0]);
  const finish = candidates.map((one) => textAt(one, "finishReason")).findLast((one) =>
    one !== null
  );
  if (finish === undefined || finish === null) {
    return { kind: "unreadable", why: "It ends before its `finishReason`" };
  }
  const parts = candidates.flatMap((one) => [...listAt(objectAt(one, "content"), "parts")]);
  const isThought = (part: Json) => fieldAt(part, "thought") === true;
  const thinking = textParts(parts.filter(isThought)).join("");
  const calls = parts.map(geminiCall).filter((call) => call !== null);
  const last = pieces.findLast((piece) => isObject(fieldAt(piece, "usageMetadata")));
  return {
    kind: "answer",
    text: heardText(textParts(parts.filter((part) => !isThought(part))).join(""), about),
    issued: heardCalls(calls, about),
    thinking: thinking === "" ? null : thinking,
    stop: stopOf(finish, calls.length),
    usage: usageOf(fieldAt(last, "usageMetadata")),
    model: textAt(pieces.at(-1), "modelVersion"),
  };
}

function piecesOf(body: string): readonly Json[] {
  try {
    const value = JSON.parse(body) as Json;
    return Array.isArray(value) ? value : [value];
  } catch {
    return [];
  }
}

function stopOf(finish: string, calls: number): StopReason {
  if (finish === "STOP") return calls > 0 ? "calls" : "end";
  return finish === "MAX_TOKENS" ? "length" : "refused";
}

/** Thoughts are counted beside the answer, and cost the same. */
function usageOf(usage: Json | undefined): Usage | null {
  const input = countAt(usage, "promptTokenCount");
  const cached = countAt(usage, "cachedContentTokenCount");
  const output = countAt(usage, "candidatesTokenCount");
  const thoughts = countAt(usage, "thoughtsTokenCount");
  if (input === null && output === null) return null;
  return {
    ...(input === null ? {} : { inputTokens: input }),
    ...(cached === null ? {} : { cachedInputTokens: cached }),
    ...(output === null ? {} : { outputTokens: output + (thoughts ?? 0) }),
  };
}
