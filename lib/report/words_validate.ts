/**
 * In which words is a suite called valid? English and Italian of one type: a word that one of them
 * lacks does not compile.
 */
import type { Format } from "./format.ts";
import type { Locale } from "./words.ts";

/** What was proved, each a count from 0. */
export interface Proved {
  readonly scenarios: number;
  readonly recordings: number;
  readonly badAgents: number;
}

const ENGLISH = {
  valid: (f: Format, { scenarios, recordings, badAgents }: Proved) =>
    `valid: ${f.count(scenarios, "scenario", "scenarios")}, ${
      f.count(recordings, "recording does what it says", "recordings do what they say")
    }, ${f.count(badAgents, "bad agent fails", "bad agents fail")} everywhere`,
};

const ITALIAN: typeof ENGLISH = {
  valid: (f, { scenarios, recordings, badAgents }) =>
    `valido: ${f.count(scenarios, "scenario", "scenari")}, ${
      f.count(
        recordings,
        "registrazione fa quello che dice",
        "registrazioni fanno quello che dicono",
      )
    }, ${f.count(badAgents, "agente cattivo fallisce", "agenti cattivi falliscono")} dappertutto`,
};

const CATALOGUE: Readonly<Record<Locale, typeof ENGLISH>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function validateWords(locale: Locale): typeof ENGLISH {
  return CATALOGUE[locale];
}
