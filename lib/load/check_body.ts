/** Does the template of a webhook's body say something of the message, in names that stand for something? */
import { messageShape } from "../expression/expression_shape.ts";
import type { Problem } from "../model/problem.ts";
import { fieldsNamed } from "./expression_fields.ts";
import { expressionProblems } from "./expression_problems.ts";
import { problemAt, type SourceFile } from "./source.ts";

/** Problems of `notify.webhook.body`. */
export function bodyProblems(source: SourceFile, body: string): Problem[] {
  const path = ["notify", "webhook", "body"];
  const problems = expressionProblems(source, { path, text: body, shape: messageShape() });
  const names = fieldsNamed(body);
  if (problems.length > 0 || names === null) return problems;
  if (["text", "first", "verdict"].some((name) => names.has(name))) return [];
  return [problemAt(source, path, {
    code: "constant-expression",
    what: "The body says nothing of the message, so every message is the same",
    fix: 'name `text`, `first` or `verdict`, such as {"text": text}',
  })];
}
