/**
 * Does a mutant's run differ from a passing one in anything that counts? What counts: the state at
 * the end, the final text, and in their order the calls that write, send, ask or hand over (tool,
 * arguments, status, after which words of the user), the approvals and the questions by text. Reads
 * count only where a condition of the scenario names their tool, their arguments only where it names
 * them too, their order only where a `$before`, `$after` or `$since` has a call on either side.
 */
import { type AstNode, parseExpression, visit } from "../expression/ast.ts";
import { assistantTurns, finalText, isQuestion } from "../expression/conversation.ts";
import { canonicalJson, hashState } from "../model/hash.ts";
import type { Json } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { CallAt, Mutation } from "../model/mutation.ts";
import type { Run, RunEvent } from "../model/run.ts";
import type { ToolEffect } from "../model/tool.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";

/** What two runs are compared by. */
export interface Fingerprint {
  /** State, deeds, questions and final text. */
  readonly deeds: string;
  /** Every call, reads included. */
  readonly calls: string;
  /** Everything that was said and done. */
  readonly whole: string;
  /** Calls that went through: tool and arguments. */
  readonly done: ReadonlySet<string>;
}

/** The fingerprint of a run. */
export function fingerprintOf(loaded: LoadedScenario, run: Run): Fingerprint {
  const questions = new Set<RunEvent>(
    assistantTurns(run.events).filter(({ text }) => isQuestion(text)),
  );
  const deeds = run.events.flatMap((event): Json[] => {
    if (event.kind === "approval") return [[event.tool, event.args, event.answer]];
    if (event.kind === "message") {
      return questions.has(event) ? [[event.text, event.turn ?? 0]] : [];
    }
    if (event.kind !== "call" || effectOf(loaded, event.tool) === "read") return [];
    return [[event.tool, event.args, event.status, event.turn ?? 0]];
  });
  const calls = run.events.flatMap((event): Json[] =>
    event.kind === "call" ? [[event.tool, event.args, event.status, event.turn ?? 0]] : []
  );
  const said = run.events.flatMap((event): Json[] =>
    event.kind === "message" ? [[event.role, event.text, event.turn ?? 0]] : []
  );
  const end = hashState(run.state.after);
  return {
    deeds: canonicalJson([end, finalText(run.events), deeds]),
    calls: canonicalJson(calls),
    whole: canonicalJson([end, calls, said]),
    done: new Set(
      run.events.flatMap((event) =>
        event.kind === "call" && event.status === "ok" ? [doneKey(event)] : []
      ),
    ),
  };
}

/** True where nothing that counts differs from one of the scenario's passing runs. */
export function isEquivalent(
  loaded: LoadedScenario,
  mutation: Mutation,
  { mutant, passing }: {
    readonly mutant: Fingerprint;
    readonly passing: readonly Fingerprint[];
  },
): boolean {
  if (!passing.some(({ deeds }) => deeds === mutant.deeds)) return false;
  return passing.some(({ calls }) => calls === mutant.calls) ||
    !readsCount(loaded, mutation, mutant);
}

function doneKey({ tool, args }: Pick<CallAt, "tool" | "args">): string {
  return canonicalJson([tool, args]);
}

function readsCount(
  loaded: LoadedScenario,
  mutation: Mutation,
  { done }: Fingerprint,
): boolean {
  if (mutation.kind === "drop_call" || mutation.kind === "change_argument") {
    const { call } = mutation;
    // The same read was made once more: only a count or an order can tell the difference.
    const twice = done.has(doneKey(call));
    return conditionsOf(loaded).some((text) =>
      names(text, call.tool) &&
      (mutation.kind === "drop_call" || namesArgument(text, mutation.argument)) &&
      (!twice || /\$(count|before|after|since)\(/.test(text))
    );
  }
  if (mutation.kind !== "swap_calls") return false;
  const { call, other } = mutation;
  return conditionsOf(loaded).flatMap(orderedSides).some(([first, second]) =>
    (mentions(loaded, first, call) && mentions(loaded, second, other)) ||
    (mentions(loaded, first, other) && mentions(loaded, second, call))
  );
}

/** The names on one side of an order: tools, and functions with `$`. */
type Side = ReadonlySet<string>;

/** The two sides of each `$before`, `$after` and `$since` of an expression. */
function orderedSides(text: string): [Side, Side][] {
  const parsed = parseExpression(text);
  const sides: [Side, Side][] = [];
  if (parsed.kind === "broken") return sides;
  visit(parsed.ast, ({ type, procedure, arguments: args }) => {
    const [first, second] = args ?? [];
    if (type !== "function" || !ORDERS.has(String(procedure?.value))) return;
    if (first !== undefined && second !== undefined) sides.push([namesOf(first), namesOf(second)]);
  });
  return sides;
}

const ORDERS: ReadonlySet<string> = new Set(["before", "after", "since"]);

function namesOf(node: AstNode): Side {
  const names = new Set<string>();
  visit(node, ({ type, value, procedure }) => {
    if (type === "string") names.add(String(value));
    if (type === "function") names.add(`$${String(procedure?.value)}`);
  });
  return names;
}

/** Expressions of checkpoints, and the tools that must have been called. */
function conditionsOf({ scenario }: LoadedScenario): string[] {
  const { checkpoints, tools_called } = scenario.expected;
  return [
    ...(checkpoints ?? []).map(({ check }) => check),
    ...tools_called.map(({ name, args }) => `'${name}', ${JSON.stringify(args ?? {})}`),
  ];
}

/** True where one side speaks of a call by its tool's name or by its effect. */
function mentions(loaded: LoadedScenario, side: Side, { tool }: CallAt): boolean {
  const effect = effectOf(loaded, tool);
  return side.has(tool) || (WRITING_EFFECTS.has(effect) && side.has("$writes")) ||
    (effect === "ask" && side.has("$asks"));
}

function names(text: string, tool: string): boolean {
  return text.includes(`'${tool}'`) || text.includes(`"${tool}"`);
}

/** True where an expression asks for an argument: `{'order': …}` or `.args.order`. */
function namesArgument(text: string, argument: string): boolean {
  return argument.split(".").every((name) =>
    [`'${name}':`, `"${name}":`, `'${name}' :`, `"${name}" :`, `args.${name}`]
      .some((form) => text.includes(form))
  );
}

function effectOf({ tools }: LoadedScenario, tool: string): ToolEffect {
  return (Object.hasOwn(tools, tool) ? tools[tool]?.effect : undefined) ?? "read";
}
