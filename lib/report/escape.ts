/**
 * How does foreign text get into a report without breaking it? Text from traces, states and models
 * in; text that is safe at its place out: Markdown (prose, code, tables), XML 1.0, a terminal line.
 * What can not be seen (control characters, ANSI, bidirectional marks, lone surrogates) is shown as
 * `\u{…}`, never dropped; what is too long is cut at a code point, with a count of what is left out.
 */

/** Controls but for tab and line feed, format and bidirectional marks (a joiner between emoji stays), fillers, lone surrogates, noncharacters. */
const UNSEEN =
  /(?![\t\n])\p{Cc}|(?!\u200d)\p{Cf}|(?<!\p{Extended_Pictographic}\ufe0f?)\u200d|[\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u115f\u1160\u3164\uffa0]/gu;

/** Every character that can not be seen as `\u{hex}`; carriage returns before line feeds are dropped. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(UNSEEN, showCode);
}

function showCode(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/**
 * At most `most` UTF-16 units of a text, cut at a code point, followed by ` … (+n)` with the number
 * of units left out; a text that fits is given back as it is.
 */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? most - 1 : most;
  return `${text.slice(0, end)} … (+${text.length - end})`;
}

/** One line: line feeds shown as ⏎, tabs as blanks, the rest made visible. */
export function oneLine(text: string): string {
  return visible(text).replaceAll("\n", " ⏎ ").replaceAll("\t", " ");
}

/** A line for a terminal: nothing in it can move the cursor, colour or reorder what is shown. */
export function escapeTerminal(text: string, most = 200): string {
  return oneLine(cut(text, most));
}

const MARKDOWN_SPECIAL =
  /[\\`*[\]<>&|~$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|:(?=\/\/)|(?<=\bwww)\./giu;

/** Prose inside a Markdown line or table cell: shown as it is written, no markup, link or HTML. */
export function markdownText(text: string, most = 600): string {
  return entities(oneLine(cut(text, most)), MARKDOWN_SPECIAL);
}

/** Inline code in a Markdown line or table cell; empty text is shown as an empty pair of quotes. */
export function markdownCode(text: string, most = 200): string {
  const shown = oneLine(cut(text, most));
  if (shown.trim() === "") return `<code>"${shown}"</code>`;
  if (/[\\`|]/.test(shown) || shown !== shown.trim()) {
    return `<code>${entities(shown, /[^\p{L}\p{N} /,;'"…⏎()-]/gu)}</code>`;
  }
  return `\`${shown}\``;
}

/** Prose of several lines as a Markdown quotation, its line breaks kept; at most 12 lines. */
export function markdownQuote(text: string, most = 700): string {
  const all = visible(cut(text, most)).split("\n");
  const lines = all.length > 12 ? [...all.slice(0, 12), `… (+${all.length - 12})`] : all;
  return lines.map((line) => `> ${quotedLine(line)}`).join("\\\n").replace(/(> )\\\n/g, "$1\n");
}

/** No line start may open a list, a heading, a rule, an indented block or another quotation. */
function quotedLine(line: string): string {
  const escaped = entities(line.replaceAll("\t", "    ").trimEnd(), MARKDOWN_SPECIAL);
  return escaped
    .replace(/^ +/, (blanks) => "&#160;".repeat(blanks.length))
    .replace(/^(\d+)([.)])/, (_, digits, mark) => `${digits}${entity(mark)}`)
    .replace(/^[#+=-]/, entity);
}

function entities(text: string, special: RegExp): string {
  return text.replace(special, entity);
}

function entity(character: string): string {
  return `&#${character.codePointAt(0) ?? 0};`;
}

/** Text for XML 1.0, in elements and in double-quoted attributes; line feeds and tabs are kept. */
export function xmlText(text: string, most = 4000): string {
  return visible(cut(text, most)).replace(/[&<>"']/g, entity);
}

/** An XML attribute's value on one line. */
export function xmlAttribute(text: string, most = 1000): string {
  return oneLine(cut(text, most)).replace(/[&<>"']/g, entity);
}
