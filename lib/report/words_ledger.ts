/**
 * In which words are overrides, loosened gates and the ledger told? English and Italian of one type:
 * a word that one of them lacks does not compile. Texts come in escaped for their place already.
 */
import type { Direction } from "../model/gate.ts";
import type { Format } from "./format.ts";

/** Entered in the English catalogue as `ledger`. */
export const LEDGER_ENGLISH = {
  loosened: (f: Format, n: number) => `Gate loosened: ${f.count(n, "change", "changes")}`,
  judgedByBase: (ref: string, version: number) =>
    `The gate of ${ref}, version ${version}, is stricter and decided.`,
  judgedByOwn: (ref: string, version: number) =>
    `The gate of ${ref}, version ${version}, judged too and is not stricter.`,
  directions: { looser: "looser", tighter: "tighter", neutral: "neutral" } as Record<
    Direction,
    string
  >,
  nothing: "absent",
  change: (what: string, from: string, to: string) => `${what}: ${from} → ${to}`,
  sum: (f: Format, n: Readonly<Record<Direction, number>>) =>
    `${f.number(n.looser)} looser, ${f.number(n.tighter)} tighter, ${f.number(n.neutral)} neutral`,
  same: "no difference",
  lifted: (id: string, by: string, until: string, reason: string) =>
    `Override ${id} by ${by}, until ${until}: ${reason}`,
  statuses: { open: "open", expired: "expired", recorded: "recorded" },
  stale: "no longer needed",
  kinds: { override: "override", gate_loosened: "gate loosened", baseline: "baseline moved" },
  passesAgain: "passes again: make it stable",
  knownUntil: (day: string, owner: string) => `until ${day}, ${owner} answers for it`,
  noRows: "no rows",
  noOpenRows: "no open overrides",
  written: (file: string, f: Format, rows: number) =>
    `written: ${file}, ${f.count(rows, "row", "rows")}`,
  inStep: (file: string, f: Format, rows: number) =>
    `${file} is in step, ${f.count(rows, "row", "rows")}`,
  pending: (id: string) => `${id} comes with the next commit`,
  moved: (id: string) => `${id} names other commits than the history: run \`ledger sync\``,
  missing: (id: string, sha: string) => `${id} of commit ${sha} is missing`,
  differing: (id: string, sha: string) => `${id} says otherwise than commit ${sha}`,
  outOfStep: (file: string) => `${file} is not in step with the commits`,
  syncFix: (file: string) => `run \`deno task eval ledger sync\` and commit ${file}`,
  faults: {
    empty: "the override gives no reason",
    placeholder: "the reason of the override is a placeholder: say why this may ship all the same",
    until_unreadable: "`eval-override-until` is not one day such as 2026-12-31",
    until_past: "`eval-override-until` is a day before the commit",
    until_too_far: "`eval-override-until` is more than 90 days after the commit",
  },
};

/** Entered in the Italian catalogue as `ledger`. */
export const LEDGER_ITALIAN: typeof LEDGER_ENGLISH = {
  loosened: (f, n) => `Gate allentato: ${f.count(n, "modifica", "modifiche")}`,
  judgedByBase: (ref, version) =>
    `Il gate di ${ref}, versione ${version}, è più severo e ha deciso.`,
  judgedByOwn: (ref, version) =>
    `Anche il gate di ${ref}, versione ${version}, ha giudicato e non è più severo.`,
  directions: { looser: "più largo", tighter: "più stretto", neutral: "neutro" },
  nothing: "assente",
  change: (what, from, to) => `${what}: ${from} → ${to}`,
  sum: (f, n) =>
    `più larghe ${f.number(n.looser)}, più strette ${f.number(n.tighter)}, neutre ${
      f.number(n.neutral)
    }`,
  same: "nessuna differenza",
  lifted: (id, by, until, reason) => `Deroga ${id} di ${by}, fino al ${until}: ${reason}`,
  statuses: { open: "aperta", expired: "scaduta", recorded: "registrata" },
  stale: "non più necessaria",
  kinds: { override: "deroga", gate_loosened: "gate allentato", baseline: "riferimento spostato" },
  passesAgain: "è di nuovo superato: va reso stabile",
  knownUntil: (day, owner) => `fino al ${day}, ne risponde ${owner}`,
  noRows: "nessuna riga",
  noOpenRows: "nessuna deroga aperta",
  written: (file, f, rows) => `scritto: ${file}, ${f.count(rows, "riga", "righe")}`,
  inStep: (file, f, rows) => `${file} è allineato, ${f.count(rows, "riga", "righe")}`,
  pending: (id) => `${id} entra con il prossimo commit`,
  moved: (id) => `${id} nomina commit diversi da quelli della storia: esegui \`ledger sync\``,
  missing: (id, sha) => `manca ${id} del commit ${sha}`,
  differing: (id, sha) => `${id} dice altro rispetto al commit ${sha}`,
  outOfStep: (file) => `${file} non è allineato ai commit`,
  syncFix: (file) => `esegui \`deno task eval ledger sync\` e includi ${file} in un commit`,
  faults: {
    empty: "la deroga non dà un motivo",
    placeholder: "il motivo della deroga è un segnaposto: scrivi perché può uscire lo stesso",
    until_unreadable: "`eval-override-until` non è un giorno come 2026-12-31",
    until_past: "`eval-override-until` è un giorno prima del commit",
    until_too_far: "`eval-override-until` è più di 90 giorni dopo il commit",
  },
};
