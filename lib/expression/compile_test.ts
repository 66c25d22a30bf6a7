import assert from "node:assert/strict";
import fc from "fast-check";
import { parseExpression } from "./ast.ts";
import { decideExpression, evaluateExpression, type Scope } from "./compile.ts";

function scopeOf(input: Record<string, unknown>): Scope {
  return { input: input as Scope["input"], bindings: Object.create(null) };
}

const scope = scopeOf({ a: { b: [{ n: 1 }, { n: 2 }] }, one: [{ n: 1 }], t: "x".repeat(50) });

Deno.test("evaluateExpression() gives plain data", async () => {
  const rows: [string, unknown][] = [
    ["a.b.n", [1, 2]],
    ["a.b[n=1].n", 1],
    ["a.b[n=1][]", [{ n: 1 }]],
    ["a.b[n=3]", undefined],
    ["{'x': a.b[n=1].n, 'y': a.none}", { x: 1 }],
    ["$map(a.b, function($v) { $v.n * 2 })", [2, 4]],
    ["[]", []],
    ["$pad('a', -3, '#')", "##a"],
    ["$pad('a', 5, 'bc')", "abcbc"],
  ];
  for (const [text, value] of rows) {
    const evaluated = await evaluateExpression(text, scope);
    assert.deepEqual(evaluated, { kind: "value", value }, text);
    const list = evaluated.kind === "value" ? evaluated.value : null;
    if (Array.isArray(list)) assert.deepEqual(Object.keys(list), list.map((_, i) => String(i)));
  }
});

Deno.test("evaluateExpression() never gives functions, NaN or a part of its input", async () => {
  for (const text of ["function($x) { $x }", "$sum", "/a/", "1/0", "{'f': $sum}"]) {
    assert.equal((await evaluateExpression(text, scope)).kind, "error", text);
  }
  const evaluated = await evaluateExpression("a", scope);
  assert.ok(evaluated.kind === "value" && evaluated.value !== scope.input.a);
});

Deno.test("evaluateExpression() stops what takes too long, nests too deep or grows too big", async () => {
  const bombs = [
    "($f := function($n) { $f($n + 1) }; $f(0))",
    "($f := function($n) { 1 + $f($n + 1) }; $f(0))",
    "$count([1..9999999])",
    "$pad('x', 100000000)",
  ];
  for (const text of bombs) {
    const start = performance.now();
    const evaluated = await evaluateExpression(text, scope);
    assert.equal(evaluated.kind, "error", text);
    assert.ok(performance.now() - start < 20_000, text);
  }
});

Deno.test("evaluateExpression() runs regular expressions in linear time", async () => {
  const slow = scopeOf({ t: "a".repeat(30_000) + "!" });
  const evaluated = await evaluateExpression("$contains(t, /^(a+)+$/)", slow);
  assert.deepEqual(evaluated, { kind: "value", value: false });
  assert.equal((await evaluateExpression("$match(t, /(?=a)/)", slow)).kind, "error");
});

Deno.test("parseExpression() tells where a text is no expression", () => {
  const rows: [string, string][] = [
    ["a.b[", ""],
    ["a = = b", "="],
    ["a )", ")"],
    ["'abc", "'abc"],
    ["$f(", ""],
  ];
  for (const [text, token] of rows) {
    const parsed = parseExpression(text);
    assert.ok(parsed.kind === "broken", text);
    assert.ok(parsed.why !== "" && parsed.length >= 1);
    assert.ok(parsed.offset >= 0 && parsed.offset <= text.length);
    if (token === "=" || token === ")") assert.equal(text.slice(parsed.offset)[0], token);
  }
});

Deno.test("decideExpression() does not fall over deeply nested expressions", async () => {
  for (const depth of [500, 2_000, 5_000, 50_000]) {
    const text = `${"$not(".repeat(depth)}true${")".repeat(depth)}`;
    const decided = await decideExpression(text, scope);
    if (decided.kind === "decided") assert.equal(decided.value, depth % 2 === 0);
    else assert.ok(decided.why !== "");
  }
});

const anyText = fc.oneof(
  fc.string(),
  fc.array(
    fc.constantFrom(
      "$",
      "(",
      ")",
      "[",
      "]",
      "{",
      "}",
      "a",
      ".",
      "'",
      "/",
      "=",
      "1",
      "|",
      "^",
      "%",
      "@",
      "#",
      "*",
      ":=",
      "?",
      "function",
      " ",
      ",",
      "~>",
      "..",
      "`",
    ),
    { maxLength: 12 },
  ).map((parts) => parts.join("")),
);

Deno.test("decideExpression() never throws, and decides only true and false", async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const decided = await decideExpression(text, scope);
      if (decided.kind === "decided") assert.equal(typeof decided.value, "boolean");
      else assert.ok(decided.why !== "");
    }),
    { seed: 20261001, numRuns: 2000 },
  );
});

Deno.test("evaluateExpression() sees nothing inherited under any name", async () => {
  const names = fc.constantFrom(
    "constructor",
    "__proto__",
    "toString",
    "hasOwnProperty",
    "valueOf",
  );
  const forms = fc.constantFrom(
    "X",
    "a.X",
    "a.b.X",
    "a.b[0].X",
    "$$.X",
    "$lookup(a, 'X')",
    "one.X.X",
    "t.X",
  );
  await fc.assert(
    fc.asyncProperty(names, forms, async (name, form) => {
      const evaluated = await evaluateExpression(form.replaceAll("X", name), scope);
      assert.deepEqual(evaluated, { kind: "value", value: undefined }, form);
    }),
    { seed: 20261001, numRuns: 200 },
  );
});
