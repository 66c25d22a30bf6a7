/**
 * Which commits passed by decision of a person, as everybody sees it? What commits say in, rows of
 * `regressions.md` out: one a stable id, with every commit that carries it, sorted by day and id, so
 * that anybody with the whole history gets the same bytes. Rows whose commits were rewritten stay.
 */
import type { LedgerRow } from "../model/ledger.ts";
import { COMMIT_DIGITS, LEDGER_COLUMNS } from "../model/ledger_rows.ts";
import { markdownCell } from "./cell.ts";

/** A row that one commit asks for; `sha` is that commit's. */
export type LedgerEntry = Omit<LedgerRow, "commits" | "git"> & { readonly sha: string };

/** What stands above the table of a new ledger. */
export const LEDGER_HEADER = "# Regressions that shipped by decision\n\n";

/** The rows of commits, in whatever order they come: merged by id, all of them reachable. */
export function projectLedger(entries: readonly LedgerEntry[]): LedgerRow[] {
  const byId = Map.groupBy(entries, ({ id }) => id);
  return sortRows([...byId.values()].map((same) => mergeRows(same.map(rowOf))));
}

/**
 * The rows of the history with those that the file has besides: a commit that is gone stays named,
 * and a row of nothing but such commits is marked `rewritten`.
 */
export function mergeLedger(
  projected: readonly LedgerRow[],
  kept: readonly LedgerRow[],
): LedgerRow[] {
  const old = [...Map.groupBy(kept, ({ id }) => id).values()].map(mergeRows);
  const ids = [...new Set([...projected, ...old].map(({ id }) => id))];
  return sortRows(ids.flatMap((id) => {
    const now = projected.find((row) => row.id === id);
    const before = old.find((row) => row.id === id);
    const reachable = now?.commits ?? [];
    const gone = (before?.commits ?? []).filter((sha) => !reachable.includes(sha));
    const row = now ?? before;
    if (row === undefined) return [];
    return [{ ...row, commits: [...reachable, ...gone], git: gitWords(reachable, gone) }];
  }));
}

function gitWords(reachable: readonly string[], gone: readonly string[]): string {
  if (reachable.length === 0) return "rewritten";
  return gone.length === 0 ? "reachable" : `rewritten: ${gone.join(", ")}`;
}

function rowOf({ sha, ...entry }: LedgerEntry): LedgerRow {
  return { ...entry, commits: [sha.slice(0, COMMIT_DIGITS)], git: "reachable" };
}

/** Rows of one id as one; where they differ, the earlier end holds. */
function mergeRows(rows: readonly LedgerRow[]): LedgerRow {
  const [first, ...rest] = rows.toSorted((a, b) => compare(JSON.stringify(a), JSON.stringify(b)));
  if (first === undefined) throw new Error("No row to merge");
  const union = (pick: (row: LedgerRow) => readonly string[]) =>
    [...new Set(rows.flatMap(pick))].sort();
  const ends = [first, ...rest].flatMap(({ until }) => until ?? []).sort();
  return {
    ...first,
    commits: union(({ commits }) => commits),
    rules: union(({ rules }) => rules),
    scenarios: union(({ scenarios }) => scenarios),
    until: ends[0] ?? null,
  };
}

/** Newest last; on one day by id. */
function sortRows(rows: readonly LedgerRow[]): LedgerRow[] {
  return rows.toSorted((a, b) => compare(a.date, b.date) || compare(a.id, b.id));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The whole of `regressions.md`: the header as it is, then the table. */
export function renderLedger(header: string, rows: readonly LedgerRow[]): string {
  const head = `| ${LEDGER_COLUMNS.join(" | ")} |\n|${"---|".repeat(LEDGER_COLUMNS.length)}\n`;
  return `${header}${head}${rows.map((row) => `${renderRow(row)}\n`).join("")}`;
}

/** One line of the table, without a line feed. */
export function renderRow(row: LedgerRow): string {
  const cells = [
    row.id,
    row.date,
    row.kind,
    row.commits.join(", "),
    row.rules.join(", "),
    row.scenarios.join(", "),
    markdownCell(row.reason),
    row.until ?? "",
    markdownCell(row.by),
    row.git,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** How a ledger stands to the history it is a projection of. */
export interface LedgerStep {
  /** Rows that the file lacks, though another commit was made since: an error. */
  readonly missing: readonly LedgerRow[];
  /** Rows that the file lacks and that the next commit brings. */
  readonly pending: readonly LedgerRow[];
  /** Rows that say otherwise than their commits. */
  readonly differing: readonly LedgerRow[];
  /** Rows that name other commits than the history has, as after a rebase. */
  readonly moved: readonly LedgerRow[];
}

/**
 * Compares the rows of a file with those of the history; `pending` are the commits on which no other
 * but merges has been made since: their rows cannot stand in the file yet.
 */
export function compareLedger(
  inFile: readonly LedgerRow[],
  projected: readonly LedgerRow[],
  pending: ReadonlySet<string>,
): LedgerStep {
  const known = new Map(inFile.map((row) => [row.id, row]));
  const short = new Set([...pending].map((sha) => sha.slice(0, COMMIT_DIGITS)));
  const absent = projected.filter(({ id }) => !known.has(id));
  const isPending = (row: LedgerRow) => row.commits.every((sha) => short.has(sha));
  const words = (row: LedgerRow) => renderRow({ ...row, commits: [], git: "" });
  const present = projected.flatMap((row) => {
    const file = known.get(row.id);
    return file === undefined ? [] : [{ row, file }];
  });
  const differs = ({ row, file }: { row: LedgerRow; file: LedgerRow }) =>
    words(row) !== words(file);
  return {
    missing: absent.filter((row) => !isPending(row)),
    pending: absent.filter(isPending),
    differing: present.filter(differs).map(({ row }) => row),
    moved: present.filter((each) => !differs(each) && isMoved(each)).map(({ row }) => row),
  };
}

function isMoved({ row, file }: { readonly row: LedgerRow; readonly file: LedgerRow }): boolean {
  return row.commits.some((sha) => !file.commits.includes(sha));
}
