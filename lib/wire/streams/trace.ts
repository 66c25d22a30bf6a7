/**
 * What has a stream told so far? Readers of all formats add to it; it joins beginnings with ends,
 * keeps to the limits and makes the record. Of two ends of one call the worse counts; beyond a limit
 * nothing more is kept and the stream counts as cut, never as completed.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import type { CallStatus, Usage } from "../../model/run.ts";
import type { StreamEnd, StreamEvent, StreamRecord } from "../../model/stream.ts";
import { cutNote, cutOutput, cutRaw, cutResult, EVENTS_MAX, sizeOf, TEXT_MAX } from "./bounds.ts";
import { workspacePath } from "./own_tools.ts";

/** What begins: a call of a tool, or a command for a shell. */
export type Begun =
  | { readonly kind: "call"; readonly tool: string; readonly args: JsonObject }
  | { readonly kind: "command"; readonly command: string };

/** What came of it; `exitCode` null where the stream does not hold it. */
export interface Outcome {
  readonly status: CallStatus;
  readonly result?: Json;
  readonly error?: { readonly code: string; readonly message: string };
  readonly output?: string;
  readonly exitCode?: { readonly code: number; readonly source: "field" | "text" } | null;
}

/** A file that a done call changed; the path as the program tells it. */
export interface FileChange {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
}

/** What a reader knows at the end of its stream. */
export interface Ending {
  readonly end: StreamEnd;
  readonly terminal: string | null;
  readonly session: string | null;
  readonly model: string | null;
  readonly usage: Usage | null;
}

interface Entry {
  event: StreamEvent;
  readonly id: string | null;
  /** When it began, where the stream tells it and its order is another. */
  readonly startedMs: number | null;
  ended: boolean;
}

const WORSE: readonly CallStatus[] = ["ok", "unfinished", "error", "cancelled", "denied"];

/** The events of one stream, as they come. */
export class StreamTrace {
  readonly #workspace: string;
  readonly #entries: Entry[] = [];
  readonly #byId = new Map<string, Entry>();
  readonly #early = new Map<string, Outcome>();
  readonly #completed = new Set<string>();
  #room = TEXT_MAX;
  #outcomeRoom = TEXT_MAX;
  /** Outcomes of which no text was kept. */
  #left = 0;
  #broken: string | null = null;

  constructor({ workspace }: { readonly workspace: string }) {
    this.#workspace = workspace;
  }

  /** Something kept the stream from being read whole: it can no longer be completed. */
  break(why: string): void {
    this.#broken ??= why;
  }

  /** A text of the agent for the person; an empty one says nothing. */
  say(text: string): void {
    if (text !== "") this.#add({ kind: "message", role: "assistant", text }, text.length);
  }

  /** Something to know besides, cut to a note. */
  notice(level: "debug" | "info" | "warning" | "error", text: string): void {
    if (text === "") return;
    const cut = cutNote(text);
    this.#add({ kind: "notice", level, text: cut }, cut.length);
  }

  /** An event that the reader does not know. */
  unknown(raw: Json): void {
    const cut = cutRaw(raw);
    this.#add({ kind: "unknown", raw: cut }, sizeOf(cut) ?? 0);
  }

  /** A file that was changed. */
  file({ path, change }: FileChange, startedMs: number | null = null): void {
    const inside = workspacePath(path, this.#workspace);
    if (inside === "") return;
    this.#add({ kind: "file", path: inside, change }, inside.length, { startedMs });
  }

  /** The event of a call or command, undefined where none of this id has begun. */
  eventOf(id: string): StreamEvent | undefined {
    return this.#byId.get(id)?.event;
  }

  /** A call or command begins; one that has begun already does not begin again. */
  begin(id: string, begun: Begun, startedMs: number | null = null): void {
    if (id === "") return this.break("a call in it has no name to know it by");
    if (this.#byId.has(id)) return;
    const size = begun.kind === "call" ? sizeOf(begun.args) : begun.command.length;
    if (size === null) return this.break(`the arguments of "${cutNote(id)}" are nested too deep`);
    const entry = this.#add(begunEvent(id, begun), size + id.length, { id, startedMs });
    if (entry === null) return;
    this.#byId.set(id, entry);
    const early = this.#early.get(id);
    if (early === undefined) return;
    this.#early.delete(id);
    this.#settle(entry, early);
  }

  /** A call or command ends, true where it had not ended yet; an end before the beginning waits for it. */
  end(id: string, outcome: Outcome): boolean {
    const entry = this.#byId.get(id);
    const whole = this.#kept(outcome, entry?.event.kind);
    if (entry === undefined && !this.#spend(id.length + 64)) return false;
    this.#completed.add(id);
    if (entry !== undefined) return this.#settle(entry, whole);
    this.#early.set(id, worseOf(this.#early.get(id), whole));
    return false;
  }

  /** The record; each thing that kept it from being whole makes a completed end a cut one. */
  record(
    { end, ...ending }: Ending,
    lines: { readonly noiseLines: number; readonly truncated: boolean },
  ): StreamRecord {
    const [orphan] = this.#early.keys();
    if (orphan !== undefined) {
      this.break(`it tells the end of "${cutNote(orphan)}" and not its beginning`);
    }
    if (lines.truncated) this.break("its last line breaks off");
    const events = this.#entries.map((entry) => entry.event);
    if (this.#left > 0) {
      const text =
        `The outputs of ${this.#left} calls are not kept: the agent's stream tells too much`;
      events.push({ kind: "notice", level: "warning", text });
    }
    const why = this.#broken;
    if (why !== null) {
      events.push({ kind: "notice", level: "error", text: `The agent's stream: ${why}` });
    }
    return {
      events,
      end: why === null || end.kind === "failed" ? end : cutEnd(end, why),
      ...ending,
      completed: [...this.#completed].filter((id) => this.#byId.has(id)),
      ...lines,
    };
  }

  #spend(size: number): boolean {
    if (this.#room >= size) {
      this.#room -= size;
      return true;
    }
    this.#room = 0;
    this.break(
      `it tells more than is kept: ${EVENTS_MAX} events, ${TEXT_MAX / 2 ** 20} million characters`,
    );
    return false;
  }

  #add(
    event: StreamEvent,
    size: number,
    { id = null, startedMs = null }: Partial<Pick<Entry, "id" | "startedMs">> = {},
  ): Entry | null {
    const full = this.#entries.length >= EVENTS_MAX;
    if (!this.#spend(full ? Infinity : size + 64)) return null;
    const entry = { event, id, startedMs, ended: false };
    let at = this.#entries.length;
    while (startedMs !== null && startsLater(this.#entries[at - 1], startedMs)) at--;
    this.#entries.splice(at, 0, entry);
    return entry;
  }

  /** Of what came of a call nothing decides but its status and exit code: the rest may be left out. */
  #kept(outcome: Outcome, kind: StreamEvent["kind"] | undefined): Outcome {
    const { result, output, ...rest } = bounded(outcome);
    const told: Pick<Outcome, "result" | "output"> = {
      ...(result === undefined || kind === "command" ? {} : { result }),
      ...(output === undefined || kind === "call" ? {} : { output }),
    };
    const size = (sizeOf(told.result ?? null) ?? 0) + (told.output?.length ?? 0);
    this.#outcomeRoom -= size;
    if (this.#outcomeRoom >= 0) return { ...rest, ...told };
    this.#left++;
    const mark = `[… ${size} characters cut …]`;
    return { ...rest, ...(kind === "call" ? { result: mark } : { output: mark }) };
  }

  #settle(entry: Entry, outcome: Outcome): boolean {
    const { event } = entry;
    if (event.kind !== "call" && event.kind !== "command") return false;
    const first = !entry.ended;
    entry.ended = true;
    const status = first ? outcome.status : worse(event.status, outcome.status);
    entry.event = event.kind === "call"
      ? endedCall({ ...event, status }, outcome)
      : endedCommand({ ...event, status }, outcome, first);
    return first;
  }
}

function startsLater(entry: Entry | undefined, startedMs: number): boolean {
  return entry !== undefined && entry.startedMs !== null && entry.startedMs > startedMs;
}

function cutEnd(end: StreamEnd, why: string): StreamEnd {
  return { kind: "cut", detail: end.kind === "cut" ? `${end.detail}; ${why}` : why };
}

function begunEvent(id: string, begun: Begun): StreamEvent {
  const shared = { id, status: "unfinished", source: "stream" } as const;
  if (begun.kind === "call") {
    return { kind: "call", ...shared, tool: begun.tool || "(no name)", args: begun.args };
  }
  const { command } = begun;
  return { kind: "command", ...shared, command, exitCode: null, exitCodeSource: "none" };
}

function bounded(outcome: Outcome): Outcome {
  const { result, output, error } = outcome;
  return {
    ...outcome,
    ...(result === undefined ? {} : { result: cutResult(result) }),
    ...(output === undefined ? {} : { output: cutOutput(output) }),
    ...(error === undefined ? {} : {
      error: { code: cutNote(error.code), message: cutNote(error.message) },
    }),
  };
}

function worse(a: CallStatus, b: CallStatus): CallStatus {
  return WORSE.indexOf(a) >= WORSE.indexOf(b) ? a : b;
}

function worseOf(a: Outcome | undefined, b: Outcome): Outcome {
  return a !== undefined && worse(a.status, b.status) === a.status ? a : b;
}

type CallEvent = StreamEvent & { readonly kind: "call" };
type CommandEvent = StreamEvent & { readonly kind: "command" };

function endedCall(event: CallEvent, { result, error }: Outcome): CallEvent {
  return {
    ...event,
    ...(result === undefined ? {} : { result }),
    ...(error === undefined || event.status === "ok" ? {} : { error }),
  };
}

/** Two ends that tell different exit codes leave it unknown. */
function endedCommand(
  event: CommandEvent,
  { output, exitCode }: Outcome,
  first: boolean,
): CommandEvent {
  const code = exitCode ?? null;
  const known = code !== null && (first || code.code === event.exitCode);
  return {
    ...event,
    ...(output === undefined ? {} : { output }),
    exitCode: known ? code.code : null,
    exitCodeSource: known ? code.source : "none",
  };
}
