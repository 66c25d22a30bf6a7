/** What is wrong with an expression, and where in its text? Gathered while its tree is walked. */
import type { AstNode } from "./ast.ts";
import { placeOf } from "./places.ts";

/** One thing wrong; `offset` and `length` in UTF-16 units of the expression's text. */
export interface ExpressionProblem {
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly offset: number;
  readonly length: number;
  readonly what: string;
  readonly fix: string;
}

/** The problems of one expression's text. */
export class ProblemList {
  readonly problems: ExpressionProblem[] = [];

  constructor(readonly text: string) {}

  /** Adds an error at a node. */
  add(node: AstNode, code: string, words: { readonly what: string; readonly fix: string }): void {
    this.problems.push({ code, severity: "error", ...placeOf(this.text, node), ...words });
  }

  /** Adds a warning at a node. */
  warn(node: AstNode, code: string, words: { readonly what: string; readonly fix: string }): void {
    this.problems.push({ code, severity: "warning", ...placeOf(this.text, node), ...words });
  }

  /** Adds an error about the whole expression. */
  addWhole(code: string, words: { readonly what: string; readonly fix: string }): void {
    const length = Math.max(1, this.text.trimEnd().length);
    this.problems.push({ code, severity: "error", offset: 0, length, ...words });
  }

  /** All of them in the order of the text, each once. */
  sorted(): ExpressionProblem[] {
    const seen = new Set<string>();
    return [...this.problems].sort((a, b) => a.offset - b.offset).filter((problem) => {
      const key = `${problem.code} ${problem.offset} ${problem.what}`;
      return seen.has(key) ? false : (seen.add(key), true);
    });
  }
}
