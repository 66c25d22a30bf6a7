/** Does the template of a webhook's body say something of the message, in names that stand for something? */
import { parseExpression, visit } from "../expression/ast.ts";
import { messageShape } from "../expression/expression_shape.ts";
import type { Problem } from "../model/problem.ts";
import { expressionProblems } from "./expression_problems.ts";
import { problemAt, type SourceFile } from "./source.ts";

/** Problems of `notify.webhook.body`. */
export function bodyProblems(source: SourceFile, body: string): Problem[] {
  const path = ["notify", "webhook", "body"];
  const problems = expressionProblems(source, { path, text: body, shape: messageShape() });
  const parsed = parseExpression(body);
  if (problems.length > 0 || parsed.kind === "broken") return problems;
  const names = new Set<unknown>();
  visit(parsed.ast, (node) => {
    if (node.type === "name") names.add(node.value);
  });
  if (["text", "first", "verdict"].some((name) => names.has(name))) return [];
  return [problemAt(source, path, {
    code: "constant-expression",
    what: "The body says nothing of the message, so every message is the same",
    fix: 'name `text`, `first` or `verdict`, such as {"text": text}',
  })];
}
