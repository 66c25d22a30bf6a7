/**
 * How does a person read what is wrong with a file? Each problem with its place, the source line, a
 * caret below it, and the fix. Hostile text in a line cannot move the cursor, and a secret that
 * stands in a line is not shown.
 */
import { type Problem, sortProblems } from "../model/problem.ts";

/** Columns of a source line that are shown; longer lines are cut around the caret. */
const WIDTH = 100;

/**
 * The problems as text, sorted, a blank line between them; empty where there are none. `sources`
 * are the files' texts by the name that the problems carry; a file without text shows no line.
 */
export function renderProblems(
  problems: readonly Problem[],
  sources: ReadonlyMap<string, string>,
): string {
  const lines = new Map<string, string[]>();
  const secret = new Set(problems.filter(({ code }) => code === SECRET).map(lineKey));
  return sortProblems(problems).map((problem) => {
    if (secret.has(lineKey(problem))) return renderProblem(problem, undefined);
    const text = sources.get(problem.file);
    if (text !== undefined && !lines.has(problem.file)) lines.set(problem.file, sourceLines(text));
    return renderProblem(problem, lines.get(problem.file)?.[problem.line - 1]);
  }).join("\n");
}

/** A line with a secret in it is never shown, whatever else is wrong with it. */
const SECRET = "secret-in-clear";

function lineKey({ file, line }: Problem): string {
  return `${file}:${line}`;
}

function sourceLines(text: string): string[] {
  return text.replace(/^\uFEFF/, "").split("\n").map((line) => line.replace(/\r$/, ""));
}

function renderProblem(problem: Problem, source: string | undefined): string {
  const { file, line, col, severity, what, code, fix } = problem;
  const word = severity === "error" ? "" : `${severity}: `;
  const head = `${visible(file)}:${line}:${col}: ${word}${visible(what)} [${code}]\n`;
  const shown = source === undefined || source.trim() === "" ? "" : excerpt(problem, source);
  return `${head}${shown}  fix: ${visible(fix)}\n`;
}

function excerpt({ line, col, length }: Problem, source: string): string {
  const start = Math.min(col - 1, source.length);
  const end = Math.min(source.length, start + Math.max(1, length));
  const marked = source.slice(start, end);
  const before = cutLeft(source.slice(0, start));
  const after = source.slice(end);
  const room = Math.max(0, WIDTH - columns(before) - columns(marked));
  const middle = cutRight(marked, Math.max(20, WIDTH - columns(before)));
  const caret = `^${"~".repeat(Math.max(0, columns(middle) - 1))}`;
  const number = String(line);
  const tail = middle === marked ? cutRight(after, room) : "";
  return `  ${number} | ${visible(`${before}${middle}${tail}`)}`.trimEnd() + "\n" +
    `  ${" ".repeat(number.length)} | ${" ".repeat(columns(before))}${caret}\n`;
}

function cutLeft(text: string): string {
  const points = [...text];
  return points.length > WIDTH / 2 ? `…${points.slice(-(WIDTH / 2 - 1)).join("")}` : text;
}

function cutRight(text: string, room: number): string {
  const points = [...text];
  return points.length > room ? `${points.slice(0, Math.max(0, room - 1)).join("")}…` : text;
}

/** Columns of a terminal: wide characters take two, combining ones none. */
function columns(text: string): number {
  let sum = 0;
  for (const point of text) {
    if (/\p{Mn}/u.test(point)) continue;
    sum +=
      /[\p{Extended_Pictographic}\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/u
          .test(point) && !/[©®™]/.test(point)
        ? 2
        : 1;
  }
  return sum;
}

/** Control, format and lone surrogate characters as one visible character each. */
function visible(text: string): string {
  return text.replaceAll("\t", " ").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "\uFFFD");
}
