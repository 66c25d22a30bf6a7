/**
 * Does the last message read as a claim of success? In: a text, Italian or English. Out: yes or no,
 * by two short word lists. It is shown to people beside a state that says otherwise, and decides
 * nothing.
 */

const CLAIMS = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:" + [
    "fatto",
    "tutto (?:a posto|pronto)",
    "(?:aggiorn|modific|registr|complet|invi|cre|annull|cancell|elimin|aggiunt|conferm|rimbors|" +
    "spost|salv|prenot|imposta?t|sistem)(?:at)?[oaie]",
    "(?:spedit|eseguit|inserit|chius|corrett|riuscit|aggiunt)[oaie]",
    "done",
    "all set",
    "success(?:ful(?:ly)?)?",
    "(?:updat|chang|complet|creat|delet|remov|refund|book|cancel|cancell|confirm|sav|mov|add|" +
    "record|process|schedul|clos|fix)ed",
    "(?:sent|set|made|paid)",
  ].join("|") + ")(?![\\p{L}\\p{N}])",
  "iu",
);

const DOUBTS = new RegExp(
  "(?<![\\p{L}\\p{N}])(?:non|né|mai|senza|impossibile|purtroppo|errore|fallit[oaie]|" +
    "not|never|no|without|unable|cannot|failed|error|unfortunately|once|if|when|se|quando|" +
    "sarà|saranno|verrà|will|would|\\p{L}+n['’]t)(?![\\p{L}\\p{N}])",
  "iu",
);

/** True where some sentence claims that something was done and neither denies nor asks it. */
export function claimsSuccess(text: string): boolean {
  const sentences = text.match(/[^.!?\n]+[.!?]*/g) ?? [];
  return sentences.some((sentence) =>
    !sentence.includes("?") && CLAIMS.test(sentence) && !DOUBTS.test(sentence)
  );
}
