/**
 * How does a server of OpenAI Responses read and answer? Pure: a request's body to the canonical
 * conversation, an answer to JSON or to the events in the order that the interface promises, numbered
 * from 0. A real server's answer is read by `responses_answer.ts`.
 */
import { type Json, type JsonObject, put } from "../../model/json.ts";
import type { AnswerPlace, ModelApi, SentAnswer, WrittenAnswer } from "../../model/model_api.ts";
import type { HeardRequest } from "../../model/serving.ts";
import { canonicalRequest } from "./canonical.ts";
import { bodyRoute, CREATED_S, openAiMiss } from "./chat_server.ts";
import { eventAnswer, jsonAnswer, likelyTokens, splitPath } from "./heard.ts";
import { placedAnswer, type WrittenCall, writtenCalls } from "./issuing.ts";
import { readResponse } from "./responses_answer.ts";
import { responsesRequestOf } from "./responses_request.ts";
import { sseEvent } from "./sse.ts";

/** Responses, as its server. */
export const RESPONSES_API: ModelApi = {
  name: "responses",
  route: responsesRoute,
  readRequest: ({ body }, place) => canonicalRequest(responsesRequestOf(body), place),
  write: writeResponse,
  readAnswer: readResponse,
  miss: openAiMiss,
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
};

const PLACE = "/responses";

function responsesRoute(heard: HeardRequest): ReturnType<ModelApi["route"]> {
  const { path } = splitPath(heard);
  if (heard.method !== "POST") return null;
  if (path.endsWith(`${PLACE}/input_tokens`)) {
    const count = likelyTokens(heard.body);
    const answer = { object: "response.input_tokens", input_tokens: count };
    return { kind: "side", answer: jsonAnswer(answer) };
  }
  return path.endsWith(PLACE) ? bodyRoute(heard, PLACE) : null;
}

function writeResponse(bare: WrittenAnswer, about: AnswerPlace): SentAnswer {
  const answer = placedAnswer(bare, about);
  const { calls, issued } = writtenCalls(answer, about);
  const output = outputOf(answer, calls);
  const given = about.streaming === "no"
    ? jsonAnswer(responseOf(answer, output))
    : eventAnswer(eventsOf(answer, output));
  return { given, issued };
}

type Output = readonly JsonObject[];

function outputOf(answer: WrittenAnswer, calls: readonly WrittenCall[]): Output {
  const { id, text, thinking } = answer;
  const reasoning: JsonObject = {
    type: "reasoning",
    id: `rs_${id}`,
    summary: [{ type: "summary_text", text: thinking ?? "" }],
    encrypted_content: null,
  };
  const message: JsonObject = {
    type: "message",
    id: `msg_${id}`,
    status: "completed",
    role: "assistant",
    content: [textPart(text)],
  };
  return [
    ...(thinking === null ? [] : [reasoning]),
    ...(text === "" && calls.length > 0 ? [] : [message]),
    ...calls.map((call, i) => callItem(call, `${id}x${i + 1}`)),
  ];
}

function textPart(text: string): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function callItem(call: WrittenCall, id: string): JsonObject {
  const { id: call_id, tool: name, namespace, form, args } = call;
  const group: JsonObject = namespace === null ? {} : { namespace };
  const status = "completed";
  if (form === "text") {
    return {
      type: "custom_tool_call",
      id: `ctc_${id}`,
      call_id,
      name,
      ...group,
      input: args,
      status,
    };
  }
  if (form === "local_shell") {
    const { command = [] } = JSON.parse(args) as JsonObject;
    const action: JsonObject = { type: "exec", command, env: {} };
    return { type: "local_shell_call", id: `lsh_${id}`, call_id, action, status };
  }
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id,
    name,
    ...group,
    arguments: args,
    status,
  };
}

function responseOf(answer: WrittenAnswer, output: Output): JsonObject {
  const cut = answer.stop === "length" || answer.stop === "refused";
  const reason = answer.stop === "length" ? "max_output_tokens" : "content_filter";
  return {
    id: `resp_${answer.id}`,
    object: "response",
    created_at: CREATED_S,
    status: cut ? "incomplete" : "completed",
    error: null,
    incomplete_details: cut ? { reason } : null,
    instructions: null,
    model: answer.model,
    output: [...output],
    parallel_tool_calls: true,
    previous_response_id: null,
    store: false,
    tool_choice: "auto",
    tools: [],
    metadata: {},
    usage: usageOf(answer),
  };
}

function usageOf({ usage }: WrittenAnswer): Json {
  if (usage === null) return null;
  const { inputTokens = 0, cachedInputTokens = 0, outputTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: cachedInputTokens },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/** One event before it has its number. */
type Bare = readonly [type: string, fields: JsonObject];

function eventsOf(answer: WrittenAnswer, output: Output): string {
  const whole = responseOf(answer, output);
  const begun = {
    ...whole,
    status: "in_progress",
    incomplete_details: null,
    output: [],
    usage: null,
  };
  const events: Bare[] = [
    ["response.created", { response: begun }],
    ["response.in_progress", { response: begun }],
    ...output.flatMap((item, output_index) => itemEvents(item, output_index)),
    [`response.${String(whole.status)}`, { response: whole }],
  ];
  return events.map(([type, fields], sequence_number) =>
    sseEvent({ type, sequence_number, ...fields }, type)
  ).join("");
}

function itemEvents(item: JsonObject, output_index: number): Bare[] {
  const { begun, between } = partsOf(item, { item_id: item.id ?? "", output_index });
  return [
    ["response.output_item.added", { output_index, item: begun }],
    ...between,
    ["response.output_item.done", { output_index, item }],
  ];
}

interface Parts {
  /** The item as it is announced. */
  readonly begun: JsonObject;
  readonly between: readonly Bare[];
}

function partsOf(item: JsonObject, at: JsonObject): Parts {
  if (item.type === "message") return messageParts(item, at);
  if (item.type === "reasoning") return reasoningParts(item, at);
  const begun: JsonObject = { ...item, status: "in_progress" };
  const [key, name] = item.type === "function_call"
    ? ["arguments", "response.function_call_arguments"]
    : ["input", "response.custom_tool_call_input"];
  const text = item[key];
  if (typeof text !== "string") return { begun, between: [] };
  put(begun, key, "");
  return {
    begun,
    between: [[`${name}.delta`, { ...at, delta: text }], [`${name}.done`, { ...at, [key]: text }]],
  };
}

function messageParts(item: JsonObject, at: JsonObject): Parts {
  const here = { ...at, content_index: 0 };
  const [part] = item.content as JsonObject[];
  const text = part?.text ?? "";
  const begun = { ...item, status: "in_progress", content: [] };
  const empty = { ...here, part: textPart("") };
  return {
    begun,
    between: [
      ["response.content_part.added", empty],
      ["response.output_text.delta", { ...here, delta: text, logprobs: [] }],
      ["response.output_text.done", { ...here, text, logprobs: [] }],
      ["response.content_part.done", { ...here, part: part ?? {} }],
    ],
  };
}

function reasoningParts(item: JsonObject, at: JsonObject): Parts {
  const here = { ...at, summary_index: 0 };
  const [part] = item.summary as JsonObject[];
  const text = part?.text ?? "";
  return {
    begun: { ...item, summary: [] },
    between: [
      ["response.reasoning_summary_part.added", {
        ...here,
        part: { type: "summary_text", text: "" },
      }],
      ["response.reasoning_summary_text.delta", { ...here, delta: text }],
      ["response.reasoning_summary_text.done", { ...here, text }],
      ["response.reasoning_summary_part.done", { ...here, part: part ?? {} }],
    ],
  };
}
