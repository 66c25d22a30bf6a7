/**
 * What happened in one process of an agent, told once? Four sources see parts of it: our tools
 * (evidence, in the order of arrival), the sandbox's shell, the agent's own output (testimony), and
 * the model server, which also sees calls that the agent refused by itself. Out: one list of events.
 * The order of evidence and that of the testimony are kept; nothing is dropped.
 */
import { equalJson, type Json, type JsonObject } from "../model/json.ts";
import type { CallEvent, RunEvent } from "../model/run.ts";
import { innerCommand } from "../model/shell.ts";
import { SHELL } from "../model/workspace_tools.ts";
import type { BareEvent } from "./episode.ts";

/** A call that the model asked for, as the model server saw it. */
export interface AskedCall {
  /** As the agent saw it. */
  readonly id: string;
  readonly tool: string;
  /** Null where they were no JSON object. */
  readonly args: JsonObject | null;
  /** Name and arguments in the agent's own terms; the arguments as a text. */
  readonly native: { readonly tool: string; readonly args: string };
  /** What the agent told the model of it afterwards; null where it told nothing. */
  readonly told: { readonly status: "ok" | "error" | "denied"; readonly text: string } | null;
}

/** A file that was found changed when the program asked its model again. */
export interface SeenChange {
  readonly event: BareEvent & { readonly kind: "file" };
  /** How many calls the model of the process had asked for before. */
  readonly asked: number;
}

/** Everything that was seen of one process. */
export interface ProcessSources {
  /** Events of our own, with time and turn; the first of them may be what the user said. */
  readonly evidence: readonly RunEvent[];
  /** The agent's output, its calls and commands with the agent's own ids. */
  readonly testimony: readonly BareEvent[];
  /** Commands that the sandbox's shell recorded. */
  readonly commands: readonly (BareEvent & { readonly kind: "command" })[];
  readonly asked: readonly AskedCall[];
  /** True where the agent has no other model than ours: then whatever it did was asked of us. */
  readonly servesModel?: boolean;
  /** What was found changed in the folder, in order; absent: nobody looked. */
  readonly changed?: readonly SeenChange[];
  /** False for output that tells no calls: then what the agent told the model is all there is. */
  readonly tellsCalls: boolean;
  /** Where events without a time of their own begin. */
  readonly start: { readonly atMs: number; readonly turn: number };
  /** A new id for what our tools did not number: the agents' own ids differ from run to run. */
  nextId(): string;
}

type AnyEvent = BareEvent | RunEvent;

/** A change that was found in the folder needs no agent's word for it. */
function withoutToldFiles(
  events: readonly AnyEvent[],
  { testimony, changed = [] }: ProcessSources,
): readonly AnyEvent[] {
  const found = new Set(changed.map(({ event }) => event.path));
  const told = new Set<AnyEvent>(
    testimony.filter((event) => event.kind === "file" && found.has(event.path)),
  );
  return told.size === 0 ? events : events.filter((event) => !told.has(event));
}

/** An event in the making of a trace; `twin` where another event of the list tells the same deed. */
interface Place {
  readonly event: AnyEvent;
  readonly twin: boolean;
}

/** One trace of all sources. */
export function mergeTrace(sources: ProcessSources): RunEvent[] {
  const told = weave(sources.evidence, sources.testimony);
  const recorded = addCommands(told, sources.commands);
  const whole = withoutToldFiles(addAttempts(recorded, sources), sources);
  return numbered(dated(whole, sources.start), () => sources.nextId());
}

/**
 * Evidence and testimony in one list, each in its own order. A call that both show stands in it
 * twice, side by side; what the testimony does not show comes before what it tells at its end.
 */
function weave(evidence: readonly RunEvent[], testimony: readonly BareEvent[]): Place[] {
  const woven: Place[] = [];
  const pairs = pairUp<BareEvent, RunEvent>(testimony, evidence, [isSameCall, isSameTool]);
  let at = 0;
  const take = (end: number) => {
    while (at < end || (at < evidence.length && !beginsCall(evidence[at]))) {
      const event = evidence[at++];
      if (event !== undefined) woven.push({ event, twin: false });
    }
  };
  take(0);
  let afterTwin = woven.length;
  testimony.forEach((event, index) => {
    const like = pairs.get(index);
    if (like === undefined) woven.push({ event, twin: false });
    else {
      const end = Math.max(at, like + 1);
      // The user's words after a call were heard with its answer: the twin stands before them.
      while (at < end) woven.push({ event: evidence[at++] as RunEvent, twin: false });
      woven.push({ event, twin: true });
      take(at);
      afterTwin = woven.length;
    }
  });
  const rest = evidence.slice(at).map((event) => ({ event, twin: false }));
  return [...woven.slice(0, afterTwin), ...rest, ...woven.slice(afterTwin)];
}

/** True for what belongs to a call that follows or is one. */
function beginsCall(event: AnyEvent | undefined): boolean {
  return event?.kind === "call" || event?.kind === "approval";
}

/**
 * Pairs the items of two lists, each at most once, in order: by the first test wherever it holds, then
 * what is left by the next. Index in the first list -> index in the second.
 */
function pairUp<A, B>(
  first: readonly A[],
  second: readonly B[],
  tests: readonly ((a: A, b: B) => boolean)[],
): ReadonlyMap<number, number> {
  const pairs = new Map<number, number>();
  const open = new Set(second.keys());
  for (const test of tests) {
    first.forEach((a, index) => {
      if (pairs.has(index)) return;
      for (const at of open) {
        if (!test(a, second[at] as B)) continue;
        open.delete(at);
        pairs.set(index, at);
        return;
      }
    });
  }
  return pairs;
}

function isSameTool(a: AnyEvent, b: AnyEvent): boolean {
  return a.kind === "call" && b.kind === "call" && a.tool === b.tool;
}

function isSameCall(a: AnyEvent, b: AnyEvent): boolean {
  return isSameTool(a, b) && equalJson((a as CallEvent).args, (b as CallEvent).args);
}

/** The shell's record of a command stands beside what the testimony tells of it. */
function addCommands(places: readonly Place[], commands: ProcessSources["commands"]): Place[] {
  const pairs = pairUp(commands, places, [
    (command, { event }) => event.kind === "command" && sameText(event.command, command.command),
  ]);
  const added = new Map<number, Place[]>();
  let after = firstWords(places);
  commands.forEach((event, index) => {
    const told = pairs.get(index);
    after = Math.max(after, told ?? after);
    const at = told ?? after;
    added.set(at, [...added.get(at) ?? [], { event, twin: told !== undefined }]);
  });
  return withAdded(places, added);
}

/** Index of what the user said first; 0 where it is not among them. */
function firstWords(places: readonly Place[]): number {
  const at = places.findIndex(({ event }) => event.kind === "message" && event.role === "user");
  return Math.max(0, at);
}

/** The places with others after some of them. */
function withAdded(places: readonly Place[], added: ReadonlyMap<number, Place[]>): Place[] {
  if (places.length === 0) return [...added.values()].flat();
  return places.flatMap((place, index) => [place, ...added.get(index) ?? []]);
}

function sameText(a: string, b: string): boolean {
  return innerCommand(a.trim()).trim() === innerCommand(b.trim()).trim();
}

/** Adds what the model asked for and nothing else shows: the agent refused it, or never began it. */
function addAttempts(places: readonly Place[], sources: ProcessSources): AnyEvent[] {
  const { asked } = sources;
  const shown = pairUp(asked, places, [
    (call, { event, twin }) => !twin && isOfId(event, call),
    (call, { event, twin }) => !twin && showsExactly(event, call),
    (call, { event, twin }) => !twin && showsRoughly(event, call),
  ]);
  const added = new Map<number, Place[]>();
  const add = (at: number, event: BareEvent) =>
    added.set(at, [...added.get(at) ?? [], { event, twin: false }]);
  let after = firstWords(places);
  let latest = after;
  const changed = [...sources.changed ?? []];
  const addChanged = (made: number) => {
    while (changed[0] !== undefined && changed[0].asked <= made) {
      const [first] = changed.splice(0, 1);
      if (first !== undefined) add(latest, first.event);
    }
  };
  addChanged(0);
  asked.forEach((call, index) => {
    const at = shown.get(index);
    if (at === undefined) add(after, attempt(call, sources.tellsCalls));
    else after = places[at + 1]?.twin === true ? at + 1 : at;
    latest = Math.max(latest, after);
    addChanged(index + 1);
  });
  addChanged(Infinity);
  const known = sources.servesModel === true
    ? withoutUnasked(places, new Set(shown.values()))
    : places;
  return withAdded(known, added).map(({ event }) => event);
}

/** The same places; a command that only the agent tells of, and its model never asked for, proves no exit code. */
function withoutUnasked(places: readonly Place[], shown: ReadonlySet<number>): readonly Place[] {
  return places.map((place, index) => {
    const { event, twin } = place;
    const isRecorded = twin || places[index + 1]?.twin === true;
    if (event.kind !== "command" || event.source !== "stream" || event.exitCode === null) {
      return place;
    }
    if (isRecorded || shown.has(index)) return place;
    const { exitCodeSource: _, ...rest } = event;
    return { event: { ...rest, exitCode: null }, twin };
  });
}

/** An id alone does not make one command another. */
function isOfId(event: AnyEvent, { id, tool, args }: AskedCall): boolean {
  if (!("id" in event) || event.id !== id) return false;
  const asked = args?.command;
  if (tool !== SHELL || typeof asked !== "string" || event.kind !== "command") return true;
  // Programs put something around a command; less than was asked for is another one.
  return innerCommand(event.command.trim()).includes(innerCommand(asked.trim()).trim());
}

function showsExactly(event: AnyEvent, { tool, args, native }: AskedCall): boolean {
  if (event.kind === "call") {
    if (event.tool === tool) return equalJson(event.args, args ?? {});
    return event.tool === native.tool && equalJson(event.args, parsed(native.args));
  }
  if (event.kind === "command") {
    return typeof args?.command === "string" && sameText(event.command, args.command);
  }
  return event.kind === "file" && args?.path === event.path;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

/** Agents change arguments before they use them, and write files in their own ways. */
function showsRoughly(event: AnyEvent, { tool, args, native }: AskedCall): boolean {
  if (event.kind === "call") return event.tool === tool || event.tool === native.tool;
  if (tool === SHELL) return false;
  if (event.kind === "file") return native.args.includes(event.path);
  const path = args?.path;
  return event.kind === "command" && typeof path === "string" && event.command.includes(path);
}

function attempt({ id, tool, args, told }: AskedCall, tellsCalls: boolean): BareEvent {
  const status = told === null
    ? "unfinished"
    : told.status === "ok" && tellsCalls
    ? "error"
    : told.status;
  const command = args?.command;
  if (tool === SHELL && typeof command === "string") {
    return { kind: "command", id, command, exitCode: null, status, source: "model" };
  }
  return {
    kind: "call",
    id,
    tool: tool === "" ? "(unnamed)" : tool,
    args: args ?? {},
    status,
    ...(status === "ok" || told === null
      ? {}
      : { error: { code: "not_made", message: told.text.slice(0, ERROR_TEXT_MAX) } }),
    source: "model",
  };
}

/** What an agent says of a call that it did not make, cut. */
const ERROR_TEXT_MAX = 500;

/** Every event with a time and a turn: those without take them from the one before. */
function dated(events: readonly AnyEvent[], start: ProcessSources["start"]): RunEvent[] {
  let { atMs, turn } = start;
  return events.map((event) => {
    if ("atMs" in event) atMs = Math.max(atMs, event.atMs ?? 0);
    if ("turn" in event) turn = event.turn ?? turn;
    return "atMs" in event && "turn" in event ? event : { ...event, atMs, turn };
  });
}

/** Everything that our tools did not number with ids of this run; what points to them too. */
function numbered(events: readonly RunEvent[], nextId: () => string): RunEvent[] {
  const ids = new Map<string, string>();
  const named = events.map((event) => {
    if ((event.kind !== "call" && event.kind !== "command") || event.source === "tools") {
      return event;
    }
    const id = nextId();
    ids.set(event.id, id);
    return { ...event, id };
  });
  return named.map((event) => {
    const call = event.kind === "approval" ? ids.get(event.call) : undefined;
    return event.kind === "approval" && call !== undefined ? { ...event, call } : event;
  });
}
