/**
 * Which calls were there, and do the tools' record and the agent's stream agree? The record of our
 * tools is evidence, the stream is testimony: a call that both show counts once, and each place
 * where they disagree is told. In: events. Out: calls with their positions, disagreements.
 */
import { equalJson } from "../model/json.ts";
import type { CallEvent, Run, RunEvent } from "../model/run.ts";
import type { ToolEffect, ToolSet } from "../model/tool.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";

/** A call that counts, with its index in the trace. */
export interface SeenCall {
  readonly index: number;
  readonly event: CallEvent;
}

/** One place where record and testimony do not agree. */
export interface Conflict {
  readonly index: number;
  readonly why: string;
}

/** The calls of a run and what was found in comparing its two sources. */
export interface SeenCalls {
  readonly calls: readonly SeenCall[];
  /** Null where there is only one source. */
  readonly conflicts: readonly Conflict[] | null;
}

/** The calls that count, in order. */
export function seenCalls(run: Run, tools: ToolSet): SeenCalls {
  const calls: SeenCall[] = [];
  let recorded = run.mode !== "recorded";
  let told = false;
  run.events.forEach((event, index) => {
    if (event.kind !== "call") return;
    calls.push({ index, event });
    if (event.source === "stream") told = true;
    else if (isEvidence(event)) recorded = true;
  });
  return told && recorded ? compareSources(run, calls, tools) : { calls, conflicts: null };
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

function isEvidence(event: RunEvent): boolean {
  return event.kind === "call" && (event.source === "tools" || event.source === "shim");
}

function compareSources(run: Run, calls: readonly SeenCall[], tools: ToolSet): SeenCalls {
  const open = calls.filter((call) => isEvidence(call.event));
  const conflicts: Conflict[] = [];
  const merged = new Set<SeenCall>();
  for (const told of calls) {
    if (told.event.source !== "stream" || !isOurs(told, open, tools)) continue;
    const match = takeMatch(told, open);
    if (match !== null) merged.add(told);
    const why = disagreement(told.event, match?.event ?? null);
    if (why !== null) conflicts.push({ index: told.index, why });
  }
  if (run.ended.kind === "completed") {
    for (const { index, event } of open) {
      conflicts.push({
        index,
        why: `the tools recorded a call of "${event.tool}" that the agent's stream does not show`,
      });
    }
  }
  return { calls: calls.filter((call) => !merged.has(call)), conflicts };
}

function isOurs(told: SeenCall, open: readonly SeenCall[], tools: ToolSet): boolean {
  return Object.hasOwn(tools, told.event.tool) ||
    open.some((call) => call.event.id === told.event.id);
}

/** The recorded call of a told one, taken out of those that are still open. */
function takeMatch(told: SeenCall, open: SeenCall[]): SeenCall | null {
  const { id, tool, args } = told.event;
  let at = open.findIndex((call) => call.event.id === id);
  if (at < 0) {
    at = open.findIndex((call) => call.event.tool === tool && equalJson(call.event.args, args));
  }
  return at < 0 ? null : open.splice(at, 1)[0] ?? null;
}

function disagreement(told: CallEvent, recorded: CallEvent | null): string | null {
  if (recorded === null) {
    return told.status === "ok"
      ? `the agent's stream shows "${told.tool}" done, the tools recorded no such call`
      : null;
  }
  if (told.tool !== recorded.tool || !equalJson(told.args, recorded.args)) {
    return `call "${told.id}" differs: "${told.tool}" in the agent's stream, ` +
      `"${recorded.tool}" in the tools' record, or other arguments`;
  }
  const cut = told.status === "cancelled" || told.status === "unfinished";
  if (cut || (told.status === "ok") === (recorded.status === "ok")) return null;
  return `"${told.tool}" is ${told.status} in the agent's stream, ${recorded.status} in the record`;
}
