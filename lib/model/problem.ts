/**
 * What is wrong with an input file, where, and how is it mended? Problems are data: gathered from
 * all files, sorted, printed together. Nothing that judges input throws.
 */

/** One thing wrong in one place of one file; `line` and `col` are 1-based, `length` in UTF-16 units. */
export interface Problem {
  readonly code: string;
  readonly severity: "error" | "warning" | "notice";
  readonly file: string;
  readonly line: number;
  readonly col: number;
  readonly length: number;
  readonly what: string;
  readonly fix: string;
}

/** True where any of the problems stops the work. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === "error");
}

/** Sorted by file, line, column, code; exact repetitions removed. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return [...problems].sort(compareProblems).filter((problem) => {
    const key = JSON.stringify(problem);
    return seen.has(key) ? false : (seen.add(key), true);
  });
}

function compareProblems(a: Problem, b: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.col - b.col || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);
}
