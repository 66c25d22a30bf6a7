/**
 * In which words does the morning message speak? One catalogue of two languages, of one type; apart
 * from the reports' words, since the message says what happened and no names, values or paths.
 */
import type { Locale } from "./words.ts";
import { SUMMARY_ENGLISH } from "./words_summary_en.ts";
import { SUMMARY_ITALIAN } from "./words_summary_it.ts";

/** Every word and sentence of the message. */
export type SummaryWords = typeof SUMMARY_ENGLISH;

const CATALOGUE: Readonly<Record<Locale, SummaryWords>> = {
  en: SUMMARY_ENGLISH,
  it: SUMMARY_ITALIAN,
};

/** The words of a locale. */
export function summaryWordsOf(locale: Locale): SummaryWords {
  return CATALOGUE[locale];
}
