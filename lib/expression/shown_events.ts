/**
 * What does an expression see of the calls and commands in a trace? Each once, however many saw it; a
 * command's output as JSON beside its text, where the whole of it is a JSON object or list.
 */
import type { Json } from "../model/json.ts";
import type { CallEvent, CommandEvent, RunEvent } from "../model/run.ts";
import type { ToolSet } from "../model/tool.ts";
import { joinSources } from "./sources.ts";

/** A trace as expressions see it; the lists hold events of `events`. */
export interface ShownEvents {
  readonly events: readonly RunEvent[];
  readonly calls: readonly CallEvent[];
  readonly commands: readonly CommandEvent[];
}

/** A command with its output read. */
export type ShownCommand = CommandEvent & { readonly json?: Json };

const JSON_BEGINS = /^\s*[[{]/;

/** The events of a run with its calls and commands joined. */
export function shownEvents(events: readonly RunEvent[], tools: ToolSet): ShownEvents {
  if (events.every(isPlain)) {
    return { events, calls: events.filter((event) => event.kind === "call"), commands: [] };
  }
  const joined = joinSources(events, tools);
  const commands = joined.commands.map(({ index, event }) => ({ index, event: withJson(event) }));
  const byIndex = new Map(commands.map(({ index, event }) => [index, event]));
  const doubtful = new Set(joined.recorded ? joined.unproved.map(({ index }) => index) : []);
  return {
    events: events.map((event, index) => byIndex.get(index) ?? event),
    calls: joined.calls.filter(({ index }) => !doubtful.has(index)).map(({ event }) => event),
    commands: commands.map(({ event }) => event),
  };
}

/** Nothing to join: only our tools tell of it. */
function isPlain(event: RunEvent): boolean {
  if (event.kind === "call") return event.source === "tools";
  return event.kind !== "command";
}

function withJson(event: CommandEvent): ShownCommand {
  const { output } = event;
  if (output === undefined || !JSON_BEGINS.test(output)) return event;
  try {
    return { ...event, json: JSON.parse(output) as Json };
  } catch {
    return event;
  }
}
