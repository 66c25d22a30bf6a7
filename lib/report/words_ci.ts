/** What does `ci` say to people, in English and Italian? */
import type { Config } from "../model/config.ts";
import type { CommitState } from "./ci_commits.ts";

const ENGLISH = {
  title: (verdict: string) => `Collaudo: ${verdict}`,
  mayMerge: "every commit and the whole suite may pass",
  unproved: "nothing stops this branch, but not all of it could be judged",
  mayNot: "this branch may not be merged as it is",
  unusable: "The files of the last commit can not be used:",
  delta: "What changed",
  noBaseline: "No baseline to compare with",
  failures: "Failures",
  moreFailures: (n: number) => `… and ${n} more in the report`,
  commits: "Commits",
  commit: "commit",
  verdict: "verdict",
  what: "rules, scenarios",
  unguarded: "the hook did not run (`--no-verify`, or not installed)",
  openCommits: (n: number, of: number) => `${n} of ${of} judged commits keep the gate`,
  untouched: (n: number) => `${n} commits touch nothing that triggers`,
  again: "See it",
  states: {
    open: "the gate holds",
    unproved: "nothing stops it, but not all that it touches could be judged",
    overridden: "blocked, overridden in its own message",
    inherited: "blocked; its override is inherited, and was judged anew",
    standing: "blocked, covered by an override that still holds",
    blocked: "blocked, no override",
    exceeded: "blocked by more than its override was for",
    expired: "its override ran out, and it still fails",
    undecided: "could not be decided, no override",
    unusable: "its files can not be used",
  } satisfies Record<CommitState, string>,
};

/** What `ci` says. */
export type CiWords = typeof ENGLISH;

const ITALIAN: CiWords = {
  title: (verdict) => `Collaudo: ${verdict}`,
  mayMerge: "ogni commit e l'intera suite possono passare",
  unproved: "nulla ferma questo ramo, ma non tutto si è potuto giudicare",
  mayNot: "questo ramo così com'è non può essere unito",
  unusable: "I file dell'ultimo commit non sono utilizzabili:",
  delta: "Che cosa è cambiato",
  noBaseline: "Nessuna baseline con cui confrontare",
  failures: "Fallimenti",
  moreFailures: (n) => `… e altri ${n} nel rapporto`,
  commits: "Commit",
  commit: "commit",
  verdict: "esito",
  what: "regole, scenari",
  unguarded: "l'hook non è passato di qui (`--no-verify`, o non installato)",
  openCommits: (n, of) => `${n} di ${of} commit giudicati rispettano il gate`,
  untouched: (n) => `${n} commit non toccano nulla che conti`,
  again: "Rivedi",
  states: {
    open: "il gate regge",
    unproved: "nulla lo ferma, ma non tutto ciò che tocca si è potuto giudicare",
    overridden: "bloccato, scavalcato nel suo messaggio",
    inherited: "bloccato; l'override è ereditato ed è stato giudicato da capo",
    standing: "bloccato, coperto da un override ancora valido",
    blocked: "bloccato, nessun override",
    exceeded: "bloccato da più di ciò che il suo override copriva",
    expired: "il suo override è scaduto e fallisce ancora",
    undecided: "non si è potuto decidere, nessun override",
    unusable: "i suoi file non sono utilizzabili",
  },
};

const CATALOGUE: Readonly<Record<Config["locale"], CiWords>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function ciWordsOf(locale: Config["locale"]): CiWords {
  return CATALOGUE[locale];
}
