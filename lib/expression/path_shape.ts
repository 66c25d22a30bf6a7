/**
 * Can a state path or pattern match anything that the shape of the state allows? In: its text and
 * a shape. Out: null, or the part that leads nowhere with the names that would.
 */
import { FILES, OUTBOX } from "../model/json.ts";
import { compilePattern, relate } from "./paths.ts";
import { type Shape, UNKNOWN } from "./shape.ts";

/** Where a pattern leads nowhere. */
export interface Miss {
  readonly part: string;
  readonly words: readonly string[];
}

/** The first part of a pattern that nothing of the shape can match, null where all can. */
export function patternMisses(text: string, shape: Shape): Miss | null {
  if (text.startsWith(`${FILES}/`)) return filesMiss(text, shape);
  let reached: readonly Shape[] = [shape];
  for (const part of text.split("/")) {
    const next = new Set<Shape>();
    for (const one of reached) part === "**" ? addAll(one, next) : addStep(one, part, next);
    if (next.size === 0) return { part, words: namesOf(reached) };
    reached = [...next];
  }
  return null;
}

/** A file's name is one key of `files`, whatever `/` is in it. */
function filesMiss(text: string, shape: Shape): Miss | null {
  const files = shape.kind === "record" ? shape.fields.get(FILES) ?? shape.rest : shape;
  if (files?.kind !== "record" || files.rest !== null) return files === null ? NO_FILES : null;
  const pattern = compilePattern(text);
  const names = [...files.fields.keys()];
  if (names.some((name) => relate(pattern, [FILES, name]) === "exact")) return null;
  return { part: text.slice(FILES.length + 1), words: names };
}

const NO_FILES: Miss = { part: FILES, words: [] };

function addStep(shape: Shape, part: string, into: Set<Shape>): void {
  if (shape.kind === "unknown" || shape.kind === "list") into.add(UNKNOWN);
  if (shape.kind !== "record") return;
  const pattern = compilePattern(part);
  for (const [name, field] of shape.fields) {
    if (pattern.wild && name === OUTBOX) continue;
    if (relate(pattern, [name]) === "exact") into.add(field);
  }
  if (shape.rest !== null) into.add(shape.rest);
}

function addAll(shape: Shape, into: Set<Shape>): void {
  if (into.has(shape)) return;
  into.add(shape);
  if (shape.kind !== "record") return;
  for (const field of shape.fields.values()) addAll(field, into);
  if (shape.rest !== null) addAll(shape.rest, into);
}

function namesOf(shapes: readonly Shape[]): string[] {
  const names = shapes.flatMap((shape) => shape.kind === "record" ? [...shape.fields.keys()] : []);
  return [...new Set(names)].filter((name) => name !== OUTBOX);
}
