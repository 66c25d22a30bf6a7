/** What is said of a name that nothing stands for: what it could have been, and what was meant. */
import { wordList } from "../model/near_words.ts";
import type { AstNode } from "./ast.ts";
import type { ExpressionShape } from "./expression_shape.ts";
import type { ProblemList } from "./problem_list.ts";
import { type Shape, shapeName } from "./shape.ts";
import { REFUSED_FUNCTIONS } from "./signatures.ts";
import { nearestWord, suggestion } from "./suggest.ts";

function expectedOf(words: readonly string[], none: string): string {
  return words.length === 0 ? none : `: expected one of ${wordList(words)}`;
}

/** A field that the shape does not have; a bare name may be a tool's that lacks its quotes. */
export function addUnknownField(
  found: ProblemList,
  node: AstNode,
  { here, shape }: { readonly here: Shape; readonly shape: ExpressionShape },
): void {
  const name = String(node.value);
  const words = here.kind === "record" ? [...here.fields.keys()] : [];
  const where = here.kind === "record" ? "here" : `in ${shapeName(here)}`;
  found.add(node, "unknown-field", {
    what: `There is no field "${name}" ${where}${expectedOf(words, "")}`,
    fix: isTool(shape, name) ? quoted(name) : suggestion(name, words),
  });
}

function isTool({ tools }: ExpressionShape, name: string): boolean {
  return tools?.calls.has(name) ?? false;
}

function quoted(name: string): string {
  return `quote the tool's name: '${name}'`;
}

/** A bare name that is no root; functions and values lack their `$`. */
export function addUnknownRoot(found: ProblemList, node: AstNode, shape: ExpressionShape): void {
  const name = String(node.value);
  const words = [...shape.roots.fields.keys()];
  const needsSign = shape.values.has(name) || Object.hasOwn(shape.functions, name);
  found.add(node, "unknown-root", {
    what: `Unknown name "${name}"${expectedOf(words, ": there are no roots here")}`,
    fix: isTool(shape, name)
      ? quoted(name)
      : needsSign
      ? `did you mean "$${name}"?`
      : suggestion(name, words),
  });
}

/** A root's name where names are fields. */
export function addBareRoot(found: ProblemList, node: AstNode, name: string): void {
  found.add(node, "root-in-predicate", {
    what: `Inside [ ] and after a dot "${name}" is a field, not the root`,
    fix: `write $$.${name} for the root`,
  });
}

/** A `$name` that is no function, value or variable, or a function that is refused. */
export function addUnknownVariable(
  found: ProblemList,
  node: AstNode,
  { name, local, shape }: {
    readonly name: string;
    readonly local: readonly string[];
    readonly shape: ExpressionShape;
  },
): void {
  const refused = Object.hasOwn(REFUSED_FUNCTIONS, name) ? REFUSED_FUNCTIONS[name] : undefined;
  if (refused !== undefined) {
    const isTime = name === "now" || name === "millis";
    return found.add(node, "refused-function", {
      what: `$${name} is not allowed: ${refused}`,
      fix: isTime ? "compare with a time of the scenario" : "leave it out",
    });
  }
  const isCall = node.type === "function" || node.type === "partial";
  const values = isCall ? [] : shape.values.keys();
  const near = nearestWord(name, [...values, ...local, ...Object.keys(shape.functions)]);
  const fix = near === null
    ? "see the page on expressions for all names"
    : `did you mean $${near}?`;
  const isRoot = shape.roots.fields.has(name) && !isCall;
  found.add(node, isCall ? "unknown-function" : "unknown-variable", {
    what: `Unknown ${isCall ? "function" : "variable"} $${name}`,
    fix: isRoot ? `did you mean ${name}, without $?` : fix,
  });
}
