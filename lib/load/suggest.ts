/** Which known word was meant? Edit distance over short lists of names, for "did you mean". */

/** The nearest of `words` to `word`, null where none is near enough to be a slip of the hand. */
export function nearest(word: string, words: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.floor(word.length / 2)) + 1;
  for (const candidate of words) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** `did you mean "x"?`, or the fallback where nothing is near. */
export function didYouMean(word: string, words: Iterable<string>, fallback: string): string {
  const best = nearest(word, words);
  return best === null ? fallback : `did you mean "${best}"?`;
}

/** `"a", "b", "c"`, sorted; cut after twelve. `none` where there is nothing to list. */
export function wordList(words: Iterable<string>): string {
  const sorted = [...words].sort();
  if (sorted.length === 0) return "none";
  const shown = sorted.slice(0, 12).map((word) => JSON.stringify(word)).join(", ");
  return sorted.length > 12 ? `${shown} and ${sorted.length - 12} more` : shown;
}

/** Edits (insert, remove, replace, swap of neighbours) between two words; `limit` where more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cell(rows, row, { a, b, i, j }));
    rows.push(row);
  }
  return Math.min(limit, rows[a.length]?.[b.length] ?? limit);
}

function cell(
  rows: readonly number[][],
  row: readonly number[],
  at: { a: string; b: string; i: number; j: number },
): number {
  const { a, b, i, j } = at;
  const up = rows[i - 1] ?? [];
  const same = a[i - 1] === b[j - 1];
  const best = Math.min(
    (up[j] ?? 0) + 1,
    (row[j - 1] ?? 0) + 1,
    (up[j - 1] ?? 0) + (same ? 0 : 1),
  );
  const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return swapped ? Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1) : best;
}
