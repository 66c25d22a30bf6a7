/**
 * Is an expression worth evaluating? In: its text and what it may name. Out: every problem with its
 * place in the text: syntax, names that nothing stands for, patterns that RE2 cannot run, constant
 * expressions, results that can never be true or false. Never throws.
 */
import { type AstNode, parseExpression } from "./ast.ts";
import type { ExpressionShape } from "./expression_shape.ts";
import { patternText } from "./places.ts";
import { type ExpressionProblem, ProblemList } from "./problem_list.ts";
import { isNeverBoolean, type Shape, shapeName } from "./shape.ts";
import { syntaxProblems } from "./syntax_slips.ts";
import { Walk } from "./walk.ts";

export type { ExpressionProblem };

/** All problems of an expression, in the order of its text; empty where it may be used. */
export function checkExpression(text: string, shape: ExpressionShape): ExpressionProblem[] {
  const parsed = parseExpression(text);
  if (parsed.kind === "broken") return syntaxProblems(text, parsed);
  const found = new ProblemList(text);
  try {
    checkTree(parsed.ast, shape, found);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    found.addWhole("expression-syntax", {
      what: "The expression is nested too deeply",
      fix: "split it into several checkpoints",
    });
  }
  return found.sorted();
}

function checkTree(ast: AstNode, shape: ExpressionShape, found: ProblemList): void {
  const walk = new Walk(shape, found);
  const result = walk.shapeOf(ast, {
    here: shape.roots,
    atRoot: true,
    variables: new Map(),
  });
  if (!walk.reads && shape.use === "condition" && found.problems.length === 0) {
    found.addWhole("constant-expression", {
      what: "The expression reads nothing, so it is always the same",
      fix: "name a root or a function of what is judged",
    });
  } else if (shape.use === "condition" && isNeverBoolean(result)) {
    found.addWhole("not-boolean", {
      what: `The expression gives ${shapeName(result)}, not true or false`,
      fix: booleanFix(ast, result),
    });
  } else if (shape.use === "value" && result.kind === "function") {
    found.addWhole("function-not-called", {
      what: "The expression gives a function, not a value",
      fix: calledFix(ast),
    });
  }
  if (shape.use === "value" && collapses(ast)) {
    found.warn(ast, "let-collapses", {
      what: "A filter that leaves one match gives the match, not a list",
      fix: "add [] after it for a list, or [0] for one",
    });
  }
}

function booleanFix(ast: AstNode, result: Shape): string {
  if (result.kind === "function") return calledFix(ast);
  const { rhs } = ast;
  if (ast.type === "apply" && rhs?.type === "regex") {
    return `write $matches(text, ${patternText(rhs)})`;
  }
  return "compare it with what you expect";
}

function calledFix({ type, value }: AstNode): string {
  return type === "variable" ? `call it: $${value}()` : "call it, with ( ) after its name";
}

/** True where the expression ends in a condition in `[ ]` and nothing keeps a single match in a list. */
function collapses(ast: AstNode): boolean {
  const last = ast.type === "path" ? ast.steps?.at(-1) : ast;
  if (ast.keepSingletonArray || ast.keepArray || last?.keepArray) return false;
  const stage = (last?.stages ?? last?.predicate)?.at(-1);
  return stage?.expr !== undefined && stage.expr.type !== "number";
}
