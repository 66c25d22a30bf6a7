/** The difference of two states: empty for equals, and what leads from the first to the second. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { compilePattern } from "../expression/paths.ts";
import { applyChanges } from "../model/changes.ts";
import { equalJson, isObject, type Json, type State } from "../model/json.ts";
import { diffStates, diffTouched } from "./diff.ts";

const SETTINGS = { seed: 20261001, numRuns: 1000 };

const key = fc.constantFrom("a", "b", "c", "__proto__", "constructor", "x/y", "%2F", "*", "", "1");
const leaf = fc.constantFrom<Json>(null, true, 0, 1, 1.5, "", "1", "x");
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie("value"), { maxLength: 2 }),
    records(tie("value")),
  ),
}));
const state: fc.Arbitrary<State> = records(records(value)).map((collections) => {
  const { outbox: _, files: __, ...rest } = collections as State;
  return { ...rest, files: { "/tmp/a*": "x" } };
});

function records(of: fc.Arbitrary<Json>): fc.Arbitrary<State> {
  return fc.array(fc.tuple(key, of), { maxLength: 4 }).map((pairs) => Object.fromEntries(pairs));
}

/** Empty collections are absent ones. */
function plain(of: State): State {
  return Object.fromEntries(
    Object.entries(of).filter(([, one]) => !isObject(one) || Object.keys(one).length > 0),
  );
}

Deno.test("diffStates() is empty for a state and itself, shared or copied", () => {
  fc.assert(
    fc.property(state, (one) => {
      assert.deepEqual(diffStates(one, one), []);
      assert.deepEqual(diffStates(one, structuredClone(one)), []);
    }),
    SETTINGS,
  );
});

Deno.test("diffStates() applied to the state before gives the state after", () => {
  fc.assert(
    fc.property(state, state, (before, after) => {
      const changes = diffStates(before, after);
      const made = applyChanges(before, changes);
      assert.ok(equalJson(plain(made), plain(after)));
      assert.deepEqual(diffTouched({ before, after: made }, changes), changes);
      const paths = changes.map((change) => change.path);
      assert.deepEqual(paths, [...new Set(paths)].sort((a, b) => a < b ? -1 : 1));
    }),
    SETTINGS,
  );
});

Deno.test("diffStates() never takes a number for its text", () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      const before = { c: { r: { n: number, list: [number] } } };
      const after = { c: { r: { n: String(number), list: [String(number)] } } };
      assert.deepEqual(diffStates(before, after).map(({ path }) => path), ["c/r/list", "c/r/n"]);
      assert.deepEqual(diffStates(before, { c: { r: { n: number * 1.0, list: [number] } } }), []);
    }),
    SETTINGS,
  );
});

Deno.test("diffStates() leaves the outbox out and compares keyed lists in any order", () => {
  const before = { outbox: [], o: { 1: { items: [{ id: 1, q: 1 }, { id: 2, q: 2 }] } } };
  const after = { outbox: [{ to: "x" }], o: { 1: { items: [{ id: 2, q: 3 }, { id: 1, q: 1 }] } } };
  const keys = [{ list: compilePattern("o/*/items"), field: "id" }];
  assert.deepEqual(diffStates(before, after, keys), [
    { path: "o/1/items/2/q", op: "changed", before: 2, after: 3 },
  ]);
  assert.deepEqual(diffStates(before, after).map(({ path }) => path), ["o/1/items"]);
});
