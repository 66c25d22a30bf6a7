/**
 * Where are the summaries of runs kept? In one SQLite file, whose rows can be made again from the
 * reports. A file that is damaged or of an older shape is put aside (`….old.sqlite`) and begun anew,
 * which the caller is told; one of a newer shape is refused. Several processes may write at once.
 */
import { DatabaseSync } from "node:sqlite";
import { dirname } from "node:path";
import type { HistoryPoint, HistoryRun, Outcome } from "../model/history.ts";
import type { Histories, HistoryFile } from "../model/ports.ts";
import { failure } from "./failure.ts";
import { realLock } from "./lock.ts";

/** Raised whenever the tables change. */
const SHAPE = 1;

/** How long a writer waits for another one. */
const WAIT_MS = 15_000;

const TABLES = `
CREATE TABLE IF NOT EXISTS runs (
  id INTEGER PRIMARY KEY, folder TEXT NOT NULL, time TEXT NOT NULL, at INTEGER NOT NULL,
  mode TEXT NOT NULL, evidence TEXT NOT NULL, verdict TEXT NOT NULL, whole INTEGER NOT NULL,
  currency TEXT NOT NULL, commit_id TEXT, agent TEXT, model TEXT,
  headline TEXT NOT NULL, metrics TEXT NOT NULL,
  UNIQUE (folder, time)
) STRICT;
CREATE INDEX IF NOT EXISTS runs_by_kind ON runs (evidence, at);
CREATE TABLE IF NOT EXISTS scenarios (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, file TEXT NOT NULL, hash TEXT NOT NULL,
  task TEXT NOT NULL, risk TEXT NOT NULL, lifecycle TEXT NOT NULL,
  UNIQUE (name, file, hash, task, risk, lifecycle)
) STRICT;
CREATE TABLE IF NOT EXISTS outcomes (
  run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
  scenario INTEGER NOT NULL REFERENCES scenarios (id),
  passed INTEGER NOT NULL, failed INTEGER NOT NULL, trials INTEGER NOT NULL,
  cost REAL, latency_ms REAL, PRIMARY KEY (run, scenario)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS passed_over (folder TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
PRAGMA user_version = ${SHAPE};
`;

/** Columns that tell which run it was. */
const OF_RUN = "folder, time, currency, commit_id, agent, model";

type Row = Readonly<Record<string, unknown>>;

/** The histories of this machine. */
export function realHistories(interrupted: AbortSignal): Histories {
  return {
    open: async (path, checked) => {
      try {
        await Deno.mkdir(dirname(path), { recursive: true });
        const found = tryOpen(path, checked);
        if (typeof found !== "string") return historyOf(found, null);
        return await renew(path, { checked, interrupted });
      } catch (cause) {
        throw failure("Cannot open history", path, cause);
      }
    },
  };
}

/** Only one process at a time puts a file aside: a second one finds the new file. */
async function renew(
  path: string,
  { checked, interrupted }: { readonly checked: boolean; readonly interrupted: AbortSignal },
): Promise<HistoryFile> {
  const lock = await realLock(interrupted).acquire(`${path}.lock`, true);
  try {
    const again = tryOpen(path, checked);
    if (typeof again !== "string") return historyOf(again, null);
    // Its journal goes first: once the name is free, one that lies there is that of another's new file.
    await Deno.remove(`${path}-journal`).catch(() => undefined);
    await Deno.rename(path, path.replace(/(\.sqlite)?$/, ".old.sqlite"));
    const fresh = tryOpen(path, false);
    if (typeof fresh === "string") throw new Error("a new file cannot be used either");
    return historyOf(fresh, again);
  } finally {
    lock?.release();
  }
}

/** The open file with its tables, or why it cannot be used. Throws for what another file would not mend. */
function tryOpen(path: string, checked: boolean): DatabaseSync | "damaged" | "older" {
  const database = new DatabaseSync(path, { timeout: WAIT_MS });
  try {
    database.exec("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    const shape = shapeOf(database);
    if (shape === SHAPE) {
      if (!checked || isSound(database)) return database;
      database.close();
      return "damaged";
    }
    if (shape === "new") {
      makeTables(database);
      return database;
    }
    database.close();
    if (shape > SHAPE) {
      throw new Error("it was written by a newer version of this program: expected that version");
    }
    return "older";
  } catch (cause) {
    if (database.isOpen) database.close();
    if (isDamage(cause)) return "damaged";
    throw cause;
  }
}

/** `new` where the file holds nothing yet. */
function shapeOf(database: DatabaseSync): number | "new" {
  const shape = Number((database.prepare("PRAGMA user_version").get() as Row)["user_version"]);
  const names = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get() as Row;
  return shape === 0 && names["n"] === 0 ? "new" : shape;
}

/** Another process may make them at the same moment. */
function makeTables(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  database.exec(TABLES);
  database.exec("COMMIT");
}

function isSound(database: DatabaseSync): boolean {
  const found = database.prepare("PRAGMA quick_check(1)").get() as Row | undefined;
  return Object.values(found ?? {})[0] === "ok";
}

function isDamage(cause: unknown): boolean {
  return cause instanceof Error &&
    /malformed|not a database|no such (table|column)|disk image|corrupt/.test(cause.message);
}

type All = (sql: string, ...values: (string | number)[]) => Row[];

function historyOf(database: DatabaseSync, renewed: HistoryFile["renewed"]): HistoryFile {
  const all: All = (sql, ...values) => database.prepare(sql).all(...values) as Row[];
  return {
    renewed,
    folders: () =>
      new Set(
        all("SELECT folder FROM runs UNION SELECT folder FROM passed_over").map((row) =>
          String(row["folder"])
        ),
      ),
    put: (runs, passedOver = []) => putAll(database, runs, passedOver),
    points: (evidence, { metric, task }) => {
      const path = task === null
        ? `$.overall.${metric}`
        : `$.byTask.${JSON.stringify(task)}.${metric}`;
      return all(
        `SELECT ${OF_RUN}, mode, evidence, verdict, whole, headline, json_extract(metrics, ?) AS value
          FROM runs WHERE evidence = ? ORDER BY at, id`,
        path,
        evidence,
      ).map(pointOf);
    },
    outcomes: (evidence, runsMax) => lastOutcomes(all, evidence, runsMax),
    counts: () => {
      const found = all("SELECT evidence, count(*) AS n FROM runs GROUP BY evidence");
      const of = (kind: string) =>
        Number(found.find((row) => row["evidence"] === kind)?.["n"] ?? 0);
      return { live: of("live"), recorded: of("recorded"), self_test: of("self_test") };
    },
    close: () => database.close(),
  };
}

function putAll(
  database: DatabaseSync,
  runs: readonly HistoryRun[],
  passedOver: readonly string[],
): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    for (const run of runs) putRun(database, run);
    const skip = database.prepare("INSERT OR IGNORE INTO passed_over (folder) VALUES (?)");
    for (const folder of passedOver) skip.run(folder);
    database.exec("COMMIT");
  } catch (cause) {
    database.exec("ROLLBACK");
    throw cause;
  }
}

function putRun(database: DatabaseSync, run: HistoryRun): void {
  const { folder, time, mode, evidence, verdict, whole, currency, commit, agent, model } = run;
  database.prepare("DELETE FROM runs WHERE folder = ? AND time = ?").run(folder, time);
  const { lastInsertRowid } = database.prepare(
    `INSERT INTO runs (folder, time, at, mode, evidence, verdict, whole, currency, commit_id, agent,
      model, headline, metrics) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  ).run(
    ...[folder, time, Date.parse(time), mode, evidence, verdict, whole ? 1 : 0, currency],
    ...[commit, agent, model, JSON.stringify(run.headline), JSON.stringify(run.metrics)],
  );
  const scenario = database.prepare(
    "INSERT OR IGNORE INTO scenarios (name, file, hash, task, risk, lifecycle) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const outcome = database.prepare(
    `INSERT OR REPLACE INTO outcomes SELECT ?, id, ?, ?, ?, ?, ? FROM scenarios
      WHERE name = ? AND file = ? AND hash = ? AND task = ? AND risk = ? AND lifecycle = ?`,
  );
  for (const one of run.scenarios) {
    const about = [one.id, one.file, one.hash, one.task, one.risk, one.lifecycle];
    scenario.run(...about);
    outcome.run(
      ...[lastInsertRowid, one.passed, one.failed, one.trials, one.cost, one.latencyMs],
      ...about,
    );
  }
}

/** Joined here: what many rows have in common is read once. */
function lastOutcomes(all: All, evidence: string, runsMax: number): Outcome[] {
  const runs = all(
    `SELECT id, at, ${OF_RUN} FROM runs WHERE evidence = ? ORDER BY at DESC, id DESC LIMIT ?`,
    evidence,
    runsMax,
  ).reverse();
  const scenarios = new Map(
    all("SELECT * FROM scenarios").map((row) => [row["id"], scenarioPart(row)]),
  );
  const names = JSON.stringify(runs.map((row) => row["id"]));
  const rows = all("SELECT * FROM outcomes WHERE run IN (SELECT value FROM json_each(?))", names);
  const byRun = Map.groupBy(rows, (row) => row["run"]);
  return runs.flatMap((run) => {
    const about = runPart(run);
    return (byRun.get(run["id"]) ?? []).flatMap((row) => {
      const scenario = scenarios.get(row["scenario"]);
      return scenario === undefined ? [] : [{ ...about, ...scenario, ...countsOf(row) }];
    });
  });
}

function text(row: Row, name: string): string {
  return String(row[name]);
}

function textOrNull(row: Row, name: string): string | null {
  return row[name] === null ? null : String(row[name]);
}

function numberOrNull(row: Row, name: string): number | null {
  const value = row[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function runPart(row: Row) {
  return {
    folder: text(row, "folder"),
    time: text(row, "time"),
    currency: text(row, "currency"),
    commit: textOrNull(row, "commit_id"),
    agent: textOrNull(row, "agent"),
    model: textOrNull(row, "model"),
  };
}

/** What was put in comes out: the columns hold values of the model's own types. */
function pointOf(row: Row): HistoryPoint {
  return {
    ...runPart(row),
    mode: row["mode"] as HistoryPoint["mode"],
    evidence: row["evidence"] as HistoryPoint["evidence"],
    verdict: row["verdict"] as HistoryPoint["verdict"],
    whole: row["whole"] === 1,
    headline: JSON.parse(text(row, "headline")),
    value: numberOrNull(row, "value"),
  };
}

function scenarioPart(row: Row) {
  return {
    id: text(row, "name"),
    file: text(row, "file"),
    hash: text(row, "hash"),
    task: text(row, "task"),
    risk: row["risk"] as Outcome["risk"],
    lifecycle: row["lifecycle"] as Outcome["lifecycle"],
  };
}

function countsOf(row: Row) {
  return {
    passed: Number(row["passed"]),
    failed: Number(row["failed"]),
    trials: Number(row["trials"]),
    cost: numberOrNull(row, "cost"),
    latencyMs: numberOrNull(row, "latency_ms"),
  };
}
