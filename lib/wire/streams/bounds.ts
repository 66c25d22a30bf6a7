/**
 * How much of a stream is kept? Limits that hold for every reader, and the cuts that keep to them.
 * What an agent did is kept whole or the stream counts as cut; what came of it may be shortened.
 */
import { type Json, type JsonObject, put } from "../../model/json.ts";

/** Characters of one output or result; both ends are kept, a mark says what is missing. */
export const OUTPUT_MAX = 65_536;
/** Characters of one line: a longer one is not read, and the stream counts as cut. */
export const LINE_MAX = 32 * 1024 * 1024;
/** Characters that are kept of one stream. */
export const TEXT_MAX = 32 * 1024 * 1024;
/** Events that are kept of one stream. */
export const EVENTS_MAX = 100_000;
/** How deep arguments may be nested. */
export const DEPTH_MAX = 64;

const NOTE_MAX = 2_000;
const RAW_DEPTH_MAX = 8;
const RAW_ITEMS_MAX = 50;

/** An output or result, cut to `OUTPUT_MAX` with a mark. */
export function cutOutput(text: string): string {
  return cutMiddle(text, OUTPUT_MAX);
}

/** A text for people, cut. */
export function cutNote(text: string): string {
  return cutMiddle(text, NOTE_MAX);
}

function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2) - 40;
  const missing = text.length - 2 * half;
  return ownCopy(`${text.slice(0, half)}\n[… ${missing} characters cut …]\n${text.slice(-half)}`);
}

/** A part of a long text keeps the whole of it in memory; a copy does not. */
function ownCopy(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}

/** Characters in a value's texts and keys, null where it is nested deeper than `DEPTH_MAX`. */
export function sizeOf(value: Json, depth = 0): number | null {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 8;
  if (depth >= DEPTH_MAX) return null;
  let size = 8;
  for (const [key, item] of Object.entries(value)) {
    const inner = sizeOf(item, depth + 1);
    if (inner === null) return null;
    size += key.length + inner;
  }
  return size;
}

/** A foreign value to look at: long texts, long lists and deep nesting cut. */
export function cutRaw(value: Json, depth = 0): Json {
  if (typeof value === "string") return cutNote(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= RAW_DEPTH_MAX) return "[… cut …]";
  if (Array.isArray(value)) {
    return value.slice(0, RAW_ITEMS_MAX).map((item) => cutRaw(item, depth + 1));
  }
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value).slice(0, RAW_ITEMS_MAX)) {
    put(copy, cutNote(key), cutRaw(item, depth + 1));
  }
  return copy;
}

/** A result: its texts cut, its nesting too. */
export function cutResult(value: Json): Json {
  if (typeof value === "string") return cutOutput(value);
  const size = sizeOf(value);
  return size !== null && size <= OUTPUT_MAX ? value : cutRaw(value);
}
