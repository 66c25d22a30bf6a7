/**
 * How does a foreign line get into a table that Git hosts render, and into a Telegram message? Clean
 * text in; a cell out in which nothing is markup, link or mention. `lib/load/ledger.ts` reads the
 * cells of `regressions.md` back. Unlike the reports' own escaping, what can not be seen is left out.
 */
import { cleanText } from "../model/clean.ts";

/** Longest cell, in code points. */
const CELL_MAX = 280;

const WORD_JOINER = "\u2060";

/** A cell of `regressions.md`: cleaned, at most 280 code points, no markup, link or mention. */
export function markdownCell(text: string): string {
  return entities(shortened(text))
    .replace(/[\\`*_{}[\]()#+!|~$-]/g, "\\$&")
    .replaceAll("@", `@${WORD_JOINER}`)
    .replaceAll("://", `:${WORD_JOINER}//`)
    .replace(/www\./gi, (found) => `${found.slice(0, -1)}${WORD_JOINER}.`);
}

/** A line for Telegram's HTML mode: cleaned, at most 280 code points, only `&`, `<` and `>` escaped. */
export function telegramHtml(text: string): string {
  return entities(shortened(text));
}

function shortened(text: string): string {
  const points = [...cleanText(text)];
  return points.length <= CELL_MAX ? points.join("") : `${points.slice(0, CELL_MAX - 1).join("")}…`;
}

function entities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
