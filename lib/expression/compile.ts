/**
 * What does an expression come to? In: its text and a scope of plain data and native functions.
 * Out: a value or an error, or a decision, where only `true` and `false` decide. Compiled once,
 * limited in time, depth and list length, patterns on RE2. Not limited: texts that a lambda doubles
 * again and again within the time limit; `$pad` is held to 10,000 characters.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { isObject, put } from "../model/json.ts";
import { type Broken, namesIn, type Parsed, reasonOf, takeExpression } from "./ast.ts";
import type jsonata from "jsonata";
import { compileDirect, type DirectProgram } from "./direct.ts";
import { Unsure } from "./direct_values.ts";

/** What an expression sees: roots by name, and `$functions` and `$values` by name without `$`, without a prototype. */
export interface Scope {
  readonly input: JsonObject;
  readonly bindings: Readonly<Record<string, unknown>>;
}

/** A plain value (undefined where nothing was found), or why there is none. */
export type Evaluated =
  | { readonly kind: "value"; readonly value: Json | undefined }
  | { readonly kind: "error"; readonly why: string };

/** True or false, or why it is neither: then the condition is errored, never passed or failed. */
export type Decided =
  | { readonly kind: "decided"; readonly value: boolean }
  | { readonly kind: "undecided"; readonly why: string };

interface Compiled {
  readonly kind: "compiled";
  readonly text: string;
  readonly names: readonly string[];
  readonly direct: DirectProgram | null;
  /** Made when it is first needed: most expressions never need it, and it is large. */
  expression: jsonata.Expression | null;
}

const EXPRESSIONS_KEPT = 20_000;
const PAD_MAX = 10_000;
const compiledExpressions = new Map<string, Compiled | Broken>();

function compile(text: string): Compiled | Broken {
  const known = compiledExpressions.get(text);
  if (known !== undefined) return known;
  const compiled = prepare(text, takeExpression(text));
  if (compiledExpressions.size >= EXPRESSIONS_KEPT) compiledExpressions.clear();
  compiledExpressions.set(text, compiled);
  return compiled;
}

function prepare(text: string, parsed: Parsed): Compiled | Broken {
  if (parsed.kind === "broken") return parsed;
  try {
    const names = namesIn(parsed.ast);
    const direct = compileDirect(parsed.ast);
    const expression = direct === null ? limited(parsed.expression, names) : null;
    return { kind: "compiled", text, names, direct, expression };
  } catch (error) {
    return { kind: "broken", why: reasonOf(error), offset: 0, length: Math.max(1, text.length) };
  }
}

function limited(expression: jsonata.Expression, names: readonly string[]): jsonata.Expression {
  if (names.includes("pad")) expression.registerFunction("pad", pad, "<s-ns?:s>");
  return expression;
}

/** `$pad` of JSONata with a bound: its own takes seconds for a huge width. */
function pad(text?: string, width?: number, fill?: string): string | undefined {
  if (text === undefined || width === undefined) return undefined;
  if (Math.abs(width) > PAD_MAX) throw new RangeError(`$pad makes at most ${PAD_MAX} characters`);
  const missing = Math.abs(Math.trunc(width)) - [...text].length;
  if (missing <= 0) return text;
  const signs = [...(fill || " ")];
  const padding = Array.from({ length: missing }, (_, i) => signs[i % signs.length]).join("");
  return width > 0 ? text + padding : padding + text;
}

/** Evaluates to plain data; functions, NaN and infinities are errors. Never throws. */
export async function evaluateExpression(text: string, scope: Scope): Promise<Evaluated> {
  const compiled = compile(text);
  if (compiled.kind === "broken") return { kind: "error", why: compiled.why };
  try {
    const value = await evaluate(compiled, scope);
    return { kind: "value", value: value === undefined ? undefined : plain(value) };
  } catch (error) {
    return { kind: "error", why: reasonOf(error) };
  }
}

/** Decides a condition: anything but `true` and `false` is undecided. Never throws. */
export async function decideExpression(text: string, scope: Scope): Promise<Decided> {
  const compiled = compile(text);
  if (compiled.kind === "broken") return { kind: "undecided", why: compiled.why };
  try {
    let value = evaluate(compiled, scope);
    if (value instanceof Promise) value = await value;
    if (typeof value === "boolean") return { kind: "decided", value };
    return { kind: "undecided", why: `expected true or false, found ${describe(value)}` };
  } catch (error) {
    return { kind: "undecided", why: reasonOf(error) };
  }
}

/** Directly where that is possible and certain, else by JSONata: the value is the same. */
function evaluate(compiled: Compiled, scope: Scope): unknown {
  if (compiled.direct === null) return evaluateByJsonata(compiled, scope);
  try {
    return compiled.direct(scope);
  } catch (error) {
    if (error instanceof Unsure) return evaluateByJsonata(compiled, scope);
    throw error;
  }
}

function evaluateByJsonata(compiled: Compiled, { input, bindings }: Scope): Promise<unknown> {
  const used: Record<string, unknown> = Object.create(null);
  for (const name of compiled.names) {
    if (name in bindings) used[name] = bindings[name];
  }
  return expressionOf(compiled).evaluate(input, used);
}

function expressionOf(compiled: Compiled): jsonata.Expression {
  if (compiled.expression !== null) return compiled.expression;
  const parsed = takeExpression(compiled.text);
  if (parsed.kind === "broken") throw new Error(parsed.why);
  return compiled.expression = limited(parsed.expression, compiled.names);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "string") return `the text "${shorten(value)}"`;
  if (typeof value === "number") return `the number ${value}`;
  return typeof value === "function" ? "a function" : "an object";
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

/** A deep copy without JSONata's marks on lists. */
function plain(value: unknown): Json {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new RangeError("the result is not a finite number");
    return value;
  }
  if (Array.isArray(value)) return value.map((item) => item === undefined ? null : plain(item));
  const isLambda = isObject(value) && Object.hasOwn(value, "_jsonata_lambda");
  const isNative = isObject(value) && Object.hasOwn(value, "_jsonata_function");
  if (!isObject(value) || isLambda || isNative) throw new TypeError("the result is a function");
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) {
    const field: unknown = value[key];
    if (field !== undefined) put(copy, key, plain(field));
  }
  return copy;
}
