/**
 * In which words does the bot answer, in English and Italian? Texts come in escaped for Telegram's
 * HTML mode; `/words` of this kind can be tapped there. Words of the morning message are not repeated.
 */
import type { Config } from "../model/config.ts";
import type { Format } from "./format.ts";

type Locale = Config["locale"];

const ENGLISH = {
  help: [
    "/status: what runs, what comes next, how it ended last",
    "/last: the newest message again",
    "/why d16: what a scenario did wrong; the beginning of its id is enough",
    "/run home: run a suite now; says the cost and asks once more",
    "/overrides: overrides that hold today",
  ],
  unknown: "I did not understand that. What I know:",
  onlyText: "I read text only. What I know:",
  nothingChanges: "Nothing written here changes a gate, a baseline or the ledger.",

  status: "Status",
  runsNow: (job: string) => `Running now: ${job}`,
  idle: "Nothing is running",
  next: (f: Format, job: string, when: string) => `${job}: next ${f.shortMoment(when)}`,
  ended: (f: Format, when: string, how: string) => `last ${f.shortMoment(when)}: ${how}`,
  never: "never ran yet",
  alarm: (days: number) => `⚠️ no success for ${days} days`,
  lastVerdict: (f: Format, verdict: string, when: string) =>
    `Newest report: ${verdict}, ${f.shortMoment(when)}`,
  noReport: "Newest report: none",
  unreadable: "The newest report cannot be read",
  undelivered: (f: Format, n: number) =>
    `⚠️ ${f.count(n, "message was", "messages were")} not delivered here`,
  ignored: (f: Format, n: number) =>
    `${f.count(n, "message", "messages")} from other chats ignored`,
  openQuestion: (suite: string, code: string) => `Open question: run ${suite}? /yes_${code}`,
  noMessage: "There is nothing to tell yet.",
  details: "Details",

  whyWhich: "Which scenario? Such as",
  whySeveral: "Several begin so",
  whyNone: (typed: string) => `No scenario of the newest report begins with ${typed}`,
  noFailures: "In the newest report nothing failed.",
  passed: "passed",
  trials: "Trials",
  isNew: "New: it did not fail in the baseline",
  isKnown: "Known: it failed in the baseline already",
  steps: "Steps missed",
  others: (f: Format, n: number) => f.count(n, "other condition", "other conditions"),
  tookAndCost: (time: string | null, cost: string | null) =>
    [time, cost].filter((part) => part !== null).join(", "),

  whole: "the whole suite",
  runWhich: "Which suite?",
  runNone: (typed: string) => `There is no suite ${typed}.`,
  question: (f: Format, suite: string, scenarios: number, runs: number) =>
    `Run ${suite} live? ${f.count(scenarios, "scenario", "scenarios")}, ${
      f.count(runs, "run", "runs")
    }.`,
  cost: (cost: string, runs: string) => `It costs about ${cost}, by the last live runs (${runs}).`,
  costUnknown: "What it costs is not known: no live run with known costs is there.",
  cap: (cap: string) => `It stops at ${cap}.`,
  noCap: "No cap is set: `--budget-eur` of the job sets one.",
  takes: (f: Format, minutes: number) => `It takes about ${f.count(minutes, "minute", "minutes")}.`,
  confirm: (code: string) => `Tap /yes_${code} to start it, /no to drop it.`,
  lapses: (minutes: number) =>
    `Without an answer within ${minutes} minutes the question lapses and nothing runs.`,
  afterOther: (job: string) => `It begins when ${job} has ended.`,
  cannotRun: "It cannot be run: its dry run is refused. See at the computer:",
  begun: (suite: string) => `Started: ${suite}. The result comes here.`,
  begunLater: (suite: string) => `In the queue: ${suite}. The result comes here.`,
  busy: (suite: string) => `${suite} is running already: nothing else was started.`,
  dropped: "Dropped: nothing runs.",
  noQuestion: "No question is open: nothing runs.",
  wrongCode: "That is not the code of the open question: nothing runs.",
  lapsed: (minutes: number) =>
    `The answer came after more than ${minutes} minutes: nothing runs. Ask again with /run.`,
  tooOld: (f: Format, when: string) =>
    `This was written ${f.shortMoment(when)}, while I was not there: nothing runs. Ask again.`,
  runOver: (suite: string, how: string) => `⚠️ ${suite}: ${how}; no report was made.`,
  brokeOff: (suite: string) => `⚠️ ${suite} broke off: the machine or the schedule went down.`,
  failed: "That failed; the reason stands where the schedule writes.",

  overridesOpen: (f: Format, n: number) =>
    `${f.count(n, "override holds", "overrides hold")} today`,
  noOverrides: "No override holds today.",
  unneeded: "no longer needed",
  ledgerBroken: "regressions.md cannot be used: see `ledger check` at the computer.",

  cli: {
    listens: "bot: listens; only the configured chat is answered",
    unreached: (why: string) => `bot: not reached: ${why}; it is tried again`,
    reached: "bot: reached again",
    conflict:
      "bot: another program reads the messages of this token; only one gets them\n  fix: end the other one, or remove its webhook",
    unanswered: (why: string) => `bot: an answer was not delivered: ${why}`,
    unstored: (why: string) => `bot: ${why}`,
  },
};

/** Every word and sentence of the bot. */
export type BotWords = typeof ENGLISH;

const ITALIAN: BotWords = {
  help: [
    "/status: che cosa gira, che cosa viene dopo, com'è finito l'ultimo lavoro",
    "/last: di nuovo l'ultimo messaggio",
    "/why d16: che cosa ha sbagliato uno scenario; basta l'inizio del suo id",
    "/run home: prova subito una suite; dice il costo e chiede conferma",
    "/overrides: le deroghe che valgono oggi",
  ],
  unknown: "Non ho capito. Ecco che cosa so fare:",
  onlyText: "Leggo solo testo. Ecco che cosa so fare:",
  nothingChanges: "Nulla di ciò che si scrive qui cambia un gate, una baseline o il registro.",

  status: "Stato",
  runsNow: (job) => `In corso: ${job}`,
  idle: "Nulla in corso",
  next: (f, job, when) => `${job}: prossimo ${f.shortMoment(when)}`,
  ended: (f, when, how) => `ultimo ${f.shortMoment(when)}: ${how}`,
  never: "mai partito",
  alarm: (days) => `⚠️ nessuna esecuzione riuscita da ${days} giorni`,
  lastVerdict: (f, verdict, when) => `Ultimo rapporto: ${verdict}, ${f.shortMoment(when)}`,
  noReport: "Ultimo rapporto: nessuno",
  unreadable: "L'ultimo rapporto non si può leggere",
  undelivered: (f, n) =>
    `⚠️ ${f.count(n, "messaggio non consegnato", "messaggi non consegnati")} qui`,
  ignored: (f, n) =>
    f.count(n, "messaggio di altre chat ignorato", "messaggi di altre chat ignorati"),
  openQuestion: (suite, code) => `Domanda aperta: provare ${suite}? /yes_${code}`,
  noMessage: "Non c'è ancora nulla da dire.",
  details: "Dettagli",

  whyWhich: "Quale scenario? Per esempio",
  whySeveral: "Più di uno comincia così",
  whyNone: (typed) => `Nessuno scenario dell'ultimo rapporto comincia con ${typed}`,
  noFailures: "Nell'ultimo rapporto nulla è fallito.",
  passed: "superato",
  trials: "Prove",
  isNew: "Nuovo: nel riferimento non falliva",
  isKnown: "Già noto: falliva anche nel riferimento",
  steps: "Passi mancati",
  others: (f, n) => f.count(n, "altra condizione", "altre condizioni"),
  tookAndCost: (time, cost) => [time, cost].filter((part) => part !== null).join(", "),

  whole: "tutta la suite",
  runWhich: "Quale suite?",
  runNone: (typed) => `Non c'è una suite ${typed}.`,
  question: (f, suite, scenarios, runs) =>
    `Provo dal vivo ${suite}? ${f.count(scenarios, "scenario", "scenari")}, ${
      f.count(runs, "prova", "prove")
    }.`,
  cost: (cost, runs) => `Costa circa ${cost}, secondo le ultime prove dal vivo (${runs}).`,
  costUnknown: "Il costo è ignoto: non c'è una prova dal vivo con costi noti.",
  cap: (cap) => `Si ferma a ${cap}.`,
  noCap: "Nessun tetto: lo fissa `--budget-eur` del lavoro.",
  takes: (f, minutes) => `Dura circa ${f.count(minutes, "minuto", "minuti")}.`,
  confirm: (code) => `Tocca /yes_${code} per avviare, /no per lasciar perdere.`,
  lapses: (minutes) =>
    `Senza risposta entro ${minutes} minuti la domanda decade e non parte nulla.`,
  afterOther: (job) => `Comincia quando ${job} è finito.`,
  cannotRun: "Non si può avviare: anche a secco è rifiutato. Guarda al computer:",
  begun: (suite) => `Avviato: ${suite}. L'esito arriva qui.`,
  begunLater: (suite) => `In coda: ${suite}. L'esito arriva qui.`,
  busy: (suite) => `${suite} è già in corso: non è partito altro.`,
  dropped: "Lasciato perdere: non parte nulla.",
  noQuestion: "Nessuna domanda aperta: non parte nulla.",
  wrongCode: "Non è il codice della domanda aperta: non parte nulla.",
  lapsed: (minutes) =>
    `La risposta è arrivata dopo più di ${minutes} minuti: non parte nulla. Richiedi con /run.`,
  tooOld: (f, when) =>
    `Scritto ${f.shortMoment(when)}, mentre non c'ero: non parte nulla. Richiedi.`,
  runOver: (suite, how) => `⚠️ ${suite}: ${how}; nessun rapporto.`,
  brokeOff: (suite) =>
    `⚠️ ${suite} si è interrotto: la macchina o il programma orario si è fermato.`,
  failed: "Non è riuscito; il motivo sta dove scrive il programma orario.",

  overridesOpen: (f, n) => `${f.count(n, "deroga vale", "deroghe valgono")} oggi`,
  noOverrides: "Oggi non vale alcuna deroga.",
  unneeded: "non serve più",
  ledgerBroken: "regressions.md non è utilizzabile: vedi `ledger check` al computer.",

  cli: {
    listens: "bot: in ascolto; risponde solo alla chat configurata",
    unreached: (why) => `bot: non raggiunto: ${why}; si riprova`,
    reached: "bot: di nuovo raggiunto",
    conflict:
      "bot: un altro programma legge i messaggi di questo token; li riceve uno solo\n  fix: ferma l'altro, o togli il suo webhook",
    unanswered: (why) => `bot: una risposta non è stata consegnata: ${why}`,
    unstored: (why) => `bot: ${why}`,
  },
};

const CATALOGUE: Readonly<Record<Locale, BotWords>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function botWordsOf(locale: Locale): BotWords {
  return CATALOGUE[locale];
}
