/**
 * Can every path of an expression lead somewhere? Walks the tree with the shape of its context,
 * gives the shape of what comes of it, and notes every name that nothing stands for. After lambdas
 * and functions of unknown result the shape is unknown, which allows everything.
 */
import type { AstNode } from "./ast.ts";
import { childrenOf } from "./ast.ts";
import { checkCall } from "./call_check.ts";
import type { ExpressionShape } from "./expression_shape.ts";
import {
  addBareRoot,
  addUnknownField,
  addUnknownRoot,
  addUnknownVariable,
} from "./name_problems.ts";
import { checkOperator } from "./operator_check.ts";
import type { ProblemList } from "./problem_list.ts";
import { compileRe2, re2Text } from "./re2.ts";
import {
  BOOLEAN,
  FUNCTION,
  itemOf,
  listOf,
  mergeAll,
  mergeShapes,
  NULL,
  NUMBER,
  recordOf,
  type Shape,
  TEXT,
  UNKNOWN,
} from "./shape.ts";
import { BUILT_IN_SIGNATURES } from "./signatures.ts";

/** What a walk knows at a node. */
export interface Context {
  /** The shape of `$`, what bare names are fields of. */
  readonly here: Shape;
  /** True outside predicates and steps, where bare names are roots. */
  readonly atRoot: boolean;
  /** Variables of blocks and lambdas, by name without `$`. */
  readonly variables: Map<string, Shape>;
}

/** One walk over one expression. */
export class Walk {
  /** True where anything of the run, the call or the metrics was read: else it is constant. */
  reads = false;

  constructor(readonly shape: ExpressionShape, readonly found: ProblemList) {}

  /** The shape of a node's value. */
  shapeOf(node: AstNode, context: Context): Shape {
    let shape = this.#bareShape(node, context);
    for (const stage of node.predicate ?? []) shape = this.#selected(stage, shape, context);
    if (node.group === undefined || node.type === "path") return shape;
    return this.#grouped(node, shape, context);
  }

  #bareShape(node: AstNode, context: Context): Shape {
    switch (node.type) {
      case "path":
        return this.#pathShape(node, context);
      case "name":
        return this.#fieldShape(node, context);
      case "wildcard":
        return this.#wildcardShape(context);
      case "variable":
        return this.#variableShape(node, context);
      case "function":
        return checkCall(this, node, context);
      case "partial":
        return this.#partialShape(node, context);
      case "string":
        return { kind: "scalar", type: "text", values: [String(node.value)] };
      case "number":
        return NUMBER;
      case "value":
        return typeof node.value === "boolean" ? BOOLEAN : NULL;
      case "regex":
        return this.#regexShape(node);
      case "binary":
        return this.#binaryShape(node, context);
      case "condition":
        return this.#conditionShape(node, context);
      case "block":
        return this.#blockShape(node, context);
      case "bind":
        return this.#bindShape(node, context);
      case "lambda":
        return this.#lambdaShape(node, context);
      case "apply":
        return this.#applyShape(node, context);
      case "transform":
        this.found.add(node, "refused-function", {
          what: "The transform operator | … | is not allowed",
          fix: "read the values that you need instead of changing a copy",
        });
        return UNKNOWN;
      default:
        return this.#childrenShape(node, context);
    }
  }

  /** `*`: any field of what is there, lists flattened; one of them may stand alone. */
  #wildcardShape({ here, atRoot }: Context): Shape {
    this.reads = true;
    const record = atRoot ? this.shape.roots : here;
    if (record.kind !== "record") return UNKNOWN;
    const rest = record.rest === null ? [] : [record.rest];
    const any = mergeAll([...record.fields.values(), ...rest].map(itemOf));
    return any.kind === "unknown" ? UNKNOWN : listOf(any, true);
  }

  /** Unary operators, constructors, descendants and the like: only what is below them is checked. */
  #childrenShape(node: AstNode, context: Context): Shape {
    if (node.type === "descendant" || node.type === "parent") this.reads = true;
    for (const child of childrenOf(withoutStages(node))) {
      this.shapeOf(child, context);
    }
    if (node.type !== "unary") return UNKNOWN;
    if (node.value === "-") return NUMBER;
    return node.value === "[" ? listOf(UNKNOWN) : recordOf({}, UNKNOWN);
  }

  #pathShape(node: AstNode, context: Context): Shape {
    const inner: Context = { ...context, variables: new Map(context.variables) };
    let shape: Shape | null = null;
    let known = true;
    for (const step of node.steps ?? []) {
      const here: Context = shape === null
        ? inner
        : { here: itemOf(shape), atRoot: false, variables: inner.variables };
      shape = known ? this.#stepShape(step, shape, here) : this.#looseStep(step, inner);
      if (step.focus !== undefined) inner.variables.set(step.focus, UNKNOWN);
      if (step.index !== undefined) inner.variables.set(step.index, NUMBER);
      if (step.tuple || step.type === "sort") known = false;
    }
    if (!known) shape = UNKNOWN;
    return node.group === undefined ? shape ?? UNKNOWN : this.#grouped(node, shape, context);
  }

  #looseStep(step: AstNode, context: Context): Shape {
    const here = { ...context, here: UNKNOWN, atRoot: false };
    if (step.type !== "name") this.#stepShape(step, UNKNOWN, here);
    return UNKNOWN;
  }

  #stepShape(step: AstNode, from: Shape | null, here: Context): Shape {
    if (step.type === "sort") {
      for (const term of step.terms ?? []) this.shapeOf(term.expression, here);
      return from ?? UNKNOWN;
    }
    let shape = this.shapeOf({ ...step, stages: [] }, here);
    if (from?.kind === "list") {
      shape = shape.kind === "list"
        ? listOf(itemOf(shape), shape.selected && from.selected)
        : listOf(shape, from.selected);
    }
    for (const stage of step.stages ?? []) {
      if (stage.type === "index") {
        here.variables.set(String(stage.value), NUMBER);
      } else shape = this.#selected(stage, shape, here);
    }
    return shape;
  }

  /** What a predicate leaves: an index gives an item, a condition a list that may hold one. */
  #selected(stage: AstNode, shape: Shape, context: Context): Shape {
    const predicate = stage.expr;
    if (predicate === undefined) return shape;
    if (predicate.type === "number") return itemOf(shape);
    this.shapeOf(predicate, { here: itemOf(shape), atRoot: false, variables: context.variables });
    return shape.kind === "unknown" ? UNKNOWN : listOf(itemOf(shape), true);
  }

  #grouped(node: AstNode, shape: Shape | null, context: Context): Shape {
    const here = { ...context, here: shape === null ? UNKNOWN : itemOf(shape), atRoot: false };
    for (const pair of node.group?.lhs ?? []) {
      for (const part of pair) this.shapeOf(part, here);
    }
    return UNKNOWN;
  }

  #fieldShape(node: AstNode, context: Context): Shape {
    const name = String(node.value);
    const { here, atRoot } = context;
    if (atRoot) this.reads = true;
    if (here.kind === "record") {
      const field = here.fields.get(name) ?? here.rest;
      if (field !== null) return field;
    }
    if (!atRoot && this.shape.roots.fields.has(name)) {
      this.reads = true;
      addBareRoot(this.found, node, name);
    } else if (atRoot) addUnknownRoot(this.found, node, this.shape);
    else if (here.kind !== "unknown") {
      addUnknownField(this.found, node, { here, shape: this.shape });
    }
    return UNKNOWN;
  }

  #variableShape(node: AstNode, context: Context): Shape {
    const name = String(node.value);
    if (name === "") return context.atRoot ? this.#root() : context.here;
    if (name === "$") return this.#root();
    const local = context.variables.get(name);
    if (local !== undefined) return local;
    const value = this.shape.values.get(name);
    if (value !== undefined) {
      this.reads = true;
      return value;
    }
    if (Object.hasOwn(this.shape.functions, name)) {
      this.reads = true;
      return FUNCTION;
    }
    this.unknownVariable(node, name, context);
    return UNKNOWN;
  }

  #root(): Shape {
    this.reads = true;
    return this.shape.roots;
  }

  /** Notes a `$name` that nothing stands for. */
  unknownVariable(node: AstNode, name: string, context: Context): void {
    const local = [...context.variables.keys()];
    addUnknownVariable(this.found, node, { name, local, shape: this.shape });
  }

  #regexShape(node: AstNode): Shape {
    if (node.value instanceof RegExp) this.checkPattern(node, re2Text(node.value));
    return UNKNOWN;
  }

  /** Notes a pattern that RE2 cannot run. */
  checkPattern(node: AstNode, pattern: string): void {
    const re2 = compileRe2(pattern);
    if (re2.kind === "pattern") return;
    this.found.add(node, "not-re2", {
      what: `The pattern "${pattern}" is not RE2: ${re2.why}`,
      fix: "write it without look-around and back references",
    });
  }

  #binaryShape(node: AstNode, context: Context): Shape {
    const [left, right] = [node.lhs, node.rhs];
    if (left === undefined || right === undefined || Array.isArray(left)) return UNKNOWN;
    const a = this.shapeOf(left, context);
    const b = this.shapeOf(right, context);
    const operator = String(node.value);
    checkOperator(this.found, node, { nodes: [left, right], shapes: [a, b] });
    if ("+-*/%".includes(operator)) return NUMBER;
    if (operator === "&") return TEXT;
    return operator === ".." ? listOf(NUMBER) : BOOLEAN;
  }

  #conditionShape(node: AstNode, context: Context): Shape {
    if (node.condition !== undefined) this.shapeOf(node.condition, context);
    const yes = node.then === undefined ? UNKNOWN : this.shapeOf(node.then, context);
    const no = node.else === undefined ? UNKNOWN : this.shapeOf(node.else, context);
    return mergeShapes(yes, no);
  }

  #blockShape(node: AstNode, context: Context): Shape {
    const inner = { ...context, variables: new Map(context.variables) };
    let shape = UNKNOWN;
    for (const expression of node.expressions ?? []) shape = this.shapeOf(expression, inner);
    return shape;
  }

  #bindShape(node: AstNode, context: Context): Shape {
    const name = Array.isArray(node.lhs) ? undefined : node.lhs?.value;
    if (node.rhs === undefined || typeof name !== "string") return UNKNOWN;
    if (node.rhs.type === "lambda") context.variables.set(name, UNKNOWN);
    const shape = this.shapeOf(node.rhs, context);
    context.variables.set(name, shape);
    return shape;
  }

  #lambdaShape(node: AstNode, context: Context): Shape {
    const variables = new Map(context.variables);
    for (const parameter of node.arguments ?? []) variables.set(String(parameter.value), UNKNOWN);
    if (node.body !== undefined) this.shapeOf(node.body, { ...context, variables });
    return FUNCTION;
  }

  /** A native function does not say how many arguments it takes, so none can be left open. */
  #partialShape(node: AstNode, context: Context): Shape {
    const name = String(node.procedure?.value);
    if (Object.hasOwn(this.shape.functions, name) && !Object.hasOwn(BUILT_IN_SIGNATURES, name)) {
      this.found.add(node, "partial-application", {
        what: `$${name} cannot be applied in part, with ?`,
        fix: `write function($x) { $${name}($x) }`,
      });
    }
    return this.#childrenShape(node, context);
  }

  #applyShape(node: AstNode, context: Context): Shape {
    const [left, right] = [node.lhs, node.rhs];
    if (left === undefined || right === undefined || Array.isArray(left)) return UNKNOWN;
    if (right.type === "function") {
      const applied = { ...right, arguments: [left, ...(right.arguments ?? [])] };
      return checkCall(this, applied, context);
    }
    const from = this.shapeOf(left, context);
    const to = this.shapeOf(right, context);
    if (right.type === "regex") return MATCH;
    if (to.kind !== "function" || from.kind === "function") return to;
    return checkCall(this, { type: "function", procedure: right, arguments: [left] }, context);
  }
}

/** What a pattern gives that is applied to a text. */
const MATCH = recordOf({ match: TEXT, start: NUMBER, end: NUMBER, groups: listOf(TEXT) }, UNKNOWN);

function withoutStages(node: AstNode): AstNode {
  const { stages: _stages, predicate: _predicate, group: _group, ...bare } = node;
  return bare;
}
