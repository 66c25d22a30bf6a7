/**
 * In which words is it told what an accepted baseline changes? English and Italian of one type: a
 * word that one of them lacks does not compile. Texts come in escaped for their place already.
 */
import type { Unfit } from "./baseline_moved.ts";
import type { Locale } from "./words.ts";

const listed = (ids: readonly string[]) =>
  ids.length <= 5 ? ids.join(", ") : `${ids.slice(0, 5).join(", ")} +${ids.length - 5}`;

const ENGLISH = {
  unfit: ({ kind, ids }: Unfit) => {
    const texts: Record<Unfit["kind"], string> = {
      blocked: "its decision is BLOCK",
      undecided: "its decision is ERROR",
      partial: "it covers a selection of the suite only",
      errored: `errored: ${listed(ids)}`,
      stale: `stale: ${listed(ids)}`,
      failed: `failed: ${listed(ids)}`,
      passed: `passed: ${listed(ids)}`,
      skipped: `skipped, as the run was cut short: ${listed(ids)}`,
    };
    return texts[kind];
  },
  although: (why: string) => `accepted although ${why}`,
  first: "the first baseline of this name",
  kinds: {
    regressions: "fail from now on without a word",
    fixed: "must pass from now on",
    added: "new in the baseline",
    removed: "no longer in the baseline, so no longer compared",
    changed: "changed since, compared in their new form from now on",
    errored: "errored, so not compared",
    stale: "stale, so not compared",
  },
  same: "every scenario stands as before",
  figure: (name: string, from: string, to: string) => `${name}: ${from} → ${to}`,
  versions: {
    agent: "agent",
    model: "model",
    prompt: "prompt",
    prices: "prices of",
    evidence: "kind of run",
    currency: "currency",
  },
  notCompared: (name: string) =>
    `the gate names no baseline, so no run is compared with it: add "baseline: ${name}" to the gate`,
  commit:
    "the commit that brings this file becomes a row of regressions.md; make it one of its own",
};

const ITALIAN: typeof ENGLISH = {
  unfit: ({ kind, ids }) => {
    const texts: Record<Unfit["kind"], string> = {
      blocked: "la sua decisione è BLOCK",
      undecided: "la sua decisione è ERROR",
      partial: "riguarda solo una scelta di scenari",
      errored: `in errore: ${listed(ids)}`,
      stale: `superati: ${listed(ids)}`,
      failed: `falliti: ${listed(ids)}`,
      passed: `superati con successo: ${listed(ids)}`,
      skipped: `saltati, perché l'esecuzione è stata interrotta: ${listed(ids)}`,
    };
    return texts[kind];
  },
  although: (why) => `accettato anche se ${why}`,
  first: "il primo riferimento con questo nome",
  kinds: {
    regressions: "d'ora in poi falliscono senza che si dica",
    fixed: "d'ora in poi devono riuscire",
    added: "nuovi nel riferimento",
    removed: "non più nel riferimento, quindi non più confrontati",
    changed: "cambiati nel frattempo, d'ora in poi confrontati nella forma nuova",
    errored: "in errore, quindi non confrontati",
    stale: "superati, quindi non confrontati",
  },
  same: "ogni scenario sta come prima",
  figure: (name, from, to) => `${name}: ${from} → ${to}`,
  versions: {
    agent: "agente",
    model: "modello",
    prompt: "prompt",
    prices: "prezzi del",
    evidence: "tipo di esecuzione",
    currency: "valuta",
  },
  notCompared: (name) =>
    `il gate non nomina alcun riferimento, perciò nessuna esecuzione vi è confrontata: aggiungi "baseline: ${name}" al gate`,
  commit:
    "il commit che porta questo file diventa una riga di regressions.md; conviene che sia un commit a sé",
};

const CATALOGUE: Readonly<Record<Locale, typeof ENGLISH>> = { en: ENGLISH, it: ITALIAN };

/** The words of accepted baselines. */
export function baselineWordsOf(locale: Locale): typeof ENGLISH {
  return CATALOGUE[locale];
}
