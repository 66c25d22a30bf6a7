/**
 * What was done once, though several saw it? Our tools and the shell's shim record what reached them
 * (evidence), the agent's stream tells what it did (testimony), our model server saw what was asked
 * for. In: the events of a run. Out: each call and each command once, and where the sources disagree.
 */
import type { Json } from "../model/json.ts";
import type { CallEvent, CommandEvent, RunEvent } from "../model/run.ts";
import { innerCommand } from "../model/shell.ts";
import type { ToolSet } from "../model/tool.ts";
import { SHELL } from "../model/workspace_tools.ts";
import { sameArguments, sameResult } from "./told_values.ts";

/** An event with its index in the trace. */
export interface Placed<Event> {
  readonly index: number;
  readonly event: Event;
}

/** One place where record and testimony do not agree. */
export interface Conflict {
  readonly index: number;
  readonly why: string;
}

/** The calls and commands of a run, each once. */
export interface JoinedSources {
  /** In the order of the trace; what evidence and testimony both show is the evidence. */
  readonly calls: readonly Placed<CallEvent>[];
  /** The same for commands: the place and output that were told, the exit code that was recorded. */
  readonly commands: readonly Placed<CommandEvent>[];
  /** Calls told as done of which our tools have no record. */
  readonly unproved: readonly Placed<CallEvent>[];
  /** What was recorded and is not told. */
  readonly untold: readonly Conflict[];
  /** Pairs that differ, and commands told as done that the shim did not see. */
  readonly differing: readonly Conflict[];
  /** True where an agent's stream tells of calls, or of commands that a shim could have seen. */
  readonly told: boolean;
  /** True where our tools or the shim recorded something. */
  readonly recorded: boolean;
}

/** Joins what several sources saw. */
export function joinSources(events: readonly RunEvent[], tools: ToolSet): JoinedSources {
  const calls = placed(events, "call");
  const commands = placed(events, "command");
  const joined = joinCalls(calls, tools);
  const ran = joinCommands(commands);
  return {
    calls: withoutAsked(joined, ran.counted),
    commands: withoutAskedCommands(ran.counted),
    unproved: joined.unproved,
    untold: [...joined.untold, ...ran.untold],
    differing: [...joined.differing, ...ran.differing],
    told: calls.some(isTold) || (ran.watched && commands.some(isTold)),
    recorded: calls.some(isEvidence) || ran.watched,
  };
}

function placed<Kind extends "call" | "command">(
  events: readonly RunEvent[],
  kind: Kind,
): Placed<RunEvent & { readonly kind: Kind }>[] {
  const found: Placed<RunEvent & { readonly kind: Kind }>[] = [];
  events.forEach((event, index) => {
    if (event.kind === kind) {
      found.push({ index, event: event as RunEvent & { readonly kind: Kind } });
    }
  });
  return found;
}

type Seen = Placed<{ readonly source: CallEvent["source"] }>;

const isTold = ({ event }: Seen) => event.source === "stream";
const isAsked = ({ event }: Seen) => event.source === "model";
const isEvidence = ({ event }: Seen) => event.source === "tools" || event.source === "shim";

type Call = Placed<CallEvent>;
type Fits = (told: CallEvent, recorded: CallEvent) => boolean;

const alike: Fits = (told, recorded) => (told.status === "ok") === (recorded.status === "ok");
const exact: Fits = (told, recorded) => sameArguments(told.args, recorded.args, "exact");
const coerced: Fits = (told, recorded) => sameArguments(told.args, recorded.args, "coerced");

/** From the surest to the weakest; a call told as refused belongs to no record with other arguments. */
const JOINED_BY: readonly Fits[] = [
  (told, recorded) => told.id === recorded.id,
  (told, recorded) => alike(told, recorded) && exact(told, recorded),
  (told, recorded) => alike(told, recorded) && coerced(told, recorded),
  coerced,
  (told, recorded) => told.status === "ok" && recorded.status === "ok",
];

/** The partner of each of `ones` among `others`, taken in order, by the first rule that fits. */
function pairs<Event>(
  ones: readonly Placed<Event>[],
  others: readonly Placed<Event>[],
  rules: readonly ((one: Event, other: Event) => boolean)[],
): ReadonlyMap<Placed<Event>, Placed<Event>> {
  const found = new Map<Placed<Event>, Placed<Event>>();
  const open = new Set(others);
  for (const rule of rules) {
    for (const one of ones) {
      if (open.size === 0) return found;
      if (found.has(one)) continue;
      for (const other of open) {
        if (!rule(one.event, other.event)) continue;
        found.set(one, other);
        open.delete(other);
        break;
      }
    }
  }
  return found;
}

interface Joined<Event> {
  readonly counted: readonly Placed<Event>[];
  readonly untold: readonly Conflict[];
  readonly differing: readonly Conflict[];
}

interface JoinedCalls extends Joined<CallEvent> {
  readonly unproved: readonly Call[];
  /** Ids under which the stream tells of recorded calls. */
  readonly toldIds: ReadonlyMap<CallEvent, string>;
}

function joinCalls(
  calls: readonly Call[],
  tools: ToolSet,
): JoinedCalls {
  const evidence = calls.filter(isEvidence);
  const names = new Set(evidence.map(({ event }) => event.tool));
  const told = calls.filter((call) =>
    isTold(call) && (Object.hasOwn(tools, call.event.tool) || names.has(call.event.tool))
  );
  const sameTool = JOINED_BY.map((fits): Fits => (a, b) => a.tool === b.tool && fits(a, b));
  const joined = pairs(told, evidence, sameTool);
  const matched = new Set(joined.values());
  return {
    counted: calls.filter((call) => !joined.has(call)),
    toldIds: new Map([...joined].map(([one, other]) => [other.event, one.event.id])),
    unproved: told.filter((call) => !joined.has(call) && call.event.status === "ok"),
    untold: evidence.filter((call) => !matched.has(call)).map(({ index, event }) => ({
      index,
      why: `the tools recorded a call of "${event.tool}" that the agent's stream does not show`,
    })),
    differing: [...joined].flatMap(([one, other]) => {
      const why = disagreement(one.event, other.event);
      return why === null ? [] : [{ index: one.index, why }];
    }),
  };
}

function disagreement(told: CallEvent, recorded: CallEvent): string | null {
  const { id, tool } = told;
  if (!coerced(told, recorded)) {
    return `call "${id}" of "${tool}" has other arguments in the agent's stream ` +
      "than in the tools' record";
  }
  const cut = told.status === "cancelled" || told.status === "unfinished";
  if (!cut && !alike(told, recorded)) {
    return `"${tool}" is ${told.status} in the agent's stream, ${recorded.status} in the record`;
  }
  const both = told.status === "ok" && recorded.status === "ok";
  if (!both || sameResult(told.result, recorded.result)) return null;
  return `call "${id}" of "${tool}" has another result in the agent's stream ` +
    "than in the tools' record";
}

type Command = Placed<CommandEvent>;

const sameText = (a: CommandEvent, b: CommandEvent) => textOf(a.command) === textOf(b.command);

function textOf(command: string): string {
  return innerCommand(command.trim()).trim();
}

/** Only what a shim recorded can be compared: without one there is nothing to miss. */
function joinCommands(
  commands: readonly Command[],
): Joined<CommandEvent> & { readonly watched: boolean } {
  const recorded = commands.filter(({ event }) => event.source === "shim");
  const told = commands.filter(isTold);
  if (recorded.length === 0) {
    return { counted: commands, untold: [], differing: [], watched: false };
  }
  const rules = [(a: CommandEvent, b: CommandEvent) => a.id === b.id && sameText(a, b), sameText];
  const joined = pairs(told, recorded, rules);
  const matched = new Set(joined.values());
  const rest = commands.filter((command) => !matched.has(command));
  return {
    counted: rest.map((one) => proved(one, joined.get(one))),
    untold: recorded.filter((one) => !matched.has(one)).map(({ index, event }) => ({
      index,
      why: `the shell ran ${JSON.stringify(event.command)}, ` +
        "which the agent's stream does not show",
    })),
    differing: told.flatMap((one) => {
      const why = commandDisagreement(one.event, joined.get(one)?.event ?? null);
      return why === null ? [] : [{ index: one.index, why }];
    }),
    watched: true,
  };
}

/** A told command with the exit code that the shim saw. */
function proved(told: Command, recorded: Command | undefined): Command {
  if (recorded === undefined) return told;
  const { exitCode, status } = recorded.event;
  return {
    index: told.index,
    event: {
      ...told.event,
      exitCode,
      exitCodeSource: recorded.event.exitCodeSource ?? "shim",
      status: told.event.status === "ok" ? status : told.event.status,
    },
  };
}

function commandDisagreement(told: CommandEvent, recorded: CommandEvent | null): string | null {
  const command = JSON.stringify(told.command);
  if (recorded === null) {
    // An error without an exit code is a program's own refusal: nothing ran.
    const done = told.status === "ok" || (told.status === "error" && told.exitCode !== null);
    return done ? `the agent's stream shows ${command} done, the shell did not run it` : null;
  }
  if (told.exitCode === null || recorded.exitCode === null) return null;
  return told.exitCode === recorded.exitCode
    ? null
    : `${command} has exit code ${told.exitCode} in the agent's stream, ` +
      `${recorded.exitCode} in the shell's record`;
}

/** The calls without those that the model asked for and that others show to be done or tried. */
function withoutAsked(
  { counted, toldIds }: JoinedCalls,
  commands: readonly Command[],
): readonly Call[] {
  const asked = counted.filter(isAsked);
  if (asked.length === 0) return counted;
  const shown = pairs(asked, counted.filter((call) => !isAsked(call)), [
    (a, b) => a.id === b.id || a.id === toldIds.get(b),
    (a, b) => a.tool === b.tool && coerced(a, b),
  ]);
  const run = new Set<Command>();
  return counted.filter((call) => {
    if (!isAsked(call)) return true;
    if (shown.has(call)) return false;
    const command = commands.find((one) => !run.has(one) && isCommandOf(call.event, one));
    if (command !== undefined) run.add(command);
    return command === undefined;
  });
}

function isCommandOf({ id, tool, args }: CallEvent, { event }: Command): boolean {
  if (event.source === "model") return false;
  const command: Json | undefined = args.command;
  return id === event.id ||
    (tool === SHELL && typeof command === "string" && textOf(command) === textOf(event.command));
}

function withoutAskedCommands(commands: readonly Command[]): readonly Command[] {
  const asked = commands.filter(isAsked);
  if (asked.length === 0) return commands;
  const others = commands.filter((command) => !isAsked(command));
  const shown = pairs(asked, others, [(a, b) => a.id === b.id, sameText]);
  return commands.filter((command) => !shown.has(command));
}
