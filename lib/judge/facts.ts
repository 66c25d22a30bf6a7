/**
 * What is known of one run before anything is concluded? Calls that count, the difference of its
 * states, messages sent, usage, and the scope for expressions, made only if one is evaluated.
 */
import type { Scope } from "../expression/compile.ts";
import { finalText } from "../expression/conversation.ts";
import { runScope } from "../expression/run_scope.ts";
import type { Config } from "../model/config.ts";
import { equalJson, type JsonObject, outboxOf, type State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Change, Run } from "../model/run.ts";
import { parsePath, type PathParts } from "../model/state_path.ts";
import type { RunUsage } from "../model/verdict.ts";
import { type SeenCalls, seenCalls } from "./calls.ts";
import { diffStates, diffTouched } from "./diff.ts";
import { type Plan, planOf } from "./plan.ts";
import { usageOf } from "./usage.ts";

/** One entry of the difference, its path taken apart once. */
export interface Entry {
  readonly change: Change;
  readonly parts: PathParts;
}

/** One run with everything that several judges read. */
export interface Facts {
  readonly loaded: LoadedScenario;
  readonly plan: Plan;
  readonly run: Run;
  readonly seen: SeenCalls;
  readonly entries: readonly Entry[];
  readonly sent: readonly JsonObject[];
  readonly final: string;
  readonly usage: RunUsage;
  /** The same scope at each call. */
  scope(): Scope;
}

/** Gathers the facts; `changes` are those that made the state after out of the one before. */
export function gatherFacts(
  loaded: LoadedScenario,
  run: Run,
  { rates, changes }: {
    readonly rates: Config["rates"];
    readonly changes?: readonly Change[] | undefined;
  },
): Facts {
  const plan = planOf(loaded);
  const { before, after } = run.state;
  const difference = changes === undefined
    ? diffStates(before, after, plan.keys)
    : diffTouched({ before, after }, changes, plan.keys);
  const seen = seenCalls(run, loaded.tools);
  const usage = usageOf(run, seen, rates);
  let scope: Scope | undefined;
  return {
    loaded,
    plan,
    run,
    seen,
    entries: difference.map((change) => ({ change, parts: parsePath(change.path) })),
    sent: sentMessages(before, after),
    final: finalText(run.events),
    usage,
    scope: () =>
      scope ??= runScope({
        events: run.events,
        before,
        after,
        changes: difference,
        usage,
        scenario: loaded.scenario,
        tools: loaded.tools,
      }),
  };
}

/** The outbox beyond what was in it before; each earlier message explains one of the same value. */
export function sentMessages(before: State, after: State): JsonObject[] {
  const old = outboxOf(before);
  const now = outboxOf(after);
  if (old.every((message, i) => equalJson(message, now[i]))) return now.slice(old.length);
  const open = [...old];
  return now.filter((message) => {
    const at = open.findIndex((one) => equalJson(one, message));
    if (at >= 0) open.splice(at, 1);
    return at < 0;
  });
}
