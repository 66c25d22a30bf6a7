/**
 * What does a SQLite file say as a state? Each table is a collection of records by primary key
 * (several columns joined with `|`), by rowid where there is none; a table `outbox` is the list of
 * messages. The bytes are read into memory, so nothing is ever written beside the file. Refused:
 * a file with unfinished writes beside it, a key that is NULL, two records under one key.
 */
import { DatabaseSync } from "node:sqlite";
import { FILES, type Json, type JsonObject, OUTBOX, put } from "../model/json.ts";
import type { Files } from "../model/ports.ts";

type Cell = null | number | bigint | string | Uint8Array;
type Row = Readonly<Record<string, Cell>>;

interface Table {
  readonly name: string;
  readonly key: readonly string[];
  readonly hasRowid: boolean;
}

/** Under which key a row's rowid is selected; it leaves the record again. */
const ROWID = "(rowid)";

/** The name of a journal beside the file that holds writes not yet in it, null where there is none. */
export async function unfinishedBeside(path: string, stat: Files["stat"]): Promise<string | null> {
  for (const suffix of ["-wal", "-journal"]) {
    const found = await stat(path + suffix);
    if (found !== null && found.size > 0) return path + suffix;
  }
  return null;
}

/**
 * The collections of a database: integers beyond 2^53 and infinite numbers as text, BLOBs as base64.
 * Throws an Error whose message says what the file is or holds.
 */
export function readDatabase(bytes: Uint8Array, unfinished: string | null): JsonObject {
  if (unfinished !== null) {
    throw new Error(`"${unfinished}" holds writes that are not in it: close the database first`);
  }
  const database = new DatabaseSync(":memory:");
  try {
    database.deserialize(withoutWal(bytes));
    assertSound(database);
    const state: JsonObject = {};
    for (const table of tablesOf(database)) put(state, table.name, collection(database, table));
    return state;
  } catch (cause) {
    throw new Error(readable(cause), { cause });
  } finally {
    database.close();
  }
}

/** A database in memory has no write-ahead log: the two version bytes say so. */
function withoutWal(bytes: Uint8Array): Uint8Array {
  const isDatabase = new TextDecoder().decode(bytes.subarray(0, 16)) === "SQLite format 3\0";
  if (!isDatabase) throw new Error("it is not a SQLite database");
  const copy = bytes.slice();
  copy.fill(1, 18, 20);
  return copy;
}

/** A file that was cut short may still open, with fewer records. */
function assertSound(database: DatabaseSync): void {
  const found = database.prepare("PRAGMA quick_check(1)").get() as Row | undefined;
  const said = String(Object.values(found ?? {})[0] ?? "no answer");
  if (said !== "ok") throw new Error(`the database is damaged: ${said.replaceAll(/\s+/g, " ")}`);
}

function readable(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (/malformed|not a database|corrupt/.test(message)) {
    return `the database is damaged: ${message}`;
  }
  return message;
}

function tablesOf(database: DatabaseSync): Table[] {
  const rows = database.prepare("PRAGMA main.table_list").all() as Row[];
  return rows
    .filter((row) => row["type"] === "table" || row["type"] === "virtual")
    .map((row) => ({ name: String(row["name"]), hasRowid: row["wr"] === 0 }))
    .filter(({ name }) => !name.startsWith("sqlite_"))
    .sort((a, b) => a.name < b.name ? -1 : 1)
    .map((table) => ({ ...table, key: keyOf(database, table.name) }));
}

function keyOf(database: DatabaseSync, table: string): string[] {
  const columns = database.prepare(`PRAGMA main.table_info(${quoted(table)})`).all() as Row[];
  return columns
    .filter((column) => Number(column["pk"]) > 0)
    .sort((a, b) => Number(a["pk"]) - Number(b["pk"]))
    .map((column) => String(column["name"]));
}

function collection(database: DatabaseSync, table: Table): Json {
  if (table.name === FILES) {
    throw new Error(`the table "${FILES}" has the name of the virtual files: rename it`);
  }
  const entries = rowsOf(database, table).map((row) => entryOf(table, row));
  if (table.name === OUTBOX) return entries.map(([, record]) => record);
  const records: JsonObject = {};
  for (const [key, record] of entries) {
    if (Object.hasOwn(records, key)) {
      throw new Error(`the table "${table.name}" has two records under the key "${key}"`);
    }
    put(records, key, record);
  }
  return records;
}

function rowsOf(database: DatabaseSync, table: Table): Row[] {
  const byRowid = table.key.length === 0;
  const selected = byRowid ? `${rowidOf(database, table)} AS ${quoted(ROWID)}, *` : "*";
  const order = byRowid ? "1" : table.key.map(quoted).join(", ");
  const statement = database.prepare(
    `SELECT ${selected} FROM main.${quoted(table.name)} ORDER BY ${order}`,
  );
  statement.setReadBigInts(true);
  return statement.all() as Row[];
}

/** A name of the rowid that no column of the table hides. */
function rowidOf(database: DatabaseSync, table: Table): string {
  const columns = database.prepare(`PRAGMA main.table_info(${quoted(table.name)})`).all() as Row[];
  const taken = new Set(columns.map((column) => String(column["name"]).toLowerCase()));
  const free = ["rowid", "_rowid_", "oid"].find((name) => !taken.has(name));
  if (free === undefined || taken.has(ROWID)) {
    throw new Error(`the table "${table.name}" has no primary key and hides its rowid`);
  }
  return free;
}

function entryOf(table: Table, row: Row): [string, JsonObject] {
  const record: JsonObject = {};
  for (const [name, cell] of Object.entries(row)) {
    if (name !== ROWID) put(record, name, jsonOf(cell));
  }
  const names = table.key.length === 0 ? [ROWID] : table.key;
  const key = names.map((name) => keyPart(table, name, row[name] ?? null)).join("|");
  return [key, record];
}

function keyPart(table: Table, column: string, cell: Cell): string {
  if (cell === null) {
    throw new Error(
      `the table "${table.name}" has a record whose key "${column}" is NULL: expected a value`,
    );
  }
  return String(jsonOf(cell));
}

function jsonOf(cell: Cell): Json {
  if (cell instanceof Uint8Array) return cell.toBase64();
  if (typeof cell === "bigint") {
    const number = Number(cell);
    return Number.isSafeInteger(number) ? number : String(cell);
  }
  return typeof cell === "number" && !Number.isFinite(cell) ? String(cell) : cell;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
