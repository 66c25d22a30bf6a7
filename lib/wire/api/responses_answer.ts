/**
 * What did a real server of Responses answer? In: the whole body, JSON or events. Out: the answer in
 * our terms; one without its last event, or a failed one, is `unreadable`.
 */
import { type Json, type JsonObject, own } from "../../model/json.ts";
import type { AnswerPlace, StopReason, UpstreamAnswer } from "../../model/model_api.ts";
import type { Usage } from "../../model/run.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "../streams/fields.ts";
import { readBody, textParts } from "./heard.ts";
import { heardCalls, heardText } from "./issuing.ts";
import { responsesCall } from "./responses_request.ts";
import { readSse } from "./sse.ts";

/** Reads an answer of a real server. */
export function readResponse(body: string, about: AnswerPlace): UpstreamAnswer {
  if (about.streaming === "no") {
    const response = readBody(body);
    if (response === null) return unreadable("Its body is not a JSON object");
    return readItems(listAt(response, "output"), response, about);
  }
  const events = readSse(body);
  const last = events.map((event) => objectAt(event, "response")).findLast((one) =>
    ENDED.has(textAt(one, "status") ?? "")
  );
  if (last === undefined) return unreadable("It ends before `response.completed`");
  // Some servers leave the output out of the last event.
  const done = events.filter((event) => textAt(event, "type") === "response.output_item.done")
    .map((event) => fieldAt(event, "item") ?? null);
  return readItems(done.length > 0 ? done : listAt(last, "output"), last, about);
}

const ENDED: ReadonlySet<string> = new Set(["completed", "incomplete", "failed"]);

function readItems(
  output: readonly Json[],
  response: JsonObject,
  about: AnswerPlace,
): UpstreamAnswer {
  const status = textAt(response, "status");
  if (status !== "completed" && status !== "incomplete") {
    const why = textAt(objectAt(response, "error"), "message");
    return unreadable(why ?? `Its status is "${status}", expected "completed"`);
  }
  const issued = heardCalls(output.map(responsesCall).filter((call) => call !== null), about);
  const texts = (type: string, key: string) =>
    output.filter((item) => textAt(item, "type") === type)
      .flatMap((item) => textParts(fieldAt(item, key)));
  const thinking = texts("reasoning", "summary").join("\n");
  return {
    kind: "answer",
    text: heardText(texts("message", "content").join(""), about),
    issued,
    thinking: thinking === "" ? null : thinking,
    stop: stopOf(response, issued.length),
    usage: usageOf(own(response, "usage")),
    model: textAt(response, "model"),
  };
}

function stopOf(response: JsonObject, calls: number): StopReason {
  const reason = textAt(objectAt(response, "incomplete_details"), "reason");
  if (reason === "content_filter") return "refused";
  return reason !== null ? "length" : calls > 0 ? "calls" : "end";
}

function usageOf(usage: Json | undefined): Usage | null {
  const counts = {
    inputTokens: countAt(usage, "input_tokens"),
    cachedInputTokens: countAt(fieldAt(usage, "input_tokens_details"), "cached_tokens"),
    outputTokens: countAt(usage, "output_tokens"),
  };
  const known = Object.entries(counts).filter(([, count]) => count !== null);
  return known.length === 0 ? null : Object.fromEntries(known);
}

function unreadable(why: string): UpstreamAnswer {
  return { kind: "unreadable", why };
}
