/**
 * Where in a text does a value stand? A source is one parsed file: its plain value and, on demand,
 * the line and column of every key, value and character of a text. YAML and JSON give the same
 * shape, so that no check needs to know which it was.
 */
import type { Json } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";

/** The way to a value: keys and list indexes from the top of the file. */
export type KeyPath = readonly (string | number)[];

/** A stretch of a text: offsets in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How a value was written: it decides which traps of the format it can fall into. */
export type Written =
  | { readonly kind: "plain" | "single" | "double" | "block"; readonly span: Span }
  | { readonly kind: "flow" | "blocks"; readonly span: Span };

/** One parsed file. */
export interface SourceFile {
  /** Relative to the project, with `/`. */
  readonly file: string;
  /** The text without a byte order mark. */
  readonly text: string;
  readonly value: Json;
  /** The key at the path's end, null where the path does not exist or ends in a list index. */
  key(path: KeyPath): Span | null;
  /** The value at the path, null where the path does not exist. */
  at(path: KeyPath): Written | null;
}

/** What a check says; the place is added by `problemAt`. */
export interface Finding {
  readonly code: string;
  readonly severity?: Problem["severity"];
  readonly what: string;
  readonly fix: string;
}

/** Which part of a key and its value a problem points to. */
export type Aim = "key" | "value";

/**
 * A problem at a path of a file: at the key or at the value, and where the path does not exist, at
 * the nearest key above it.
 */
export function problemAt(
  source: SourceFile,
  path: KeyPath,
  finding: Finding & { readonly aim?: Aim },
): Problem {
  return problemOn(source, spanOf(source, path, finding.aim ?? "value"), finding);
}

/** A problem on a span of a file; a span over several lines is shown to the end of its first. */
export function problemOn(
  source: { readonly file: string; readonly text: string },
  span: Span,
  finding: Finding,
): Problem {
  return {
    code: finding.code,
    severity: finding.severity ?? "error",
    file: source.file,
    ...placeOf(source.text, span),
    what: finding.what,
    fix: finding.fix,
  };
}

/** A problem of a file as a whole: its first character. */
export function problemOfFile(file: string, finding: Finding): Problem {
  return problemOn({ file, text: "" }, { start: 0, end: 0 }, finding);
}

/** The span that a problem at a path points to. */
export function spanOf(source: SourceFile, path: KeyPath, aim: Aim): Span {
  for (let end = path.length; end > 0; end--) {
    const part = path.slice(0, end);
    const written = source.at(part);
    if (written === null) continue;
    const key = source.key(part);
    const exact = end === path.length;
    if ((aim === "key" || !exact || written.kind === "blocks") && key !== null) return key;
    return firstLine(source.text, written.span);
  }
  const start = source.at([])?.span.start ?? 0;
  return { start, end: Math.min(start + 1, source.text.length) };
}

/** `line`, `col` (both from 1) and `length` of a span. */
export function placeOf(text: string, span: Span): { line: number; col: number; length: number } {
  const start = Math.min(span.start, text.length);
  const lineStart = start === 0 ? 0 : text.lastIndexOf("\n", start - 1) + 1;
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < start; at = text.indexOf("\n", at + 1)) {
    line++;
  }
  const shown = firstLine(text, { start, end: Math.max(start, span.end) });
  return { line, col: start - lineStart + 1, length: Math.max(1, shown.end - shown.start) };
}

/** The span cut at the end of its first line. */
function firstLine(text: string, span: Span): Span {
  const lineEnd = text.indexOf("\n", span.start);
  const cut = lineEnd === -1 ? span.end : Math.min(span.end, lineEnd);
  const shown = text.slice(span.start, cut).trimEnd().length;
  return { start: span.start, end: span.start + shown };
}

/**
 * The span of a stretch of a text value in its file. White space is folded by YAML, so characters
 * are counted without it; an escape of a quoted text counts as what it stands for.
 */
export function spanInText(source: SourceFile, path: KeyPath, stretch: Span): Span {
  const written = source.at(path);
  const value = valueIn(source.value, path);
  if (written === null || typeof value !== "string") return spanOf(source, path, "value");
  const marks = writtenMarks(source.text, written);
  const before = inkCount(value.slice(0, stretch.start));
  const within = Math.max(1, inkCount(value.slice(stretch.start, stretch.end)));
  const first = marks[Math.min(before, marks.length - 1)];
  const last = marks[Math.min(before + within - 1, marks.length - 1)];
  if (first === undefined || last === undefined) return spanOf(source, path, "value");
  return { start: first.start, end: Math.max(first.end, last.end) };
}

/** A part of a file as a file of its own: problems in it keep their places. */
export function viewAt(source: SourceFile, path: KeyPath): SourceFile {
  return {
    file: source.file,
    text: source.text,
    value: valueIn(source.value, path) ?? null,
    key: (below) => source.key([...path, ...below]),
    at: (below) => source.at([...path, ...below]),
  };
}

/** The value at a path, undefined where there is none. */
export function valueIn(value: Json, path: KeyPath): Json | undefined {
  let at: Json | undefined = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null) return undefined;
    if (Array.isArray(at)) at = typeof part === "number" ? at[part] : undefined;
    else at = Object.hasOwn(at, String(part)) ? at[String(part)] : undefined;
  }
  return at;
}

function inkCount(text: string): number {
  return text.replace(/\s+/g, "").length;
}

const ESCAPE = /^\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[\s\S])/;

/** The spans of a written text's characters that are not white space, in order. */
function writtenMarks(text: string, written: Written): Span[] {
  const marks: Span[] = [];
  const quoted = written.kind === "single" || written.kind === "double";
  let at = written.span.start + (quoted ? 1 : 0);
  const end = written.span.end - (quoted ? 1 : 0);
  while (at < end) {
    const size = tokenSize(text, at, written.kind);
    const token = text.slice(at, at + size);
    if (!/^(?:\s+|\\[\sntre])$/.test(token)) marks.push({ start: at, end: at + size });
    at += size;
  }
  return marks;
}

function tokenSize(text: string, at: number, kind: Written["kind"]): number {
  if (kind === "single") return text.startsWith("''", at) ? 2 : 1;
  if (kind !== "double" || text[at] !== "\\") return 1;
  return ESCAPE.exec(text.slice(at, at + 10))?.[0].length ?? 1;
}

/** Refusal of a key that JavaScript would take for something else. */
export function refusedKey(key: string): Finding {
  return {
    code: "refused-key",
    what: `A key cannot be called "${key}"`,
    fix: "use another name",
  };
}

/** Refusal of a whole number that loses digits. */
export function inexact(text: string, value: number): Finding {
  return {
    code: "inexact-number",
    what: `${text} has more digits than a number can hold: it would be read as ${value}`,
    fix: `quote it: "${text}"`,
  };
}
