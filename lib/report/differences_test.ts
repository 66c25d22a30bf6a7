import { deepEqual, equal } from "node:assert/strict";
import type { JudgedChange } from "../model/verdict.ts";
import { narrowChange } from "./differences.ts";

const missing = (
  expected: JudgedChange["expected"],
  after: JudgedChange["after"],
): JudgedChange => ({
  path: "orders/A",
  class: "missing",
  severity: 3,
  op: "absent",
  expected,
  after,
});

Deno.test("narrowChange() names the inner places that differ and nothing else", () => {
  const wanted = { total: 5, lines: [{ id: "a", qty: 1 }, { id: "b", qty: 2 }], "a/b": "x" };
  const found = { total: 5, lines: [{ id: "a", qty: 1 }, { id: "b", qty: 3 }], extra: true };
  const told = narrowChange(missing(wanted, found)).map((each) => [
    each.path,
    each.expected,
    each.after,
  ]);
  deepEqual(told, [
    ["orders/A/lines/1/qty", 2, 3],
    ["orders/A/a%2Fb", "x", null],
    ["orders/A/extra", null, true],
  ]);
});

Deno.test("narrowChange() leaves plain values alone and keeps the whole where places are many", () => {
  const plain = missing(1, 2);
  deepEqual(narrowChange(plain), [plain]);
  const many = missing([1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 3, 3, 2, 1]);
  const told = narrowChange(many);
  equal(told.length, 6);
  equal(told.at(-1), many);
  const put: JudgedChange = { ...missing(0, 0), class: "other_record", op: "changed" };
  deepEqual(
    narrowChange({ ...put, before: { a: 1, b: 1 }, after: { a: 1 } })
      .map(({ path, op, before, after }) => ({ path, op, before, after })),
    [{ path: "orders/A/b", op: "deleted", before: 1, after: null }],
  );
});
