/**
 * What did a real server of Chat Completions answer? In: the whole body, JSON or chunks. Out: the
 * answer in our terms; one that was cut short is `unreadable`.
 */
import { isObject, type Json } from "../../model/json.ts";
import type { AnswerPlace, StopReason, UpstreamAnswer } from "../../model/model_api.ts";
import type { Usage } from "../../model/run.ts";
import { chatStop, chatThinking, chatUsage, readChatAnswer } from "../chat.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "../streams/fields.ts";
import { chatCall } from "./chat_request.ts";
import type { HeardCall } from "./heard.ts";
import { heardCalls, heardText } from "./issuing.ts";
import { readSse } from "./sse.ts";

/** How a body is read: whole or in chunks, and where the answer's paths lie. */
type About = Pick<AnswerPlace, "streaming" | "place">;

/** Reads an answer of a real server. */
export function readChatCompletion(body: string, about: About): UpstreamAnswer {
  return about.streaming === "no" ? readWhole(body, about) : readChunks(readSse(body), about);
}

function readWhole(body: string, about: About): UpstreamAnswer {
  const read = readChatAnswer(body);
  if (read.kind === "unreadable") return read;
  const choice = firstChoice(JSON.parse(body) as Json);
  const message = objectAt(choice, "message");
  return {
    kind: "answer",
    text: heardText(read.text, about),
    issued: heardCalls(listAt(message, "tool_calls").flatMap(chatCall), about),
    thinking: read.thinking ?? null,
    stop: read.stop ?? "end",
    usage: read.usage,
    model: read.model,
  };
}

function firstChoice(value: Json): Json | undefined {
  return listAt(value, "choices")[0];
}

interface Gathered {
  text: string;
  thinking: string;
  stop: StopReason | null;
  usage: Usage | null;
  model: string | null;
  /** By their index in the answer. */
  readonly calls: Map<number, { id: string | null; tool: string; args: string }>;
}

function readChunks(chunks: readonly Json[], about: About): UpstreamAnswer {
  const all: Gathered = {
    text: "",
    thinking: "",
    stop: null,
    usage: null,
    model: null,
    calls: new Map(),
  };
  for (const chunk of chunks) gather(all, chunk);
  if (all.stop === null) return { kind: "unreadable", why: "It ends before its `finish_reason`" };
  const calls = [...all.calls].toSorted(([a], [b]) => a - b)
    .map(([, call]): HeardCall => ({ kind: "call", namespace: null, ...call }));
  const { text, thinking, stop, usage, model } = all;
  const issued = heardCalls(calls, about);
  return {
    kind: "answer",
    text: heardText(text, about),
    issued,
    thinking: thinking || null,
    stop,
    usage,
    model,
  };
}

function gather(all: Gathered, chunk: Json): void {
  const choice = firstChoice(chunk);
  const delta = objectAt(choice, "delta");
  all.text += textAt(delta, "content") ?? "";
  all.thinking += chatThinking(delta) ?? "";
  for (const call of listAt(delta, "tool_calls")) gatherCall(all, call);
  all.stop = chatStop(choice) ?? all.stop;
  all.model = textAt(chunk, "model") ?? all.model;
  const usage = fieldAt(chunk, "usage");
  if (isObject(usage)) all.usage = chatUsage(usage);
}

function gatherCall(all: Gathered, call: Json): void {
  const index = countAt(call, "index") ?? all.calls.size;
  const known = all.calls.get(index) ?? { id: null, tool: "", args: "" };
  const called = objectAt(call, "function");
  all.calls.set(index, {
    id: textAt(call, "id") || known.id,
    tool: known.tool + (textAt(called, "name") ?? ""),
    args: known.args + (textAt(called, "arguments") ?? ""),
  });
}
