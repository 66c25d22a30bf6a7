/**
 * Is a reason none? Templates that were copied as they stand, and words that say nothing, in English
 * and Italian. A rule of its own: what an override line says and whether it is accepted are two things.
 */

const EMPTY_WORDS: ReadonlySet<string> = new Set([
  ...["reason", "the reason", "a reason", "your reason", "your reason here", "reason here"],
  ...["insert reason", "insert reason here", "some reason", "no reason", "why", "because"],
  ...["motivo", "il motivo", "un motivo", "il tuo motivo", "motivo qui", "scrivi il motivo"],
  ...["nessun motivo", "senza motivo", "perché", "perche", "ragione", "la ragione"],
  ...["todo", "tbd", "tba", "fixme", "xxx", "wip", "placeholder", "test", "prova", "asdf", "foo"],
  ...["n a", "na", "none", "nothing", "null", "undefined", "nessuno", "nessuna", "niente"],
  ...["da fare", "da scrivere", "da definire", "ok", "okay", "yes", "si", "sì", "no", "please"],
  ...["override", "eval override", "skip", "bypass", "force", "as above", "see above", "ditto"],
  ...["bla bla", "blah", "blah blah", "whatever", "boh"],
]);

/** Words that give no reason, however many of them stand together: `TODO: later`, `temp fix`. */
const FILLERS: ReadonlySet<string> = new Set(
  ("todo tbd tba fixme xxx wip work in progress fix fixes fixed fixing bugfix hotfix temp tmp " +
    "temporary temporarily hack workaround quick dirty later soon now asap next time tomorrow " +
    "commit push merge change changes update updates stuff misc minor cleanup various " +
    "skip skipped bypass force override ignore allow pass passed test tests testing try " +
    "reason reasons because why please just only will do done it this that the a an to for of is " +
    "be we i my me us once again ok okay yes no not none nothing whatever placeholder " +
    "da di per il la lo un una che e si sì ok poi dopo ora adesso domani presto solo " +
    "temporaneo temporanea temporaneamente provvisorio provvisoria momentaneo sistemare sistemo " +
    "correggere correggo correzione modifica modifiche aggiornamento prova prove fare fatto " +
    "salta forza ignora motivo ragione perché perche nessun nessuna niente questo questa")
    .split(" "),
);

/**
 * True for a clean reason that gives none: `<reason>`, `[motivo]`, `...`, `todo`, `n/a`, `x`, and
 * any number of words that say nothing.
 */
export function isPlaceholder(reason: string): boolean {
  const text = reason.trim();
  if (/^(?:<[^<>]*>|\[[^[\]]*\]|\{[^{}]*\}|\$\{?\w+\}?)[.!]?$/.test(text)) return true;
  const words = text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  const letters = words.replace(/[^\p{L}]/gu, "");
  if (letters.length < 3 || new Set(letters).size < 2) return true;
  return EMPTY_WORDS.has(words) || words.split(" ").every((word) => FILLERS.has(word));
}
