/**
 * Can an operator say anything here? A list compared with one value, a value that a field never
 * has, a constant operand, a count compared with what every count fulfils: each would always give
 * the same answer.
 */
import { wordList } from "../model/near_words.ts";
import type { AstNode } from "./ast.ts";
import { patternText } from "./places.ts";
import type { ProblemList } from "./problem_list.ts";
import { itemOf, onlyType, type Shape, shapeName, UNKNOWN } from "./shape.ts";
import { suggestion } from "./suggest.ts";

/** Both sides of an operator. */
interface Sides {
  readonly nodes: readonly [AstNode, AstNode];
  readonly shapes: readonly [Shape, Shape];
}

/** Notes what is always the same in a binary operation. */
export function checkOperator(found: ProblemList, node: AstNode, sides: Sides): void {
  const operator = String(node.value);
  if (checkCalled(found, sides.nodes, sides.shapes)) return;
  if (operator === "and" || operator === "or") checkLogic(found, node, sides);
  if (operator === "=" || operator === "!=") {
    if (checkPatterns(found, sides) || checkList(found, node, sides)) return;
    if (!checkValues(found, node, sides)) checkKinds(found, node, sides);
  }
  if (operator === ">=" || operator === "<") checkCount(found, node, sides);
  if (ORDERS.has(operator)) checkKinds(found, node, sides);
}

const ORDERS: ReadonlySet<string> = new Set(["<", "<=", ">", ">="]);

/** Notes operands that name a function instead of calling it; true where there is one. */
export function checkCalled(
  found: ProblemList,
  nodes: readonly AstNode[],
  shapes: readonly Shape[],
): boolean {
  const named = nodes.filter((node, index) =>
    node.type === "variable" && shapes[index]?.kind === "function"
  );
  for (const node of named) {
    found.add(node, "function-not-called", {
      what: `"$${node.value}" names the function: nothing is asked until it is called`,
      fix: `write $${node.value}(…)`,
    });
  }
  return named.length > 0;
}

/** A pattern is equal to nothing: it has to be applied. */
function checkPatterns(found: ProblemList, { nodes }: Sides): boolean {
  const pattern = nodes.find((node) => node.type === "regex");
  if (pattern === undefined) return false;
  found.add(pattern, "pattern-compared", {
    what: "A pattern is compared with a value, and is never equal to one",
    fix: `write $matches(text, ${patternText(pattern)})`,
  });
  return true;
}

/** A number is never equal to a text that looks like it, and the two have no order. */
function checkKinds(found: ProblemList, node: AstNode, { nodes, shapes }: Sides): void {
  const sides = shapes.map((shape) =>
    shape.kind === "list" && !shape.selected ? shape : itemOf(shape)
  );
  const [left, right] = [onlyType(sides[0] ?? UNKNOWN), onlyType(sides[1] ?? UNKNOWN)];
  if (left === null || right === null || left === right) return;
  const literal = nodes.find(isLiteral);
  const other = literal === nodes[0] ? sides[1] : sides[0];
  const wanted = shapeName(other ?? UNKNOWN);
  const compared = ORDERS.has(String(node.value))
    ? "the two have no order"
    : "they are never equal";
  found.add(literal ?? node, "impossible-value", {
    what: `${capital(shapeName(sides[0] ?? UNKNOWN))} is compared with ${
      shapeName(sides[1] ?? UNKNOWN)
    }: ${compared}`,
    fix: literal === undefined ? "compare values of one kind" : literalFix(literal, wanted),
  });
}

function literalFix(literal: AstNode, wanted: string): string {
  const text = String(literal.value);
  const isNumber = literal.type === "string" && /^-?\d+(\.\d+)?$/.test(text);
  if (wanted === "a number" && isNumber) return `write it without quotes: ${text}`;
  const isBoolean = literal.type === "string" && (text === "true" || text === "false");
  if (wanted === "true or false" && isBoolean) return `write it without quotes: ${text}`;
  if (wanted === "a text" && literal.type !== "string") return `quote it: "${text}"`;
  return `write ${wanted}`;
}

function isLiteral({ type, predicate }: AstNode): boolean {
  return predicate === undefined && (type === "string" || type === "number" || type === "value");
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function checkLogic(found: ProblemList, node: AstNode, { nodes }: Sides): void {
  const deciding = node.value === "or";
  if (!nodes.some((operand) => operand.type === "value" && operand.value === deciding)) return;
  found.add(node, "constant-expression", {
    what: `"${node.value} ${deciding}" is always ${deciding}`,
    fix: "leave the constant out",
  });
}

function bothWays({ shapes: [a, b] }: Sides): readonly (readonly [Shape, Shape])[] {
  return [[a, b], [b, a]];
}

/** A list of several is equal to no text or number, so `!=` would always hold. */
function checkList(found: ProblemList, node: AstNode, sides: Sides): boolean {
  for (const [list, other] of bothWays(sides)) {
    if (list.kind !== "list" || other.kind !== "scalar") continue;
    if (list.selected && node.value === "=") continue;
    const note = node.value === "=" ? "warn" : "add";
    found[note](node, "list-compared", {
      what: `A list is compared with ${shapeName(other)}: a list of several is never equal to it`,
      fix: 'use "x in list", $not(x in list), or an index [0]',
    });
    return true;
  }
  return false;
}

function checkValues(found: ProblemList, node: AstNode, sides: Sides): boolean {
  for (const [one, other] of bothWays(sides)) {
    if (one.kind !== "scalar" || other.kind !== "scalar" || other.values?.length !== 1) continue;
    const [literal] = other.values;
    const { values } = one;
    if (values === undefined || values.length < 2) continue;
    if (literal === undefined || values.includes(literal)) continue;
    const words = values.map(String);
    found.add(node, "impossible-value", {
      what: `Nothing here is ever "${literal}": expected one of ${wordList(words)}`,
      fix: suggestion(String(literal), words),
    });
    return true;
  }
  return false;
}

/** A count is never negative. */
function checkCount(found: ProblemList, node: AstNode, { nodes: [left, right] }: Sides): void {
  const isCount = left.type === "function" && left.procedure?.value === "count";
  if (!isCount || right.type !== "number" || right.value !== 0) return;
  found.add(node, "constant-expression", {
    what: `A count ${node.value} 0 is always ${node.value === ">="}`,
    fix: "compare with the number that you expect",
  });
}
