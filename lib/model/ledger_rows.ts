/** How does a row of the ledger come to be, and when does it run out? Apart from its schema. */
import { addDays } from "./day.ts";
import { hashText } from "./hash.ts";
import type { LedgerKind, LedgerRow } from "./ledger.ts";

/** The columns of `regressions.md`, in their order. */
export const LEDGER_COLUMNS = Object.keys(
  {
    id: true,
    date: true,
    kind: true,
    commits: true,
    rules: true,
    scenarios: true,
    reason: true,
    until: true,
    by: true,
    git: true,
  } satisfies Record<keyof LedgerRow, true>,
) as readonly (keyof LedgerRow)[];

/** How many digits of a commit's hash stand in a row. */
export const COMMIT_DIGITS = 12;

/** Who wrote a commit, and when: both survive amend, rebase and cherry-pick. */
export interface Authored {
  /** ISO 8601 with the author's own offset. */
  readonly at: string;
  readonly email: string;
}

/** The stable id of a row: 12 hexadecimal digits of author time, e-mail, kind and reason. */
export function ledgerId(kind: LedgerKind, { at, email }: Authored, reason: string): string {
  const seconds = Math.floor(Date.parse(at) / 1000);
  return hashText([kind, seconds, email, reason].join("\n")).slice("sha256:".length).slice(0, 12);
}

/** What becomes of a row on a day: only overrides run out. */
export type LedgerStatus = "open" | "expired" | "recorded";

/** No override may last longer, in days from the author's date on. */
export const OVERRIDE_DAYS_MAX = 90;

/**
 * True for an end that no override can have that was written by today: its author's date was set
 * ahead. One day more, for zones where tomorrow has begun.
 */
export function isTooFar(until: string, today: string): boolean {
  return until > addDays(today, OVERRIDE_DAYS_MAX + 1);
}

/**
 * The status of a row on the day `today`: an override holds through its last day, and not at all
 * where that is too far.
 */
export function ledgerStatus(row: Pick<LedgerRow, "kind" | "until">, today: string): LedgerStatus {
  if (row.kind !== "override") return "recorded";
  if (row.until === null) return "open";
  return row.until < today || isTooFar(row.until, today) ? "expired" : "open";
}
