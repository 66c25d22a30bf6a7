/**
 * What does a simulated tool do once a call has reached it? Recorded answers, `needs`, `let`,
 * `refuse`, writes, `returns`, in this order. In: the tool, its arguments, the state. Out: the
 * answer and the state after, a refusal of the tool, or `broken` where the tool's own file is at
 * fault (a let without a value, an empty write).
 */
import { matchArgs } from "../expression/args.ts";
import { decideExpression, evaluateExpression } from "../expression/compile.ts";
import { valueAt } from "../expression/paths.ts";
import { formatPath, type PathParts } from "../model/state_path.ts";
import { toolScope } from "../expression/tool_scope.ts";
import { equalJson, isObject, type Json, type JsonObject, put, type State } from "../model/json.ts";
import type { ToolError, ToolSpec } from "../model/tool.ts";
import { type Filled, fillPath, fillText, fillValue, type Names } from "./template.ts";
import { appendAt, deleteAt, send, setAt, type Written } from "./writes.ts";

/** One call that has passed input check, approval and faults. */
export interface ToolUse {
  readonly spec: ToolSpec;
  readonly args: JsonObject;
  readonly state: State;
  readonly clock: string;
}

/** What the tool did: `wrote` are the paths that it wrote, as text. */
export type Deed =
  | {
    readonly kind: "done";
    readonly result: Json;
    readonly state: State;
    readonly wrote: readonly string[];
  }
  | { readonly kind: "refused"; readonly error: ToolError }
  | { readonly kind: "broken"; readonly why: string };

type Broken = Deed & { readonly kind: "broken" };
type Refused = Deed & { readonly kind: "refused" };

/** Does what the tool's file says; throws `Refusal` where a recorded answer's pattern is not RE2. */
export async function useTool(use: ToolUse): Promise<Deed> {
  const { spec, args, state } = use;
  const recorded = recordedAnswer(spec, args);
  if (recorded !== undefined) return { kind: "done", result: recorded, state, wrote: [] };
  const missing = missingNeed(use);
  if (missing !== null) return missing;
  const early = letsBeforeWrites(spec);
  const before = await computeLets(use, {}, (name) => early.has(name));
  if (before.kind === "broken") return before;
  const refusal = await refuse(use, before.lets);
  if (refusal !== null) return refusal;
  const written = write(use, { ...args, ...before.lets });
  if (written.kind === "broken") return written;
  const after = { ...use, state: written.state };
  const all = await computeLets(after, before.lets, (name) => !early.has(name));
  if (all.kind === "broken") return all;
  return answer(after, { ...args, ...all.lets }, written.wrote);
}

function recordedAnswer(spec: ToolSpec, args: JsonObject): Json | undefined {
  const answers = spec.answers ?? [];
  const found = answers.find((one) => equalJson(one.args, args)) ??
    answers.find((one) => matchArgs(one.args, args));
  return found?.result;
}

function missingNeed({ spec, args, state }: ToolUse): Refused | Broken | null {
  for (const need of spec.needs ?? []) {
    const path = fillPath(need, args);
    if (path.kind === "absent") return broken(`needs names "${path.name}", which is not given`);
    if (valueAt(state, path.value) !== undefined) continue;
    const message = `There is no "${formatPath(path.value)}"`;
    return { kind: "refused", error: { code: "not_found", message } };
  }
  return null;
}

type Lets = { readonly kind: "lets"; readonly lets: JsonObject } | Broken;

async function computeLets(
  { spec, args, state, clock }: ToolUse,
  known: JsonObject,
  wanted: (name: string) => boolean,
): Promise<Lets> {
  const lets = { ...known };
  for (const [name, text] of Object.entries(spec.let ?? {})) {
    if (!wanted(name)) continue;
    const found = await evaluateExpression(text, toolScope({ args, state, clock, lets }));
    if (found.kind === "error") return broken(`let "${name}" cannot be computed: ${found.why}`);
    if (found.value === undefined) return broken(`let "${name}" is undefined`);
    put(lets, name, found.value);
  }
  return { kind: "lets", lets };
}

/**
 * The lets that refusals and writes rest on, themselves or through other lets. The others serve
 * `returns` alone, which sees the state after, so they are computed after the writes.
 */
function letsBeforeWrites(spec: ToolSpec): ReadonlySet<string> {
  const { refuse, set, append, delete: remove, send: message } = spec;
  const texts = [JSON.stringify([refuse, set, append, remove, message])];
  const found = new Set<string>();
  for (let text = texts.pop(); text !== undefined; text = texts.pop()) {
    for (const [name, expression] of Object.entries(spec.let ?? {})) {
      if (found.has(name) || !names(text, name)) continue;
      found.add(name);
      texts.push(expression);
    }
  }
  return found;
}

function names(text: string, name: string): boolean {
  if (text.includes(`<${name}>`) || text.includes(`<${name}.`)) return true;
  return text.split(`$${name}`).slice(1).some((rest) => !/^\w/.test(rest));
}

async function refuse(use: ToolUse, lets: JsonObject): Promise<Refused | Broken | null> {
  const { spec, args, state, clock } = use;
  for (const { if: condition, error } of spec.refuse ?? []) {
    const decided = await decideExpression(condition, toolScope({ args, state, clock, lets }));
    if (decided.kind === "undecided") return broken(`refuse "${condition}": ${decided.why}`);
    if (!decided.value) continue;
    if (error.message === undefined) return { kind: "refused", error };
    const message = fillText(error.message, { ...args, ...lets });
    if (message.kind === "absent") {
      return broken(`refuse names "${message.name}", which has no value`);
    }
    return { kind: "refused", error: { code: error.code, message: message.value } };
  }
  return null;
}

interface Pen {
  readonly kind: "written";
  readonly state: State;
  readonly wrote: readonly string[];
}

function write({ spec, state }: ToolUse, names: Names): Pen | Broken {
  const steps: ((pen: Pen) => Pen | Broken)[] = [
    ...Object.entries(spec.set ?? {}).map(([path, value]) => (pen: Pen) =>
      writeValue(pen, { path, value, names, how: setAt })
    ),
    ...Object.entries(spec.append ?? {}).map(([path, value]) => (pen: Pen) =>
      writeValue(pen, { path, value, names, how: appendAt })
    ),
    ...(spec.delete ?? []).map((path) => (pen: Pen) => remove(pen, path, names)),
    ...(spec.send === undefined ? [] : [(pen: Pen) => sendMessage(pen, spec.send ?? {}, names)]),
  ];
  let pen: Pen | Broken = { kind: "written", state, wrote: [] };
  for (const step of steps) {
    if (pen.kind === "broken") return pen;
    pen = step(pen);
  }
  return pen;
}

interface ValueWrite {
  readonly path: string;
  readonly value: Json;
  readonly names: Names;
  readonly how: (state: State, path: PathParts, value: Json) => Written;
}

function writeValue(pen: Pen, { path, value, names, how }: ValueWrite): Pen | Broken {
  const filled = fillValue(value, names);
  if (filled.kind === "absent") return emptyWrite(path, filled);
  return writeAt(pen, fillPath(path, names), (state, parts) => how(state, parts, filled.value));
}

function remove(pen: Pen, path: string, names: Names): Pen | Broken {
  const filled = fillPath(path, names);
  const absent = filled.kind === "filled" && valueAt(pen.state, filled.value) === undefined;
  const done = writeAt(pen, filled, deleteAt);
  return absent && done.kind === "written" ? pen : done;
}

function writeAt(
  pen: Pen,
  path: Filled<PathParts>,
  how: (state: State, path: PathParts) => Written,
): Pen | Broken {
  if (path.kind === "absent") return broken(`a path names "${path.name}", which has no value`);
  const written = how(pen.state, path.value);
  if (written.kind === "impossible") return broken(`cannot write: ${written.why}`);
  return { ...pen, state: written.state, wrote: [...pen.wrote, formatPath(path.value)] };
}

function sendMessage(pen: Pen, template: JsonObject, names: Names): Pen | Broken {
  const filled = fillValue(template, names);
  if (filled.kind === "absent") return emptyWrite("send", filled);
  if (!isObject(filled.value) || filled.value.to === "") return broken("send has an empty `to`");
  return { ...pen, state: send(pen.state, filled.value) };
}

function answer({ spec, state }: ToolUse, names: Names, wrote: readonly string[]): Deed {
  const result = fillValue(spec.returns ?? { ok: true }, names, null);
  if (result.kind === "absent") return broken(`returns names "${result.name}", which has no value`);
  return { kind: "done", result: result.value, state, wrote };
}

function emptyWrite(where: string, { name }: { readonly name: string }): Broken {
  return broken(`the write "${where}" is empty: "${name}" has no value`);
}

function broken(why: string): Broken {
  return { kind: "broken", why };
}
