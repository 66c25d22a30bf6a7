import assert from "node:assert/strict";
import fc from "fast-check";
import type { State } from "../model/json.ts";
import { compilePattern, namedPath, type PathRelation, pathsOf, relate, valueAt } from "./paths.ts";
import { formatPath, parsePath } from "../model/state_path.ts";

const SEED = 20261001;

Deno.test("parsePath() decodes %2F and %2A in parts and leaves file paths as they are", () => {
  const rows: [string, string[]][] = [
    ["customers/C-1/vat", ["customers", "C-1", "vat"]],
    ["a/x%2Fy/z%2A", ["a", "x/y", "z*"]],
    ["a/%252F/100%", ["a", "%2F", "100%"]],
    ["files/src/a.ts", ["files", "src/a.ts"]],
    ["files//tmp/x", ["files", "/tmp/x"]],
    ["files/100%2F", ["files", "100%2F"]],
    ["files", ["files"]],
  ];
  for (const [text, parts] of rows) {
    assert.deepEqual(parsePath(text), parts);
    assert.equal(formatPath(parts), text);
  }
});

Deno.test("formatPath() is undone by parsePath()", () => {
  const part = fc.array(fc.constantFrom("%", "2", "5", "F", "f", "A", "/", "*", "x"), {
    maxLength: 7,
  }).map((signs) => signs.join(""));
  const parts = fc.oneof(
    fc.array(fc.oneof(part, fc.string()), { minLength: 1, maxLength: 5 })
      .filter((all) => all[0] !== "files"),
    part.map((own) => ["files", own]),
  );
  fc.assert(fc.property(parts, (path) => assert.deepEqual(parsePath(formatPath(path)), path)), {
    seed: SEED,
    numRuns: 3000,
  });
});

Deno.test("relate() tells exact, below and above", () => {
  const rows: [string, string, PathRelation][] = [
    ["customers/*/vat", "customers/C-1/vat", "exact"],
    ["customers/*/vat", "customers/C-1", "above"],
    ["customers/*/vat", "customers/C-1/vat/x", "below"],
    ["customers/*/vat", "customers/C-1/seat", "none"],
    ["customers/C-1", "customers/C-1/vat", "below"],
    ["customers/C-1", "customers/C-10", "none"],
    ["drafts/**", "drafts/d1/text", "exact"],
    ["drafts/**", "drafts", "exact"],
    ["**/vat", "customers/C-1", "above"],
    ["notes/n*", "notes/n1", "exact"],
    ["notes/*-*-z", "notes/a-b-c-z", "exact"],
    ["notes/ab*ba", "notes/aba", "none"],
    ["notes/a%2Fb", "notes/a%2Fb", "exact"],
    ["notes/%2A", "notes/x", "none"],
    ["files/src/**", "files/src/a/b.ts", "exact"],
    ["files/src", "files/src/a.ts", "below"],
    ["files/*", "files/src/a.ts", "below"],
    ["files/*.ts", "files/a.ts", "exact"],
    ["files//tmp/*", "files//tmp/x", "exact"],
    ["files/**", "files//tmp/x", "exact"],
    ["files/src/**", "files/src/../a.ts", "none"],
    ["files/a.ts", "files/src/../a.ts", "exact"],
    ["files/src/**", "files/src//../../etc/x", "none"],
    ["files//etc/*", "files//../tmp/./..//etc/x", "exact"],
    ["files/../x", "files/../x", "exact"],
    ["files/src/*", "files/./src/...ts", "exact"],
  ];
  for (const [pattern, path, relation] of rows) {
    assert.equal(
      relate(compilePattern(pattern), parsePath(path)),
      relation,
      `${pattern} ~ ${path}`,
    );
  }
});

/** All paths over two letters up to a depth, to try a pattern on. */
function allPaths(depth: number): string[][] {
  if (depth === 0) return [[]];
  const shorter = allPaths(depth - 1);
  return [
    ...shorter,
    ...shorter.filter((path) => path.length === depth - 1)
      .flatMap((path) => ["a", "b"].map((letter) => [...path, letter])),
  ];
}

function matchesSlowly(pattern: readonly string[], path: readonly string[]): boolean {
  const [part, ...rest] = pattern;
  if (part === undefined) return path.length === 0;
  if (part === "**") {
    return path.some((_, i) => matchesSlowly(rest, path.slice(i))) || matchesSlowly(rest, []);
  }
  const [first, ...others] = path;
  return first !== undefined && (part === "*" || part === first) && matchesSlowly(rest, others);
}

Deno.test("relate() agrees with trying every prefix and every continuation", () => {
  const universe = allPaths(8).filter((path) => path.length > 0);
  const pattern = fc.array(fc.constantFrom("a", "b", "*", "**"), { minLength: 1, maxLength: 4 });
  const path = fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(pattern, path, (parts, tried) => {
      const prefixes = tried.slice(1).map((_, i) => tried.slice(0, i + 1));
      const startsWith = (longer: string[]) => tried.every((part, i) => longer[i] === part);
      const expected = matchesSlowly(parts, tried)
        ? "exact"
        : prefixes.some((prefix) => matchesSlowly(parts, prefix))
        ? "below"
        : universe.some((longer) =>
            longer.length > tried.length && startsWith(longer) && matchesSlowly(parts, longer)
          )
        ? "above"
        : "none";
      assert.equal(relate(compilePattern(parts.join("/")), tried), expected);
    }),
    { seed: SEED, numRuns: 800 },
  );
});

const state: State = {
  customers: { "C-1": { vat: "1", tags: ["x"], seat: {} }, "C/2": { vat: null } },
  orders: { O1: { items: [{ id: "a", qty: 2 }, { id: 7, qty: 1 }] } },
  files: { "src/a.ts": "A", "/tmp/x": "B" },
  outbox: [{ to: "x" }],
};

Deno.test("valueAt() finds fields, files and items of keyed lists, and nothing inherited", () => {
  const keys = [{ list: compilePattern("orders/*/items"), field: "id" }];
  assert.equal(valueAt(state, parsePath("customers/C-1/vat")), "1");
  assert.equal(valueAt(state, parsePath("customers/C%2F2/vat")), null);
  assert.equal(valueAt(state, parsePath("files/src/a.ts")), "A");
  assert.equal(valueAt(state, parsePath("files//tmp/x")), "B");
  assert.equal(valueAt(state, parsePath("orders/O1/items/a/qty"), keys), 2);
  assert.equal(valueAt(state, parsePath("orders/O1/items/7/qty"), keys), 1);
  for (
    const absent of [
      "orders/O1/items/0",
      "constructor",
      "customers/__proto__",
      "customers/C-1/toString",
    ]
  ) {
    assert.equal(valueAt(state, parsePath(absent)), undefined, absent);
  }
});

Deno.test("pathsOf() lists what a pattern matches, leaves alone under a trailing **", () => {
  const rows: [string, string[]][] = [
    ["customers/*", ["customers/C-1", "customers/C%2F2"]],
    ["customers/*/vat", ["customers/C-1/vat", "customers/C%2F2/vat"]],
    ["customers/**", [
      "customers/C-1/vat",
      "customers/C-1/tags",
      "customers/C-1/seat",
      "customers/C%2F2/vat",
    ]],
    ["files/**", ["files/src/a.ts", "files//tmp/x"]],
    ["files/*", []],
    ["files/*/*.ts", ["files/src/a.ts"]],
    ["*", ["customers", "orders", "files"]],
    ["orders/O1/items", ["orders/O1/items"]],
    ["nothing/**", []],
    ["constructor", []],
  ];
  for (const [pattern, paths] of rows) {
    assert.deepEqual(pathsOf(state, compilePattern(pattern)), paths, pattern);
  }
});

Deno.test("pathsOf() and namedPath() know the items of keyed lists by their names", () => {
  const keys = [{ list: compilePattern("orders/*/items"), field: "id" }];
  const paths = (pattern: string) => pathsOf(state, compilePattern(pattern), keys);
  assert.deepEqual(paths("orders/O1/items/a/qty"), ["orders/O1/items/a/qty"]);
  assert.deepEqual(paths("orders/*/items/*/qty"), [
    "orders/O1/items/a/qty",
    "orders/O1/items/7/qty",
  ]);
  assert.deepEqual(paths("orders/O1/items/b/*"), []);
  assert.deepEqual(paths("customers/*/tags/*"), []);
  const rows: [string, string][] = [
    ["orders/O1/items/0/qty", "orders/O1/items/a/qty"],
    ["orders/O1/items/1", "orders/O1/items/7"],
    ["orders/O1/items/7/qty", "orders/O1/items/7/qty"],
    ["orders/O1/items/2/qty", "orders/O1/items/2/qty"],
    ["customers/C-1/tags/0", "customers/C-1/tags/0"],
  ];
  for (const [path, named] of rows) {
    assert.equal(formatPath(namedPath(state, parsePath(path), keys)), named, path);
  }
});
