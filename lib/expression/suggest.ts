/** Which known word was meant in an expression? The nearest of a list of names, or the list. */
import { nearestWithin, wordList } from "../model/near_words.ts";

/** The nearest word, null where none is near enough to be a slip of the hand. */
export function nearestWord(word: string, words: readonly string[]): string | null {
  return nearestWithin(word, words, Math.max(1, Math.min(3, Math.ceil(word.length / 3))));
}

/** `did you mean "x"?`, or the allowed words where nothing is near. */
export function suggestion(word: string, words: readonly string[]): string {
  const near = nearestWord(word, words);
  if (near !== null) return `did you mean "${near}"?`;
  return words.length === 0 ? "there is nothing to choose from" : `use one of ${wordList(words)}`;
}
