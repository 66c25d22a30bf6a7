/**
 * What can an expression name, depending on where it stands? Roots, `$values`, `$functions`, tools
 * and states, for scenarios, for `{where}`, for simulated tools and for gates. In: what was loaded.
 * Out: the shape that `checkExpression` checks against.
 */
import type { JsonObject, State } from "../model/json.ts";
import { ledgerRow } from "../model/ledger.ts";
import { metrics } from "../model/metrics.ts";
import { METRIC_NAMES, MORE_IS_BETTER } from "../model/metric_names.ts";
import { changeEntry, runEvent } from "../model/run.ts";
import { scenarioFile } from "../model/scenario.ts";
import type { ToolSet, ToolSpec } from "../model/tool.ts";
import { runUsage } from "../model/verdict.ts";
import { GIT, MODES } from "../model/workspace.ts";
import { WORKSPACE_TOOLS } from "../model/workspace_tools.ts";
import { type ListKey } from "./paths.ts";
import { parsePath } from "../model/state_path.ts";
import { shapeOfJsonSchema, shapeOfSchema, shapesByKind } from "./schema_shape.ts";
import {
  BOOLEAN,
  listOf,
  mergeAll,
  NUMBER,
  recordOf,
  type RecordShape,
  type Shape,
  TEXT,
  UNKNOWN,
} from "./shape.ts";
import {
  BUILT_IN_SIGNATURES,
  GATE_SIGNATURES,
  RUN_SIGNATURES,
  type Signature,
  TOOL_SIGNATURES,
} from "./signatures.ts";
import { shapeAfter, shapeOfState } from "./state_shape.ts";
import { TOOL_VALUES } from "./tool_scope.ts";

/** Everything that an expression may name. */
export interface ExpressionShape {
  readonly roots: RecordShape;
  /** `$name` values, without `$`. */
  readonly values: ReadonlyMap<string, Shape>;
  readonly functions: Readonly<Record<string, Signature>>;
  /** What comes of it: a condition, or a value of any kind (the lets of tools). */
  readonly use: "condition" | "value";
  /** Null where tools do not come into it, or none are known: any name may be one. */
  readonly tools: ToolShapes | null;
  /** Metrics for `$drop` and for `$rise`. */
  readonly metrics: { readonly drop: readonly string[]; readonly rise: readonly string[] } | null;
  /** Names for `<name>` in the paths of `$at`. */
  readonly templates: readonly string[] | null;
}

/** The tools of a scenario: the shape of a call of each, and which of them the agent gets. */
export interface ToolShapes {
  readonly calls: ReadonlyMap<string, RecordShape>;
  /** The shape of a call of any of them. */
  readonly anyCall: Shape;
  readonly available: ReadonlySet<string>;
}

const EVENTS = withOutputs(shapesByKind(runEvent));
const USAGE = shapeOfSchema(runUsage);
const CHANGE = shapeOfSchema(changeEntry);
const SCENARIO = resolvedScenario(shapeOfSchema(scenarioFile));
const METRICS = shapeOfSchema(metrics);

const NO_TOOLS: ToolSet = {};

function eventShape(kind: string): Shape {
  return EVENTS.get(kind) ?? UNKNOWN;
}

/** A command's output is also seen as JSON, of which nothing is known. */
function withOutputs(events: ReadonlyMap<string, Shape>): ReadonlyMap<string, Shape> {
  const command = events.get("command");
  if (command?.kind !== "record") return events;
  const fields = new Map(command.fields).set("json", UNKNOWN);
  return new Map(events).set("command", recordOf(fields));
}

/** Defaults and aliases are resolved when expressions see the scenario. */
function resolvedScenario(file: Shape): Shape {
  if (file.kind !== "record") return UNKNOWN;
  const fields = new Map(file.fields);
  for (const resolved of ["origin", "setup", "conversation", "expected"]) {
    fields.set(resolved, UNKNOWN);
  }
  return recordOf(fields);
}

/**
 * The shape of scenario expressions. `state` null: nothing is known of the states; `available`: the
 * tools that the agent gets; `keys`: lists whose items have names; `workspace`: the agent works on
 * files, so that `shell` and `write_file` exist.
 */
export function scenarioShape(input: {
  readonly tools: ToolSet;
  readonly available: readonly string[];
  readonly state: State | null;
  readonly keys?: readonly ListKey[];
  readonly workspace?: boolean;
}): ExpressionShape {
  const tools = toolShapes(input);
  const before = beforeShape(input);
  const after = before.kind === "record"
    ? shapeAfter(withKeys(before, input.keys ?? []), input.tools)
    : UNKNOWN;
  return {
    roots: recordOf({
      trace: traceShape(tools),
      sent: listOf(sentShape(input.tools, input.state)),
      before: before.kind === "record" ? withKeys(before, input.keys ?? []) : before,
      after,
      changes: listOf(CHANGE),
      final: TEXT,
      usage: USAGE,
      scenario: SCENARIO,
    }),
    values: new Map(),
    functions: { ...BUILT_IN_SIGNATURES, ...RUN_SIGNATURES },
    use: "condition",
    tools,
    metrics: null,
    templates: null,
  };
}

/** Modes and the repository of a workspace are read when it runs: of them nothing is known before. */
function beforeShape(
  { state, workspace }: { readonly state: State | null; readonly workspace?: boolean },
): Shape {
  if (state === null) return UNKNOWN;
  const shape = shapeOfState(state);
  if (workspace !== true) return shape;
  const known = workspaceShapes.get(shape) ??
    recordOf(new Map([[GIT, UNKNOWN], [MODES, UNKNOWN], ...shape.fields]), shape.rest);
  workspaceShapes.set(shape, known);
  return known;
}

/** Remembered by the object, so that what is derived from it is too. */
const workspaceShapes = new WeakMap<RecordShape, RecordShape>();

function toolShapes(input: {
  readonly tools: ToolSet;
  readonly available: readonly string[];
  readonly workspace?: boolean;
}): ToolShapes | null {
  if (Object.keys(input.tools).length === 0 && !input.workspace) return null;
  const builtIn = input.workspace ? WORKSPACE_TOOLS : NO_TOOLS;
  const known = knownCalls.get(input.tools) ?? new Map<ToolSet, CallShapes>();
  knownCalls.set(input.tools, known);
  const shapes = known.get(builtIn) ?? callShapes(builtIn, input.tools);
  known.set(builtIn, shapes);
  return { ...shapes, available: new Set([...input.available, ...Object.keys(builtIn)]) };
}

type CallShapes = Pick<ToolShapes, "calls" | "anyCall">;

/** Remembered by the object: scenarios share their tools. */
const knownCalls = new WeakMap<ToolSet, Map<ToolSet, CallShapes>>();

function callShapes(builtIn: ToolSet, tools: ToolSet): CallShapes {
  const calls = new Map<string, RecordShape>();
  for (const [name, tool] of Object.entries(builtIn)) calls.set(name, callShape(name, tool.input));
  for (const [name, tool] of Object.entries(tools)) calls.set(name, callShape(name, tool.input));
  return { calls, anyCall: mergeAll(calls.values()) };
}

function callShape(name: string, schema: JsonObject): RecordShape {
  const event = eventShape("call");
  const fields = event.kind === "record" ? event.fields : new Map<string, Shape>();
  const tool: Shape = { kind: "scalar", type: "text", values: [name] };
  return recordOf(new Map(fields).set("args", shapeOfJsonSchema(schema)).set("tool", tool));
}

/** The shape of a call of any tool. */
export function anyCallShape(tools: ToolShapes | null): Shape {
  return tools?.anyCall ?? eventShape("call");
}

const knownTraces = new WeakMap<Shape, Shape>();

function traceShape(tools: ToolShapes | null): Shape {
  const call = anyCallShape(tools);
  const trace = knownTraces.get(call) ?? traceOf(call);
  knownTraces.set(call, trace);
  return trace;
}

function traceOf(call: Shape): Shape {
  const events = mergeAll([call, ...EVENTS.values()]);
  return recordOf({
    events: listOf(events),
    calls: listOf(call),
    messages: listOf(eventShape("message")),
    approvals: listOf(eventShape("approval")),
    commands: listOf(eventShape("command")),
  });
}

/** Fields of sent messages: those that any tool sends, or that stood in the outbox before. */
function sentShape(tools: ToolSet, state: State | null): Shape {
  const sends = Object.values(tools).flatMap((tool) => tool.send === undefined ? [] : [tool.send]);
  if (sends.length === 0 || state === null) return UNKNOWN;
  const names = ["to", "channel", "text", ...sends.flatMap((message) => Object.keys(message))];
  return recordOf(new Map(names.map((name) => [name, UNKNOWN])));
}

/** Lists whose items have names are records of them, where a path is concerned. */
function withKeys(state: RecordShape, keys: readonly ListKey[]): RecordShape {
  if (keys.length === 0) return state;
  const collections = new Set(keys.map((key) => parsePath(key.list.text)[0] ?? ""));
  const fields = [...state.fields].map(([name, shape]): [string, Shape] =>
    collections.has(name) || collections.has("*") || collections.has("**")
      ? [name, UNKNOWN]
      : [name, shape]
  );
  return recordOf(new Map(fields), state.rest);
}

/** The shape of `{where: …}`: the scenario's, with `value`, `was` and `path` besides. */
export function entryShape(scenario: ExpressionShape, of: "change" | "message"): ExpressionShape {
  const sent = scenario.roots.fields.get("sent");
  const value = of === "message" && sent?.kind === "list" ? sent.of : UNKNOWN;
  const fields = new Map(scenario.roots.fields).set("value", value).set("was", UNKNOWN);
  return { ...scenario, roots: recordOf(fields.set("path", TEXT)) };
}

/** The shape of a tool's expressions; `lets` are the names before it, `use` what comes of it. */
export function toolShape(
  tool: ToolSpec,
  lets: readonly string[],
  use: "condition" | "value",
): ExpressionShape {
  const args = shapeOfJsonSchema(tool.input);
  const values = new Map<string, Shape>(lets.map((name) => [name, UNKNOWN]));
  for (const name of TOOL_VALUES) values.set(name, UNKNOWN);
  values.set("args", args).set("clock", TEXT);
  const known = args.kind === "record" && args.rest === null ? [...args.fields.keys()] : null;
  return {
    roots: recordOf({}),
    values,
    functions: { ...BUILT_IN_SIGNATURES, ...TOOL_SIGNATURES },
    use,
    tools: null,
    metrics: null,
    templates: known && [...known, ...lets],
  };
}

/** The shape of a gate's rules; in a `for_each` the roots are the metrics of one part. */
export function gateShape(forEach: "task" | "category" | null): ExpressionShape {
  const parts = recordOf({}, METRICS);
  const own = METRICS.kind === "record" ? METRICS.fields : new Map<string, Shape>();
  const whole = recordOf(new Map([...own, ["byTask", parts], ["byCategory", parts]]));
  const side = forEach === null ? whole : METRICS;
  return {
    roots: recordOf({ candidate: side, baseline: side, ledger: listOf(shapeOfSchema(ledgerRow)) }),
    values: new Map(),
    functions: { ...BUILT_IN_SIGNATURES, ...GATE_SIGNATURES },
    use: "condition",
    tools: null,
    metrics: {
      drop: METRIC_NAMES.filter((name) => MORE_IS_BETTER.has(name)),
      rise: METRIC_NAMES,
    },
    templates: null,
  };
}

/** The shape of a webhook's body: what is told of one message. */
export function messageShape(): ExpressionShape {
  const texts = ["text", "first", "verdict", "id", "written", "locale"];
  const fields = new Map<string, Shape>(texts.map((name) => [name, TEXT]));
  return plainShape(recordOf(fields.set("repeat", BOOLEAN)));
}

/** The shape of an http agent's `request`: what the user says now, and what came before. */
export function agentRequestShape(): ExpressionShape {
  const messages = listOf(recordOf({ role: TEXT, text: TEXT }));
  return plainShape(
    recordOf({ text: TEXT, turn: NUMBER, session: TEXT, setting: TEXT, messages }),
  );
}

/** The shape of an http agent's `response`: an answer of which nothing is known. */
export function agentResponseShape(): ExpressionShape {
  return plainShape(recordOf({}, UNKNOWN));
}

function plainShape(roots: RecordShape): ExpressionShape {
  return {
    roots,
    values: new Map(),
    functions: BUILT_IN_SIGNATURES,
    use: "value",
    tools: null,
    metrics: null,
    templates: null,
  };
}
