/**
 * Does a text match an RE2 pattern? In: a pattern's text, unanchored and case-sensitive. Out: its
 * matches in linear time, or why it cannot run (look-around and back references are not RE2).
 * Also the engine that JSONata's own regular expressions run on.
 */
import { RE2JS } from "re2js";

/** A pattern that runs, or one that does not with the reason. */
export type Re2 =
  | {
    readonly kind: "pattern";
    /** True where it matches anywhere in the text. */
    test(text: string): boolean;
    /** All matches, left to right, without overlaps; empty matches are left out. */
    find(text: string): string[];
  }
  | { readonly kind: "broken"; readonly why: string };

/**
 * Patterns that RE2 runs for certain: words, lists of single characters,
 * alternatives. They are compiled when they are first matched, which checks alone never do.
 */
const CERTAIN = /^(?:\(\?i\))?(?:[\w àèéìòù,;:<>=@%~/'"’|^$-]|\[[\w .]+\])*$/;

type Compiled =
  | { readonly kind: "compiled"; readonly re2: RE2JS }
  | { readonly kind: "broken"; readonly why: string };

const PATTERNS_KEPT = 5_000;
const compiledPatterns = new Map<string, Compiled>();
const patterns = new Map<string, Re2>();

function compile(text: string): Compiled {
  const known = compiledPatterns.get(text);
  if (known !== undefined) return known;
  const compiled = tryCompile(text);
  if (compiledPatterns.size >= PATTERNS_KEPT) compiledPatterns.clear();
  compiledPatterns.set(text, compiled);
  return compiled;
}

function tryCompile(text: string): Compiled {
  try {
    return { kind: "compiled", re2: RE2JS.compile(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: "broken", why: why.replace(/^error parsing regexp: /, "") };
  }
}

/** Compiles a pattern; remembered by its text. */
export function compileRe2(text: string): Re2 {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const compiled = CERTAIN.test(text) ? null : compile(text);
  const pattern: Re2 = compiled?.kind === "broken" ? compiled : {
    kind: "pattern",
    test: (value) => (compiled?.re2 ?? compileCertain(text)).test(value),
    find: (value) => findAll(compiled?.re2 ?? compileCertain(text), value),
  };
  if (patterns.size >= PATTERNS_KEPT) patterns.clear();
  patterns.set(text, pattern);
  return pattern;
}

function compileCertain(text: string): RE2JS {
  const compiled = compile(text);
  if (compiled.kind === "broken") throw new SyntaxError(compiled.why);
  return compiled.re2;
}

function findAll(re2: RE2JS, text: string): string[] {
  const matcher = re2.matcher(text);
  const found: string[] = [];
  while (matcher.find()) {
    const match = matcher.group();
    if (match !== null && match !== "") found.push(match);
  }
  return found;
}

/** The RE2 text of a JSONata regular expression: its flags `i` and `m` in front. */
export function re2Text(regex: { readonly source: string; readonly flags: string }): string {
  const flags = regex.flags.replace(/[^im]/g, "");
  return flags === "" ? regex.source : `(?${flags})${regex.source}`;
}

/** What JSONata builds in place of a native RegExp; throws where the pattern is not RE2. */
export class Re2Engine {
  lastIndex = 0;
  #re2: RE2JS | null = null;
  readonly #text: string;

  constructor(regex: { readonly source: string; readonly flags: string }) {
    this.#text = re2Text(regex);
    if (CERTAIN.test(this.#text)) return;
    const compiled = compile(this.#text);
    if (compiled.kind === "broken") {
      throw new SyntaxError(`Pattern /${regex.source}/ is not RE2: ${compiled.why}`);
    }
    this.#re2 = compiled.re2;
  }

  /** The next match from `lastIndex` on, as RegExp has it under the flag `g`. */
  exec(text: unknown): (Array<string | undefined> & { index: number }) | null {
    if (typeof text !== "string") throw new TypeError("A pattern can only be matched with a text");
    this.#re2 ??= compileCertain(this.#text);
    const matcher = this.#re2.matcher(text);
    if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) {
      this.lastIndex = 0;
      return null;
    }
    const groups: Array<string | undefined> = [];
    for (let i = 0; i <= matcher.groupCount(); i++) groups.push(matcher.group(i) ?? undefined);
    this.lastIndex = matcher.end();
    return Object.assign(groups, { index: matcher.start() });
  }
}
