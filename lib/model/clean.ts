/**
 * How does text that anybody may have written become one harmless line? Reasons of overrides and
 * names of authors in; the same words out, without line breaks, escape sequences and characters
 * that can not be seen. A text of nothing else comes out empty.
 */

/** Escape sequences of terminals: CSI, OSC and the short ones. */
// deno-lint-ignore no-control-regex
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;

const BREAKS = /[\t\n\v\f\r\u0085\u2028\u2029]+/g;

/** Controls, format and bidirectional marks, lone surrogates, noncharacters, fillers. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Noncharacter_Code_Point}\u034f\u115f\u1160\u3164\uffa0]/gu;

/** One line in NFC, white space collapsed, ends trimmed, nothing invisible; idempotent. */
export function cleanText(text: string): string {
  return text.replace(ESCAPES, "").replace(BREAKS, " ").replace(UNSEEN, "")
    .normalize("NFC").replace(/\s+/g, " ").trim();
}
