/**
 * What does a text on one line of YAML come to? Keys, quoted texts and plain ones, in the forms that
 * `yaml_quick.ts` reads; null for every form that it leaves to the full parser.
 */
import type { Json } from "../model/json.ts";
import { isVersion } from "./yaml_findings.ts";

/** Signs, anywhere in a file, of what only the full parser reads: tabs, CR, directives, documents. */
export const REFUSED =
  // deno-lint-ignore no-control-regex
  /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|^(?:%|---|\.\.\.)/m;

/** A key and its colon. Sticky. */
export const KEY =
  /("(?:[^"\\\n]){0,200}"|'[^'\n]{0,200}'|[A-Za-z_][A-Za-z0-9_./-]{0,200}):(?=[ \n]|$)/y;

/** The end of a line behind a value, with a comment set off from it. Sticky. */
export const LINE_END = /(?: *| +#[^\n]*)(?:\n|$)/y;

/** True where a plain text may begin with the character: no quote, no sign that means something. */
export function isEntryStart(char: string | undefined): boolean {
  return char !== undefined && !/["'\[\]{}>|*&!%#`@,?:\n ]/.test(char);
}

/** The text of a quoted one, quotes included in `written`; null where an escape is not JSON's too. */
export function quotedValue(written: string): string | null {
  const inner = written.slice(1, -1);
  if (written.startsWith("'")) return inner.replaceAll("''", "'");
  if (!written.startsWith('"')) return null;
  if (!inner.includes("\\")) return inner;
  if (!/^(?:[^\\]|\\(?:["\\/bfnrt]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4}))*$/.test(inner)) return null;
  return JSON.parse(written);
}

interface Plain {
  readonly value: Json;
  readonly end: number;
  readonly kind: "plain";
}

const PLAIN_BLOCK = /(?:[^\n:# ]|:(?=[^ \n])| +(?=[^ #\n])|(?<! )#)+/y;
const PLAIN_FLOW = /(?:[^\n:# ,\[\]{}]|:(?=[^ \n,\[\]{}])| +(?=[^ #\n,\[\]{}])|(?<! )#)+/y;

/** A plain text that begins at `start` and ends in its line. */
export function plainValue(
  text: string,
  { start, limit, place, key }: {
    readonly start: number;
    readonly limit: number;
    readonly place: "block" | "flow";
    /** The key as it is written, empty in a list. */
    readonly key: string;
  },
): Plain | null {
  const form = place === "block" ? PLAIN_BLOCK : PLAIN_FLOW;
  form.lastIndex = start;
  if (!form.test(text)) return null;
  const end = form.lastIndex;
  const rest = text.slice(end, limit);
  if (!(place === "block" ? COMMENT_OR_NOTHING : BEFORE_COMMA).test(rest)) return null;
  const value = scalarValue(text.slice(start, end), key);
  return value === undefined ? null : { value, end, kind: "plain" };
}

/** A comment behind a plain text is plainly one; others are for the full parser to warn of. */
const COMMENT_OR_NOTHING = /^ *$|^ {2,}#(?: |$)/;
const BEFORE_COMMA = /^ *(?:[,\]}]|$)/;

const EXACT = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/;
const NUMERIC = /^[-+]?[.\d]|^[-+]?\.(?:inf|nan)$/i;

/** A value of YAML's core schema; undefined where its text does not show plainly what it is. */
function scalarValue(text: string, key: string): Json | undefined {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  if (/^(?:~|null|true|false)$/i.test(text)) return undefined;
  if (EXACT.test(text)) {
    return text === "-0" || isVersion(text, [key]) ? undefined : Number(text);
  }
  if (NUMERIC.test(text) && CORE_NUMBER.test(text)) return undefined;
  return /^-(?: |$)/.test(text) ? undefined : text;
}

/** Every text that the core schema takes for a number. */
const CORE_NUMBER =
  /^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.inf|\.nan)$/i;
