/** Changes applied to a state: what is shared, what is refused. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { applyChanges, ChangeError } from "./changes.ts";
import { isObject, type Json, type State } from "./json.ts";
import type { Change } from "./run.ts";
import { formatPath, parsePath } from "./state_path.ts";

const BEFORE: State = {
  orders: { o1: { state: "open", lines: [1], to: { city: "Torino" } }, o2: { state: "open" } },
  customers: { c1: { name: "Rossi" } },
  files: { "/tmp/a": "x" },
  outbox: [{ to: "a" }],
};

const FITTING: [name: string, change: Change, after: State][] = [
  [
    "changes a leaf below a record",
    { path: "orders/o1/to/city", op: "changed", before: "Torino", after: "Roma" },
    {
      ...BEFORE,
      orders: { ...part("orders"), o1: { state: "open", lines: [1], to: { city: "Roma" } } },
    },
  ],
  [
    "adds a record to an absent collection",
    { path: "notes/n1", op: "added", after: { text: "x" } },
    { ...BEFORE, notes: { n1: { text: "x" } } },
  ],
  [
    "deletes a record",
    { path: "orders/o2", op: "deleted" },
    { ...BEFORE, orders: { o1: part("orders")["o1"] ?? null } },
  ],
  [
    "changes a file by the file's own path",
    { path: "files//tmp/a", op: "changed", before: "x", after: "y" },
    { ...BEFORE, files: { "/tmp/a": "y" } },
  ],
  [
    "reads %2F as a slash inside a part",
    { path: "customers/a%2Fb", op: "added", after: {} },
    { ...BEFORE, customers: { ...part("customers"), "a/b": {} } },
  ],
  [
    "appends a message at the next position",
    { path: "outbox/1", op: "added", after: { to: "b" } },
    { ...BEFORE, outbox: [{ to: "a" }, { to: "b" }] },
  ],
  [
    "replaces the whole outbox",
    { path: "outbox", op: "changed", after: [{ to: "c" }] },
    { ...BEFORE, outbox: [{ to: "c" }] },
  ],
];

const MISFITS: [name: string, change: Change, message: RegExp][] = [
  [
    "added over something",
    { path: "orders/o1", op: "added", after: {} },
    /"orders\/o1": something is there already$/,
  ],
  [
    "changed where nothing is",
    { path: "orders/o9", op: "changed", after: {} },
    /nothing is there$/,
  ],
  ["deleted where nothing is", { path: "orders/o9", op: "deleted" }, /nothing is there$/],
  [
    "another value before",
    { path: "orders/o2/state", op: "changed", before: "shut", after: "x" },
    /not the one that the change says/,
  ],
  ["no value after", { path: "orders/o2/state", op: "changed" }, /it says no value after$/],
  [
    "through a text",
    { path: "orders/o2/state/x", op: "added", after: 1 },
    /"orders\/o2\/state" is a string, expected an object$/,
  ],
  [
    "through a list",
    { path: "orders/o1/lines/0", op: "changed", after: 1 },
    /is a list, expected an object$/,
  ],
  [
    "through an absent record",
    { path: "orders/o9/state", op: "added", after: 1 },
    /"orders\/o9" is absent, expected an object$/,
  ],
  [
    "through an inherited name",
    { path: "constructor/prototype/x", op: "changed", after: 1 },
    /"constructor" is absent/,
  ],
  [
    "a message out of turn",
    { path: "outbox/0", op: "added", after: {} },
    /the next message has position 1$/,
  ],
  [
    "a message taken back",
    { path: "outbox/0", op: "deleted" },
    /a sent message can only be added$/,
  ],
];

Deno.test("applyChanges() gives the next state and leaves the first as it was", async (t) => {
  const copy = structuredClone(BEFORE);
  for (const [name, change, after] of FITTING) {
    await t.step(name, () => {
      assert.deepEqual(applyChanges(BEFORE, [change]), after);
      assert.deepEqual(BEFORE, copy);
    });
  }
});

Deno.test("applyChanges() refuses what does not fit", async (t) => {
  for (const [name, change, message] of MISFITS) {
    await t.step(name, () => {
      assert.throws(() => applyChanges(BEFORE, [change]), (error) => {
        assert.ok(error instanceof ChangeError);
        assert.match(error.message, message);
        return true;
      });
    });
  }
});

Deno.test("applyChanges() shares what no change touched", () => {
  const after = applyChanges(BEFORE, [
    { path: "orders/o1/state", op: "changed", after: "shut" },
    { path: "orders/o1/note", op: "added", after: "x" },
  ]);
  assert.equal(after["customers"], BEFORE["customers"]);
  assert.equal(part("orders", after)["o2"], part("orders")["o2"]);
  const changed = part("orders", after)["o1"];
  const first = part("orders")["o1"];
  assert.ok(isObject(changed) && isObject(first));
  assert.equal(changed["to"], first["to"]);
});

Deno.test("applyChanges() writes __proto__ as a plain key and nothing else", () => {
  const after = applyChanges({}, [
    { path: "__proto__/polluted", op: "added", after: { yes: true } },
    { path: "c/__proto__", op: "added", after: { polluted: true } },
  ]);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
  assert.deepEqual(Object.keys(after).sort(), ["__proto__", "c"]);
  const collection = after["c"];
  assert.ok(isObject(collection) && Object.hasOwn(collection, "__proto__"));
  assert.equal(Object.getPrototypeOf(collection), Object.prototype);
});

Deno.test("parsePath() gives back the parts that formatPath() wrote", () => {
  const piece = fc.oneof(
    fc.constantFrom("a", "%", "%2F", "%2f", "%25", "%2A", "*", "/", "2F", "..", "__proto__", "è"),
    fc.string(),
  );
  const partText = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(""));
  const anywhere = fc.array(partText, { minLength: 1, maxLength: 5 })
    .filter((parts) => parts[0] !== "files");
  const file = partText.map((path) => ["files", path]);
  fc.assert(
    fc.property(fc.oneof(anywhere, file), (parts) => {
      assert.deepEqual(parsePath(formatPath(parts)), parts);
    }),
    { seed: 20261001, numRuns: 2000 },
  );
  assert.equal(formatPath(["orders", "a/b", "50%2F*"]), "orders/a%2Fb/50%252F%2A");
  assert.equal(formatPath(["files", "/tmp/a*b"]), "files//tmp/a*b");
});

function part(collection: string, state: State = BEFORE): { [id: string]: Json } {
  const records = state[collection];
  assert.ok(isObject(records));
  return records;
}
