/**
 * What did the agents do in the published airline cases? One run line a trial, its messages and
 * calls in their order, the state before by reference and what changed since; the lines of the
 * states before stand before their first use. How a case was rated is not read.
 */
import { diffStates } from "../lib/judge/diff.ts";
import { hashState } from "../lib/model/hash.ts";
import type { Json, JsonObject } from "../lib/model/json.ts";
import { type AirlineCase, scenarioId } from "./airline_case.ts";

/** The lines of `runs.jsonl`: each trial, and each before-state once, before its first use. */
export function runLines(cases: readonly AirlineCase[]): string[] {
  const stored = new Set<string>();
  const lines: string[] = [];
  for (const recorded of cases) {
    const before = hashState(recorded.state_before);
    if (!stored.has(before)) {
      stored.add(before);
      lines.push(JSON.stringify({
        schema: "collaudo/state@1",
        hash: before,
        state: recorded.state_before,
      }));
    }
    lines.push(JSON.stringify(runOf(recorded, before)));
  }
  return lines;
}

function runOf(recorded: AirlineCase, before: string): JsonObject {
  return {
    schema: "collaudo/run@1",
    scenario: scenarioId(recorded.task_id),
    trial: recorded.trial + 1,
    mode: "recorded",
    agent: { name: recorded.agent },
    ended: recorded.terminated
      ? { kind: "completed", detail: recorded.ended_by }
      : { kind: "limit", detail: "the step limit of the recording was reached" },
    events: eventsOf(recorded),
    state: {
      before: { ref: before },
      after: {
        changes: diffStates(recorded.state_before, recorded.state_after) as unknown as Json[],
        hash: hashState(recorded.state_after),
      },
    },
  };
}

/** Messages and calls in the order of `t`; a text beside a call comes first. */
function eventsOf(recorded: AirlineCase): JsonObject[] {
  const messages = recorded.messages.map(({ t, role, content }) => ({
    t,
    event: { kind: "message", role, text: content } as JsonObject,
  }));
  const calls = recorded.tool_calls.map((call) => ({ t: call.t, event: callEvent(call) }));
  let turn = 0;
  return [...messages, ...calls].sort((a, b) => a.t - b.t).map(({ event }) => {
    if (event.role === "user") turn += 1;
    return { ...event, turn };
  });
}

function callEvent(call: AirlineCase["tool_calls"][number]): JsonObject {
  return {
    kind: "call",
    id: `t${call.t}`,
    tool: call.name,
    args: call.args,
    status: call.error ? "error" : "ok",
    result: parsedResult(call.result),
    ...(call.error ? { error: { code: "error", message: call.result } } : {}),
    source: "tools",
  };
}

/** Objects and lists as values; anything else stays the text that the agent saw. */
function parsedResult(text: string): Json {
  try {
    const value = JSON.parse(text) as Json;
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}
