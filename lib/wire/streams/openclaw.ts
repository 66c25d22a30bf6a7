/**
 * What does OpenClaw tell? Its output is one JSON document at the end, with the answer, the usage and
 * the names of the called tools alone; what was called with what stands in its transcript, rows of a
 * SQLite file. The transcript is a tree: calls on branches that were abandoned had their effects.
 */
import { isObject, type JsonObject } from "../../model/json.ts";
import type { Usage } from "../../model/run.ts";
import type { StreamEnd, StreamReader, StreamRecord } from "../../model/stream.ts";
import { LINE_MAX } from "./bounds.ts";
import { countAt, fieldAt, listAt, nameAt, objectAt, textAt } from "./fields.ts";
import { parseJson } from "./lines.ts";
import { OWN_TOOLS } from "./own_tools.ts";
import {
  addMessage,
  beginCall,
  type Called,
  endCall,
  endOfStop,
  partsOf,
  toolOutcome,
} from "./pi_messages.ts";
import { type Ending, StreamTrace } from "./trace.ts";

/** Where the agent worked. */
interface About {
  readonly workspace: string;
}

/** Reads the document that OpenClaw prints; without the transcript it has no calls. */
export function openclawReader(about: About): StreamReader {
  const lines: string[] = [];
  let size = 0;
  return {
    line(text) {
      size += text.length + 1;
      if (size <= LINE_MAX) lines.push(text);
    },
    end: () => outputRecord(size > LINE_MAX ? null : lines.join("\n"), about),
  };
}

function outputRecord(text: string | null, about: About): StreamRecord {
  const trace = new StreamTrace(about);
  const document = documentOf(text ?? "");
  if (document === undefined) {
    const end: StreamEnd = { kind: "cut", detail: "no JSON document in its output" };
    const ending = { end, terminal: null, session: null, model: null, usage: null };
    return trace.record(ending, { noiseLines: 0, truncated: text === null || isSaid(text) });
  }
  const calls = toldCalls(document);
  if (calls > 0) {
    const summary = objectAt(metaOf(document), "toolSummary");
    const tools = listAt(summary, "tools").filter((tool) => typeof tool === "string").join(", ");
    trace.notice("info", `${calls} calls (${tools}), their arguments only in the transcript`);
  }
  for (const payload of listAt(document, "payloads")) trace.say(textAt(payload, "text") ?? "");
  const before = (text ?? "").slice(0, text?.indexOf("{"));
  const noiseLines = before.split("\n").filter(isSaid).length;
  return trace.record(documentEnding(document), { noiseLines, truncated: false });
}

function isSaid(line: string): boolean {
  return line.trim() !== "";
}

/** Of `agent` the facts stand in `meta`, of `agent exec` in the document itself. */
function metaOf(document: JsonObject): JsonObject {
  return objectAt(document, "meta") ?? document;
}

function documentEnding(document: JsonObject): Ending {
  const meta = metaOf(document);
  const agent = objectAt(meta, "agentMeta") ?? meta;
  const status = nameAt(document, "status");
  const reason = nameAt(meta, "stopReason") ?? (status === "ok" ? "stop" : status);
  return {
    end: endOfDocument(document, reason),
    terminal: reason,
    session: nameAt(agent, "sessionId"),
    model: nameAt(agent, "model"),
    usage: addMessage(null, agent),
  };
}

function endOfDocument(document: JsonObject, reason: string | null): StreamEnd {
  const meta = metaOf(document);
  if (fieldAt(meta, "aborted") === true) return { kind: "cut", detail: "aborted" };
  const error = fieldAt(meta, "error") ?? fieldAt(document, "error");
  const failed = fieldAt(document, "ok") === false || (error !== undefined && error !== null);
  if (failed) return { kind: "failed", detail: (JSON.stringify(error) ?? "not ok").slice(0, 500) };
  return endOfStop(reason, undefined);
}

interface Row {
  readonly id: string | null;
  readonly parent: string | null;
  readonly message: JsonObject;
}

/**
 * Reads a transcript: `rows` are the texts of `transcript_events.event_json` in their order. `output`
 * is what was printed: its end, model and usage count too, and where it tells more calls than the
 * transcript shows, the record counts as cut.
 */
export function openclawRecord(
  rows: readonly string[],
  { workspace, output = null }: About & { readonly output?: string | null },
): StreamRecord {
  const trace = new StreamTrace({ workspace });
  const document = output === null ? undefined : documentOf(output);
  const values = rows.map((row) => row.length > LINE_MAX ? undefined : parseJson(row));
  const noiseLines = values.filter((value) => !isObject(value)).length;
  if (noiseLines > 0) trace.break(`${noiseLines} rows of its transcript cannot be read`);
  const events = values.filter(isObject);
  const session = events.find((event) => textAt(event, "type") === "session");
  const messages = events.flatMap((event) => rowOf(trace, event));
  const kept = pathOf(messages);
  const facts = readMessages(trace, messages, kept);
  const told = toldCalls(document ?? {});
  if (told > facts.calls) {
    trace.break(`its output tells ${told} calls, its transcript shows ${facts.calls}`);
  }
  const last = messages.filter((row) => kept.has(row) && isAssistant(row.message)).at(-1)?.message;
  const reason = textAt(last, "stopReason");
  const ending: Ending = {
    end: endOfStop(reason, last),
    terminal: reason,
    session: nameAt(session, "id"),
    model: facts.model,
    usage: facts.usage,
  };
  const record = trace.record(ending, { noiseLines, truncated: false });
  return output === null ? record : withOutput(record, outputRecord(output, { workspace }));
}

/** A row with a message; others are known to say nothing of what was done, or are kept as they are. */
function rowOf(trace: StreamTrace, event: JsonObject): Row[] {
  const message = objectAt(event, "message") ??
    (textAt(event, "role") === null ? undefined : event);
  if (message !== undefined) {
    return [{ id: nameAt(event, "id"), parent: nameAt(event, "parentId"), message }];
  }
  if (!QUIET.has(textAt(event, "type"))) trace.unknown(event);
  return [];
}

const QUIET: ReadonlySet<string | null> = new Set([
  "session",
  "custom",
  "custom_message",
  "model_change",
  "thinking_level_change",
  "compaction",
  "branch_summary",
  "label",
]);

function isAssistant(message: JsonObject): boolean {
  return textAt(message, "role") === "assistant";
}

/** The messages from the last one back to the root; without parents all of them. */
function pathOf(rows: readonly Row[]): ReadonlySet<Row> {
  if (rows.every((row) => row.parent === null)) return new Set(rows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const path = new Set<Row>();
  for (let at = rows.at(-1); at !== undefined && !path.has(at);) {
    path.add(at);
    at = at.parent === null ? undefined : byId.get(at.parent);
  }
  return path;
}

function readMessages(
  trace: StreamTrace,
  rows: readonly Row[],
  kept: ReadonlySet<Row>,
): { readonly model: string | null; readonly usage: Usage | null; readonly calls: number } {
  const called: Called = new Map();
  const state = { trace, own: OWN_TOOLS.openclaw, called };
  const abandoned: string[] = [];
  let model: string | null = null;
  let usage: Usage | null = null;
  for (const row of rows) {
    const { message } = row;
    if (textAt(message, "role") === "toolResult") {
      const [content, details] = [fieldAt(message, "content"), fieldAt(message, "details")];
      const failed = fieldAt(message, "isError") !== false;
      endCall(
        state,
        textAt(message, "toolCallId") ?? "",
        toolOutcome({ content, details }, failed),
      );
    }
    if (!isAssistant(message)) continue;
    const { text, calls } = partsOf(message);
    model = nameAt(message, "model") ?? model;
    usage = addMessage(usage, message);
    if (kept.has(row)) trace.say(text);
    else abandoned.push(...calls.map(({ id }) => id));
    for (const { id, ...call } of calls) beginCall(state, id, call);
  }
  if (abandoned.length > 0) {
    trace.notice("warning", `done on a branch that was abandoned later: ${abandoned.join(", ")}`);
  }
  return { model, usage, calls: called.size };
}

/** The transcript's events, and of the printed document what it knows better; the worse end counts. */
function withOutput(record: StreamRecord, output: StreamRecord): StreamRecord {
  const end = record.end.kind === "completed" ? output.end : record.end;
  return {
    ...record,
    end,
    session: output.session ?? record.session,
    model: output.model ?? record.model,
    usage: output.usage ?? record.usage,
    terminal: output.terminal ?? record.terminal,
    noiseLines: record.noiseLines + output.noiseLines,
    truncated: record.truncated || output.truncated,
  };
}

/** How many calls the printed document tells. */
function toldCalls(document: JsonObject): number {
  return countAt(objectAt(metaOf(document), "toolSummary"), "calls") ?? 0;
}

/** The JSON document in what was printed, undefined where there is none. */
function documentOf(text: string): JsonObject | undefined {
  const first = text.indexOf("{");
  const document = first < 0 ? undefined : parseJson(text.slice(first));
  return isObject(document) ? document : undefined;
}
