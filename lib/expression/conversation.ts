/**
 * What did the agent say, and whom did it ask? In: a trace's events in order. Out: its texts, the
 * messages that end its turns, and which of them are questions: a `?` outside code and addresses.
 * Text beside calls ends no turn and asks nobody.
 */
import type { CallEvent, MessageEvent, RunEvent } from "../model/run.ts";

const CODE_BLOCK = /```[\s\S]*?(```|$)|(?:^|\n) {0,3}~~~[\s\S]*?(?:\n {0,3}~~~|$)/g;
const MARK = /[?？]/;
const FINAL_MARK = /[?？][)\]}"'».!?？*_]*$/;

/** True where a text holds a `?` outside code (fenced or in backticks) and addresses. */
export function isQuestion(text: string): boolean {
  if (!MARK.test(text)) return false;
  const plain = text.replace(CODE_BLOCK, " ").split(/\n\s*\n/).map(withoutSpans).join("\n");
  return plain.split(/\s/).some((word) => MARK.test(word) && asks(word));
}

/** A paragraph without code: a run of backticks closes at the next run of the same length. */
function withoutSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ size: run.length, index }));
  const closing: (number | undefined)[] = [];
  const next = new Map<number, number>();
  for (let i = runs.length - 1; i >= 0; i--) {
    const size = runs[i]?.size ?? 0;
    closing[i] = next.get(size);
    next.set(size, i);
  }
  let plain = "";
  let from = 0;
  for (let i = 0; i < runs.length; i++) {
    const close = closing[i];
    const [open, end] = [runs[i], close === undefined ? undefined : runs[close]];
    if (close === undefined || open === undefined || end === undefined) continue;
    plain += `${text.slice(from, open.index)} `;
    from = end.index + end.size;
    i = close;
  }
  return plain + text.slice(from);
}

/** A mark inside an address is none; before it, and at its very end, it belongs to the sentence. */
function asks(word: string): boolean {
  const start = addressStart(word);
  return start === null || MARK.test(word.slice(0, start)) || FINAL_MARK.test(word.slice(-8));
}

/** Where an address (URL, `www.`, `mailto:`, e-mail, a query) begins in a word, null where there is none. */
function addressStart(word: string): number | null {
  const lower = word.toLowerCase();
  let scheme = lower.indexOf("://");
  if (scheme >= 0) {
    while (scheme > 0 && /[a-z0-9+.-]/.test(lower.charAt(scheme - 1))) scheme--;
    return scheme;
  }
  for (const prefix of ["www.", "mailto:"]) {
    if (lower.includes(prefix)) return lower.indexOf(prefix);
  }
  const at = lower.indexOf("@");
  return (at > 0 && lower.indexOf(".", at) > at) || isBareAddress(lower) ? 0 : null;
}

/** An address without its scheme: a query (`/search?q=1`), or a path below a domain. */
function isBareAddress(word: string): boolean {
  if (/\?[\w.~%[\]-]+=/.test(word)) return true;
  const mark = word.lastIndexOf("?");
  return /\w/.test(word.charAt(mark + 1)) && /\.[a-z]{2,}(?::\d+)?\//.test(word.slice(0, mark));
}

/** The last text that the agent said, empty where it said nothing. */
export function finalText(events: readonly RunEvent[]): string {
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i];
    if (event?.kind === "message" && event.role === "assistant") return event.text;
  }
  return "";
}

/** The messages that end a turn: nothing is called or said after them before the next user message or the end. */
export function assistantTurns(events: readonly RunEvent[]): MessageEvent[] {
  const turns: MessageEvent[] = [];
  let acted = false;
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i];
    if (event === undefined) continue;
    if (event.kind === "message") {
      if (event.role === "user") acted = false;
      if (event.role !== "assistant") continue;
      if (!acted) turns.push(event);
      acted = true;
    } else if (event.kind === "call" || event.kind === "command") acted = true;
  }
  return turns.reverse();
}

/** How the agent's latest turn ended: with a message, with a question by tool, or in another way. */
export type TurnEnd =
  | { readonly kind: "message"; readonly event: MessageEvent }
  | { readonly kind: "call"; readonly event: CallEvent }
  | { readonly kind: "other" };

/** The end of the agent's latest turn; a trace that ends with the user speaking has `other`. */
export function latestTurnEnd(events: readonly RunEvent[]): TurnEnd {
  for (let i = events.length - 1; i >= 0; i--) {
    const event = events[i];
    if (event?.kind === "call") return { kind: "call", event };
    if (event?.kind === "command") return { kind: "other" };
    if (event?.kind !== "message" || event.role === "system") continue;
    return event.role === "assistant" ? { kind: "message", event } : { kind: "other" };
  }
  return { kind: "other" };
}

/** True where any of the words stands in the text, in whatever case. */
export function containsAny(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.some((word) => lower.includes(word.toLowerCase()));
}
