import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { realFiles } from "./files.ts";

async function read(sql: string, after?: (path: string) => void) {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "world.db");
    const database = new DatabaseSync(path);
    database.exec(sql);
    database.close();
    after?.(path);
    const state = await realFiles().readSqlite(path);
    const names = (await realFiles().list(folder)).map(({ name }) => name);
    assert.deepEqual(names.filter((name) => !name.endsWith("-wal")), ["world.db"]);
    return state;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("readSqlite() makes tables collections of records by primary key", async () => {
  const state = await read(`
    CREATE TABLE customers (code TEXT PRIMARY KEY, name TEXT, vip INTEGER) WITHOUT ROWID;
    INSERT INTO customers VALUES ('C-2', 'Però', 1), ('C-1', NULL, 0);
    CREATE TABLE lines ("order" TEXT, n INTEGER, price REAL, PRIMARY KEY ("order", n));
    INSERT INTO lines VALUES ('O1', 2, 1.5), ('O1', 1, 3.0);
    CREATE TABLE log (rowid TEXT, text TEXT);
    INSERT INTO log VALUES ('mine', 'first'), ('mine', 'second');
    CREATE TABLE empty (id INTEGER PRIMARY KEY AUTOINCREMENT);
    CREATE VIEW seen AS SELECT * FROM log;
    CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY, __proto__ TEXT);
    INSERT INTO "odd ""name" VALUES (1, 'own');
    CREATE TABLE outbox (id INTEGER PRIMARY KEY, "to" TEXT);
    INSERT INTO outbox VALUES (2, 'b@example.test'), (1, 'a@example.test');`);
  assert.deepEqual(
    state,
    JSON.parse(`{
    "customers": {"C-1": {"code": "C-1", "name": null, "vip": 0}, "C-2": {"code": "C-2", "name": "Però", "vip": 1}},
    "empty": {},
    "lines": {"O1|1": {"order": "O1", "n": 1, "price": 3}, "O1|2": {"order": "O1", "n": 2, "price": 1.5}},
    "log": {"1": {"rowid": "mine", "text": "first"}, "2": {"rowid": "mine", "text": "second"}},
    "odd \\"name": {"1": {"id": 1, "__proto__": "own"}},
    "outbox": [{"id": 1, "to": "a@example.test"}, {"id": 2, "to": "b@example.test"}]}`),
  );
});

Deno.test("readSqlite() keeps what JSON cannot: big integers as text, BLOBs as base64", async () => {
  const state = await read(`
    CREATE TABLE t (id INTEGER PRIMARY KEY, big INTEGER, edge INTEGER, blob BLOB, far REAL);
    INSERT INTO t VALUES (9007199254740993, -9223372036854775808, 9007199254740991, x'00ff', 9e999);`);
  assert.deepEqual(state, {
    t: {
      "9007199254740993": {
        id: "9007199254740993",
        big: "-9223372036854775808",
        edge: 9007199254740991,
        blob: "AP8=",
        far: "Infinity",
      },
    },
  });
});

Deno.test("readSqlite() reads a finished WAL database and writes nothing beside it", async () => {
  const state = await read(
    "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)",
  );
  assert.deepEqual(state, { t: { "1": { a: 1 } } });
});

Deno.test("readSqlite() refuses what has no one meaning", async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["CREATE TABLE t (id TEXT PRIMARY KEY); INSERT INTO t VALUES (NULL)", /key "id" is NULL/],
    [
      "CREATE TABLE t (a TEXT, b TEXT, PRIMARY KEY (a, b)); INSERT INTO t VALUES ('x|y','z'), ('x','y|z')",
      /the table "t" has two records under the key "x\|y\|z"$/,
    ],
    [
      "CREATE TABLE files (id INTEGER PRIMARY KEY)",
      /the table "files" has the name of the virtual/,
    ],
    ["CREATE TABLE t (rowid, oid, _rowid_)", /has no primary key and hides its rowid$/],
  ];
  for (const [sql, message] of cases) await assert.rejects(read(sql), message, sql);
  const unfinished = read(
    "CREATE TABLE t (a)",
    (path) => Deno.writeTextFileSync(`${path}-wal`, "x"),
  );
  await assert.rejects(
    unfinished,
    /-wal" holds writes that are not in it: close the database first$/,
  );
  const text = read("CREATE TABLE t (a)", (path) => Deno.writeTextFileSync(path, "id: x"));
  await assert.rejects(text, /^Error: Cannot read ".*world.db": it is not a SQLite database$/);
  const cut = read("CREATE TABLE t (a)", (path) => Deno.truncateSync(path, 4100));
  await assert.rejects(cut, /^Error: Cannot read ".*world.db": the database is damaged: /);
});
