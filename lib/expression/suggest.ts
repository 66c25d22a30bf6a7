/** Which known word was meant? The nearest of a short list by edit distance, for "did you mean". */

const SHOWN_MAX = 12;

/** The nearest word, null where none is near enough to be a slip of the hand. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  let best: string | null = null;
  let bound = Math.max(1, Math.min(3, Math.ceil(word.length / 3))) + 1;
  for (const candidate of words) {
    const distance = distanceBetween(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bound) [best, bound] = [candidate, distance];
  }
  return best;
}

/** `did you mean "x"?`, or the allowed words where nothing is near. */
export function suggestion(word: string, words: readonly string[]): string {
  const near = nearestWord(word, words);
  if (near !== null) return `did you mean "${near}"?`;
  return words.length === 0 ? "there is nothing to choose from" : `use one of ${wordList(words)}`;
}

/** `"a", "b"`, sorted, cut after twelve. */
export function wordList(words: readonly string[]): string {
  const sorted = [...words].sort();
  const shown = sorted.slice(0, SHOWN_MAX).map((word) => `"${word}"`).join(", ");
  return sorted.length > SHOWN_MAX ? `${shown} and ${sorted.length - SHOWN_MAX} more` : shown;
}

/** Insertions, removals, replacements and swaps of neighbours between two words. */
function distanceBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3 || a.length > 200) return Infinity;
  let older: number[] = [];
  let old = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (old[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min((old[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced);
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (older[j - 2] ?? Infinity) + 1);
      }
      row.push(best);
    }
    [older, old] = [old, row];
  }
  return old[b.length] ?? Infinity;
}
