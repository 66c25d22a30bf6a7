/**
 * What do the messages of pi and of OpenClaw say? Both keep the same objects: assistant messages with
 * texts and tool calls, tool results with `isError` and details, a stop reason and usage for each
 * message. A failing exit code stands in the text, that of a command that went well in none of pi's.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/run.ts";
import type { StreamEnd } from "../../model/stream.ts";
import { amountAt, contentText, countAt, fieldAt, integerAt, listAt } from "./fields.ts";
import { nameAt, objectAt, textAt } from "./fields.ts";
import { begunBy, filesOf, type OwnTools } from "./own_tools.ts";
import type { Outcome, StreamTrace } from "./trace.ts";

/** Calls of one stream by their ids, as they were asked for. */
export type Called = Map<string, { readonly tool: string; readonly args: JsonObject }>;

/** A call begins; asked for and started are one. */
export function beginCall(
  { trace, own, called }: {
    readonly trace: StreamTrace;
    readonly own: OwnTools;
    readonly called: Called;
  },
  id: string,
  call: { readonly tool: string; readonly args: JsonObject },
): void {
  trace.begin(id, begunBy(own, call.tool, call.args));
  if (trace.eventOf(id) !== undefined && !called.has(id)) called.set(id, call);
}

/** The texts and the tool calls of an assistant message. */
export function partsOf(message: JsonObject): {
  readonly text: string;
  readonly calls: readonly {
    readonly id: string;
    readonly tool: string;
    readonly args: JsonObject;
  }[];
} {
  const calls = listAt(message, "content").filter((part) => textAt(part, "type") === "toolCall");
  return {
    text: contentText(fieldAt(message, "content")),
    calls: calls.map((part) => ({
      id: textAt(part, "id") ?? "",
      tool: textAt(part, "name") ?? "",
      args: objectAt(part, "arguments") ?? {},
    })),
  };
}

const EXIT = /(?:^|\n)(?:\(?Command exited with code (\d+)\)?)\s*$/;
const DENIED = /^\w+ denied:|approval required|denied by policy/i;
const CANCELLED = /^(?:Command aborted|Operation aborted|Tool call was aborted)/i;
const RUNNING: ReadonlySet<string | null> = new Set(["running", "backgrounded", "pending"]);

/** What became of a call. */
export function toolOutcome(
  result: { readonly content: Json | undefined; readonly details: Json | undefined },
  failed: boolean,
): Outcome {
  const text = contentText(result.content);
  const told = textAt(result.details, "status");
  const field = integerAt(result.details, "exitCode");
  const words = failed ? EXIT.exec(text.slice(-200))?.[1] : undefined;
  const code = field ?? (Number(words ?? 0) === 0 ? null : Number(words));
  const bad = failed || (code !== null && code !== 0);
  const status = told === "denied" || (failed && DENIED.test(text))
    ? "denied"
    : failed && CANCELLED.test(text)
    ? "cancelled"
    : RUNNING.has(told)
    ? "unfinished"
    : bad
    ? "error"
    : "ok";
  return {
    status,
    output: text,
    result: text,
    error: { code: status, message: text },
    exitCode: code === null ? null : { code, source: field === null ? "text" : "field" },
  };
}

/** Ends a call; the files that it changed. */
export function endCall(
  { trace, own, called }: {
    readonly trace: StreamTrace;
    readonly own: OwnTools;
    readonly called: Called;
  },
  id: string,
  outcome: Outcome,
): void {
  const first = trace.end(id, outcome);
  const call = called.get(id);
  if (!first || outcome.status !== "ok" || call === undefined) return;
  filesOf(own, { ...call, created: false }).forEach((file) => trace.file(file));
}

/** How a conversation ended whose last assistant message stopped for `reason`. */
export function endOfStop(reason: string | null, message: JsonObject | undefined): StreamEnd {
  const why = nameAt(message, "errorMessage");
  if (reason === "stop") return { kind: "completed" };
  if (reason === "aborted") return { kind: "cut", detail: why ?? "aborted" };
  if (reason === null || reason === "toolUse" || reason === "pending") {
    return { kind: "cut", detail: "no last answer at its end" };
  }
  return { kind: "failed", detail: why ?? `the last answer stopped for ${reason}` };
}

/** The usage with that of one more message; tokens of the input are told without the cache's. */
export function addMessage(usage: Usage | null, message: JsonObject): Usage | null {
  const told = objectAt(message, "usage");
  if (told === undefined) return usage;
  const cached = countAt(told, "cacheRead") ?? 0;
  const input = (countAt(told, "input") ?? 0) + cached + (countAt(told, "cacheWrite") ?? 0);
  const amount = (usage?.cost?.amount ?? 0) + (amountAt(objectAt(told, "cost"), "total") ?? 0);
  return {
    inputTokens: (usage?.inputTokens ?? 0) + input,
    cachedInputTokens: (usage?.cachedInputTokens ?? 0) + cached,
    outputTokens: (usage?.outputTokens ?? 0) + (countAt(told, "output") ?? 0),
    ...(amount === 0 ? {} : { cost: { amount, currency: "USD", billing: "unknown" as const } }),
  };
}
