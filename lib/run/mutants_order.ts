/**
 * What if a call was left out, two came in the other order, a write came twice, before its
 * confirmation, or without one? In: the script of a passing run. Out: scripts with that one change.
 */
import { isQuestion } from "../expression/conversation.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { CallAt, Script } from "../model/mutation.ts";
import type { ToolEffect } from "../model/tool.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";
import type { Made } from "./mutants.ts";
import { calledAt, callsOf, endOf, insertCalls, type PlacedCall, replaceCall } from "./script.ts";

/** Each call left out. */
export function droppedCalls(script: Script): Made[] {
  return callsOf(script).map((call) => ({
    mutation: { kind: "drop_call", call: calledAt(call) },
    script: replaceCall(script, call.place, []),
  }));
}

/** Each two neighbouring calls in the other order. */
export function swappedCalls(script: Script): Made[] {
  const calls = callsOf(script);
  return calls.slice(1).flatMap((other, i): Made[] => {
    const call = calls[i];
    if (call === undefined) return [];
    const swapped = replaceCall(replaceCall(script, call.place, [other]), other.place, [call]);
    const mutation = {
      kind: "swap_calls",
      call: calledAt(call),
      other: calledAt(other),
    } as const;
    return [{ mutation, script: plain(swapped) }];
  });
}

/** Each writing or sending call made twice in a row. */
export function repeatedWrites(loaded: LoadedScenario, script: Script): Made[] {
  return callsOf(script).filter((call) => writes(loaded, call)).map((call) => ({
    mutation: { kind: "repeat_write", call: calledAt(call) },
    script: plain(replaceCall(script, call.place, [call, call])),
  }));
}

/** Each writing call moved to before each turn of the agent after which the user confirms it. */
export function earlyWrites(loaded: LoadedScenario, script: Script): Made[] {
  return callsOf(script).filter((call) => writes(loaded, call)).flatMap((call) =>
    stopsBefore(loaded, script, call.place.answer).map(({ answer, text }): Made => ({
      mutation: { kind: "early_write", call: calledAt(call), before: text },
      script: plain(insertCalls(replaceCall(script, call.place, []), answer, [call])),
    }))
  );
}

/** Each question before a write left out, and all that lets the user speak before it. */
export function unconfirmedWrites(loaded: LoadedScenario, script: Script): Made[] {
  const last = callsOf(script).findLast((call) => writes(loaded, call));
  if (last === undefined) return [];
  const stops = stopsBefore(loaded, script, last.place.answer);
  const questions = stops.filter(({ asks }) => asks);
  if (questions.length === 0) return [];
  const single = questions.map((stop) => [stop]);
  return (stops.length > 1 ? [...single, stops] : single).map((left): Made => {
    const first = left[0];
    const write = callsOf(script).find((call) =>
      writes(loaded, call) && call.place.answer > (first?.answer ?? 0)
    );
    return {
      mutation: {
        kind: "no_confirmation",
        call: calledAt(write ?? last),
        question: left.map(({ text }) => text).join(" … "),
      },
      script: without(loaded, script, left),
    };
  });
}

/** A turn of the agent after which the user speaks. */
interface Stop {
  readonly answer: number;
  readonly text: string;
  readonly asks: boolean;
}

/** Questions, and what is said after them until something is written: the user answers to these. */
function stopsBefore(loaded: LoadedScenario, script: Script, answer: number): Stop[] {
  let open = false;
  return allStops(loaded, script, answer).filter(({ asks, answer: at }, i, stops) => {
    const before = stops[i - 1]?.answer ?? 0;
    const wrote = script.slice(before, at)
      .some(({ calls }) => calls.some(({ tool }) => WRITING_EFFECTS.has(effectOf(loaded, tool))));
    open = asks || (open && !wrote);
    return open;
  });
}

function allStops(loaded: LoadedScenario, script: Script, answer: number): Stop[] {
  return script.slice(0, Math.min(answer, endOf(script))).flatMap(({ say, calls }, at): Stop[] => {
    if (calls.length === 0) return [{ answer: at, text: say, asks: isQuestion(say) }];
    const asking = calls.find(({ tool }) => effectOf(loaded, tool) === "ask");
    if (asking === undefined) return [];
    return [{ answer: at, text: Object.values(asking.args).join(" "), asks: true }];
  });
}

/** The script without these stops: texts go, of calls only those that ask. */
function without(loaded: LoadedScenario, script: Script, stops: readonly Stop[]): Script {
  const left = new Set(stops.map(({ answer }) => answer));
  return script.flatMap((one, at) => {
    if (!left.has(at)) return [one];
    const calls = one.calls.filter(({ tool }) => effectOf(loaded, tool) !== "ask");
    return calls.length === 0 ? [] : [{ ...one, calls }];
  });
}

function writes(loaded: LoadedScenario, { tool }: CallAt): boolean {
  return WRITING_EFFECTS.has(effectOf(loaded, tool));
}

/** The declared effect of a tool; unknown ones only read. */
function effectOf({ tools }: LoadedScenario, tool: string): ToolEffect {
  return (Object.hasOwn(tools, tool) ? tools[tool]?.effect : undefined) ?? "read";
}

/** Calls without their places. */
function plain(script: Script): Script {
  return script.map(({ say, calls }) => ({
    say,
    calls: calls.map(({ tool, args }: PlacedCall | { tool: string; args: CallAt["args"] }) => ({
      tool,
      args,
    })),
  }));
}
