/** Which known word was meant in a file? The nearest of a list of names, for "did you mean". */
import { nearestWithin } from "../model/near_words.ts";

/** The nearest of `words` to `word`, null where none is near enough to be a slip of the hand. */
export function nearest(word: string, words: Iterable<string>): string | null {
  return nearestWithin(word, words, Math.min(3, Math.floor(word.length / 2)));
}

/** `did you mean "x"?`, or the fallback where nothing is near. */
export function didYouMean(word: string, words: Iterable<string>, fallback: string): string {
  const best = nearest(word, words);
  return best === null ? fallback : `did you mean "${best}"?`;
}
