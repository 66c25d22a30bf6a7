/**
 * What does an ordinary YAML file say? The plain half of YAML that hand-written files use: block
 * mappings and sequences, flow collections, texts on one line, comments. In: a text. Out: its value
 * and places, the same as the full parser's, several times quicker; null for everything else
 * (anchors, tags, block texts, tabs, odd numbers, duplicate keys, errors), which is then read by the
 * full parser, so that only that one ever says what is wrong.
 */
import { isObject, type Json, type JsonObject, put } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import type { KeyPath, SourceFile, Span, Written } from "./source.ts";
import type { YamlFile } from "./yaml.ts";
import { isEntryStart, KEY, LINE_END, plainValue, quotedValue, REFUSED } from "./yaml_words.ts";

/** A value, its place, and the places of what is below it. */
interface Spot {
  readonly value: Json;
  readonly key: Span | null;
  readonly written: Written;
  readonly items: ReadonlyMap<string, Spot> | null;
}

/** Parses a YAML text as `parseYaml` does, loading the full parser only where it is needed. */
export async function readYaml(
  file: string,
  text: string,
): Promise<{ source: YamlFile | null; problems: Problem[] }> {
  const source = quickYaml(file, text);
  if (source !== null) return { source, problems: [] };
  const { parseYaml } = await import("./yaml.ts");
  return parseYaml(file, text);
}

/** The source where the text is ordinary, null where the full parser must read it. */
export function quickYaml(file: string, text: string): YamlFile | null {
  if (REFUSED.test(text)) return null;
  try {
    const root = new QuickYaml(text).whole();
    return { file, text, value: root.value, odd: [], ...placesOf(root) };
  } catch (error) {
    if (error instanceof NotOrdinary) return null;
    throw error;
  }
}

function placesOf(root: Spot): Pick<SourceFile, "key" | "at"> {
  const find = (path: KeyPath): Spot | undefined => {
    let spot: Spot | undefined = root;
    for (const part of path) spot = spot?.items?.get(String(part));
    return spot;
  };
  return { key: (path) => find(path)?.key ?? null, at: (path) => find(path)?.written ?? null };
}

class NotOrdinary extends Error {}

function refuse(): never {
  throw new NotOrdinary();
}

const DEPTH_MAX = 40;

class QuickYaml {
  readonly #text: string;
  #at = 0;
  /** Where the line of `#at` begins. */
  #line = 0;
  /** Where the line of the latest value ended: there its block ends too. */
  #ended = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Spot {
    this.#toContent();
    if (this.#column() !== 0 || this.#isSequence()) refuse();
    const root = this.#mapping(null, 0);
    if (this.#at < this.#text.length || root.items?.size === 0) refuse();
    return root;
  }

  #column(): number {
    return this.#at - this.#line;
  }

  /** From the beginning of a line to the next that holds more than a comment. */
  #toContent(): void {
    const text = this.#text;
    for (;;) {
      while (text[this.#at] === " ") this.#at++;
      if (text[this.#at] === "#") this.#at = this.#lineEnd();
      if (text[this.#at] !== "\n") return;
      this.#line = ++this.#at;
    }
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at);
    return end === -1 ? this.#text.length : end;
  }

  /** Past the end of a line that holds nothing more, and on to the next content. */
  #nextLine(): void {
    LINE_END.lastIndex = this.#at;
    if (!LINE_END.test(this.#text)) refuse();
    this.#at = this.#line = this.#ended = LINE_END.lastIndex;
    this.#toContent();
  }

  #isSequence(): boolean {
    return this.#text[this.#at] === "-" && /[ \n]/.test(this.#text[this.#at + 1] ?? "\n");
  }

  /** What stands on lines of its own, `column` being that of its first character. */
  #block(key: Span | null, column: number): Spot {
    if (++this.#depth > DEPTH_MAX) refuse();
    const spot = this.#isSequence() ? this.#sequence(key, column) : this.#mapping(key, column);
    this.#depth--;
    return spot;
  }

  #mapping(key: Span | null, column: number): Spot {
    const start = this.#at;
    const value: JsonObject = {};
    const items = new Map<string, Spot>();
    while (this.#at < this.#text.length && this.#column() === column) {
      const entry = this.#key();
      if (entry === null || items.has(entry.name)) refuse();
      const spot = this.#entryValue(entry.span, column);
      put(value, entry.name, spot.value);
      items.set(entry.name, spot);
    }
    if (this.#at < this.#text.length && this.#column() > column) refuse();
    return { value, key, written: { kind: "blocks", span: { start, end: this.#ended } }, items };
  }

  /** A key with its colon, which ends the line or is followed by a space; null where there is none. */
  #key(): { name: string; span: Span } | null {
    KEY.lastIndex = this.#at;
    const found = KEY.exec(this.#text);
    if (found === null) return null;
    const [, written = ""] = found;
    const quoted = quotedValue(written);
    const name = quoted ?? (written.startsWith('"') || written.startsWith("'") ? "" : written);
    if (name === "" || name === "__proto__") refuse();
    const span = { start: this.#at, end: this.#at + written.length };
    this.#at = span.end + 1;
    return { name, span };
  }

  #entryValue(key: Span, column: number): Spot {
    if (!this.#spaces()) return this.#inline(key, column);
    this.#nextLine();
    const at = this.#column();
    const fits = at > column || (at === column && this.#isSequence());
    if (!fits || this.#at >= this.#text.length) refuse();
    return this.#block(key, at);
  }

  /** Past spaces; true where the line ends there, in a comment or without. */
  #spaces(): boolean {
    while (this.#text[this.#at] === " ") this.#at++;
    const next = this.#text[this.#at];
    return next === undefined || next === "\n" || next === "#";
  }

  #sequence(key: Span | null, column: number): Spot {
    const start = this.#at;
    const value: Json[] = [];
    const items = new Map<string, Spot>();
    while (this.#at < this.#text.length && this.#column() === column && this.#isSequence()) {
      this.#at++;
      const spot = this.#item(column);
      items.set(String(value.length), spot);
      value.push(spot.value);
    }
    if (this.#at < this.#text.length && this.#column() > column) refuse();
    return { value, key, written: { kind: "blocks", span: { start, end: this.#ended } }, items };
  }

  #item(column: number): Spot {
    if (this.#spaces()) {
      this.#nextLine();
      if (this.#column() <= column || this.#at >= this.#text.length) refuse();
      return this.#block(null, this.#column());
    }
    if (this.#isSequence()) refuse();
    KEY.lastIndex = this.#at;
    return KEY.test(this.#text) ? this.#block(null, this.#column()) : this.#inline(null, column);
  }

  /** A value in the line of its key or dash; what follows must not go on with it. */
  #inline(key: Span | null, column: number): Spot {
    const char = this.#text[this.#at];
    const spot = char === "{" || char === "["
      ? this.#flow(key, column)
      : this.#scalar(key, this.#lineEnd(), "block");
    this.#nextLine();
    if (this.#column() > column && this.#at < this.#text.length) refuse();
    return spot;
  }

  #scalar(key: Span | null, limit: number, place: "block" | "flow"): Spot {
    const start = this.#at;
    const found = isEntryStart(this.#text[start])
      ? plainValue(this.#text, { start, limit, place, key: this.#written(key) })
      : quotedHere(this.#text, start);
    if (found === null) refuse();
    this.#at = found.end;
    const written = { kind: found.kind, span: { start, end: found.end } };
    return { value: found.value, key, written, items: null };
  }

  #written(key: Span | null): string {
    return key === null ? "" : this.#text.slice(key.start, key.end);
  }

  #flow(key: Span | null, column: number): Spot {
    if (++this.#depth > DEPTH_MAX) refuse();
    const start = this.#at;
    const isMap = this.#text[this.#at++] === "{";
    const items = new Map<string, Spot>();
    const value: Json = isMap ? {} : [];
    const close = isMap ? "}" : "]";
    this.#flowSpace(column);
    if (this.#text[this.#at] === close) this.#at++;
    else {
      do this.#member(value, items, column); while (this.#goesOn(close, column));
    }
    this.#depth--;
    return { value, key, written: { kind: "flow", span: { start, end: this.#at } }, items };
  }

  /** Past the comma or the bracket that must follow a member; true for a comma. */
  #goesOn(close: string, column: number): boolean {
    this.#flowSpace(column);
    const next = this.#text[this.#at++];
    if (next !== "," && next !== close) refuse();
    if (next === ",") this.#flowSpace(column);
    return next === ",";
  }

  #member(value: JsonObject | Json[], items: Map<string, Spot>, column: number): void {
    const entry = this.#key();
    if (Array.isArray(value)) {
      if (entry !== null) refuse();
      const spot = this.#flowValue(null, column);
      items.set(String(value.length), spot);
      value.push(spot.value);
      return;
    }
    if (entry === null || items.has(entry.name) || !isObject(value)) refuse();
    this.#flowSpace(column);
    const spot = this.#flowValue(entry.span, column);
    put(value, entry.name, spot.value);
    items.set(entry.name, spot);
  }

  #flowValue(key: Span | null, column: number): Spot {
    const char = this.#text[this.#at];
    if (char === "{" || char === "[") return this.#flow(key, column);
    return this.#scalar(key, this.#lineEnd(), "flow");
  }

  /** Past spaces and line ends; a line that is not indented enough is for the full parser to judge. */
  #flowSpace(column: number): void {
    const text = this.#text;
    for (;;) {
      while (text[this.#at] === " ") this.#at++;
      if (text[this.#at] !== "\n") break;
      this.#line = ++this.#at;
    }
    if (text[this.#at] === "#" || this.#column() <= column) refuse();
  }
}

function quotedHere(text: string, start: number) {
  const kind = text[start] === '"' ? "double" : "single";
  const end = closing(text, start);
  const value = end === null ? null : quotedValue(text.slice(start, end));
  return end === null || value === null ? null : { value, end, kind } as const;
}

/** The end of a quoted text that stands on one line, null where it does not. */
function closing(text: string, start: number): number | null {
  const form = text[start] === '"' ? DOUBLE : SINGLE;
  form.lastIndex = start;
  return form.test(text) ? form.lastIndex : null;
}

const DOUBLE = /"(?:[^"\\\n]|\\[^\n])*"/y;
const SINGLE = /'(?:[^'\n]|'')*'/y;
