/**
 * How do ids, commands and lists stand in a message? Foreign text in; a short clean piece of
 * Telegram's HTML mode out, of which nothing is markup.
 */
import { telegramHtml } from "./cell.ts";
import type { Format } from "./format.ts";
import type { SummaryWords } from "./words_summary.ts";

const ID_MAX = 48;
const CODE_MAX = 200;
const IDS_MAX = 6;

/** An id as it may stand in the message: one clean line, not too long, escaped. */
export function messageId(text: string): string {
  return telegramHtml(shortened(text, ID_MAX));
}

/** A command or a path, in a type of its own. */
export function messageCode(text: string): string {
  return `<code>${telegramHtml(shortened(text, CODE_MAX))}</code>`;
}

function shortened(text: string, most: number): string {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join("")}…`;
}

/** The first few of a list, and how many more there are. */
export function some(
  items: readonly string[],
  { words, format }: { readonly words: SummaryWords; readonly format: Format },
): string {
  const left = items.length - IDS_MAX;
  const shown = items.slice(0, IDS_MAX).join(", ");
  return left > 0 ? `${shown} ${words.more(format, left)}` : shown;
}
