/**
 * Which overrides still hold, which ran out, and which nobody needs any more? Rows of the ledger in,
 * lines for a terminal out. Everything that depends on the day is worked out here and kept nowhere.
 */
import type { LedgerRow } from "../model/ledger.ts";
import { type LedgerStatus, ledgerStatus } from "../model/ledger_rows.ts";
import type { ReportScenario } from "../model/report.ts";
import { listed, type Voice } from "./voice.ts";

/** A row as it stands on a day. */
export interface ShownRow {
  readonly row: LedgerRow;
  readonly status: LedgerStatus;
  /** True for an open override of which every scenario passes: it can be let go. */
  readonly stale: boolean;
}

/** The rows as they stand on `today`; `scenarios` are those of the newest report, null where there is none. */
export function showRows(
  rows: readonly LedgerRow[],
  today: string,
  scenarios: readonly Pick<ReportScenario, "id" | "verdict">[] | null,
): ShownRow[] {
  return rows.map((row) => {
    const status = ledgerStatus(row, today);
    return { row, status, stale: status === "open" && isUnneeded(row, scenarios ?? []) };
  });
}

/** A row without scenarios, or with one that was not judged, may still be needed. */
function isUnneeded(
  { scenarios }: LedgerRow,
  judged: readonly Pick<ReportScenario, "id" | "verdict">[],
): boolean {
  return scenarios.length > 0 &&
    scenarios.every((id) => judged.some((one) => one.id === id && one.verdict === "passed"));
}

/** Two lines a row: what it is and until when; why and by whom. */
export function renderLedgerList(rows: readonly ShownRow[], open: boolean, voice: Voice): string {
  const { words } = voice;
  if (rows.length === 0) return `${open ? words.ledger.noOpenRows : words.ledger.noRows}\n`;
  return rows.map((shown) => `${rowLines(shown, voice).join("\n")}\n`).join("");
}

function rowLines({ row, status, stale }: ShownRow, voice: Voice): string[] {
  const { words, format } = voice;
  const until = row.until === null ? "" : ` ${words.overrideHeads.until} ${format.day(row.until)}`;
  const state = `${words.ledger.statuses[status]}${until}${stale ? `, ${words.ledger.stale}` : ""}`;
  const about = [...row.rules, ...row.scenarios].map(voice.code);
  return [
    `${row.id}  ${format.day(row.date)}  ${words.ledger.kinds[row.kind]}  ${state}`,
    ...(about.length === 0 ? [] : [`  ${listed(about, voice)}`]),
    `  ${voice.text(row.reason)} (${voice.text(row.by)}; ${voice.text(row.commits.join(", "))}${
      row.git === "rewritten" ? `, ${row.git}` : ""
    })`,
  ];
}
