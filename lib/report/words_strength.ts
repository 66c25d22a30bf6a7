/**
 * In which words are mutants, survivors and coverage told? English and Italian of one type: a word
 * that one of them lacks does not compile. Texts come in escaped for their place already.
 */
import type { Format } from "./format.ts";
import type { Locale } from "./words.ts";

const ENGLISH = {
  title: "Strength: how many spoilt runs each scenario notices",
  figures: (f: Format, killed: number, counted: number) =>
    `${f.number(killed)} of ${f.number(counted)} mutants killed`,
  apart: (f: Format, equivalent: number, invalid: number) =>
    `${f.number(equivalent)} equivalent, ${f.number(invalid)} invalid`,
  voice: (f: Format, killed: number, counted: number) =>
    `last text ${f.number(killed)} of ${f.number(counted)}`,
  notMeasured: "not measured",
  few: (f: Format, counted: number, least: number) =>
    `only ${f.count(counted, "mutant counts", "mutants count")}, wanted ${f.number(least)}`,
  survivors: "Survivors: spoilt runs that still pass",
  noSurvivors: "No survivor.",
  voiceSurvivors: "Last texts that nobody checks (outside the strength)",
  invalids: "Invalid mutants (not counted)",
  missing: "missing",
  warning: "warning",
  criticalSurvivor: (f: Format, id: string, n: number) =>
    `the critical scenario ${id} has ${f.count(n, "survivor", "survivors")}`,
  coverage: "Coverage: what no scenario touches",
  coverageOf: {
    tools: "tools",
    effects: "effects",
    faults: "kinds of fault",
    categories: "categories",
    risks: "risks",
    outcomes: "outcomes",
  },
  allTouched: "nothing is left out",
  duplicates: (ids: string) => `they kill the same mutants for the same reasons: ${ids}`,
  recording: (name: string) => `recording ${name}`,
  call: (nth: number, call: string) => nth === 0 ? call : `call ${nth}, ${call}`,
  mutations: {
    drop_call: (call: string) => `left out ${call}`,
    swap_calls: (call: string, other: string) => `swapped ${call} and ${other}`,
    change_argument: (call: string, argument: string, from: string, to: string) =>
      `${argument} was ${to} instead of ${from} in ${call}`,
    argument_left_out: (call: string, argument: string, from: string) =>
      `left out ${argument} (${from}) in ${call}`,
    repeat_write: (call: string) => `made twice: ${call}`,
    early_write: (call: string, before: string) => `made before the agent said ${before}: ${call}`,
    forbidden_attempt: (call: string) => `tried what is forbidden, refused by the tool: ${call}`,
    unrelated_write: (call: string) => `wrote what nobody asked for: ${call}`,
    no_confirmation: (call: string, question: string) =>
      `did not say ${question}, but made ${call}`,
    opposite: (text: string) => `said the opposite of ${text}`,
    empty: (text: string) => `said nothing instead of ${text}`,
  },
  checks: {
    soft: (ids: string) => `seen by ${ids}, not required: make it required if it must hold`,
    drop_call: (tool: string) =>
      `an entry in expected.state.changes or messages, or a required checkpoint $called('${tool}', …)`,
    drop_read: (tool: string) => `a required checkpoint $called('${tool}', …)`,
    drop_ask: () => "a required checkpoint $before($asks(…), …), or outcome asked",
    swap_calls: (tool: string, other: string) =>
      `a required checkpoint on the order, $before($done('${tool}'), $calls('${other}'))`,
    change_argument: (tool: string, argument: string) =>
      `a value in expected.state.changes or messages.where that depends on ${argument}, or $called('${tool}', {'${argument}': …})`,
    change_read: (tool: string, argument: string) =>
      `a required checkpoint $called('${tool}', {'${argument}': …})`,
    repeat_write: (tool: string) =>
      `a count: $count($done('${tool}')) = 1 required, {tool: ${tool}, more_than: 1} in forbidden, or repeats_max`,
    early_write: (tool: string) =>
      `a required checkpoint $before($user(…) or $asks(…), $calls('${tool}'))`,
    forbidden_attempt: (tool: string) => `the entry of ${tool} in expected.forbidden`,
    unrelated_write: (tool: string) =>
      `${tool} in expected.forbidden, or a narrower may_change or ignore`,
    no_confirmation: (tool: string) => `a required checkpoint $before($asks(…), $calls('${tool}'))`,
    final_text: () => "a required condition on what is said at the end, where it matters",
  },
};

/** Every word and sentence about strength and coverage. */
export type StrengthWords = typeof ENGLISH;

const ITALIAN: StrengthWords = {
  title: "Forza: di quante prove guastate apposta ogni scenario si accorge",
  figures: (f, killed, counted) =>
    `${f.number(killed)} ${killed === 1 ? "mutante scoperto" : "mutanti scoperti"} su ${
      f.number(counted)
    }`,
  apart: (f, equivalent, invalid) =>
    `${f.count(equivalent, "equivalente", "equivalenti")}, ${
      f.count(invalid, "non valido", "non validi")
    }`,
  voice: (f, killed, counted) => `ultima frase ${f.number(killed)} su ${f.number(counted)}`,
  notMeasured: "non misurata",
  few: (f, counted, least) =>
    `${counted === 1 ? "conta" : "contano"} solo ${
      f.count(counted, "mutante", "mutanti")
    }, ne servono ${f.number(least)}`,
  survivors: "Sopravvissuti: prove guastate che passano lo stesso",
  noSurvivors: "Nessun sopravvissuto.",
  voiceSurvivors: "Ultime frasi che nessuno controlla (fuori dalla forza)",
  invalids: "Mutanti non validi (non contano)",
  missing: "manca",
  warning: "attenzione",
  criticalSurvivor: (f, id, n) =>
    `lo scenario a rischio critico ${id} ha ${f.count(n, "sopravvissuto", "sopravvissuti")}`,
  coverage: "Copertura: che cosa nessuno scenario tocca",
  coverageOf: {
    tools: "strumenti",
    effects: "effetti",
    faults: "tipi di guasto",
    categories: "categorie",
    risks: "rischi",
    outcomes: "esiti",
  },
  allTouched: "non manca nulla",
  duplicates: (ids) => `scoprono gli stessi mutanti per gli stessi motivi: ${ids}`,
  recording: (name) => `registrazione ${name}`,
  call: (nth, call) => nth === 0 ? call : `chiamata ${nth}, ${call}`,
  mutations: {
    drop_call: (call) => `tolta la ${call}`,
    swap_calls: (call, other) => `scambiate la ${call} e la ${other}`,
    change_argument: (call, argument, from, to) =>
      `${argument} era ${to} invece di ${from} nella ${call}`,
    argument_left_out: (call, argument, from) => `tolto ${argument} (${from}) nella ${call}`,
    repeat_write: (call) => `fatta due volte: ${call}`,
    early_write: (call, before) => `fatta prima che l'agente dicesse ${before}: ${call}`,
    forbidden_attempt: (call) => `tentato ciò che è vietato, respinto dallo strumento: ${call}`,
    unrelated_write: (call) => `scritto ciò che nessuno ha chiesto: ${call}`,
    no_confirmation: (call, question) => `non detto ${question}, ma fatta la ${call}`,
    opposite: (text) => `detto il contrario di ${text}`,
    empty: (text) => `detto nulla invece di ${text}`,
  },
  checks: {
    soft: (ids) => `se ne accorge ${ids}, che non è richiesto: va reso richiesto se deve valere`,
    drop_call: (tool) =>
      `una voce in expected.state.changes o in messages, o un checkpoint richiesto $called('${tool}', …)`,
    drop_read: (tool) => `un checkpoint richiesto $called('${tool}', …)`,
    drop_ask: () => "un checkpoint richiesto $before($asks(…), …), o l'esito asked",
    swap_calls: (tool, other) =>
      `un checkpoint richiesto sull'ordine, $before($done('${tool}'), $calls('${other}'))`,
    change_argument: (tool, argument) =>
      `un valore in expected.state.changes o in messages.where che dipenda da ${argument}, o $called('${tool}', {'${argument}': …})`,
    change_read: (tool, argument) =>
      `un checkpoint richiesto $called('${tool}', {'${argument}': …})`,
    repeat_write: (tool) =>
      `un conteggio: $count($done('${tool}')) = 1 richiesto, {tool: ${tool}, more_than: 1} in forbidden, o repeats_max`,
    early_write: (tool) =>
      `un checkpoint richiesto $before($user(…) o $asks(…), $calls('${tool}'))`,
    forbidden_attempt: (tool) => `la voce di ${tool} in expected.forbidden`,
    unrelated_write: (tool) => `${tool} in expected.forbidden, o may_change e ignore più stretti`,
    no_confirmation: (tool) => `un checkpoint richiesto $before($asks(…), $calls('${tool}'))`,
    final_text: () => "una condizione richiesta su ciò che è detto alla fine, dove importa",
  },
};

const CATALOGUE: Readonly<Record<Locale, StrengthWords>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function strengthWords(locale: Locale): StrengthWords {
  return CATALOGUE[locale];
}

/** What spoilt agents say, in the locale's language. */
export function wordsOfMutants(
  locale: Locale,
): { readonly claim: string; readonly denial: string; readonly other: string } {
  return locale === "it"
    ? {
      claim: "Fatto: ho eseguito tutto quello che è stato chiesto.",
      denial: "Non ho fatto niente: la richiesta resta da eseguire.",
      other: "Tutt'altra cosa",
    }
    : {
      claim: "Done: I carried out everything that was asked.",
      denial: "I did nothing: the request is still to be carried out.",
      other: "Something else entirely",
    };
}
