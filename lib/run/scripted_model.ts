/** What answers a self-test? A model that says and calls what a script has for it, and nothing else. */
import type { JsonObject } from "../model/json.ts";
import type { Model, ModelAnswer } from "../model/ports.ts";

/** One answer of a script: text, calls, or both. */
export interface ScriptedAnswer {
  readonly say?: string;
  readonly calls?: readonly { readonly tool: string; readonly args: JsonObject }[];
}

/**
 * A model whose n-th answer in a conversation is the script's n-th, found by the answers that the
 * conversation already holds; the last one is repeated. An empty script says nothing.
 */
export function scriptedModel(script: readonly ScriptedAnswer[]): Model {
  return {
    complete: ({ messages }) => {
      const given = messages.filter(({ role }) => role === "assistant").length;
      const index = Math.min(given, script.length - 1);
      return Promise.resolve(scriptedAnswer(script[index] ?? {}, `s${given + 1}`));
    },
    leftOver: () => null,
  };
}

/** The answer as a model gives it; its calls are `<id>.1`, `<id>.2` and so on. */
export function scriptedAnswer({ say, calls }: ScriptedAnswer, id: string): ModelAnswer {
  return {
    kind: "answer",
    text: say ?? "",
    calls: (calls ?? []).map(({ tool, args }, i) => ({
      id: `${id}.${i + 1}`,
      tool,
      args,
      argsText: JSON.stringify(args),
    })),
    usage: null,
    latencyMs: null,
    model: null,
    notices: [],
  };
}
