/**
 * Which calls were there, and do the tools' record and the agent's stream agree? The record of our
 * tools is evidence, the stream is testimony: a call that both show counts once, and each place
 * where they disagree is told. In: events. Out: calls with their positions, disagreements.
 */
import { type Conflict, joinSources, type Placed } from "../expression/sources.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";
import type { CallEvent, CommandEvent, Run } from "../model/run.ts";
import type { ToolEffect, ToolSet } from "../model/tool.ts";

/** A call that counts, with its index in the trace. */
export type SeenCall = Placed<CallEvent>;

/** The calls and commands of a run and what was found in comparing its sources. */
export interface SeenCalls {
  readonly calls: readonly SeenCall[];
  readonly commands: readonly Placed<CommandEvent>[];
  /** Null where there is only one source. */
  readonly conflicts: readonly Conflict[] | null;
}

/** The calls and commands that count, in order. */
export function seenCalls(run: Run, tools: ToolSet): SeenCalls {
  const joined = joinSources(run.events, tools);
  const { calls, commands } = joined;
  const compared = joined.told && (joined.recorded || run.mode !== "recorded");
  if (!compared) return { calls, commands, conflicts: null };
  const unproved = joined.unproved.map(({ index, event }) => ({
    index,
    why: `the agent's stream shows "${event.tool}" done, the tools recorded no such call`,
  }));
  const untold = run.ended.kind === "completed" ? joined.untold : [];
  const told = [...joined.differing, ...unproved].sort((a, b) => a.index - b.index);
  return { calls, commands, conflicts: [...told, ...untold] };
}

/** What a call does: as it was recorded, else as its tool says; null for an unknown tool. */
export function effectOf(call: CallEvent, tools: ToolSet): ToolEffect | null {
  if (call.effect !== undefined) return call.effect;
  return Object.hasOwn(tools, call.tool) ? tools[call.tool]?.effect ?? null : null;
}

/** True for calls that change the world or reach a person outside. */
export function isWriting(call: CallEvent, tools: ToolSet): boolean {
  return WRITING_EFFECTS.has(effectOf(call, tools) ?? "read");
}
