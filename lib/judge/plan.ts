/**
 * What does a scenario ask the judges to look at? Its patterns, counts and needles compiled once,
 * however many runs are judged against it. In: a loaded scenario. Out: a plan, kept as long as the
 * scenario is.
 */
import { compilePattern, type ListKey, type PathPattern } from "../expression/paths.ts";
import type { Json } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { CountRange, Forbidden, MessageExpectation } from "../model/scenario.ts";
import { isValueSelector } from "../model/selectors.ts";
import { parsePath, type PathParts } from "../model/state_path.ts";
import { neededTools } from "./needed_tools.ts";
import { type Secret, secretOf } from "./secret.ts";

/** One entry of `changes`: what must be found at a path, or among the entries of a pattern. */
export interface Wanted {
  readonly text: string;
  readonly pattern: PathPattern;
  readonly parts: PathParts;
  readonly value: Json;
  /** Null where the value is a literal. */
  readonly where: string | null;
  readonly range: Range;
  readonly at: string;
}

/** A count that must be met, both ends included. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** One entry of `messages` with its count as a range. */
export interface WantedMessage {
  readonly message: MessageExpectation;
  readonly range: Range;
  readonly at: string;
}

/** One entry of `forbidden` in one form. */
export type ForbiddenRule =
  | {
    readonly kind: "call";
    readonly tool: string;
    readonly args: Exclude<Extract<Forbidden, { tool: string }>["args"], undefined> | null;
    readonly allowed: number;
    readonly at: string;
  }
  | { readonly kind: "command"; readonly pattern: string; readonly at: string };

/** A scenario as the judges read it. */
export interface Plan {
  readonly keys: readonly ListKey[];
  readonly wanted: readonly Wanted[];
  readonly ignored: readonly PathPattern[];
  readonly protected: readonly PathPattern[];
  readonly allowed: readonly PathPattern[];
  readonly messages: readonly WantedMessage[];
  readonly forbidden: readonly ForbiddenRule[];
  readonly secrets: readonly Secret[];
  /** Tools that write or send and that `expected` needs; null where nothing is forbidden by default. */
  readonly needed: ReadonlySet<string> | null;
}

const plans = new WeakMap<LoadedScenario, Plan>();

/** The plan of a scenario, made when it is first asked for. */
export function planOf(loaded: LoadedScenario): Plan {
  const known = plans.get(loaded);
  if (known !== undefined) return known;
  const plan = makePlan(loaded);
  plans.set(loaded, plan);
  return plan;
}

function makePlan(loaded: LoadedScenario): Plan {
  const { expected } = loaded.scenario;
  const { state } = expected;
  return {
    keys: Object.entries(state?.keys ?? {})
      .map(([list, field]) => ({ list: compilePattern(list), field })),
    wanted: Object.entries(state?.changes ?? {})
      .map(([text, value]) => wantedOf(loaded, text, value)),
    ignored: (state?.ignore ?? []).map(compilePattern),
    protected: (state?.protected ?? []).map(compilePattern),
    allowed: (state?.may_change ?? []).map(compilePattern),
    messages: expected.messages.map((message, i) => ({
      message,
      range: rangeOf(message.count),
      at: positionOf(loaded, `expected/messages/${i}`),
    })),
    forbidden: (expected.forbidden ?? []).map((one, i) =>
      forbiddenRule(one, positionOf(loaded, `expected/forbidden/${i}`))
    ),
    secrets: (expected.never_revealed ?? []).map(secretOf),
    needed: expected.outcome === "refused" ? neededTools(loaded) : null,
  };
}

function wantedOf(loaded: LoadedScenario, text: string, value: Json): Wanted {
  const pattern = compilePattern(text);
  const selector = isValueSelector(value) ? value : null;
  return {
    text,
    pattern,
    parts: parsePath(text),
    value,
    where: selector?.where ?? null,
    range: rangeOf(selector?.count ?? 1),
    at: pattern.wild ? positionOf(loaded, `expected/state/changes/${text}`) : text,
  };
}

function forbiddenRule(one: Forbidden, at: string): ForbiddenRule {
  if (typeof one === "string") return { kind: "call", tool: one, args: null, allowed: 0, at };
  if ("command" in one) return { kind: "command", pattern: one.command, at };
  return {
    kind: "call",
    tool: one.tool,
    args: one.args ?? null,
    allowed: one.more_than ?? 0,
    at,
  };
}

/** A count as a range. */
export function rangeOf(count: CountRange): Range {
  return typeof count === "number" ? { min: count, max: count } : { min: count[0], max: count[1] };
}

/** A range in words: `1`, `at least 1 and at most 3`. */
export function describeRange({ min, max }: Range): string {
  return min === max ? String(min) : `at least ${min} and at most ${max}`;
}

/** Where something stands in the scenario's file; the file where the place is not known. */
export function positionOf(loaded: LoadedScenario, keys: string): string {
  return Object.hasOwn(loaded.positions, keys)
    ? loaded.positions[keys] ?? loaded.file
    : loaded.file;
}
