/** The Italian of everything that people read; see `words_en.ts` for what each entry takes. */
import type { Words } from "./words.ts";
import { ALERTS_ITALIAN } from "./words_alerts.ts";
import { LEDGER_ITALIAN } from "./words_ledger.ts";
import { SURE_ITALIAN } from "./words_sure.ts";

export const ITALIAN: Words = {
  title: (gate, version) => `Collaudo: gate ${gate}, versione ${version}`,
  figure: "misura",
  value: "valore",
  baseline: "riferimento",
  notMeasured: "non misurato",
  absent: "assente",
  unknown: "ignoto",
  noted: "Nota",
  none: "nessuno",
  points: (f, share) =>
    `${f.tenths(share * 100)}\u00a0${f.tenths(share * 100) === "1" ? "punto" : "punti"}`,
  sure: SURE_ITALIAN,
  more: (f, n) => `e altri ${f.number(n)}`,

  metrics: {
    taskSuccess: "compiti riusciti",
    stepScore: "punteggio dei passi",
    sideEffectPenalty: "penalità per effetti collaterali, per prova",
    critical: "scenari con un danno grave",
    forbiddenAttempts: "scenari con un tentativo vietato",
    efficiency: "chiamate rispetto al riferimento",
    repeatedCalls: "chiamate ripetute per prova",
    costPerTask: "costo per compito",
    latencyP95Ms: "tempo di risposta, 95º percentile",
    humanIntervention: "prove che hanno avuto bisogno di una persona",
    correctRefusals: "rifiuti corretti",
    errored: "prove non giudicabili",
    stale: "prove con registrazione superata",
    scenarios: "scenari valutati",
    trials: "prove valutate",
  },

  verdicts: {
    passed: "superato",
    failed: "non superato",
    errored: "non giudicabile",
    stale: "registrazione superata",
    skipped: "saltato",
  },
  outcomes: {
    passed: "vale",
    failed: "non vale",
    errored: "indecisa",
    not_measured: "non misurata",
  },
  ended: {
    completed: "la prova è finita da sé",
    limit: "la prova è stata fermata a un limite",
    timeout: "la prova è durata troppo",
    interrupted: "la prova è stata interrotta",
    agent_error: "l'agente si è guastato",
    environment_error: "l'ambiente di prova si è guastato",
    stale: "la registrazione non corrisponde più",
  },

  restsOn: {
    self_test:
      "Questo è un autocollaudo: sono state riprodotte registrazioni scritte a mano. Mette alla prova gli scenari, gli strumenti e le regole, non un modello.",
    recorded:
      "Si basa su prove registrate da un modello e giudicate di nuovo; ora nessun modello è stato interpellato.",
    live: "Si basa su prove dal vivo: ha risposto un modello.",
  },
  noReasons: "Tutte le regole sono rispettate.",
  judgedHold: (f, n) =>
    `Le regole giudicate sono rispettate; ${
      f.count(n, "regola non è stata giudicata", "regole non sono state giudicate")
    }, vedi il rapporto.`,
  because: (text) => `Motivo della regola: ${text}.`,
  found: (values) => `trovato ${values}`,
  concerned: (list) => `Scenari: ${list}.`,
  neverOverridden: "Questa regola non ammette deroghe.",
  reasons: {
    ruleFailed: (rule, expression, found) =>
      `La regola ${rule} non è rispettata: chiede ${expression}, ${found}.`,
    ruleMissing: (rule, found) =>
      `La regola ${rule} non ha nulla da giudicare: manca un valore che le serve (${found}).`,
    ruleMissingSkipped: (rule, found) =>
      `La regola ${rule} è stata tralasciata, come dice il suo file: manca un valore che le serve (${found}).`,
    ruleUndecided: (rule, found) =>
      `La regola ${rule} resta indecisa: nulla di ciò su cui si basa è stato valutato (${found}).`,
    ruleDoubtful: (rule, found) =>
      `La regola ${rule} non è raggiunta, anche se potrebbe essere il caso (${found}).`,
    ruleBroken: (rule, why) => `Non è stato possibile valutare la regola ${rule}: ${why}.`,
    ruleNew: (rule) =>
      `Regola ${rule}: è nuovo, nel riferimento non c'è nulla con cui confrontarlo.`,
    ruleNoBaseline: (rule) =>
      `La regola ${rule} non è stata giudicata: confronta con un riferimento.`,
    errored: (f, n, trials) =>
      `${f.count(n, "prova", "prove")} su ${f.number(trials)} non ${
        n === 1 ? "è giudicabile" : "sono giudicabili"
      }.`,
    stale: (f, n) =>
      `${f.count(n, "prova ha", "prove hanno")} una registrazione che non corrisponde più.`,
    skipped: (f, n) => `${f.count(n, "prova è stata saltata", "prove sono state saltate")}.`,
    recordingLost: (f, n) =>
      `${
        f.count(n, "scenario ha", "scenari hanno")
      } perso la registrazione: questa modifica l'ha tolta, o non corrisponde più.`,
    projectRemoved: (file) => `${file} non c'è più: nessun commit sarebbe giudicato.`,
    nothingGraded: "Non è stato valutato nulla: nessuno scenario stabile è arrivato in fondo.",
    noBaseline: "Non c'è un riferimento: le regole che confrontano non sono state giudicate.",
    noEquals:
      "Nessuno scenario è uguale a quelli del riferimento: non c'è nulla da confrontare. Guarda questa esecuzione, poi accettala come nuovo riferimento.",
    selfTestBaseline:
      "Il riferimento viene da un autocollaudo, che di un modello non dice nulla: le regole che confrontano non sono state giudicate.",
    invalid: (what) => `Il confronto non è valido: ${what}.`,
  },

  sections: {
    decision: "Decisione",
    changes: "Che cosa è cambiato rispetto al riferimento",
    failures: "Scenari non superati",
    notGraded: "Non valutati",
    soft: "Superati, ma non in tutto",
    apart: "In prova o con difetti noti (non bloccano)",
    scores: "Punteggi",
    byTask: "Per compito",
    byCategory: "Per categoria",
    cost: "Costo e tempi",
    overrides: "Deroghe",
    limits: "Limiti di questa esecuzione",
    versions: "Versioni",
  },
  noBaselineToCompare: "Non c'è un riferimento con cui confrontare.",
  comparison: {
    regressions: "Peggiorati",
    fixed: "Risolti",
    stillFailing: "Già non superati prima",
    added: "Nuovi",
    changed: "Modificati, non confrontati",
    removed: "Tolti",
    errored: "Non giudicabili",
    stale: "Con registrazione superata",
  },
  unchanged: (f, n) => `${f.count(n, "scenario è rimasto uguale", "scenari sono rimasti uguali")}.`,
  noFailures: "Nessuno.",

  request: "La richiesta",
  worldTitle: "Che cosa doveva cambiare e che cosa è cambiato",
  table: {
    path: "percorso",
    before: "prima",
    expected: "atteso",
    after: "dopo",
    class: "che cos'è",
  },
  classes: {
    expected: "atteso",
    ignored: "ignorato",
    protected: "protetto",
    allowed: "ammesso",
    file: "file",
    other_record: "non richiesto",
    missing: "mancante",
    missing_message: "messaggio mancante",
    unrequested_message: "messaggio non richiesto",
  },
  asBefore: "come prima",
  noChanges: "Non è cambiato nulla.",
  consequence: {
    protectedChanged: (path, before, after) =>
      `${path} è cambiato da ${before} a ${after}: è protetto e doveva restare com'era.`,
    protectedAdded: (path, after) =>
      `${path} è stato aggiunto con ${after}: è protetto e non doveva esserci.`,
    protectedDeleted: (path, before) =>
      `${path}, che era ${before}, è stato cancellato: è protetto e doveva restare.`,
    putBack: (path, value) =>
      `${path} è stato scritto e poi riportato a ${value}: è protetto e non andava toccato affatto.`,
    otherChanged: (path, before, after) =>
      `${path} è cambiato da ${before} a ${after}: nessuno l'aveva chiesto.`,
    otherAdded: (path, after) => `${path} è stato aggiunto con ${after}: nessuno l'aveva chiesto.`,
    otherDeleted: (path, before) =>
      `${path}, che era ${before}, è stato cancellato: nessuno l'aveva chiesto.`,
    missing: (path, expected, after) => `${path} doveva essere ${expected} ed è ${after}.`,
    missingPattern: (path, expected) => `Sotto ${path} nulla è diventato come atteso: ${expected}.`,
    messageMissing: (expected) => `Un messaggio atteso non è partito: ${expected}.`,
    messageUnrequested: (message) =>
      `È partito un messaggio che nessuno aveva chiesto: ${message}.`,
    forbidden: (what, status) => `Era vietato e l'ha tentato lo stesso: ${what} (${status}).`,
    revealed: (number) => `Il segreto numero ${number} dello scenario è stato rivelato.`,
    claimedFalsely: "Il messaggio diceva che era tutto fatto, ma i dati dicono altro.",
    ended: (how) => `Non è arrivato in fondo: ${how}.`,
    condition: (id) => `Non è rispettata questa condizione: ${id}.`,
  },
  statuses: {
    ok: "è andato a buon fine",
    error: "è fallito",
    denied: "negato",
    cancelled: "annullato",
    unfinished: "rimasto a metà",
    granted: "approvato",
  },
  attempts: "Tentativi vietati",
  attemptHeads: { what: "che cosa", args: "argomenti", status: "com'è finito" },
  claim: "Che cosa ha detto",
  saidNothing: "Non ha detto nulla.",
  firstFailing: "Prima condizione non rispettata",
  expression: "espressione",
  expected: "atteso",
  foundValue: "trovato",
  at: "dove",
  allFailing: "Tutte le condizioni non rispettate",
  undecided: "Indecise",
  notMeasuredConditions: "Non misurate",
  trial: (n) => `Prova ${n}`,
  trials: "prove",
  trialFailures: (n, ids) => `nella prova ${n} anche ${ids}`,
  risk: {
    low: "rischio basso",
    medium: "rischio medio",
    high: "rischio alto",
    critical: "rischio critico",
  },
  recording: (name) => `registrazione ${name}`,
  reproduce: "Per rivederlo",
  runFile: "La prova",
  notes: "Note",
  lifecycles: { incubating: "in prova", stable: "stabile", known_failing: "difetto noto" },
  softLine: (id, share, conditions) => `${id} (${share}): ${conditions}`,

  name: "nome",
  passedOf: "superati",
  meanCost: (value) => `Media delle prove con un costo noto: ${value}.`,
  unknownCost: "Di nessuna prova si conosce il costo: ignoto non vuol dire gratis.",
  spenders: "Le più care",
  slowest: "Le più lente",
  repeats: "Più chiamate ripetute",
  latencyUnknown: "I tempi non sono stati misurati: in una riproduzione l'orologio è virtuale.",

  noOverrides: "Nessuna.",
  overrideHeads: {
    rules: "regole",
    scenarios: "scenari",
    reason: "motivo",
    by: "di",
    date: "dal",
    until: "fino al",
  },
  expired: "scaduta",
  ledger: LEDGER_ITALIAN,
  alerts: ALERTS_ITALIAN,

  leftOut: (f, n, task) =>
    `lasciati fuori: ${
      f.count(n, "scenario", "scenari")
    } su file veri, che questo comando non può eseguire; lo può \`${task}\``,

  limits: {
    replay_proves_no_model:
      "Una riproduzione non interpella alcun modello: non mostra come si comporta oggi, con questo prompt o con un altro.",
    self_test:
      "Le registrazioni sono scritte a mano: mostrano che cosa il collaudo sa cogliere, non che cosa fa un modello.",
    selection: "È stata giudicata solo una parte degli scenari.",
    cut_short:
      "L'esecuzione è stata interrotta prima della fine: finiti la spesa o il tempo, o su richiesta, non è più partito niente. È una parte, e mai un PASS.",
    baseline_moved:
      "Il riferimento si sposta insieme a ciò che confronta, perciò giudica anche quello di prima. Spostarlo in un commit a sé.",
    other_agent: "Il riferimento è stato misurato con un altro agente.",
    other_model:
      "Il riferimento è stato misurato con un altro modello: una differenza può essere del modello.",
    other_prompt: "Il riferimento è stato misurato con un altro prompt.",
    other_prices: "I costi del riferimento sono contati con prezzi di un altro giorno.",
    other_notes: "Il riferimento è stato misurato con altre note (`--note`).",
    rubric_not_judged: "I criteri di stile (rubriche) non sono stati giudicati.",
    graded_elsewhere: "Le prove sono state fatte altrove; qui non è stato eseguito nulla.",
    wrote:
      "Alcune prove non dicono che cosa ha scritto ogni chiamata: lì si giudica solo la differenza finale dello stato.",
    usage: "Alcune prove non dichiarano i consumi: costo e tempi non sono misurati.",
    times: "Alcune prove non riportano gli orari: ciò che ne dipende non è misurato.",
  },
  noLimits: "Nessuno oltre a quanto detto sopra.",

  progress: (done, total) => `${done} di ${total}`,
  files: "Scritti",
  next: "Adesso",
  baselineLine: (name, when) => `Riferimento ${name}, accettato il ${when}`,
  baselineReason: (reason) => `Motivo: ${reason}`,
  baselineFrom: (report, commit) => `Preso da ${report}, commit ${commit}`,
  baselineScores: (f, runs, scenarios) =>
    `${f.count(scenarios, "scenario valutato", "scenari valutati")}, ${
      f.count(runs, "prova", "prove")
    }`,
};
