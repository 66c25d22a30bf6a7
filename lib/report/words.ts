/**
 * In which words does Collaudo speak to people? One catalogue, English and Italian, of one type: a
 * word that one of them lacks does not compile. Verdicts of a decision and `decision: …` are the
 * same in every locale, so that people and programs find them.
 */
import type { Config } from "../model/config.ts";
import { ENGLISH } from "./words_en.ts";
import { ITALIAN } from "./words_it.ts";

export { VERDICT_WORDS } from "./verdict_words.ts";

/** Every word and sentence, by use. */
export type Words = typeof ENGLISH;

/** `en` or `it`. */
export type Locale = Config["locale"];

const CATALOGUE: Readonly<Record<Locale, Words>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function wordsOf(locale: Locale): Words {
  return CATALOGUE[locale];
}
