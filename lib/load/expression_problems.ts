/** Where in its file is an expression wrong? Offsets in the expression become lines and columns. */
import { checkExpression } from "../expression/check.ts";
import type { ExpressionShape } from "../expression/expression_shape.ts";
import type { Problem } from "../model/problem.ts";
import { type KeyPath, problemOn, type SourceFile, spanInText } from "./source.ts";

/** All problems of the expression that stands at a path of a file. */
export function expressionProblems(
  source: SourceFile,
  { path, text, shape }: {
    readonly path: KeyPath;
    readonly text: string;
    readonly shape: ExpressionShape;
  },
): Problem[] {
  return checkExpression(text, shape).map(({ offset, length, ...finding }) =>
    problemOn(source, spanInText(source, path, { start: offset, end: offset + length }), finding)
  );
}
