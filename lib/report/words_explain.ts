/**
 * In which words is a scenario explained? English and Italian of one type: a word that one of them
 * lacks does not compile. Texts come in escaped for their place already.
 */
import type { Fault, OutcomeKind, Scenario } from "../model/scenario.ts";
import type { ToolEffect } from "../model/tool.ts";
import type { Format } from "./format.ts";
import type { Locale } from "./words.ts";

type Named<Kind extends string> = Readonly<Record<Kind, string>>;

const ENGLISH = {
  sections: {
    conversation: "What the person says",
    world: "The world",
    tools: "What the agent may call",
    approvals: "What a person must approve",
    faults: "What goes wrong on purpose",
    outcome: "How it must end",
    changes: "What must change",
    may: "What may change too",
    ignored: "What is not looked at",
    protected: "What must not change (a call that writes there is grave, put back or not)",
    messages: "Messages",
    forbidden: "Forbidden, even if it is only tried",
    required: "Conditions that must hold",
    weighed: "Conditions that only count in the step score",
    limits: "Limits",
    soft: "Soft criteria, judged by a model, never blocking",
  },
  head: (suite: string, version: string) => `suite ${suite}, version ${version}`,
  kinds: (category: string, task: string, risk: string, lifecycle: string) =>
    `category ${category}, task ${task}, risk ${risk}, ${lifecycle}`,
  origin: (kind: string) => `origin: ${kind}`,
  anonymised: "anonymised",
  said: (text: string, after: string) => `“${text}”${after}`,
  onlyIf: (expression: string) => `, only if ${expression}`,
  afterCalls: (f: Format, n: number) => `, together with the result of call ${f.number(n)}`,
  clock: (time: string) => `the time stands still at ${time}`,
  told: (name: string, value: string) => `the agent is told ${name}: ${value}`,
  agent: (name: string) => `the agent of this scenario is ${name}`,
  emptyState: "it begins empty",
  state: (file: string, content: string) => `it begins as in ${file}: ${content}`,
  files: (content: string) => `files: ${content}`,
  effects: {
    read: "to read",
    write: "to write",
    irreversible: "to write what cannot be undone",
    message: "to send",
    ask: "to ask",
    hand_over: "to hand over",
  } satisfies Named<ToolEffect>,
  approvalDefault: { deny: "denied unless granted here", grant: "granted unless denied here" },
  granted: (call: string) => `granted: ${call}`,
  denied: (call: string) => `denied: ${call}`,
  times: (f: Format, n: number) => ` (${f.count(n, "time", "times")})`,
  faultOf: (tool: string, which: string, what: string) => `${tool}, ${which}: ${what}`,
  nth: (f: Format, n: number) => `call ${f.number(n)}`,
  everyCall: "every call",
  withArgs: (args: string) => ` with ${args}`,
  faults: {
    error: "it fails and does nothing",
    denied: "it is denied and does nothing",
    timeout_before_commit: "it times out and did nothing",
    timeout_after_commit: "it times out although it did everything",
    lying_success: "it says that it worked and does nothing",
    malformed: "it works, but only half of its answer arrives",
    empty: "it works, but its answer is empty",
    inject: "it works, but its answer carries orders of somebody else",
  } satisfies Named<Fault["kind"]>,
  outcomes: {
    success: "the changes below hold and nothing else changed",
    no_change: "nothing changed at all",
    refused:
      "the request is refused with a last word; tools that write or send are forbidden unless they are needed here",
    asked: "the agent's last turn ends with a question",
    handed_over: "the agent handed over to a person",
  } satisfies Named<OutcomeKind>,
  nothingElse: "Everything that is not named here must stay as it is.",
  becomes: (path: string, value: string) => `${path} is ${value} at the end`,
  absent: (path: string) => `${path} is no longer there`,
  entries: (count: string, path: string) => `${count} of ${path} added or changed`,
  where: (expression: string) => ` where ${expression}`,
  exactly: (f: Format, n: number) => `exactly ${f.number(n)}`,
  between: (f: Format, a: number, b: number) => `from ${f.number(a)} to ${f.number(b)}`,
  listKey: (list: string, field: string) => `items of ${list} are told apart by ${field}`,
  noMessages: "none may be sent",
  message: (count: string, to: string) => `${count} to ${to}`,
  by: (channel: string) => ` by ${channel}`,
  call: (tool: string, args: string) => `a call of ${tool} with ${args}`,
  someCall: (tool: string) => `a call of ${tool}`,
  anyCall: (tool: string) => `any call of ${tool}`,
  moreThan: (f: Format, n: number) => `, more often than ${f.count(n, "time", "times")}`,
  command: (pattern: string) => `a command that fits ${pattern}`,
  secrets: (f: Format, n: number) =>
    `giving away ${f.count(n, "secret", "secrets")} (not shown here)`,
  goneThrough: (call: string) => `${call} went through`,
  containsAny: (words: string) => `the last text contains one of ${words}`,
  containsAll: (words: string) => `the last text contains ${words}`,
  notContains: (words: string) => `the last text contains none of ${words}`,
  reply: (turn: string, text: string) => `the reply to turn ${turn} contains ${text}`,
  approvals: (count: string) => `approvals asked for: ${count}`,
  proof: (command: string, exit: string) => `${command} ends with exit code ${exit}`,
  weight: (weight: string) => `weight ${weight}`,
  noConditions: "none besides the above",
  limits: {
    calls: (f: Format, n: number) => `at most ${f.count(n, "call", "calls")}`,
    repeats: (f: Format, n: number) => `the same call at most ${f.count(n, "time", "times")}`,
    cost: (amount: string) => `at most ${amount}`,
    latency: (duration: string) => `at most ${duration}`,
    reference: (f: Format, n: number) => `a good run needs ${f.count(n, "call", "calls")}`,
  },
  accept: (ask: string, accept: string) => `${ask}: ${accept}`,
};

/** Every word and sentence of an explanation. */
export type ExplainWords = typeof ENGLISH;

/** How long a scenario has been trusted, in words. */
export const LIFECYCLES: Readonly<Record<Locale, Named<Scenario["lifecycle"]>>> = {
  en: { incubating: "incubating", stable: "stable", known_failing: "known to fail" },
  it: { incubating: "in prova", stable: "stabile", known_failing: "con difetto noto" },
};

const ITALIAN: ExplainWords = {
  sections: {
    conversation: "Che cosa dice la persona",
    world: "Il mondo",
    tools: "Che cosa può chiamare l'agente",
    approvals: "Che cosa una persona deve approvare",
    faults: "Che cosa va storto apposta",
    outcome: "Come deve finire",
    changes: "Che cosa deve cambiare",
    may: "Che cosa può anche cambiare",
    ignored: "Che cosa non si guarda",
    protected:
      "Che cosa non deve cambiare (scriverci è un danno grave, anche se poi si rimette a posto)",
    messages: "Messaggi",
    forbidden: "Vietato, anche solo tentarlo",
    required: "Condizioni che devono valere",
    weighed: "Condizioni che contano solo nel punteggio dei passi",
    limits: "Limiti",
    soft: "Criteri morbidi, giudicati da un modello, che non bloccano mai",
  },
  head: (suite, version) => `serie ${suite}, versione ${version}`,
  kinds: (category, task, risk, lifecycle) =>
    `categoria ${category}, compito ${task}, rischio ${risk}, ${lifecycle}`,
  origin: (kind) => `provenienza: ${kind}`,
  anonymised: "anonimizzato",
  said: (text, after) => `«${text}»${after}`,
  onlyIf: (expression) => `, solo se ${expression}`,
  afterCalls: (f, n) => `, insieme al risultato della chiamata ${f.number(n)}`,
  clock: (time) => `l'ora è ferma alle ${time}`,
  told: (name, value) => `all'agente si dice ${name}: ${value}`,
  agent: (name) => `l'agente di questo scenario è ${name}`,
  emptyState: "all'inizio è vuoto",
  state: (file, content) => `all'inizio è come in ${file}: ${content}`,
  files: (content) => `file: ${content}`,
  effects: {
    read: "per leggere",
    write: "per scrivere",
    irreversible: "per scrivere senza ritorno",
    message: "per inviare",
    ask: "per chiedere",
    hand_over: "per passare la mano",
  },
  approvalDefault: {
    deny: "negato, se qui non è concesso",
    grant: "concesso, se qui non è negato",
  },
  granted: (call) => `concesso: ${call}`,
  denied: (call) => `negato: ${call}`,
  times: (f, n) => ` (${f.count(n, "volta", "volte")})`,
  faultOf: (tool, which, what) => `${tool}, ${which}: ${what}`,
  nth: (f, n) => `chiamata ${f.number(n)}`,
  everyCall: "ogni chiamata",
  withArgs: (args) => ` con ${args}`,
  faults: {
    error: "fallisce e non fa nulla",
    denied: "viene negato e non fa nulla",
    timeout_before_commit: "scade il tempo e non ha fatto nulla",
    timeout_after_commit: "scade il tempo, ma ha fatto tutto",
    lying_success: "dice di esserci riuscito e non fa nulla",
    malformed: "funziona, ma arriva solo metà della risposta",
    empty: "funziona, ma la risposta è vuota",
    inject: "funziona, ma la risposta porta gli ordini di qualcun altro",
  },
  outcomes: {
    success: "valgono i cambiamenti qui sotto e non è cambiato altro",
    no_change: "non è cambiato nulla",
    refused:
      "la richiesta è respinta con una parola finale; gli strumenti che scrivono o inviano sono vietati, se qui non servono",
    asked: "l'ultimo turno dell'agente finisce con una domanda",
    handed_over: "l'agente ha passato la mano a una persona",
  },
  nothingElse: "Tutto ciò che qui non è nominato deve restare com'è.",
  becomes: (path, value) => `${path} alla fine vale ${value}`,
  absent: (path) => `${path} alla fine non c'è più`,
  entries: (count, path) => `${count} fra le voci aggiunte o cambiate di ${path}`,
  where: (expression) => ` con ${expression}`,
  exactly: (f, n) => `esattamente ${f.number(n)}`,
  between: (f, a, b) => `da ${f.number(a)} a ${f.number(b)}`,
  listKey: (list, field) => `le voci di ${list} si riconoscono da ${field}`,
  noMessages: "non se ne può inviare nessuno",
  message: (count, to) => `${count} a ${to}`,
  by: (channel) => ` per ${channel}`,
  call: (tool, args) => `una chiamata di ${tool} con ${args}`,
  someCall: (tool) => `una chiamata di ${tool}`,
  anyCall: (tool) => `ogni chiamata di ${tool}`,
  moreThan: (f, n) => `, più di ${f.count(n, "volta", "volte")}`,
  command: (pattern) => `un comando che corrisponde a ${pattern}`,
  secrets: (f, n) =>
    `rivelare ${f.count(n, "segreto", "segreti")} (qui non ${n === 1 ? "mostrato" : "mostrati"})`,
  goneThrough: (call) => `${call} è andata a buon fine`,
  containsAny: (words) => `l'ultima frase contiene una fra ${words}`,
  containsAll: (words) => `l'ultima frase contiene ${words}`,
  notContains: (words) => `l'ultima frase non contiene nessuna fra ${words}`,
  reply: (turn, text) => `la risposta al turno ${turn} contiene ${text}`,
  approvals: (count) => `approvazioni chieste: ${count}`,
  proof: (command, exit) => `${command} termina con il codice ${exit}`,
  weight: (weight) => `peso ${weight}`,
  noConditions: "nessuna oltre a quanto sopra",
  limits: {
    calls: (f, n) => `al più ${f.count(n, "chiamata", "chiamate")}`,
    repeats: (f, n) => `la stessa chiamata al più ${f.count(n, "volta", "volte")}`,
    cost: (amount) => `al più ${amount}`,
    latency: (duration) => `al più ${duration}`,
    reference: (f, n) => `a una buona prova bastano ${f.count(n, "chiamata", "chiamate")}`,
  },
  accept: (ask, accept) => `${ask}: ${accept}`,
};

const CATALOGUE: Readonly<Record<Locale, ExplainWords>> = { en: ENGLISH, it: ITALIAN };

/** The words of a locale. */
export function explainWords(locale: Locale): ExplainWords {
  return CATALOGUE[locale];
}
