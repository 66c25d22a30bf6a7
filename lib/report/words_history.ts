/**
 * In which words is the history told? English and Italian of one type: a word that one of them lacks
 * does not compile. Texts come in escaped for their place already.
 */
import type { Evidence } from "../model/gate.ts";
import type { Proposal, TrendScenario } from "../model/history.ts";
import type { HistoryFile } from "../model/ports.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Format } from "./format.ts";
import type { Locale } from "./words.ts";

type Often = NonNullable<TrendScenario["lastChange"]>["from"];
type Renewed = NonNullable<HistoryFile["renewed"]>;

const runs = (n: number) => `${n} ${n === 1 ? "run" : "runs"}`;
const corse = (n: number) => `${n} ${n === 1 ? "esecuzione" : "esecuzioni"}`;

const ENGLISH = {
  unusable: (why: string) => `notice: The history of the runs cannot be used: ${why}`,
  renewed: {
    damaged: (taken: number) =>
      `notice: The history of the runs was damaged: made again from ${
        runs(taken)
      } in reports/runs; runs whose reports were deleted are gone. The old file is reports/history/runs.old.sqlite`,
    older: (taken: number) =>
      `notice: The history of the runs had the shape of another version: made again from ${
        runs(taken)
      } in reports/runs; runs whose reports were deleted are gone. The old file is reports/history/runs.old.sqlite`,
  } as Record<Renewed, (taken: number) => string>,
  passedOver: (n: number) =>
    `notice: ${n} ${
      n === 1 ? "report" : "reports"
    } in reports/runs cannot be read and stay out of the history`,
  none: "No run yet: the history begins with the first one.",
  noPoint: "No run of the whole suite to its end yet: there is nothing to draw.",
  kinds: {
    live: "live runs",
    recorded: "runs that were recorded elsewhere or replayed from recordings of a model",
    self_test: "self-tests: handmade recordings, which say nothing of a model",
  } as Record<Evidence, string>,
  head: (metric: string, task: string | null, kind: string) =>
    `${metric}${task === null ? "" : ` of task ${task}`}, ${kind}`,
  shown: (f: Format, shown: number, of: number) =>
    shown === of
      ? f.count(shown, "run", "runs")
      : `the last ${f.number(shown)} of ${f.count(of, "run", "runs")}`,
  leftOut: (f: Format, n: number) =>
    `${f.count(n, "run", "runs")} of a selection, cut short or in another currency not drawn`,
  newModel: (model: string) => `model ${model}`,
  unsteady: "Scenarios that did not always succeed",
  steady: (f: Format, n: number) =>
    n === 1
      ? "The scenario succeeded every time."
      : `All ${f.number(n)} scenarios succeeded every time.`,
  passed: (f: Format, passed: number, of: number) =>
    `${f.number(passed)} of ${f.count(of, "trial", "trials")} passed`,
  flaky: (f: Format, mixed: number, cases: number) =>
    `flaky: both outcomes for one tree and model in ${f.number(mixed)} of ${
      f.count(cases, "case", "cases")
    }`,
  failsSince: (when: string) => `first failure ${when}`,
  changed: (when: string, from: string, to: string) => `last change ${when}: ${from}, then ${to}`,
  often: { always: "always", sometimes: "sometimes", never: "never" } as Record<Often, string>,
  proposals: "Proposals (nothing is changed by itself)",
  why: {
    always_passed: (f: Format, nights: number) =>
      `every trial passed on the last ${f.count(nights, "night", "nights")}`,
    never_passed: (f: Format, nights: number) =>
      `no trial passed on the last ${f.count(nights, "night", "nights")}`,
    flaky: (f: Format, nights: number) =>
      `both outcomes on ${f.number(nights)} of the last ${f.number(7)} nights`,
  } as Record<Proposal["why"], (f: Format, nights: number) => string>,
  change: (from: string, to: string, file: string) => `lifecycle ${from} → ${to} in ${file}`,
  needs: {
    stable: "",
    incubating: "it would block no more: raise the scenario's version and say why in the commit",
    known_failing: "it would block no more: it needs an owner, a reason and a day",
  } as Record<Scenario["lifecycle"], string>,
};

const ITALIAN: typeof ENGLISH = {
  unusable: (why) => `avviso: lo storico delle esecuzioni non si può usare: ${why}`,
  renewed: {
    damaged: (taken) =>
      `avviso: lo storico delle esecuzioni era rovinato: rifatto da ${
        corse(taken)
      } in reports/runs; quelle i cui rapporti sono stati cancellati non ci sono più. Il file vecchio è reports/history/runs.old.sqlite`,
    older: (taken) =>
      `avviso: lo storico delle esecuzioni aveva la forma di un'altra versione: rifatto da ${
        corse(taken)
      } in reports/runs; quelle i cui rapporti sono stati cancellati non ci sono più. Il file vecchio è reports/history/runs.old.sqlite`,
  },
  passedOver: (n) =>
    n === 1
      ? "avviso: 1 rapporto in reports/runs non si legge e resta fuori dallo storico"
      : `avviso: ${n} rapporti in reports/runs non si leggono e restano fuori dallo storico`,
  none: "Ancora nessuna esecuzione: lo storico comincia con la prima.",
  noPoint:
    "Ancora nessuna esecuzione di tutti gli scenari fino in fondo: non c'è niente da disegnare.",
  kinds: {
    live: "esecuzioni dal vivo",
    recorded: "esecuzioni registrate altrove o riprodotte da registrazioni di un modello",
    self_test: "autocollaudi: registrazioni scritte a mano, che non dicono niente di un modello",
  },
  head: (metric, task, kind) => `${metric}${task === null ? "" : ` del compito ${task}`}, ${kind}`,
  shown: (f, shown, of) =>
    shown === of
      ? f.count(shown, "esecuzione", "esecuzioni")
      : `le ultime ${f.number(shown)} di ${f.count(of, "esecuzione", "esecuzioni")}`,
  leftOut: (f, n) =>
    `${
      f.count(n, "esecuzione", "esecuzioni")
    } di una scelta, interrotte o in altra valuta non disegnate`,
  newModel: (model) => `modello ${model}`,
  unsteady: "Scenari non sempre riusciti",
  steady: (f, n) =>
    n === 1
      ? "Lo scenario è sempre riuscito."
      : `Tutti i ${f.number(n)} scenari sono sempre riusciti.`,
  passed: (f, passed, of) =>
    `${f.number(passed)} di ${f.count(of, "prova", "prove")} ${
      passed === 1 ? "riuscita" : "riuscite"
    }`,
  flaky: (f, mixed, cases) =>
    `instabile: entrambi gli esiti con lo stesso codice e modello in ${f.number(mixed)} di ${
      f.count(cases, "caso", "casi")
    }`,
  failsSince: (when) => `primo fallimento ${when}`,
  changed: (when, from, to) => `ultimo cambiamento ${when}: ${from}, poi ${to}`,
  often: { always: "sempre", sometimes: "a volte", never: "mai" },
  proposals: "Proposte (niente si cambia da sé)",
  why: {
    always_passed: (f, nights) =>
      nights === 1
        ? "ogni prova riuscita nell'ultima notte"
        : `ogni prova riuscita nelle ultime ${f.number(nights)} notti`,
    never_passed: (f, nights) =>
      nights === 1
        ? "nessuna prova riuscita nell'ultima notte"
        : `nessuna prova riuscita nelle ultime ${f.number(nights)} notti`,
    flaky: (f, nights) =>
      `entrambi gli esiti in ${f.number(nights)} delle ultime ${f.number(7)} notti`,
  },
  change: (from, to, file) => `lifecycle ${from} → ${to} in ${file}`,
  needs: {
    stable: "",
    incubating: "non bloccherebbe più: alzare la versione dello scenario e dire perché nel commit",
    known_failing: "non bloccherebbe più: servono un responsabile, un motivo e un giorno",
  },
};

const CATALOGUE: Readonly<Record<Locale, typeof ENGLISH>> = { en: ENGLISH, it: ITALIAN };

/** The words of the history. */
export function historyWordsOf(locale: Locale): typeof ENGLISH {
  return CATALOGUE[locale];
}
