/**
 * Can an operator say anything here? A list compared with one value, a value that a field never
 * has, a constant operand, a count compared with what every count fulfils: each would always give
 * the same answer.
 */
import type { AstNode } from "./ast.ts";
import type { ProblemList } from "./problem_list.ts";
import { type Shape, shapeName } from "./shape.ts";
import { suggestion, wordList } from "./suggest.ts";

/** Both sides of an operator. */
interface Sides {
  readonly nodes: readonly [AstNode, AstNode];
  readonly shapes: readonly [Shape, Shape];
}

/** Notes what is always the same in a binary operation. */
export function checkOperator(found: ProblemList, node: AstNode, sides: Sides): void {
  const operator = String(node.value);
  if (operator === "and" || operator === "or") checkLogic(found, node, sides);
  if (operator === "=" || operator === "!=") {
    if (!checkList(found, node, sides)) checkValues(found, node, sides);
  }
  if (operator === ">=" || operator === "<") checkCount(found, node, sides);
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

function checkValues(found: ProblemList, node: AstNode, sides: Sides): void {
  for (const [one, other] of bothWays(sides)) {
    if (one.kind !== "scalar" || other.kind !== "scalar" || other.values?.length !== 1) continue;
    const [literal] = other.values;
    const { values } = one;
    if (values === undefined || values.length < 2) continue;
    if (literal === undefined || values.includes(literal)) continue;
    const words = values.map(String);
    return found.add(node, "impossible-value", {
      what: `Nothing here is ever "${literal}": expected one of ${wordList(words)}`,
      fix: suggestion(String(literal), words),
    });
  }
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
