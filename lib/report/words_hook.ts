/**
 * What do hooks say at a commit, in English and Italian? Kept apart from the report's words, so that
 * a verdict that is known already is told without loading more than this.
 */
import type { Config } from "../model/config.ts";

const ENGLISH = {
  judged: (n: number, of: number, seconds: string, verdict: string) =>
    `collaudo: ${n} of ${of} scenarios in ${seconds} s: ${verdict}`,
  stopped: {
    1: "collaudo: BLOCK, the commit is stopped",
    2: "collaudo: the files can not be used, the commit is stopped",
    3: "collaudo: ERROR, it could not be decided, the commit is stopped",
  },
  more: (n: number) => `… and ${n} more`,
  besides: (rules: string) => `Besides: ${rules}`,
  baselineMoved:
    "The baseline moves in this commit too, so the one before it judges: move it in a commit of its own",
  leftOut: (budget: number, ids: string) => `Over ${budget} s, left out: ${ids}`,
  notHere: (ids: string) => `They start programs, so not judged here: ${ids}`,
  loosened: (n: number, base: string) =>
    `Gate loosened in ${n} ${n === 1 ? "place" : "places"}: gate diff ${base}`,
  stale: (ids: string) => `Outdated recordings, so this is no pass: ${ids}`,
  seeIt: (command: string) => `See it:  ${command}`,
  report: (path: string) => `Report:  ${path}`,
  recover: (command: string) => `Message: ${command}`,
  next: "Mend what broke. How a person passes a closed gate: docs/hooks.md",
  never: (rules: string) => `Nobody can override: ${rules}`,
  refused: "The override in the message does not hold:",
  faults: {
    empty: "it gives no reason",
    placeholder: "its words give no reason",
    until_unreadable: "its end is no single day such as 2026-12-31",
    until_past: "its end has passed",
    until_too_far: "its end is more than 90 days away",
  },
  notUtf8: "The message is not UTF-8, so that no override in it can be read",
  noneFor2: "Files that can not be used are mended, never overridden.",
  overridden: (id: string, until: string) =>
    `collaudo: BLOCK (overridden by ${id}, until ${until})`,
  lifted: (ids: string) => `collaudo: BLOCK (overridden by ${ids})`,
  notNeeded: "collaudo: the gate is open, the override in the message is not needed",
  missing: (runtime: string) => `collaudo: ${runtime} is not there, nothing was judged`,
  missingStops: "the commit is stopped: install it, or run hook install again",
  missingPasses: "the commit goes on; CI will judge it",
  noProject: (file: string) => `collaudo: there is no ${file} here, nothing was judged`,
  movedAway: (file: string) =>
    `collaudo: the project moves to ${file}: run hook install there first`,
  halfRemoved: (file: string) =>
    `collaudo: without ${file} nothing is judged: put it back, or remove all of it`,
  removedAll: (file: string) =>
    `collaudo: ${file} goes, no commit will be judged: the message must say why`,
  notSynced: "collaudo: regressions.md could not be brought up to date",
  install: {
    active: "active",
    missing: "not active",
    written: "written",
    kept: "kept as it is",
    judged: (prefix: string) => `Commits are judged by ${prefix === "" ? "this project" : prefix}`,
    notYet: "Not every hook is active: git does not ask Collaudo at each commit",
    add: (file: string) => `Add this line to ${file}:`,
    folderAbsent: (folder: string) =>
      `core.hooksPath names "${folder}", which is not here: git runs no hook at all`,
    ownsFile: (tool: string, where: string) =>
      `${tool} writes this file anew when it likes: name the line in ${where} too`,
    removed: "The hooks are gone; kept reports of overridden blocks stay",
    takeOut: (file: string) => `Take the line that calls collaudo/hook out of ${file}`,
    noShim: "The shim is not there: run hook install",
    takenOver: (prefix: string) =>
      `Before, the project "${prefix}" judged; it is not there any more`,
    otherProject: (prefix: string) => `Its commits are judged by another project: "${prefix}"`,
  },
};

/** What hooks say. */
export type HookWords = typeof ENGLISH;

const ITALIAN: HookWords = {
  judged: (n, of, seconds, verdict) =>
    `collaudo: ${n} di ${of} scenari in ${seconds} s: ${verdict}`,
  stopped: {
    1: "collaudo: BLOCK, il commit è fermato",
    2: "collaudo: i file non sono utilizzabili, il commit è fermato",
    3: "collaudo: ERROR, non si è potuto decidere, il commit è fermato",
  },
  more: (n) => `… e altri ${n}`,
  besides: (rules) => `Inoltre: ${rules}`,
  baselineMoved:
    "Anche il riferimento si sposta in questo commit, perciò giudica quello di prima: spostarlo in un commit a sé",
  leftOut: (budget, ids) => `Oltre ${budget} s, lasciati fuori: ${ids}`,
  notHere: (ids) => `Avviano programmi, qui non giudicati: ${ids}`,
  loosened: (n, base) => `Gate allentato in ${n} ${n === 1 ? "punto" : "punti"}: gate diff ${base}`,
  stale: (ids) => `Registrazioni superate, quindi non è un pass: ${ids}`,
  seeIt: (command) => `Rivedi:    ${command}`,
  report: (path) => `Rapporto:  ${path}`,
  recover: (command) => `Messaggio: ${command}`,
  next: "Correggi ciò che si è rotto. Come una persona passa il gate: docs/hooks.md",
  never: (rules) => `Nessuno può scavalcare: ${rules}`,
  refused: "L'override nel messaggio non vale:",
  faults: {
    empty: "non dà un motivo",
    placeholder: "le sue parole non danno un motivo",
    until_unreadable: "la sua fine non è un solo giorno come 2026-12-31",
    until_past: "la sua fine è già passata",
    until_too_far: "la sua fine è oltre 90 giorni",
  },
  notUtf8: "Il messaggio non è in UTF-8: nessun override in esso si può leggere",
  noneFor2: "I file non utilizzabili si correggono, non si scavalcano.",
  overridden: (id, until) => `collaudo: BLOCK (overridden by ${id}, fino al ${until})`,
  lifted: (ids) => `collaudo: BLOCK (overridden by ${ids})`,
  notNeeded: "collaudo: il gate è aperto, l'override nel messaggio non serve",
  missing: (runtime) => `collaudo: ${runtime} non c'è, nulla è stato giudicato`,
  missingStops: "il commit è fermato: installalo, o ripeti hook install",
  missingPasses: "il commit prosegue; lo giudicherà la CI",
  noProject: (file) => `collaudo: qui non c'è ${file}, nulla è stato giudicato`,
  movedAway: (file) => `collaudo: il progetto passa a ${file}: prima esegui lì hook install`,
  halfRemoved: (file) => `collaudo: senza ${file} nulla è giudicato: rimettilo, o togli tutto`,
  removedAll: (file) =>
    `collaudo: ${file} se ne va, nessun commit sarà giudicato: il messaggio dica perché`,
  notSynced: "collaudo: regressions.md non è stato aggiornato",
  install: {
    active: "attivo",
    missing: "non attivo",
    written: "scritto",
    kept: "lasciato com'è",
    judged: (prefix) => `I commit sono giudicati da ${prefix === "" ? "questo progetto" : prefix}`,
    notYet: "Non tutti gli hook sono attivi: git non interpella Collaudo a ogni commit",
    add: (file) => `Aggiungi questa riga a ${file}:`,
    folderAbsent: (folder) =>
      `core.hooksPath indica "${folder}", che non c'è: git non esegue nessun hook`,
    ownsFile: (tool, where) =>
      `${tool} riscrive questo file quando vuole: metti la riga anche in ${where}`,
    removed: "Gli hook sono tolti; i rapporti dei blocchi scavalcati restano",
    takeOut: (file) => `Togli da ${file} la riga che chiama collaudo/hook`,
    noShim: "Lo shim non c'è: esegui hook install",
    takenOver: (prefix) => `Prima giudicava il progetto "${prefix}", che non c'è più`,
    otherProject: (prefix) => `I suoi commit sono giudicati da un altro progetto: "${prefix}"`,
  },
};

const CATALOGUE: Readonly<Record<Config["locale"], HookWords>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function hookWordsOf(locale: Config["locale"]): HookWords {
  return CATALOGUE[locale];
}
