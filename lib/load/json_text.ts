/**
 * What does a JSON file say, and where? Strict JSON, with the place of syntax errors and of keys
 * given twice, which `JSON.parse` passes over. Refuses what it cannot hold exactly.
 */
import { type Json, type JsonObject, put } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import {
  type Finding,
  inexact,
  type KeyPath,
  placeOf,
  problemOfFile,
  problemOn,
  refusedKey,
  type SourceFile,
  type Span,
  type Written,
} from "./source.ts";

const DEPTH_MAX = 200;

/** Parses a JSON text; `source` is null where it is not JSON. Never throws. */
export function parseJson(
  file: string,
  raw: string,
): { source: SourceFile | null; problems: Problem[] } {
  const text = raw.startsWith("\uFEFF") ? raw.slice(1) : raw;
  if (text.trim() === "") {
    return {
      source: null,
      problems: [problemOfFile(file, {
        code: "empty-file",
        what: "The file is empty: expected JSON",
        fix: "write `{}` for an empty world",
      })],
    };
  }
  const quick = quickParse(text);
  if (quick !== undefined) {
    return { source: jsonSource({ file, text, value: quick }), problems: [] };
  }
  const scan = new JsonScan(text);
  const value = scan.whole();
  const problems = scan.findings.map(([span, finding]) => problemOn({ file, text }, span, finding));
  if (value === undefined) return { source: null, problems };
  return { source: jsonSource({ file, text, value }), problems };
}

/** Where a value stands: kept small, for states are large. */
interface Spot {
  readonly span: Span;
  readonly items: Map<string, { key: Span | null; spot: Spot }> | null;
}

class JsonScan {
  readonly findings: [Span, Finding][] = [];
  root: Spot | null = null;
  #at = 0;
  #depth = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Json | undefined {
    try {
      const [value, spot] = this.#value();
      this.#space();
      if (this.#at < this.#text.length) this.#stop("more text follows the value");
      this.root = spot;
      return value;
    } catch (error) {
      if (!(error instanceof JsonStop)) throw error;
      this.findings.push([{ start: error.at, end: error.at + 1 }, error.finding]);
      return undefined;
    }
  }

  #value(): [Json, Spot] {
    this.#space();
    const start = this.#at;
    const char = this.#text[start];
    if (char === "{") return this.#object(start);
    if (char === "[") return this.#array(start);
    const value = char === '"' ? this.#string() : this.#word();
    return [value, { span: { start, end: this.#at }, items: null }];
  }

  #object(start: number): [Json, Spot] {
    const record: JsonObject = {};
    const items: Spot["items"] = new Map();
    this.#members("}", () => {
      const keyStart = this.#at;
      if (this.#text[keyStart] !== '"') this.#stop('expected a key in double quotes or "}"');
      const name = this.#string();
      const key = { start: keyStart, end: this.#at };
      this.#checkKey(name, key, items.get(name)?.key ?? null);
      this.#space();
      if (this.#text[this.#at] !== ":") this.#stop(`expected ":" after the key "${name}"`);
      this.#at++;
      const [value, spot] = this.#value();
      put(record, name, value);
      items.set(name, { key, spot });
    });
    return [record, { span: { start, end: this.#at }, items }];
  }

  #array(start: number): [Json, Spot] {
    const list: Json[] = [];
    const items: Spot["items"] = new Map();
    this.#members("]", () => {
      const [value, spot] = this.#value();
      items.set(String(list.length), { key: null, spot });
      list.push(value);
    });
    return [list, { span: { start, end: this.#at }, items }];
  }

  #members(close: string, member: () => void): void {
    if (++this.#depth > DEPTH_MAX) this.#fail(DEEP);
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === close) this.#at++;
    else {
      for (;;) {
        this.#space();
        member();
        this.#space();
        const next = this.#text[this.#at];
        if (next !== "," && next !== close) this.#stop(`expected "," or "${close}"`);
        this.#at++;
        if (next === close) break;
      }
    }
    this.#depth--;
  }

  #checkKey(name: string, span: Span, earlier: Span | null): void {
    if (earlier !== null) {
      const { line, col } = placeOf(this.#text, earlier);
      this.findings.push([span, {
        code: "duplicate-key",
        what: `Key "${name}" stands here a second time, first at line ${line}, column ${col}`,
        fix: "keep one of the two",
      }]);
    }
    if (name === "__proto__") this.findings.push([span, refusedKey(name)]);
  }

  #string(): string {
    const start = this.#at;
    for (let at = start + 1; at < this.#text.length; at++) {
      const code = this.#text.charCodeAt(at);
      if (code === 0x5c) at++;
      else if (code < 0x20) {
        this.#at = at;
        this.#stop("a text cannot hold a line break or control character; write it as \\n");
      } else if (code === 0x22) {
        this.#at = at + 1;
        return this.#decode(start, at + 1);
      }
    }
    this.#at = start;
    return this.#stop("the text that begins here has no closing quote");
  }

  #decode(start: number, end: number): string {
    const quoted = this.#text.slice(start, end);
    if (!quoted.includes("\\")) return quoted.slice(1, -1);
    try {
      return JSON.parse(quoted);
    } catch {
      this.#at = start;
      return this.#stop("the text that begins here holds a `\\` that means nothing");
    }
  }

  #word(): Json {
    const start = this.#at;
    const word = /^[^\s,:{}[\]"]+/.exec(this.#text.slice(start, start + 400))?.[0] ?? "";
    if (word === "true" || word === "false" || word === "null") {
      this.#at += word.length;
      return word === "null" ? null : word === "true";
    }
    if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)) {
      this.#stop(word === "" ? "a value is missing" : `\`${word}\` is not a JSON value`);
    }
    this.#at += word.length;
    return this.#number(word, start);
  }

  #number(word: string, start: number): number {
    const value = Number(word);
    const exact = Number.isFinite(value) &&
      (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (!exact) this.findings.push([{ start, end: start + word.length }, inexact(word, value)]);
    return Number.isFinite(value) ? value : 0;
  }

  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.#at++;
    }
  }

  #stop(why: string): never {
    return this.#fail({
      code: "json-syntax",
      what: `The JSON cannot be read here: ${why}`,
      fix:
        "check commas, quotes and brackets; JSON allows no comments and no comma before a bracket",
    });
  }

  #fail(finding: Finding): never {
    throw new JsonStop(Math.min(this.#at, Math.max(0, this.#text.length - 1)), finding);
  }
}

const DEEP: Finding = {
  code: "nested-too-deep",
  what: `Values are nested more than ${DEPTH_MAX} levels deep`,
  fix: "flatten the value",
};

class JsonStop extends Error {
  constructor(readonly at: number, readonly finding: Finding) {
    super(finding.what);
  }
}

function jsonSource(parsed: { file: string; text: string; value: Json }): SourceFile {
  let root: Spot | null = null;
  const find = (path: KeyPath) => {
    root ??= spotsOf(parsed.text);
    let found: { key: Span | null; spot: Spot } | undefined = { key: null, spot: root };
    for (const part of path) found = found?.spot.items?.get(String(part));
    return found ?? null;
  };
  return {
    ...parsed,
    key: (path) => find(path)?.key ?? null,
    at: (path) => {
      const found = find(path);
      return found === null ? null : writtenOf(parsed.text, found.spot);
    },
  };
}

function spotsOf(text: string): Spot {
  const scan = new JsonScan(text);
  scan.whole();
  return scan.root ?? { span: { start: 0, end: text.length }, items: null };
}

/**
 * The value where the text is JSON without anything to say about it, else undefined. Large states
 * take this way: it is many times quicker than noting the place of every value. A key given twice
 * shows in that the value has fewer keys than the text.
 */
function quickParse(text: string): Json | undefined {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const hasLong = /\d{16}/.test(text) && /\d{16}/.test(text.replace(STRING, ""));
  return hasLong || keysIn(value, 0) !== keysWritten(text) ? undefined : value;
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/g;

/** How many keys stand in a text that is JSON: strings before a colon. */
function keysWritten(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at)) {
    at = stringEnd(text, at);
    while (text.charCodeAt(at) <= 0x20) at++;
    if (text[at] === ":") count++;
  }
  return count;
}

function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (text[end - 1] === "\\" && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === "\\") before--;
  return (at - before) % 2 === 1;
}

/** How many keys a value has, all levels together; NaN where one is refused, or it is too deep. */
function keysIn(value: Json, depth: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (depth > DEPTH_MAX) return NaN;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += keysIn(item, depth + 1);
    return count;
  }
  for (const key of Object.keys(value)) {
    count += key === "__proto__" ? NaN : 1 + keysIn(value[key] ?? null, depth + 1);
  }
  return count;
}

function writtenOf(text: string, spot: Spot): Written {
  if (spot.items !== null) return { kind: "blocks", span: spot.span };
  return { kind: text[spot.span.start] === '"' ? "double" : "plain", span: spot.span };
}
