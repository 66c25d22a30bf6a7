/**
 * What may the expressions of a simulated tool see? `$args $state $clock`, the lets before, and
 * `$find $like $at $next $page $resolve`. There are no roots. In: plain data. Out: a scope.
 */
import type { JsonObject, State } from "../model/json.ts";
import { nativeBindings } from "./bindings.ts";
import type { Scope } from "./compile.ts";
import { TOOL_SIGNATURES } from "./signatures.ts";
import { TOOL_FUNCTIONS } from "./tool_functions.ts";

const bind = nativeBindings(TOOL_FUNCTIONS, TOOL_SIGNATURES);

/** The names that no let may take: they stand for the call itself. */
export const TOOL_VALUES = ["args", "state", "clock"] as const;

/** The scope of one call: `$args $state $clock` and a `$name` for each let. */
export function toolScope(call: {
  readonly args: JsonObject;
  readonly state: State;
  readonly clock: string;
  readonly lets: JsonObject;
}): Scope {
  const { args, state, clock, lets } = call;
  const bindings = bind({ state, names: { ...args, ...lets } });
  for (const name of Object.keys(lets)) defineValue(bindings, name, lets[name]);
  defineValue(bindings, "args", args);
  defineValue(bindings, "state", state);
  defineValue(bindings, "clock", clock);
  return { input: {}, bindings };
}

function defineValue(bindings: object, name: string, value: unknown): void {
  Object.defineProperty(bindings, name, { value, enumerable: true, configurable: true });
}
