/**
 * Which known word was meant, and how are known words listed? Edit distance over short lists of
 * names; in: a word and the words that are known. Out: the nearest, or null; a list for a sentence.
 */

/** Words that a list names before it counts the rest. */
const SHOWN_MAX = 12;

/** Longer texts are no slip of the hand, and their distance would take long. */
const LENGTH_MAX = 200;

/** The word with the fewest edits from `word`, null where all need more than `edits`, from 0. */
export function nearestWithin(
  word: string,
  words: Iterable<string>,
  edits: number,
): string | null {
  let best: string | null = null;
  let bound = edits + 1;
  for (const candidate of words) {
    const distance = distanceBetween(word.toLowerCase(), candidate.toLowerCase(), bound);
    if (distance < bound) [best, bound] = [candidate, distance];
  }
  return best;
}

/** `"a", "b"`, sorted, cut after twelve; `none` where there is nothing to list. */
export function wordList(words: Iterable<string>): string {
  const sorted = [...words].sort();
  if (sorted.length === 0) return "none";
  const shown = sorted.slice(0, SHOWN_MAX).map((word) => JSON.stringify(word)).join(", ");
  return sorted.length > SHOWN_MAX ? `${shown} and ${sorted.length - SHOWN_MAX} more` : shown;
}

/** Insertions, removals, replacements and swaps of neighbours between two words; at most `limit`. */
function distanceBetween(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit || a.length > LENGTH_MAX) return limit;
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (old[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (older[j - 2] ?? limit) + 1);
      }
      row.push(best);
    }
    [older, old] = [old, row];
  }
  return Math.min(limit, old[b.length] ?? limit);
}
