/** Which fields does an expression name, wherever in it? Null for a text that is no expression. */
import { parseExpression, visit } from "../expression/ast.ts";

/** The names of fields in an expression; an expression that names none says always the same. */
export function fieldsNamed(text: string): ReadonlySet<string> | null {
  const parsed = parseExpression(text);
  if (parsed.kind === "broken") return null;
  const names = new Set<string>();
  visit(parsed.ast, (node) => {
    if (node.type === "name" && typeof node.value === "string") names.add(node.value);
  });
  return names;
}
