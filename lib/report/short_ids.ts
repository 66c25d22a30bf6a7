/**
 * How is an id typed on a phone? Ids in; for each the fewest of its first words that no other begins
 * with, joined by `_`, so that `/why_d16` can be tapped. What was typed is read back: any beginning
 * of an id that only one has, whatever the case and the signs between its words.
 */

/** A command that can be tapped has at most 32 characters. */
const SHORT_MAX = 24;

function plain(id: string): string {
  return id.toLowerCase().replace(/[^a-z0-9]+/g, "_").replace(/^_|_$/g, "");
}

/** The short form of an id among all; the whole of it where nothing shorter is its own. */
export function shortId(id: string, all: readonly string[]): string {
  const words = plain(id).split("_");
  const others = all.filter((other) => other !== id).map(plain);
  for (let n = 1; n <= words.length; n++) {
    const short = words.slice(0, n).join("_");
    if (short.length > SHORT_MAX) break;
    if (short.length > 1 && !others.some((other) => other.startsWith(short))) return short;
  }
  return words.join("_");
}

/** What was meant: one id, several that begin so, or none. */
export type Meant =
  | { readonly kind: "one"; readonly id: string }
  | { readonly kind: "several"; readonly ids: readonly string[] }
  | { readonly kind: "none" };

/** Reads an id that a person typed. An id that is written in full is meant, also where others begin so. */
export function readShortId(typed: string, all: readonly string[]): Meant {
  const text = plain(typed);
  if (text === "") return { kind: "none" };
  const steps: readonly ((id: string) => boolean)[] = [
    (id) => id === typed.trim(),
    (id) => plain(id) === text,
    (id) => plain(id).startsWith(text),
  ];
  const begin = steps.map((is) => all.filter(is)).find((found) => found.length > 0) ?? [];
  const [first] = begin;
  if (first === undefined) return { kind: "none" };
  return begin.length === 1 ? { kind: "one", id: first } : { kind: "several", ids: begin };
}
