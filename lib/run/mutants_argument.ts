/** What if one argument of one call was wrong? In: a passing script. Out: scripts with that change. */
import type { LoadedScenario } from "../model/loaded.ts";
import type { Script } from "../model/mutation.ts";
import { changedArguments } from "./argument_changes.ts";
import type { Made } from "./mutants.ts";
import { calledAt, callsOf, replaceCall } from "./script.ts";

/** Each argument of each call with wrong values, at most `valuesMax` for each. */
export function changedCalls(
  loaded: LoadedScenario,
  script: Script,
  { valuesMax, numbers, otherText }: {
    readonly valuesMax: number;
    readonly numbers: () => number;
    readonly otherText: string;
  },
): Made[] {
  return callsOf(script).flatMap((call): Made[] => {
    const spec = Object.hasOwn(loaded.tools, call.tool) ? loaded.tools[call.tool] : undefined;
    if (spec === undefined) return [];
    const most = spec.effect === "read" ? Math.ceil(valuesMax / 2) : valuesMax;
    const state = loaded.state ?? {};
    return changedArguments(call.args, { spec, state, numbers, most, otherText })
      .map(({ argument, from, to, args }) => ({
        mutation: { kind: "change_argument", call: calledAt(call), argument, from, to },
        script: replaceCall(script, call.place, [{ tool: call.tool, args }]),
      }));
  });
}
