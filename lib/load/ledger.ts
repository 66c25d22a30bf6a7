/**
 * What does `regressions.md` say? Its text in; the header, as it stands, and the rows of its table
 * out. A line that is no row is a problem at its place, never passed over: a row that nobody can read
 * would be a regression that nobody sees.
 */
import { identifier, isoDate } from "../model/common.ts";
import { isCalendarDay } from "../model/day.ts";
import { type LedgerRow, ledgerRow } from "../model/ledger.ts";
import { LEDGER_COLUMNS } from "../model/ledger_rows.ts";
import { type Problem, sortProblems } from "../model/problem.ts";
import { problemOn } from "./source.ts";

/** The project's ledger. */
export const LEDGER_FILE = "regressions.md";

/** A ledger as its file has it; `header` is all above the table, null where there is no table. */
export interface LedgerText {
  readonly header: string | null;
  readonly rows: readonly LedgerRow[];
  readonly problems: readonly Problem[];
}

/** Reads the text of a ledger; `file` is how problems name it. */
export function parseLedger(file: string, text: string): LedgerText {
  const lines = text.split("\n");
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  const problems: Problem[] = [];
  const say = (index: number, what: string, fix: string) => {
    const start = starts[index] ?? 0;
    const end = start + (lines[index] ?? "").length;
    problems.push(problemOn({ file, text }, { start, end }, { code: "ledger-row", what, fix }));
  };
  const head = lines.findIndex((line) => isHead(cellsOf(line)));
  if (head === -1 || !/^\|(?: *-{3,} *\|)+\s*$/.test(lines[head + 1] ?? "")) {
    say(Math.max(0, head), `No table with the columns ${LEDGER_COLUMNS.join(", ")}`, NO_TABLE_FIX);
    return { header: null, rows: [], problems };
  }
  const rows: LedgerRow[] = [];
  lines.slice(head + 2).forEach((line, offset) => {
    if (line.trim() === "") return;
    const row = readRow(line);
    if (typeof row === "string") say(head + 2 + offset, row, ROW_FIX);
    else rows.push(row);
  });
  return { header: text.slice(0, starts[head] ?? 0), rows, problems: sortProblems(problems) };
}

const NO_TABLE_FIX = "remove the file and run `deno task eval ledger sync`";
const ROW_FIX =
  "put the line back as git has it, or remove it and run `deno task eval ledger sync`";

function isHead(cells: readonly string[] | null): boolean {
  return cells !== null && cells.length === LEDGER_COLUMNS.length &&
    cells.every((cell, index) => cell === LEDGER_COLUMNS[index]);
}

/** The row of a line, or what is wrong with it. */
function readRow(line: string): LedgerRow | string {
  const cells = cellsOf(line);
  if (cells === null) return "This is no row of the table";
  if (cells.length !== LEDGER_COLUMNS.length) {
    return `The row has ${cells.length} cells, expected ${LEDGER_COLUMNS.length}`;
  }
  const cell = (name: keyof LedgerRow) => cells[LEDGER_COLUMNS.indexOf(name)] ?? "";
  const until = cell("until");
  const read = ledgerRow.safeParse({
    id: cell("id"),
    date: cell("date"),
    kind: cell("kind"),
    commits: listOf(cell("commits")),
    rules: listOf(cell("rules")),
    scenarios: listOf(cell("scenarios")),
    reason: plainText(cell("reason")),
    until: until === "" ? null : until,
    by: plainText(cell("by")),
    git: cell("git"),
  });
  if (!read.success) {
    const [issue] = read.error.issues;
    const name = String(issue?.path[0] ?? "");
    return `The cell "${name}" cannot be read: ${issue?.message ?? "wrong"}`;
  }
  return faultOf(read.data) ?? read.data;
}

function faultOf(row: LedgerRow): string | null {
  const day = [row.date, ...(row.until === null ? [] : [row.until])].find((each) =>
    !isoDate.safeParse(each).success || !isCalendarDay(each)
  );
  if (day !== undefined) return `"${day}" is no day of the calendar`;
  const sha = row.commits.find((each) => !/^[0-9a-f]{7,64}$/.test(each));
  if (sha !== undefined || row.commits.length === 0) return `"${sha ?? ""}" names no commit`;
  const id = [...row.rules, ...row.scenarios].find((each) => !identifier.safeParse(each).success);
  if (id !== undefined) return `"${id}" is no id of a rule or scenario`;
  if (row.kind === "override" && row.until === null) return "An override has no last day";
  if (/^(?:reachable|rewritten(?:: [0-9a-f, ]+)?)$/.test(row.git)) return null;
  return `"${row.git}" says nothing of the commits: expected "reachable" or "rewritten"`;
}

/** The trimmed cells of a table's line; null where it is none. A backslash keeps a bar in its cell. */
function cellsOf(line: string): string[] | null {
  const text = line.trim();
  if (!text.startsWith("|") || !text.endsWith("|") || text.length < 2) return null;
  const cells = text.slice(1, -1).match(/(?:\\.|[^\\|])*(?:\||$)/gs) ?? [];
  const whole = cells.map((cell) => cell.replace(/\|$/, "").trim());
  return text.slice(1, -1).endsWith("|") || cells.at(-1) !== "" ? whole : whole.slice(0, -1);
}

function listOf(cell: string): string[] {
  return cell === "" ? [] : cell.split(",").map((item) => item.trim());
}

/** A cell's text without what kept it from being markup. */
function plainText(cell: string): string {
  return cell.replaceAll("\u2060", "").replace(/\\(.)/gu, "$1")
    .replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
