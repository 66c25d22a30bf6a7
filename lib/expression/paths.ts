/**
 * Which places of a state does a pattern name (`*` any characters of one part, `**` any number of
 * parts), and what stands there? In: patterns, decoded parts, states. Out: relations, values,
 * matches. A path's text is read and written by `model/state_path.ts`.
 */
import {
  FILES,
  isObject,
  type Json,
  type JsonObject,
  OUTBOX,
  own,
  type State,
} from "../model/json.ts";
import { decodePart, formatPath, parsePath, type PathParts } from "../model/state_path.ts";

/** How a path stands to a pattern; `below` and `above` are proper. */
export type PathRelation = "exact" | "below" | "above" | "none";

/** A list whose items are named by one of their fields (`expected.state.keys`). */
export interface ListKey {
  readonly list: PathPattern;
  readonly field: string;
}

type Segment =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "glob"; readonly pieces: readonly string[] }
  | { readonly kind: "any" };

/** A compiled pattern; `wild` is false where it names exactly one path. */
export interface PathPattern {
  readonly text: string;
  readonly wild: boolean;
  /** One segment a part; file paths are split at `/`. */
  readonly segments: readonly Segment[];
}

const PATTERNS_KEPT = 20_000;
const compiled = new Map<string, PathPattern>();

/** Compiles a pattern; remembered by its text. */
export function compilePattern(text: string): PathPattern {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const parts = text.split("/");
  const underFiles = parts[0] === FILES;
  const segments = parts.map((part) => compileSegment(part, underFiles));
  const pattern = { text, wild: segments.some((segment) => segment.kind !== "text"), segments };
  if (compiled.size >= PATTERNS_KEPT) compiled.clear();
  compiled.set(text, pattern);
  return pattern;
}

function compileSegment(part: string, literal: boolean): Segment {
  if (part === "**") return { kind: "any" };
  const decode = literal ? (piece: string) => piece : decodePart;
  if (!part.includes("*")) return { kind: "text", text: decode(part) };
  return { kind: "glob", pieces: part.split("*").map(decode) };
}

/** True where the pieces between the stars stand in the part in order, the ends at the ends. */
function matchesPieces(pieces: readonly string[], part: string): boolean {
  const first = pieces[0] ?? "";
  const last = pieces[pieces.length - 1] ?? "";
  if (part.length < first.length + last.length) return false;
  if (!part.startsWith(first) || !part.endsWith(last)) return false;
  let from = first.length;
  const end = part.length - last.length;
  for (let i = 1; i < pieces.length - 1; i++) {
    const piece = pieces[i] ?? "";
    const found = part.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}

function matchesSegment(segment: Segment, part: string): boolean {
  if (segment.kind === "text") return segment.text === part;
  return segment.kind === "any" || matchesPieces(segment.pieces, part);
}

/** Positions in the pattern that are reachable: `**` may match no part at all. */
function withSkips(segments: readonly Segment[], positions: Iterable<number>): Set<number> {
  const reached = new Set<number>();
  for (let at of positions) {
    reached.add(at);
    while (segments[at]?.kind === "any") reached.add(++at);
  }
  return reached;
}

function advance(segments: readonly Segment[], positions: Set<number>, part: string): Set<number> {
  const next: number[] = [];
  for (const at of positions) {
    const segment = segments[at];
    if (segment === undefined || !matchesSegment(segment, part)) continue;
    next.push(segment.kind === "any" ? at : at + 1);
  }
  return withSkips(segments, next);
}

function splitParts(path: PathParts): PathParts {
  const file = path[1];
  return path[0] === FILES && file !== undefined ? [FILES, ...fileParts(file)] : path;
}

const UNTIDY = /(?:^|\/)\.{1,2}(?:\/|$)|\/\//;

/** Where a file really lies: `src/../a` is no file of `src`. */
function fileParts(file: string): string[] {
  const parts = file.split("/");
  if (!UNTIDY.test(file)) return parts;
  const tidy: string[] = [];
  for (const [i, part] of parts.entries()) {
    const above = tidy[tidy.length - 1];
    if (part === "." || (part === "" && i > 0) || (part === ".." && above === "")) continue;
    if (part === ".." && above !== undefined && above !== "..") tidy.pop();
    else tidy.push(part);
  }
  return tidy;
}

/**
 * How a path stands to a pattern: `exact`; `below`: it lies under something that matches; `above`:
 * it is a proper prefix of something that the pattern can match. The first that holds.
 */
export function relate(pattern: PathPattern, path: PathParts): PathRelation {
  const parts = splitParts(path);
  const { segments } = pattern;
  const open = segments.findIndex((segment) => segment.kind === "any");
  if (open < 0 || open === segments.length - 1) return relateFixed(segments, parts, open >= 0);
  let positions = withSkips(segments, [0]);
  let below = false;
  for (const part of parts) {
    if (positions.has(segments.length)) below = true;
    positions = advance(segments, positions, part);
    if (positions.size === 0) break;
  }
  if (positions.has(segments.length)) return "exact";
  if (below) return "below";
  return positions.size > 0 ? "above" : "none";
}

/** Part by part: a pattern without `**`, or with one at its end alone. */
function relateFixed(
  segments: readonly Segment[],
  parts: PathParts,
  open: boolean,
): PathRelation {
  const fixed = open ? segments.length - 1 : segments.length;
  const shared = Math.min(fixed, parts.length);
  for (let i = 0; i < shared; i++) {
    const segment = segments[i];
    if (segment === undefined || !matchesSegment(segment, parts[i] ?? "")) return "none";
  }
  if (parts.length < fixed) return "above";
  return open || parts.length === fixed ? "exact" : "below";
}

/** The value at a path, undefined where absent; a keyed list's items are found by their field. */
export function valueAt(
  state: State,
  path: PathParts,
  keys: readonly ListKey[] = [],
): Json | undefined {
  let value: Json | undefined = state;
  for (let i = 0; i < path.length; i++) {
    const part = path[i] ?? "";
    if (Array.isArray(value)) {
      const key = keys.find((one) => relate(one.list, path.slice(0, i)) === "exact");
      value = key && value.find((item) => itemName(item, key.field) === part);
    } else value = isObject(value) ? own(value, part) : undefined;
    if (value === undefined) return undefined;
  }
  return value;
}

/** The path with positions in keyed lists as the names of the items that stand there. */
export function namedPath(state: State, path: PathParts, keys: readonly ListKey[]): PathParts {
  if (keys.length === 0) return path;
  const named: string[] = [];
  for (const part of path) {
    const list = valueAt(state, named, keys);
    const key = Array.isArray(list) && keys.find((one) => relate(one.list, named) === "exact");
    named.push(key && Array.isArray(list) ? itemPart(list, key.field, part) : part);
  }
  return named;
}

function itemPart(list: readonly Json[], field: string, part: string): string {
  if (list.some((item) => itemName(item, field) === part)) return part;
  const item = /^\d+$/.test(part) ? list[Number(part)] : undefined;
  return (item === undefined ? undefined : itemName(item, field)) ?? part;
}

/** What names an item of a keyed list: the text of its field, undefined where it has none. */
export function itemName(item: Json, field: string): string | undefined {
  if (!isObject(item)) return undefined;
  const name = own(item, field);
  return typeof name === "string" || typeof name === "number" ? String(name) : undefined;
}

/**
 * Paths of a state that match a pattern exactly, in the state's own order; a trailing `**` yields
 * leaves only (scalars, lists, empty objects); the items of a keyed list lie below their names.
 * The outbox is no path for a wildcard.
 */
export function pathsOf(
  state: State,
  pattern: PathPattern,
  keys: readonly ListKey[] = [],
): string[] {
  if (!pattern.wild) {
    return valueAt(state, parsePath(pattern.text), keys) === undefined ? [] : [pattern.text];
  }
  const { segments } = pattern;
  const walk: Walk = {
    segments,
    leavesOnly: segments[segments.length - 1]?.kind === "any",
    keys,
    found: [],
  };
  const start = withSkips(segments, [0]);
  for (const name of Object.keys(state)) {
    if (name === OUTBOX) continue;
    const value = own(state, name) ?? null;
    const positions = advance(segments, start, name);
    if (name === FILES && isObject(value)) walkFiles(walk, value, positions);
    else walkValue(walk, { value, path: [name], positions });
  }
  return walk.found;
}

interface Walk {
  readonly segments: readonly Segment[];
  readonly leavesOnly: boolean;
  readonly keys: readonly ListKey[];
  readonly found: string[];
}

interface Place {
  readonly value: Json;
  readonly path: PathParts;
  readonly positions: Set<number>;
}

function walkValue(walk: Walk, { value, path, positions }: Place): void {
  if (positions.size === 0) return;
  const parts = partsOf(walk, value, path);
  if (positions.has(walk.segments.length) && (!walk.leavesOnly || parts.length === 0)) {
    walk.found.push(formatPath(path));
  }
  for (const [name, part] of parts) {
    walkValue(walk, {
      value: part,
      path: [...path, name],
      positions: advance(walk.segments, positions, name),
    });
  }
}

/** What lies below a value: its fields, of a keyed list the items that have a name. */
function partsOf({ keys }: Walk, value: Json, path: PathParts): [string, Json][] {
  if (isObject(value)) return Object.entries(value);
  const key = Array.isArray(value) && keys.find((one) => relate(one.list, path) === "exact");
  if (!key || !Array.isArray(value)) return [];
  return value.flatMap((item): [string, Json][] => {
    const name = itemName(item, key.field);
    return name === undefined ? [] : [[name, item]];
  });
}

function walkFiles(walk: Walk, files: JsonObject, positions: Set<number>): void {
  const names = Object.keys(files);
  if (positions.has(walk.segments.length) && (!walk.leavesOnly || names.length === 0)) {
    walk.found.push(FILES);
  }
  for (const name of names) {
    let reached = positions;
    for (const part of name.split("/")) reached = advance(walk.segments, reached, part);
    if (reached.has(walk.segments.length)) walk.found.push(formatPath([FILES, name]));
  }
}
