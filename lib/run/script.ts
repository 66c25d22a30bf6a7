/**
 * What does an agent do that follows a script? It plays its answers in their order, whatever the
 * tools and the user reply, and repeats its last words once the script is over. Also: how a model is
 * overheard so that its answers become a script, and how scripts are edited.
 */
import type { Model } from "../model/ports.ts";
import type { CallAt, Script, ScriptAnswer, ScriptCall } from "../model/mutation.ts";
import { scriptedAnswer } from "./scripted_model.ts";

/** A model that plays a script; it is never stale and never done too early. */
export function playScript(script: Script): Model {
  return {
    complete: ({ messages }) => {
      const given = messages.filter(({ role }) => role === "assistant").length;
      const answer = script[given] ?? { say: lastWords(script), calls: [] };
      return Promise.resolve(scriptedAnswer(answer, `m${given + 1}`));
    },
    leftOver: () => null,
  };
}

/** The same model, and the script of what it has answered so far. */
export function overhear(model: Model): { readonly model: Model; readonly script: ScriptAnswer[] } {
  const script: ScriptAnswer[] = [];
  const heard: Model = {
    complete: async (request, signal) => {
      const answer = await model.complete(request, signal);
      if (answer.kind === "answer") {
        const calls = answer.calls.map(({ tool, args }) => ({ tool, args: args ?? {} }));
        script.push({ say: answer.text, calls });
      }
      return answer;
    },
    leftOver: (messages) => model.leftOver(messages),
  };
  return { model: heard, script };
}

/** A call's place in a script. */
export interface Place {
  readonly answer: number;
  readonly index: number;
}

/** A call with its place. */
export interface PlacedCall extends CallAt {
  readonly place: Place;
}

/** All calls of a script, in order. */
export function callsOf(script: Script): PlacedCall[] {
  const placed = script.flatMap(({ calls }, answer) =>
    calls.map((call, index) => ({ ...call, place: { answer, index } }))
  );
  return placed.map((call, i) => ({ ...call, nth: i + 1 }));
}

/** The text of the last answer without calls, empty where there is none. */
export function lastWords(script: Script): string {
  return script.findLast(({ calls }) => calls.length === 0)?.say ?? "";
}

/** Index of the answer that ends the script by words; its length where it ends with calls. */
export function endOf(script: Script): number {
  const last = script.length - 1;
  return script[last]?.calls.length === 0 ? last : script.length;
}

/** The script with other calls in place of one; an answer that is left without calls goes with its text. */
export function replaceCall(
  script: Script,
  { answer, index }: Place,
  calls: readonly ScriptCall[],
): Script {
  const old = script[answer];
  if (old === undefined) return script;
  const changed = old.calls.toSpliced(index, 1, ...calls);
  return changed.length === 0
    ? script.toSpliced(answer, 1)
    : script.with(answer, { ...old, calls: changed });
}

/** The script with calls as an answer of their own before another. */
export function insertCalls(script: Script, answer: number, calls: readonly ScriptCall[]): Script {
  return script.toSpliced(answer, 0, { say: "", calls });
}

/** A call without its place. */
export function calledAt({ tool, args, nth }: CallAt): CallAt {
  return { tool, args, nth };
}
