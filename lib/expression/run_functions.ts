/**
 * What can an expression ask of a run? The `$functions` of the contract over one `RunView`. A list
 * argument that is undefined is empty, a single object is a list of one; any other argument that is
 * undefined or of the wrong type is refused, so that a slip is undecided and never a pass.
 */
import type { Json, State } from "../model/json.ts";
import { equalJson, isObject, own } from "../model/json.ts";
import { canonicalJson } from "../model/hash.ts";
import type { CallEvent, CommandEvent, RunEvent } from "../model/run.ts";
import { matchArgs } from "./args.ts";
import type { Native } from "./bindings.ts";
import { exitProof } from "./exit_proof.ts";
import { containsAny, latestTurnEnd } from "./conversation.ts";
import { compilePattern, pathsOf, relate, valueAt } from "./paths.ts";
import { parsePath } from "../model/state_path.ts";
import { compileRe2, type Re2 } from "./re2.ts";
import { Refusal } from "./refusal.ts";
import type { RunView } from "./run_view.ts";

/** A function over a run; `args` are as they were written, undefined where they came to nothing. */
export type RunFunction = Native<RunView>;

/** A list as JSONata's own paths give it: none is nothing, one is itself. */
function list(items: readonly unknown[]): unknown[] {
  return Object.assign(items.slice(), { sequence: true });
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new Refusal(`expected ${name} as a text, found ${typeName(value)}`);
}

function typeName(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a value of type ${typeof value}`;
}

/** Words to look for: a text or a list of texts, none of them empty. */
function wordsOf(value: unknown): string[] {
  const words = listOf(value).map((word) => textOf(word, "words"));
  if (words.length > 0 && words.every((word) => word !== "")) return words;
  throw new Refusal("expected words to look for, found none");
}

function patternOf(value: unknown): Re2 & { kind: "pattern" } {
  const text = textOf(value, "a pattern");
  const re2 = compileRe2(text);
  if (re2.kind === "pattern") return re2;
  throw new Refusal(`pattern "${text}" is not RE2: ${re2.why}`);
}

function selectCalls(calls: readonly CallEvent[], args: readonly unknown[]): CallEvent[] {
  if (args.length === 0) return calls.slice();
  const tool = textOf(args[0], "a tool's name");
  if (args.length === 1) return calls.filter((call) => call.tool === tool);
  const pattern = args[1];
  if (!isObject(pattern)) {
    throw new Refusal(`expected arguments as an object, found ${typeName(pattern)}`);
  }
  return calls.filter((call) => call.tool === tool && matchArgs(pattern, call.args));
}

function isDone(call: CallEvent): boolean {
  return call.status === "ok";
}

function asked(run: RunView, args: readonly unknown[]): RunEvent[] {
  const words = args.length === 0 ? null : wordsOf(args[0]);
  return run.questions
    .filter((question) => words === null || containsAny(question.text, words))
    .map((question) => question.event);
}

/** A question by tool ends a turn where it reached the person and no answer came. */
function endedAsking(run: RunView, args: readonly unknown[]): boolean {
  const end = latestTurnEnd(run.countedEvents);
  if (end.kind === "other") return false;
  if (end.kind === "call" && !isOpen(end.event)) return false;
  return asked(run, args).includes(end.event);
}

function isOpen(call: CallEvent): boolean {
  const reached = call.status === "ok" || call.status === "unfinished";
  return reached && !(isObject(call.result) && Object.hasOwn(call.result, "answer"));
}

function users(run: RunView, args: readonly unknown[]): RunEvent[] {
  const said = run.messages.filter((message) => message.role === "user");
  if (args.length === 0) return said;
  const [which] = args;
  if (typeof which !== "number") {
    const words = wordsOf(which);
    return said.filter((message) => containsAny(message.text, words));
  }
  if (!Number.isInteger(which) || which < 1) {
    throw new Refusal("user messages are counted from 1");
  }
  return said.slice(which - 1, which);
}

function commands(run: RunView, args: readonly unknown[]): CommandEvent[] {
  const pattern = patternOf(args[0]);
  const matching = run.commands.filter((command) => pattern.test(command.command));
  if (args.length < 2) return matching;
  const [, exit] = args;
  if (exit !== null && typeof exit !== "number") {
    throw new Refusal(`expected an exit code as a number or null, found ${typeName(exit)}`);
  }
  const proof = exitProof(textOf(args[0], "a pattern"));
  return matching.filter((command) => proof(command) === exit);
}

function edits(run: RunView, args: readonly unknown[]): RunEvent[] {
  const glob = args.length === 0 ? "**" : textOf(args[0], "a file pattern");
  const pattern = compilePattern(`files/${glob}`);
  return run.events.filter((event) => {
    const path = editedPath(event);
    return path !== null && relate(pattern, ["files", path]) === "exact";
  });
}

function editedPath(event: RunEvent): string | null {
  if (event.kind === "file") return event.path;
  if (event.kind !== "call" || event.tool !== "write_file" || event.status !== "ok") return null;
  const path = own(event.args, "path");
  return typeof path === "string" ? path.replace(/^(\.\/+)+/, "") : null;
}

function firstOf(run: RunView, events: readonly unknown[]): number {
  let first = Infinity;
  for (const event of events) first = Math.min(first, run.positionOf(event));
  return first;
}

function lastOf(run: RunView, events: readonly unknown[]): number {
  let last = -1;
  for (const event of events) last = Math.max(last, run.positionOf(event));
  return last;
}

function before(run: RunView, args: readonly unknown[]): boolean {
  const first = firstOf(run, listOf(args[0]));
  const second = firstOf(run, listOf(args[1]));
  return first < second;
}

function after(run: RunView, args: readonly unknown[]): boolean {
  const first = lastOf(run, listOf(args[0]));
  const second = lastOf(run, listOf(args[1]));
  return first >= 0 && second >= 0 && first > second;
}

function since(run: RunView, args: readonly unknown[]): unknown[] {
  const start = firstOf(run, listOf(args[1]));
  return listOf(args[0]).filter((event) => run.positionOf(event) > start);
}

function texts(value: unknown): string[] {
  if (value === null) return [];
  return listOf(value).filter((one) => one !== null).map((one) => textOf(one, "what is searched"));
}

function stateOf(value: unknown): State {
  if (isObject(value)) return value;
  throw new Refusal(`expected a state such as before or after, found ${typeName(value)}`);
}

function conserved(run: RunView, args: readonly unknown[]): boolean {
  const pattern = compilePattern(textOf(args[0], "a path pattern"));
  const [old, now] = [run.roots.before, run.roots.after].map((state) =>
    pathsOf(state, pattern)
      .map((path) => canonicalJson(valueAt(state, parsePath(path)) ?? null)).sort()
  );
  if (old === undefined || now === undefined || old.length + now.length === 0) {
    throw new Refusal(`nothing matches "${pattern.text}", before or after`);
  }
  return equalJson(old, now);
}

function subset(_run: RunView, args: readonly unknown[]): boolean {
  const whole = listOf(args[1]);
  return listOf(args[0]).every((one) =>
    whole.some((other) => equalJson(one as Json, other as Json))
  );
}

function exitOf(run: RunView, args: readonly unknown[]): number | null {
  const last = commands(run, args.slice(0, 1)).at(-1);
  return last === undefined ? null : exitProof(textOf(args[0], "a pattern"))(last);
}

function changed(run: RunView, args: readonly unknown[]): boolean {
  const pattern = compilePattern(textOf(args[0], "a path pattern"));
  return run.roots.changes.some((change) => relate(pattern, parsePath(change.path)) !== "none");
}

function says(run: RunView, args: readonly unknown[]): boolean {
  const words = wordsOf(args[0]);
  return run.messages.some((one) => one.role === "assistant" && containsAny(one.text, words));
}

/** The functions of the contract, by name without `$`. */
export const RUN_FUNCTIONS: Readonly<Record<string, RunFunction>> = {
  calls: (run, args) => list(selectCalls(run.calls, args)),
  done: (run, args) => list(selectCalls(run.calls, args).filter(isDone)),
  writes: (run) => list(run.writes),
  asks: (run, args) => list(asked(run, args)),
  user: (run, args) => list(users(run, args)),
  commands: (run, args) => list(commands(run, args)),
  edits: (run, args) => list(edits(run, args)),
  since: (run, args) => list(since(run, args)),
  found: (_run, args) => {
    const pattern = patternOf(args[1]);
    return list(texts(args[0]).flatMap((text) => pattern.find(text)));
  },
  paths: (_run, args) =>
    list(pathsOf(stateOf(args[0]), compilePattern(textOf(args[1], "a path pattern")))),
  called: (run, args) => selectCalls(run.calls, args).some(isDone),
  attempted: (run, args) => selectCalls(run.calls, args).length > 0,
  asked: endedAsking,
  before,
  after,
  says,
  changed,
  matches: (_run, args) => {
    const pattern = patternOf(args[1]);
    return texts(args[0]).some((text) => pattern.test(text));
  },
  subset,
  conserved,
  exit: exitOf,
  value: (_run, args) => valueAt(stateOf(args[0]), parsePath(textOf(args[1], "a path"))) ?? null,
};
