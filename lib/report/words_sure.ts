/**
 * In which words is it told how sure a run is? English and Italian of one type: a word that one of
 * them lacks does not compile. Texts come in escaped for their place already; no formula stands here.
 */
import type { DecisionVerdict } from "../model/gate.ts";
import type { DropEvidence, FloorEvidence } from "../model/statistics.ts";
import type { Format } from "./format.ts";

type Answers = Record<DropEvidence["verdict"], string>;
type FloorAnswers = Record<FloorEvidence["verdict"], string>;

/** Entered in the English catalogue as `sure`. */
export const SURE_ENGLISH = {
  title: "How sure it is",
  ship: "May it ship",
  shipAnswers: {
    pass: "yes: every rule holds",
    warn: "it is not stopped, but look at the warnings first",
    not_enough_evidence:
      "nothing stops it, but too little is known to say yes: a person decides, or more is tried",
    block: "no: a rule stops it",
    error: "that can not be said: the run was no fair trial",
    overridden: "it was let pass by decision of a person, though a rule stops it",
  } as Record<DecisionVerdict | "overridden", string>,
  broke: "What broke",
  nothingBroke: "nothing that the baseline had",
  notCompared: "nothing failed; there is no baseline to compare with",
  failedAlone: (list: string) => `failed, with no baseline to compare with: ${list}`,
  collapsed: (list: string) => `collapsed, succeeded before and hardly now: ${list}`,
  lessOften: (list: string) => `less often than before: ${list}`,
  sure: "How sure",
  tried: (
    f: Format,
    scenarios: number,
    trials: { readonly least: number; readonly most: number },
  ) =>
    `${f.count(scenarios, "scenario", "scenarios")}, ${
      trials.least === trials.most ? "each tried " : `tried ${f.number(trials.least)} to `
    }${f.count(trials.most, "time", "times")}`,
  outcomes: (f: Format, always: number, sometimes: number, never: number) =>
    `${f.number(always)} succeeded every time, ${f.number(sometimes)} sometimes, ${
      f.number(never)
    } never`,
  sometimes: (list: string) => `sometimes: ${list}`,
  of: (f: Format, passed: number, trials: number) => `${f.number(passed)} of ${f.number(trials)}`,
  same: "success is as before",
  fell: (points: string) => `success fell by ${points}`,
  rose: (points: string) => `success rose by ${points}`,
  hidden: (points: string) => `could hide a drop of up to ${points}`,
  hiddenAny: "nothing was compared: it could hide a drop of any size",
  noRegression: "no regression seen",
  surer: "What would make it surer",
  moreTrials: (f: Format, trials: number, points: string) =>
    `${
      f.count(trials, "trial", "trials")
    } of each scenario, here and in the baseline, would find a drop of about ${points} four times in five`,
  needsBaseline: "a baseline to compare with",
  enoughTrials: "more scenarios: more trials of these would add little",
  ruleFell: (rule: string, metric: string, by: string) =>
    `Rule ${rule} does not hold: ${metric} fell by ${by}, more than chance explains.`,
  ruleCollapsed: (rule: string) =>
    `Rule ${rule} does not hold: a critical scenario that succeeded before hardly does now.`,
  ruleMayFall: (rule: string, metric: string, by: string) =>
    `Rule ${rule} holds, but ${metric} fell by ${by}, which chance may explain.`,
  ruleHides: (rule: string, by: string) =>
    `Rule ${rule} holds, but a drop of up to ${by} could hide: too little was tried to rule it out.`,
  cost: "What it cost",
  totalCost: (total: string, f: Format, runs: number) =>
    `${total} for ${f.count(runs, "run", "runs")}`,
  partlyKnown: (f: Format, runs: number) =>
    `${f.count(runs, "run has", "runs have")} no known cost`,
  unknownCost: "unknown: no run has a known cost",
  question: (rule: string, metric: string, margin: string, on: string) =>
    `Rule ${rule} asks whether ${metric} fell by ${margin} or more, on ${on}`,
  onScenarios: (f: Format, n: number, now: number, then: number) =>
    `${f.count(n, "scenario", "scenarios")}, tried ${f.number(now)} times now and ${
      f.number(then)
    } times for the baseline`,
  onGroups: (f: Format, n: number) => `each of ${f.count(n, "group", "groups")}`,
  answers: {
    block: "yes, and chance does not explain it",
    warn: "perhaps: it fell, and chance may explain it",
    not_enough_evidence: "not seen, but too little was tried to rule it out",
    too_small: "too small to compare",
    pass: "no",
  } as Answers,
  floorAnswers: {
    block: "surely not reached",
    warn: "not reached, though chance may explain it",
    not_enough_evidence: "nothing to measure",
    pass_weak: "reached, with little to spare",
    pass: "reached",
  } as FloorAnswers,
  floor: (rule: string, metric: string, floor: string, found: string, on: string) =>
    `Rule ${rule} wants ${metric} of at least ${floor}: found ${found} on ${on}`,
  critical: (id: string, passed: string, needed: string) =>
    `${id} is critical and succeeded ${passed} times: ${needed} were needed`,
  costRatio: (percent: string, low: string, high: string) =>
    `Scenario by scenario the cost is ${percent} of the baseline's (between ${low} and ${high})`,
  fewLatencies: (f: Format, n: number) =>
    `The slowest twentieth can not be told apart with ${
      f.count(n, "scenario", "scenarios")
    }: latency warns at most`,
  numbers: "The numbers",
  heads: {
    rule: "rule",
    group: "group",
    metric: "figure",
    n: "scenarios (n)",
    k: "trials now / then (k)",
    difference: "difference, points",
    interval: "interval 95 %",
    hidden: "could hide",
    test: "test",
    p: "p",
    adjusted: "p after Holm (of m)",
    margin: "margin block / warn",
    verdict: "verdict",
    success: "success",
    allOfK: "all of k (pass^k)",
    oneOfK: "one of k (pass@k)",
    bound: "failures at most",
    scenario: "scenario",
    task: "task",
  },
  plan: {
    trials: "trials",
    finds: "finds a drop of about",
    costs: "costs about",
    takes: "takes about",
    minutes: (minutes: string) => `${minutes} min`,
    head: (f: Format, scenarios: number, runs: number) =>
      `${f.count(scenarios, "stable scenario", "stable scenarios")}; ${
        runs === 0
          ? "no live run yet: cost and time are unknown, a success of 90 % is assumed"
          : `from ${f.count(runs, "live run", "live runs")}`
      }.`,
    note:
      "Found four times in five, with as many trials in the baseline; an estimate, a single trial finds less.",
    within: (f: Format, trials: number, command: string) =>
      `Within the budget: ${f.count(trials, "trial", "trials")}: ${command}`,
    budgetTooSmall: "Not even one trial of every scenario fits the budget.",
    budgetUnknown: "What a trial takes of the budget is not known yet: no live run has told it.",
  },
  whole: "everything",
  estimand:
    "Compared is the mean success of these scenarios, this build against the baseline, scenario by scenario; a scenario counts once, however often it ran. Interval: paired t with two pseudo scenarios. Test: exact sign-flip, one-sided (with one trial: McNemar's), adjusted by Holm over the comparisons of the run. Rates: Wilson.",
  tests: { sign_flip: "exact sign-flip", counts: "counts", replay: "none: replay" } as Record<
    DropEvidence["test"],
    string
  >,
};

/** The same in Italian. */
export const SURE_ITALIAN: typeof SURE_ENGLISH = {
  title: "Quanto è sicuro",
  ship: "Si può rilasciare",
  shipAnswers: {
    pass: "sì: ogni regola vale",
    warn: "niente lo ferma, ma prima conviene guardare gli avvisi",
    not_enough_evidence:
      "niente lo ferma, ma si sa troppo poco per dire di sì: decide una persona, o si prova ancora",
    block: "no: una regola lo ferma",
    error: "non si può dire: non è stata una prova regolare",
    overridden: "è passato per decisione di una persona, anche se una regola lo ferma",
  },
  broke: "Che cosa si è rotto",
  nothingBroke: "niente di ciò che il riferimento aveva",
  notCompared: "niente è fallito; non c'è un riferimento con cui confrontare",
  failedAlone: (list) => `falliti, senza un riferimento con cui confrontare: ${list}`,
  collapsed: (list) => `crollati, prima riuscivano e adesso quasi mai: ${list}`,
  lessOften: (list) => `meno spesso di prima: ${list}`,
  sure: "Quanto è sicuro",
  tried: (f, scenarios, { least, most }) =>
    `${f.count(scenarios, "scenario", "scenari")}, ${
      least === most ? "ognuno provato " : `provati da ${f.number(least)} a `
    }${f.count(most, "volta", "volte")}`,
  outcomes: (f, always, sometimes, never) =>
    `${f.number(always)} riusciti sempre, ${f.number(sometimes)} a volte, ${f.number(never)} mai`,
  sometimes: (list) => `a volte: ${list}`,
  of: (f, passed, trials) => `${f.number(passed)} su ${f.number(trials)}`,
  same: "il successo è come prima",
  fell: (points) => `il successo è sceso di ${points}`,
  rose: (points) => `il successo è salito di ${points}`,
  hidden: (points) => `potrebbe nascondere un calo fino a ${points}`,
  hiddenAny: "non è stato confrontato niente: potrebbe nascondere un calo qualsiasi",
  noRegression: "nessuna regressione vista",
  surer: "Che cosa lo renderebbe più sicuro",
  moreTrials: (f, trials, points) =>
    `${
      f.count(trials, "prova", "prove")
    } per scenario, qui e nel riferimento, troverebbero un calo di circa ${points} quattro volte su cinque`,
  needsBaseline: "un riferimento con cui confrontare",
  enoughTrials: "più scenari: altre prove di questi aggiungerebbero poco",
  ruleFell: (rule, metric, by) =>
    `La regola ${rule} non è rispettata: la misura ${metric} è scesa di ${by}, più di quanto il caso spieghi.`,
  ruleCollapsed: (rule) =>
    `La regola ${rule} non è rispettata: uno scenario critico che prima riusciva adesso non riesce quasi mai.`,
  ruleMayFall: (rule, metric, by) =>
    `La regola ${rule} vale, ma la misura ${metric} è scesa di ${by}, e potrebbe essere il caso.`,
  ruleHides: (rule, by) =>
    `La regola ${rule} vale, ma potrebbe nascondersi un calo fino a ${by}: si è provato troppo poco per escluderlo.`,
  cost: "Quanto è costato",
  totalCost: (total, f, runs) => `${total} per ${f.count(runs, "esecuzione", "esecuzioni")}`,
  partlyKnown: (f, runs) =>
    `${f.count(runs, "esecuzione non ha", "esecuzioni non hanno")} un costo noto`,
  unknownCost: "non si sa: nessuna esecuzione ha un costo noto",
  question: (rule, metric, margin, on) =>
    `La regola ${rule} chiede se la misura ${metric} è scesa di ${margin} o più, su ${on}`,
  onScenarios: (f, n, now, then) =>
    `${f.count(n, "scenario", "scenari")}, provati ${f.number(now)} volte adesso e ${
      f.number(then)
    } volte per il riferimento`,
  onGroups: (f, n) => `ognuno di ${f.count(n, "gruppo", "gruppi")}`,
  answers: {
    block: "sì, e il caso non lo spiega",
    warn: "forse: è scesa, e potrebbe essere il caso",
    not_enough_evidence: "non si vede, ma si è provato troppo poco per escluderlo",
    too_small: "troppo pochi per confrontare",
    pass: "no",
  },
  floorAnswers: {
    block: "di sicuro non raggiunto",
    warn: "non raggiunto, anche se potrebbe essere il caso",
    not_enough_evidence: "niente da misurare",
    pass_weak: "raggiunto, per poco",
    pass: "raggiunto",
  },
  floor: (rule, metric, floor, found, on) =>
    `La regola ${rule} vuole ${metric} almeno ${floor}: trovato ${found} su ${on}`,
  critical: (id, passed, needed) =>
    `${id} è critico ed è riuscito ${passed} volte: ne servivano ${needed}`,
  costRatio: (percent, low, high) =>
    `Scenario per scenario il costo è il ${percent} del riferimento (fra ${low} e ${high})`,
  fewLatencies: (f, n) =>
    `Con ${
      f.count(n, "scenario", "scenari")
    } non si distingue il ventesimo più lento: la latenza al massimo avvisa`,
  numbers: "I numeri",
  heads: {
    rule: "regola",
    group: "gruppo",
    metric: "valore",
    n: "scenari (n)",
    k: "prove adesso / prima (k)",
    difference: "differenza, punti",
    interval: "intervallo 95 %",
    hidden: "può nascondere",
    test: "test",
    p: "p",
    adjusted: "p dopo Holm (di m)",
    margin: "margine blocca / avvisa",
    verdict: "esito",
    success: "successo",
    allOfK: "tutte le k (pass^k)",
    oneOfK: "una delle k (pass@k)",
    bound: "fallimenti al massimo",
    scenario: "scenario",
    task: "compito",
  },
  plan: {
    trials: "prove",
    finds: "trova un calo di circa",
    costs: "costa circa",
    takes: "dura circa",
    minutes: (minutes) => `${minutes} min`,
    head: (f, scenarios, runs) =>
      `${f.count(scenarios, "scenario stabile", "scenari stabili")}; ${
        runs === 0
          ? "nessuna esecuzione dal vivo: costo e durata non si sanno, si suppone un successo del 90 %"
          : `da ${f.count(runs, "esecuzione", "esecuzioni")} dal vivo`
      }.`,
    note:
      "Trovato quattro volte su cinque, con altrettante prove nel riferimento; una stima, una prova sola trova meno.",
    within: (f, trials, command) =>
      `Entro la spesa: ${f.count(trials, "prova", "prove")}: ${command}`,
    budgetTooSmall: "Nemmeno una prova per scenario sta nella spesa.",
    budgetUnknown:
      "Quanto prende una prova non si sa ancora: nessuna esecuzione dal vivo l'ha detto.",
  },
  whole: "tutto",
  estimand:
    "Si confronta il successo medio di questi scenari, questa versione contro il riferimento, scenario per scenario; uno scenario conta una volta, per quante volte sia stato provato. Intervallo: t appaiato con due pseudo-scenari. Test: inversione dei segni esatta, a una coda (con una prova: McNemar), corretta con Holm sui confronti dell'esecuzione. Quote: Wilson.",
  tests: { sign_flip: "inversione dei segni", counts: "conteggi", replay: "nessuno: replay" },
};
