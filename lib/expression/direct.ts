/**
 * Can an expression be evaluated without JSONata's machinery? Most checkpoints are a call of a
 * native function, a path, a comparison. Those compile to plain functions with the same meaning (a
 * property test holds them against JSONata); everything else, and every doubtful value at run time,
 * is left to JSONata. In: a tree. Out: a program, or null.
 */
import type { AstNode } from "./ast.ts";
import type { Scope } from "./compile.ts";
import {
  type Budget,
  conditionFilter,
  fieldPart,
  type Filter,
  indexFilter,
  namesPart,
  type PartOf,
  spend,
  stepsPart,
} from "./direct_path.ts";
import {
  calculate,
  collapse,
  compare,
  DIRECT_FUNCTIONS,
  equal,
  isIn,
  join,
  truth,
  Unsure,
  unsure,
} from "./direct_values.ts";
import { Re2Engine } from "./re2.ts";

/** A compiled expression; throws `Unsure` where JSONata has to evaluate it. */
export type DirectProgram = (scope: Scope) => unknown;

/** Steps after which an evaluation is left to JSONata, which has a time limit. */
const STEPS_MAX = 100_000;

interface Run extends Budget {
  readonly scope: Scope;
}

type Part = PartOf<Run>;

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
      return fieldPart(String(node.value));
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

function compilePath(node: AstNode): Part {
  const steps = node.steps ?? [];
  if (steps.every((step) => step.type === "name" && isPlainName(step))) {
    return namesPart(steps.map((step) => String(step.value)));
  }
  const compiled = steps.map((step) => ({
    part: compilePart(step),
    filters: (step.stages ?? []).map(compileFilter),
  }));
  return stepsPart(compiled, steps[0]?.type === "variable");
}

function isPlainName(step: AstNode): boolean {
  return !isSpecial(step) && step.stages === undefined && step.predicate === undefined;
}

function compileFilter(stage: AstNode): Filter<Run> {
  const predicate = stage.expr;
  if (stage.type !== "filter" || predicate === undefined) return unsure();
  if (predicate.type === "number") return indexFilter(Number(predicate.value));
  return conditionFilter(compilePart(predicate));
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
