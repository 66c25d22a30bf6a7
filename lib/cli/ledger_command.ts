/**
 * `ledger sync|list|check`: who let what pass, is it written down, and does it still hold? `sync`
 * writes `regressions.md` from the commits of HEAD's history, `check` says where it is not in step,
 * `list` shows its rows as they stand today. Where the history was fetched in part, `sync` and
 * `check` cannot decide (3): a row would look rewritten that is not.
 */
import { LEDGER_FILE, parseLedger } from "../load/ledger.ts";
import { loadReport } from "../load/report.ts";
import { dayIn } from "../model/day.ts";
import { EXIT } from "../model/exit.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { hasErrors } from "../model/problem.ts";
import {
  compareLedger,
  LEDGER_HEADER,
  mergeLedger,
  projectLedger,
  renderLedger,
} from "../report/ledger.ts";
import { renderLedgerList, showRows } from "../report/ledger_list.ts";
import { voiceOf } from "./gate_command.ts";
import { newestReport } from "./last_report.ts";
import { ledgerEntries } from "./ledger_source.ts";
import {
  isShallow,
  newestCommits,
  objectOf,
  openRepository,
  type Repository,
} from "./repository.ts";
import { join, openSession, printProblems, refuse, type Session } from "./session.ts";

/** The ledger's file and the history that it is a projection of. */
interface Ledger {
  readonly session: Session;
  /** The file's text, null where it is absent. */
  readonly text: string | null;
  readonly header: string;
  readonly rows: readonly LedgerRow[];
}

/** What a sync found or did. */
export interface Synced {
  readonly changed: boolean;
  readonly text: string;
  readonly rows: readonly LedgerRow[];
}

/** Runs `ledger sync`. */
export async function ledgerSync(io: Session["io"]): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const synced = await syncLedger(session);
  if (typeof synced === "number") return synced;
  if (synced.changed) await io.files.writeText(ledgerPath(session), synced.text);
  const { words, format } = voiceOf(session);
  const say = synced.changed ? words.ledger.written : words.ledger.inStep;
  io.terminal.out(`${say(LEDGER_FILE, format, synced.rows.length)}\n`);
  return EXIT.ok;
}

/** The text that `regressions.md` should have, not yet written; an exit code where nobody can say. */
export async function syncLedger(session: Session): Promise<Synced | number> {
  const ledger = await readLedger(session);
  if (typeof ledger === "number") return ledger;
  const projected = await projectHistory(session);
  if (typeof projected === "number") return projected;
  const rows = mergeLedger(projected.rows, ledger.rows);
  const text = renderLedger(ledger.header, rows);
  return { changed: text !== ledger.text, text, rows };
}

function ledgerPath({ project }: Session): string {
  return join(project.root, LEDGER_FILE);
}

async function readLedger(session: Session): Promise<Ledger | number> {
  const { io, project } = session;
  const path = ledgerPath(session);
  if (await io.files.stat(path) === null) {
    return { session, text: null, header: LEDGER_HEADER, rows: [] };
  }
  const text = await io.files.readText(path);
  const { header, rows, problems } = parseLedger(LEDGER_FILE, text);
  if (header === null || hasErrors(problems)) {
    await printProblems(io, problems, project.root);
    return EXIT.usage;
  }
  return { session, text, header, rows };
}

/** The file's rows and those that the next sync brings; the file's alone where git cannot say. */
async function currentRows({ session, rows }: Ledger): Promise<readonly LedgerRow[]> {
  const repository = await openRepository(session.io.git, session.project.root);
  if (repository === null || await isShallow(repository)) return rows;
  const head = await objectOf(repository, "HEAD");
  const entries = head === null ? null : await ledgerEntries(repository, head);
  return entries === null ? rows : mergeLedger(projectLedger(entries), rows);
}

/** The rows as they stand, the next sync's among them; an exit code where the file cannot be used. */
export async function ledgerRowsNow(session: Session): Promise<readonly LedgerRow[] | number> {
  const ledger = await readLedger(session);
  return typeof ledger === "number" ? ledger : await currentRows(ledger);
}

/** The rows of HEAD's history; none where nothing was committed yet. */
async function projectHistory(
  session: Session,
): Promise<{ rows: LedgerRow[]; repository: Repository; head: string | null } | number> {
  const { io, project } = session;
  const repository = await openRepository(io.git, project.root);
  if (repository === null) {
    return refuse(io, "This folder is in no git repository", "the ledger is made of its commits");
  }
  if (await isShallow(repository)) {
    io.terminal.err(
      "error: The history was fetched in part: overrides further back cannot be seen\n" +
        "  fix: `git fetch --unshallow`, or fetch-depth: 0 in CI\n",
    );
    return EXIT.undecided;
  }
  const head = await objectOf(repository, "HEAD");
  if (head === null) return { rows: [], repository, head };
  const entries = await ledgerEntries(repository, head);
  if (entries === null) {
    io.terminal.err("error: git could not list the commits\n  fix: see `git log`\n");
    return EXIT.undecided;
  }
  return { rows: projectLedger(entries), repository, head };
}

/** Runs `ledger check`: 0 in step, 2 where a row is missing or says otherwise than its commit. */
export async function ledgerCheck(io: Session["io"]): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const ledger = await readLedger(session);
  if (typeof ledger === "number") return ledger;
  const history = await projectHistory(session);
  if (typeof history === "number") return history;
  const { rows, repository, head } = history;
  const pending = head === null ? new Set<string>() : await newestCommits(repository, head);
  const step = compareLedger(ledger.rows, rows, pending);
  const { words, format } = voiceOf(session);
  const sha = (row: LedgerRow) => row.commits[0] ?? "";
  const faults = [
    ...step.missing.map((row) => words.ledger.missing(row.id, sha(row))),
    ...step.differing.map((row) => words.ledger.differing(row.id, sha(row))),
  ];
  const notes = [
    ...step.pending.map((row) => words.ledger.pending(row.id)),
    ...step.moved.map((row) => words.ledger.moved(row.id)),
  ];
  for (const note of notes) io.terminal.err(`${note}\n`);
  if (faults.length === 0) {
    io.terminal.out(`${words.ledger.inStep(LEDGER_FILE, format, ledger.rows.length)}\n`);
    return EXIT.ok;
  }
  io.terminal.err(
    `error: ${words.ledger.outOfStep(LEDGER_FILE)}\n${
      faults.map((fault) => `  ${fault}\n`).join("")
    }  fix: ${words.ledger.syncFix(LEDGER_FILE)}\n`,
  );
  return EXIT.usage;
}

/** Runs `ledger list`: the rows as they stand, with `open` only overrides that hold today. */
export async function ledgerList(
  io: Session["io"],
  options: { readonly open?: boolean; readonly json?: boolean },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const ledger = await readLedger(session);
  if (typeof ledger === "number") return ledger;
  const { zone } = session.project.config;
  const path = await newestReport(session);
  const newest = path === null ? null : await loadReport(io.files, session.project, path);
  const rows = await currentRows(ledger);
  const all = showRows(rows, dayIn(zone, io.clock.now()), newest?.report?.scenarios ?? null);
  const shown = options.open === true ? all.filter(({ status }) => status === "open") : all;
  const json = () =>
    `${
      JSON.stringify(shown.map(({ row, status, stale }) => ({ ...row, status, stale })), null, 1)
    }\n`;
  io.terminal.out(session.masker.mask(
    options.json === true
      ? json()
      : renderLedgerList(shown, options.open === true, voiceOf(session)),
  ));
  return EXIT.ok;
}
