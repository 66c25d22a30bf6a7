/**
 * What may a scenario's expressions see? The roots of the contract and its `$functions` over one
 * run. In: events, states, changes, usage. Out: a scope of plain data; cheap enough to make once a
 * run. Nothing else resolves.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { nativeBindings } from "./bindings.ts";
import type { Scope } from "./compile.ts";
import { RUN_FUNCTIONS } from "./run_functions.ts";
import { type RunRoots, RunView } from "./run_view.ts";
import { RUN_SIGNATURES } from "./signatures.ts";

export type { RunRoots };

const bind = nativeBindings(RUN_FUNCTIONS, RUN_SIGNATURES);

/** The scope of a run: roots `trace sent before after changes final usage scenario`. */
export function runScope(roots: RunRoots): Scope {
  const run = new RunView(roots);
  const input = {
    trace: {
      events: run.events,
      calls: run.calls,
      messages: run.messages,
      approvals: run.approvals,
      commands: run.commands,
    },
    sent: run.sent,
    before: roots.before,
    after: roots.after,
    changes: roots.changes,
    final: run.final,
    usage: roots.usage,
    scenario: roots.scenario,
  };
  return { input: input as unknown as JsonObject, bindings: bind(run) };
}

/** The scope for `{where: …}`: the run's, with `value`, `was` and `path` of one entry besides. */
export function entryScope(
  scope: Scope,
  entry: { readonly value: Json; readonly was: Json; readonly path: string },
): Scope {
  const { value, was, path } = entry;
  return { input: { ...scope.input, value, was, path }, bindings: scope.bindings };
}
