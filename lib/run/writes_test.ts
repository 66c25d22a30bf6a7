/** Does a write change what it names and nothing else? Properties over any state and path. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { valueAt } from "../expression/paths.ts";
import type { Json, State } from "../model/json.ts";
import { appendAt, deleteAt, setAt } from "./writes.ts";

const name = fc.oneof(
  fc.constantFrom("a", "b", "files", "outbox", "__proto__", "constructor", "0", "x/y", "*"),
  fc.string({ minLength: 1, maxLength: 3 }),
);
const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const state = fc.dictionary(name, fc.dictionary(name, json), { maxKeys: 4 })
  .map(({ outbox: _, ...rest }) => rest) as fc.Arbitrary<State>;
const path = fc.array(name, { minLength: 1, maxLength: 4 });

Deno.test("setAt() makes the value readable at its path, deleteAt() makes it absent, and both leave the state before", () => {
  fc.assert(
    fc.property(state, path, json, (before, parts, value) => {
      const copy = JSON.stringify(before);
      const set = setAt(before, parts, value);
      const removed = deleteAt(set.kind === "written" ? set.state : before, parts);
      if (set.kind === "written" && throughObjects(set.state, parts)) {
        assert.equal(JSON.stringify(valueAt(set.state, parts)), JSON.stringify(value));
        assert.ok(removed.kind === "written");
        assert.equal(valueAt(removed.state, parts), undefined);
      }
      assert.equal(JSON.stringify(before), copy);
    }),
    { seed: 5, numRuns: 500 },
  );
});

Deno.test("setAt(), appendAt() and deleteAt() share every collection that they do not name", () => {
  fc.assert(
    fc.property(state, path, json, (before, parts, value) => {
      for (
        const written of [
          setAt(before, parts, value),
          appendAt(before, parts, value),
          deleteAt(before, parts),
        ]
      ) {
        if (written.kind !== "written") continue;
        for (const collection of Object.keys(before)) {
          if (collection === parts[0]) continue;
          assert.equal(written.state[collection], before[collection]);
        }
      }
    }),
    { seed: 6, numRuns: 500 },
  );
});

/** Items of lists are read by key, not by position: those paths have no value to compare. */
function throughObjects(state: State, parts: readonly string[]): boolean {
  return parts.every((_, i) => i === 0 || !Array.isArray(valueAt(state, parts.slice(0, i))));
}
