/**
 * Can an expression be evaluated without JSONata's machinery? Most checkpoints are a call of a
 * native function, a path, a comparison. Those compile to plain functions with the same meaning (a
 * property test holds them against JSONata); everything else, and every doubtful value at run time,
 * is left to JSONata. In: a tree. Out: a program, or null.
 */
import type { AstNode } from "./ast.ts";
import type { Scope } from "./compile.ts";
import {
  calculate,
  collapse,
  compare,
  DIRECT_FUNCTIONS,
  equal,
  isIn,
  isSequence,
  join,
  newSequence,
  truth,
  Unsure,
  unsure,
} from "./direct_values.ts";
import { Re2Engine } from "./re2.ts";

/** A compiled expression; throws `Unsure` where JSONata has to evaluate it. */
export type DirectProgram = (scope: Scope) => unknown;

/** Steps after which an evaluation is left to JSONata, which has a time limit. */
const STEPS_MAX = 100_000;

interface Run {
  readonly scope: Scope;
  left: number;
}

type Part = (run: Run, here: unknown) => unknown;
type Filter = (run: Run, value: unknown) => unknown;

/** The program of a tree, null where the tree has anything that is left to JSONata. */
export function compileDirect(ast: AstNode): DirectProgram | null {
  try {
    const part = compilePart(ast);
    return (scope) => part({ scope, left: STEPS_MAX }, scope.input);
  } catch (error) {
    if (error instanceof Unsure) return null;
    throw error;
  }
}

function compilePart(node: AstNode): Part {
  if (isSpecial(node)) unsure();
  const bare = compileBare(node);
  const filters = (node.predicate ?? []).map(compileFilter);
  if (filters.length === 0) return (run, here) => collapse(bare(run, here));
  return (run, here) => {
    let value = bare(run, here);
    for (const filter of filters) value = filter(run, value);
    return collapse(value);
  };
}

/** Marks that change how JSONata evaluates a node. */
function isSpecial(node: AstNode): boolean {
  return node.keepArray === true || node.keepSingletonArray === true || node.consarray === true ||
    node.tuple === true || node.focus !== undefined || node.index !== undefined ||
    node.group !== undefined || "seekingParent" in node || "ancestor" in node;
}

function compileBare(node: AstNode): Part {
  switch (node.type) {
    case "path":
      return compilePath(node);
    case "name":
      return compileName(String(node.value));
    case "string":
    case "number":
    case "value": {
      const { value } = node;
      return () => value;
    }
    case "variable":
      return compileVariable(String(node.value));
    case "function":
      return compileCall(node);
    case "binary":
      return compileBinary(node);
    case "unary":
      return compileUnary(node);
    case "condition":
      return compileCondition(node);
    case "block":
      return compileBlock(node);
    default:
      return unsure();
  }
}

function spend(run: Run, steps: number): void {
  run.left -= steps;
  if (run.left < 0) unsure();
}

function compileName(name: string): Part {
  return (_run, here) => {
    if (Array.isArray(here)) return unsure();
    return fieldOf(here, name);
  };
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

interface Step {
  readonly part: Part;
  readonly filters: readonly Filter[];
}

function compilePath(node: AstNode): Part {
  const nodes = node.steps ?? [];
  if (nodes.every((step) => step.type === "name" && isPlainName(step))) {
    return compileNames(nodes.map((step) => String(step.value)));
  }
  const startsAnywhere = nodes[0]?.type === "variable";
  const steps = nodes.map((step): Step => ({
    part: compilePart(step),
    filters: (step.stages ?? []).map(compileFilter),
  }));
  return (run, here) => {
    let items = Array.isArray(here) && !startsAnywhere ? here : [here];
    for (let i = 0; i < steps.length; i++) {
      const step = steps[i];
      if (step === undefined) return unsure();
      items = takeStep(run, { step, items, last: i === steps.length - 1 });
      if (items.length === 0) break;
    }
    return items;
  };
}

function isPlainName(step: AstNode): boolean {
  return !isSpecial(step) && step.stages === undefined && step.predicate === undefined;
}

/** A path of names alone: as long as no list is met, each is a look-up. */
function compileNames(names: readonly string[]): Part {
  const steps = names.map((name): Step => ({ part: compileName(name), filters: [] }));
  return (run, here) => {
    let value = here;
    for (let i = 0; i < names.length; i++) {
      if (Array.isArray(value)) return takeNames(run, { steps, from: i, items: value });
      value = fieldOf(value, names[i] ?? "");
      if (value === undefined) return undefined;
    }
    return value;
  };
}

function takeNames(
  run: Run,
  { steps, from, items }: {
    readonly steps: readonly Step[];
    readonly from: number;
    readonly items: unknown[];
  },
): unknown {
  if (items.length === 0) return undefined;
  let found = items;
  for (let i = from; i < steps.length; i++) {
    const step = steps[i];
    if (step === undefined || found.length === 0) break;
    found = takeStep(run, { step, items: found, last: i === steps.length - 1 });
  }
  return found;
}

function takeStep(
  run: Run,
  { step, items, last }: {
    readonly step: Step;
    readonly items: readonly unknown[];
    readonly last: boolean;
  },
): unknown[] {
  spend(run, items.length + 1);
  const values: unknown[] = [];
  for (const item of items) {
    let value = step.part(run, item);
    for (const filter of step.filters) value = filter(run, value);
    if (value !== undefined) values.push(value);
  }
  const [only] = values;
  if (last && values.length === 1 && Array.isArray(only) && !isSequence(only)) return only;
  const flat = newSequence();
  for (const value of values) {
    if (Array.isArray(value)) { for (const item of value) flat.push(item); }
    else flat.push(value);
  }
  return flat;
}

function compileFilter(stage: AstNode): Filter {
  const predicate = stage.expr;
  if (stage.type !== "filter" || predicate === undefined) return unsure();
  if (predicate.type === "number") {
    const index = Math.floor(Number(predicate.value));
    return (_run, value) => itemAt(Array.isArray(value) ? value : [value], index);
  }
  const part = compilePart(predicate);
  return (run, value) => {
    const items = Array.isArray(value) ? value : [value];
    spend(run, items.length + 1);
    const kept = newSequence();
    for (let i = 0; i < items.length; i++) {
      const item: unknown = items[i];
      if (isKept(part(run, item), i, items.length)) kept.push(item);
    }
    return kept;
  };
}

function itemAt(items: readonly unknown[], index: number): unknown {
  const item = items[index < 0 ? items.length + index : index];
  if (Array.isArray(item)) return item;
  const found = newSequence();
  if (item !== undefined) found.push(item);
  return found;
}

/** A number keeps the item at that position, anything else by its truth. */
function isKept(answer: unknown, at: number, count: number): boolean {
  if (typeof answer === "number") {
    if (!Number.isFinite(answer)) return unsure();
    const index = Math.floor(answer);
    return at === (index < 0 ? count + index : index);
  }
  return Array.isArray(answer) ? unsure() : truth(answer);
}

function compileVariable(name: string): Part {
  if (name === "") return (_run, here) => here;
  if (name === "$") return (run) => run.scope.input;
  return (run) => {
    const { bindings } = run.scope;
    if (!(name in bindings)) return unsure();
    const value = bindings[name];
    return typeof value === "function" ? unsure() : value;
  };
}

function compileCall(node: AstNode): Part {
  const { procedure } = node;
  if (procedure?.type !== "variable" || procedure.predicate !== undefined) return unsure();
  const name = String(procedure.value);
  const args = (node.arguments ?? []).map(compilePart);
  const own = Object.hasOwn(DIRECT_FUNCTIONS, name) ? DIRECT_FUNCTIONS[name] : undefined;
  if (own !== undefined && own.count !== args.length) return unsure();
  return (run, here) => {
    const { bindings } = run.scope;
    spend(run, 1);
    if (name in bindings) {
      const native = bindings[name];
      if (typeof native !== "function") return unsure();
      return native(...args.map((part) => part(run, here)));
    }
    if (own === undefined) return unsure();
    return own.call(...args.map((part) => part(run, here)));
  };
}

function compileBinary(node: AstNode): Part {
  if (node.lhs === undefined || Array.isArray(node.lhs) || node.rhs === undefined) return unsure();
  const left = compilePart(node.lhs);
  const right = compilePart(node.rhs);
  const operator = String(node.value);
  switch (operator) {
    case "and":
      return (run, here) => truth(left(run, here)) && truth(right(run, here));
    case "or":
      return (run, here) => truth(left(run, here)) || truth(right(run, here));
    case "=":
      return (run, here) => equal(left(run, here), right(run, here));
    case "!=":
      return (run, here) => differ(left(run, here), right(run, here));
    case "in":
      return (run, here) => isIn(left(run, here), right(run, here));
    case "&":
      return (run, here) => join(left(run, here), right(run, here));
    case "<":
    case "<=":
    case ">":
    case ">=":
      return (run, here) => compare(operator, left(run, here), right(run, here));
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return (run, here) => calculate(operator, left(run, here), right(run, here));
    default:
      return unsure();
  }
}

function differ(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined && !equal(a, b);
}

function compileUnary(node: AstNode): Part {
  if (node.value === "[") return compileList(node.expressions ?? []);
  if (node.value === "{" && Array.isArray(node.lhs)) return compileObject(node.lhs);
  return unsure();
}

function compileList(nodes: readonly AstNode[]): Part {
  const items = nodes.map((node) => ({ part: compilePart(node), nested: node.value === "[" }));
  return (run, here) => {
    const list: unknown[] = [];
    for (const { part, nested } of items) {
      const value = part(run, here);
      if (value === undefined) continue;
      if (nested || !Array.isArray(value)) list.push(value);
      else for (const item of value) list.push(item);
    }
    return list;
  };
}

function compileObject(pairs: readonly [AstNode, AstNode][]): Part {
  const fields = pairs.map(([key, value]) => {
    if (key.type !== "string" || key.predicate !== undefined) return unsure();
    const name = String(key.value);
    if (name.startsWith("_jsonata_")) return unsure();
    return { name, part: value.type === "regex" ? compileRegex(value) : compilePart(value) };
  });
  if (new Set(fields.map((field) => field.name)).size !== fields.length) return unsure();
  return (run, here) => {
    if (Array.isArray(here)) return unsure();
    const object: Record<string, unknown> = Object.create(null);
    for (const { name, part } of fields) {
      const value = part(run, here);
      if (value !== undefined) object[name] = value;
    }
    return object;
  };
}

/** As in JSONata a regular expression is a function that gives a match or nothing. */
function compileRegex(node: AstNode): Part {
  const pattern = node.value;
  if (!(pattern instanceof RegExp) || isSpecial(node) || node.predicate) return unsure();
  return () => {
    const engine = new Re2Engine(pattern);
    return (text: unknown) => {
      engine.lastIndex = 0;
      return engine.exec(text) ?? undefined;
    };
  };
}

function compileCondition(node: AstNode): Part {
  if (node.condition === undefined || node.then === undefined) return unsure();
  const condition = compilePart(node.condition);
  const yes = compilePart(node.then);
  const no = node.else === undefined ? () => undefined : compilePart(node.else);
  return (run, here) => truth(condition(run, here)) ? yes(run, here) : no(run, here);
}

function compileBlock(node: AstNode): Part {
  const parts = (node.expressions ?? []).map(compilePart);
  return (run, here) => {
    let value: unknown;
    for (const part of parts) value = part(run, here);
    return value;
  };
}
