/**
 * In which words is recording told? English and Italian of one type: a word that one of them lacks
 * does not compile. Texts come in escaped for their place already.
 */
import type { VerdictKind } from "../model/verdict.ts";
import type { Format } from "./format.ts";
import type { OtherFact } from "./recording_diff.ts";
import type { Locale } from "./words.ts";

const ENGLISH = {
  kept: (file: string) => `kept as ${file}`,
  keptFailed: (file: string) => `failed, kept as ${file}`,
  fits: (name: string) => `recording "${name}" still fits, nothing to record`,
  notKept: (why: string) => `not kept: ${why}`,
  notRun: (why: string) => `not run: ${why}`,
  verdict: {
    passed: "the run passed",
    failed: "the run failed; `--keep-failed NAME` would file it",
    errored: "the run could not be decided",
    stale: "the run was stale",
    skipped: "the run was stopped",
  } as Record<VerdictKind, string>,
  handmade: (file: string) =>
    `${file} is written by hand and stays as it is; \`--replace\` overwrites it`,
  silent: "the model answered nothing that could be replayed",
  secret: "a key would still stand in the file",
  unreadable: (why: string) => `the file would not be valid: ${why}`,
  otherVerdict: (verdict: string, detail: string) =>
    `replayed it is ${verdict}${detail === "" ? "" : `: ${detail}`}`,
  otherConditions: (ids: string) => `replayed it fails other conditions: ${ids}`,
  otherEvents: (n: number, live: string, replayed: string) =>
    `replayed, event ${n} is ${replayed}, in the run it was ${live}`,
  noEvent: "missing",
  notWritten: "it was written, and reads otherwise now",
  unproved: (name: string, why: string) => `whether recording "${name}" fits is unknown: ${why}`,
  needsPrograms: "it works on real files, and this task starts no programs but git",
  budget: (limit: string) => `the budget of ${limit} is reached`,
  unknownCost: "the cost of a run is unknown, so the budget cannot be kept",
  interrupted: "interrupted",
  same: (file: string) => `it says and calls the same as ${file} before`,
  against: (file: string) => `against ${file} before:`,
  facts: {
    agent: "another agent",
    model: "another model",
    system: "another system prompt",
    tools: "other tools",
    answers: "other answers of the tools",
  } as Record<OtherFact, string>,
  more: (n: number) => `… ${n} more`,
  withoutDigests: "what its commands print differs each time: it is not compared",
  cost: (money: string) => `cost ${money}`,
  unknown: "unknown",
  total: (f: Format, n: Readonly<{ kept: number; fit: number; of: number }>) =>
    `${n.kept} of ${f.count(n.of, "scenario", "scenarios")} recorded${
      n.fit === 0 ? "" : `, ${n.fit} still fit`
    }`,
  partly: (money: string, n: number) => `unknown for ${n}, the others ${money}`,
};

const ITALIAN: typeof ENGLISH = {
  kept: (file) => `conservata come ${file}`,
  keptFailed: (file) => `fallita, conservata come ${file}`,
  fits: (name) => `la registrazione "${name}" vale ancora, niente da registrare`,
  notKept: (why) => `non conservata: ${why}`,
  notRun: (why) => `non eseguita: ${why}`,
  verdict: {
    passed: "l'esecuzione è superata",
    failed: "l'esecuzione è fallita; `--keep-failed NOME` la archivia",
    errored: "l'esecuzione non si è potuta decidere",
    stale: "l'esecuzione non corrispondeva",
    skipped: "l'esecuzione è stata fermata",
  },
  handmade: (file) => `${file} è scritta a mano e resta com'è; \`--replace\` la sovrascrive`,
  silent: "il modello non ha risposto niente che si possa ripetere",
  secret: "nel file resterebbe una chiave",
  unreadable: (why) => `il file non sarebbe valido: ${why}`,
  otherVerdict: (verdict, detail) => `ripetuta è ${verdict}${detail === "" ? "" : `: ${detail}`}`,
  otherConditions: (ids) => `ripetuta non rispetta altre condizioni: ${ids}`,
  otherEvents: (n, live, replayed) =>
    `ripetuta, l'evento ${n} è ${replayed}, nell'esecuzione era ${live}`,
  noEvent: "assente",
  notWritten: "è stato scritto, e ora si legge altro",
  unproved: (name, why) => `non si sa se la registrazione "${name}" valga ancora: ${why}`,
  needsPrograms: "lavora su file veri, e questo task non avvia programmi oltre a git",
  budget: (limit) => `il tetto di ${limit} è raggiunto`,
  unknownCost: "il costo di un'esecuzione è ignoto, quindi il tetto non si può rispettare",
  interrupted: "interrotta",
  same: (file) => `dice e chiama lo stesso di ${file} prima`,
  against: (file) => `rispetto a ${file} prima:`,
  facts: {
    agent: "un altro agente",
    model: "un altro modello",
    system: "un altro prompt di sistema",
    tools: "altri strumenti",
    answers: "altre risposte degli strumenti",
  },
  more: (n) => `… altre ${n}`,
  withoutDigests: "ciò che i suoi comandi stampano cambia ogni volta: non è confrontato",
  cost: (money) => `costo ${money}`,
  unknown: "ignoto",
  total: (f, n) =>
    `${n.kept} di ${f.count(n.of, "scenario", "scenari")} ${
      n.kept === 1 ? "registrato" : "registrati"
    }${n.fit === 0 ? "" : `, ${n.fit} ancora ${n.fit === 1 ? "valido" : "validi"}`}`,
  partly: (money, n) => `ignoto per ${n}, gli altri ${money}`,
};

/** The words of recording. */
export type RecordWords = typeof ENGLISH;

const CATALOGUE: Readonly<Record<Locale, RecordWords>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function recordWordsOf(locale: Locale): RecordWords {
  return CATALOGUE[locale];
}
