/** The Italian of the morning message; see `words_summary_en.ts` for what each entry takes. */
import type { SummaryWords } from "./words_summary.ts";

export const SUMMARY_ITALIAN: SummaryWords = {
  overridden: (verdict) => `IN DEROGA, sarebbe ${verdict}`,
  partial: "PARZIALE",
  noRun: "NESSUNA PROVA",
  passed: (f, n, of) => `${f.number(n)}/${f.number(of)} superati`,
  ofSelection: "di una selezione",
  newFailures: (f, n) => f.count(n, "nuovo fallimento", "nuovi fallimenti"),
  failures: (f, n) => f.count(n, "fallimento", "fallimenti"),
  critical: (f, n) => f.count(n, "grave", "gravi"),
  nothingNew: "niente di nuovo",
  failedAll: "nessun fallimento",
  notGradedCount: (f, n) => `${f.count(n, "non valutato", "non valutati")}`,
  rulesSpoke: (rules) => `regole: ${rules}`,
  evidence: { self_test: "autocollaudo", recorded: "prove registrate", live: "dal vivo" },
  proves: {
    self_test: "autocollaudo, nessun modello interrogato",
    recorded: "prove registrate, nessun modello interrogato",
    live: "dal vivo",
  },
  gate: (name, version) => `${name} v${version}`,
  commit: (sha) => `commit ${sha}`,

  undelivered: (f, when, verdict) =>
    `⚠️ Il messaggio di ${f.shortMoment(when)} (${verdict}) non è stato consegnato`,
  undeliveredMore: (f, n) =>
    `⚠️ ${
      f.count(
        n,
        "altro messaggio non è stato consegnato",
        "altri messaggi non sono stati consegnati",
      )
    }`,
  doubtful: (f, when, verdict) =>
    `⚠️ Il messaggio di ${f.shortMoment(when)} (${verdict}) forse non è stato consegnato`,
  liftedBy: "In deroga per",
  repeat: "(forse già ricevuto)",
  loosened: (f, n) => `⚠️ Gate allentato: ${f.count(n, "modifica", "modifiche")}`,

  titles: { new: "Nuovi", failed: "Non superati" },
  more: (f, n) => `+${f.count(n, "altro", "altri")}`,
  known: "Già noti",
  fixed: "Risolti",
  passAgain: "Noti come falliti, ora superati",
  notGraded: "Non valutati",
  why: {
    stale: "registrazione superata",
    skipped: "non eseguito",
    environment: "ambiente guasto",
    undecided: "non giudicabile",
  },

  harms: {
    revealed: (_f, _n) => "ha rivelato un segreto",
    protectedChanged: (f, n) =>
      n === 1
        ? "ha cambiato qualcosa di protetto"
        : `ha cambiato qualcosa di protetto in ${f.number(n)} punti`,
    protectedDeleted: (f, n) =>
      n === 1 ? "ha cancellato qualcosa di protetto" : `ha cancellato ${f.number(n)} cose protette`,
    sentTwice: (_f, _n) => "ha mandato più volte lo stesso messaggio",
    sent: (f, n) =>
      n === 1
        ? "ha mandato un messaggio che nessuno ha chiesto"
        : `ha mandato ${f.number(n)} messaggi che nessuno ha chiesto`,
    changed: (f, n) =>
      n === 1
        ? "ha cambiato qualcosa che nessuno ha chiesto"
        : `ha cambiato ${f.number(n)} cose che nessuno ha chiesto`,
    added: (f, n) =>
      n === 1
        ? "ha aggiunto qualcosa che nessuno ha chiesto"
        : `ha aggiunto ${f.number(n)} cose che nessuno ha chiesto`,
    deleted: (f, n) =>
      n === 1
        ? "ha cancellato qualcosa senza che fosse chiesto"
        : `ha cancellato ${f.number(n)} cose senza che fosse chiesto`,
    file: (f, n) =>
      n === 1
        ? "ha toccato un file fuori dal suo compito"
        : `ha toccato ${f.number(n)} file fuori dal suo compito`,
    missing: (f, n) =>
      n === 1 ? "non ha fatto ciò che doveva" : `non ha fatto ${f.number(n)} delle cose che doveva`,
    missingMessage: (f, n) =>
      n === 1 ? "non ha mandato il messaggio" : `non ha mandato ${f.number(n)} messaggi`,
  },
  tried: (tool) => `ha provato ${tool}, che è vietato`,
  triedSomething: "ha provato qualcosa di vietato",
  claimed: "e ha detto di averlo fatto",
  endings: {
    limit: "è stato fermato a un limite",
    timeout: "ha impiegato troppo tempo",
    interrupted: "è stato interrotto",
    agent_error: "si è guastato",
    environment_error: "ha perso l'ambiente di prova",
  },
  asked: "non è finito come doveva",
  checkpoint: (id) => `ha mancato il passo ${id}`,
  overLimit: "ha superato un limite",
  otherwise: "non ha fatto ciò che era chiesto",

  forbiddenTried: (f, n) => `Tentativi vietati in ${f.count(n, "scenario", "scenari")}`,
  sideEffects: (f, n) => `Effetti collaterali in ${f.count(n, "scenario", "scenari")}`,
  success: (value, baseline) =>
    baseline === null ? `riusciti ${value}` : `riusciti ${value} (riferimento ${baseline})`,
  spent: (amount, cap) => cap === null ? `spesi ${amount}` : `spesi ${amount} (tetto ${cap})`,
  spentUnknown: (cap) => cap === null ? "costo ignoto" : `costo ignoto (tetto ${cap})`,
  spentPart: (f, n, spent) => `${spent}, costo ignoto per ${f.count(n, "prova", "prove")}`,
  aTask: (value, baseline) =>
    baseline === null ? `${value} a compito` : `${value} a compito (riferimento ${baseline})`,
  p95: (value, baseline) => baseline === null ? `p95 ${value}` : `p95 ${value} (${baseline})`,
  questions: (f, n) =>
    f.count(n, "prova ha avuto bisogno di una persona", "prove hanno avuto bisogno di una persona"),
  overridesOpen: (f, n) => `Deroghe aperte: ${f.number(n)}`,
  until: (f, day) => `fino al ${f.day(day)}`,
  expired: "scaduta",
  report: "Rapporto",
  seeIt: "Per rivederlo",
  goOn: "Per continuare",
  nextRun: (f, when) => `Prossima prova ${f.shortMoment(when)}`,

  since: (f, when) => `da ${f.shortMoment(when)}`,
  neverRan: "non c'è alcun rapporto",
  neverLive: "non c'è alcuna prova dal vivo",
  noneReadable: "non si legge alcun rapporto",
  stopped: {
    crashed: "Il lavoro è partito e si è interrotto da sé.",
    timeout: "Il lavoro è partito e ha impiegato troppo tempo.",
    interrupted: "Il lavoro è partito ed è stato fermato.",
    not_started: "Il lavoro non è potuto partire.",
    failed: "Il lavoro è partito ed è finito senza un rapporto.",
    running: "Il lavoro è partito e non è ancora finito.",
    unreadable: "C'è, o c'era, un rapporto più nuovo che non si legge.",
    due: (f, when) => `Era atteso ${f.shortMoment(when)}: non è arrivato nulla.`,
    unknown: "Niente dice perché: controlla che il programma orario sia attivo.",
  },
  week: {
    head: "SETTIMANA",
    days: (f, from, to) => `${f.shortDay(from)} – ${f.shortDay(to)}`,
    runs: (f, n) => f.count(n, "prova", "prove"),
    last: (verdict) => `ultima ${verdict}`,
    noWhole: "nessuna dell'intera suite",
    noRuns: "In questi sette giorni non è nato alcun rapporto.",
    unreadable: (f, n) =>
      `⚠️ ${
        f.count(
          n,
          "rapporto di questi giorni non si legge",
          "rapporti di questi giorni non si leggono",
        )
      }`,
    noLedger: "⚠️ regressions.md non è utilizzabile: delle deroghe non si sa nulla",
    byTask: "Per compito",
    was: (value) => `era ${value}`,
    firstTime: "non giudicato la settimana prima",
    people: (f, now, before) =>
      `È servita una persona in ${f.number(now.n)} di ${f.count(now.of, "prova", "prove")}` +
      (before === null ? "" : ` (prima ${f.number(before.n)} di ${f.number(before.of)})`),
    critical: "Fallimenti gravi",
    incidents: "Incidenti",
    fromIncidents: (f, n) => `${f.count(n, "scenario viene", "scenari vengono")} da incidenti`,
    new: "nuovi",
    failed: "falliti",
    added: "Scenari aggiunti",
    removed: "Scenari tolti",
    overrides: "Deroghe",
    opened: (f, n, ids) => `${f.count(n, "aperta", "aperte")} (${ids})`,
    closed: (f, n, ids) => `${f.count(n, "scaduta", "scadute")} (${ids})`,
    open: (f, n) => `${f.number(n)} in corso`,
    divergence: (success, people) =>
      `Riusciti qui ${success[0]} (era ${success[1]}), persone necessarie nelle prove registrate ${
        people[0]
      } (era ${people[1]})`,
    hidden: "La suite non vede ciò che vedono le persone.",
    strict: "La suite fallisce di più, e le persone non servono più spesso.",
  },
  lastSaid: (verdict) => `L'ultimo rapporto dice ${verdict}: di oggi non dice nulla.`,
  unstored: "⚠️ Il disco non prende più nulla: questo messaggio può arrivare di nuovo",
  cli: {
    delivered: (name) => `consegnato: ${/^\d/.test(name) ? `messaggio ${name}` : name}`,
    already: (name, f, when) =>
      `già consegnato, ${f.moment(when)}: ${/^\d/.test(name) ? `messaggio ${name}` : name}`,
    undelivered: (channel, why) => `non consegnato (${channel}): ${why}`,
    written: (path) => `scritto: ${path}`,
    kept: "resta in reports/outbox e si riprova con il prossimo notify",
    noPicture: (why) => `senza la figura: ${why}`,
    attached: (kind) => `allegato: ${kind}`,
  },
  picture: (f, n) => f.count(n, "ultima prova", "ultime prove"),
};
