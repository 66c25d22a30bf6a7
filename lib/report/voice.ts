/**
 * How is something said at its place? The words and number formats of a locale, together with the
 * escaping of the place (Markdown or a terminal line), so that each sentence is written once and no
 * text of a trace reaches a place unescaped.
 */
import type { Json } from "../model/json.ts";
import { cut, escapeTerminal, markdownCode, markdownText } from "./escape.ts";
import { shortJson } from "./short_json.ts";
import { createFormat, type Format } from "./format.ts";
import { type Locale, type Words, wordsOf } from "./words.ts";

/** For whom a text is rendered. */
export interface View {
  readonly locale: Locale;
  /** IANA time zone of dates and times. */
  readonly zone: string;
}

/** Words, numbers and escaping of one place. */
export interface Voice {
  readonly words: Words;
  readonly format: Format;
  /** An id, a path or an expression, set apart from prose. */
  code(text: string): string;
  /** Foreign prose. */
  text(text: string): string;
  /** A value as it stands in a state; undefined is said to be absent. */
  value(value: Json | undefined): string;
}

/** Longest value shown, in UTF-16 units. */
const VALUE_MAX = 160;

/** Longest id or expression shown, in UTF-16 units. */
const CODE_MAX = 240;

/** The voice of `report.md`. */
export function markdownVoice({ locale, zone }: View, currency: string): Voice {
  const words = wordsOf(locale);
  const code = (text: string) => markdownCode(text, CODE_MAX);
  return {
    words,
    format: createFormat(locale, zone, currency),
    code,
    text: (text) => markdownText(text, CODE_MAX),
    value: (value) => value === undefined ? words.absent : code(shownValue(value)),
  };
}

/** The voice of terminal lines. */
export function terminalVoice({ locale, zone }: View, currency: string): Voice {
  const words = wordsOf(locale);
  const text = (content: string) => escapeTerminal(content, CODE_MAX);
  return {
    words,
    format: createFormat(locale, zone, currency),
    code: text,
    text,
    value: (value) => value === undefined ? words.absent : text(shownValue(value)),
  };
}

/** Texts in quotes with their line breaks, everything else as JSON. */
export function shownValue(value: Json): string {
  if (typeof value === "string") return `"${cut(value, VALUE_MAX)}"`;
  return shortJson(value, VALUE_MAX);
}

/** The items by comma, at most `most` of them; what is left out is counted. */
export function listed(items: readonly string[], { words, format }: Voice, most = 8): string {
  if (items.length <= most) return items.join(", ");
  return `${items.slice(0, most).join(", ")}, ${words.more(format, items.length - most)}`;
}
