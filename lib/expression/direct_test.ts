import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../model/json.ts";
import { parseExpression } from "./ast.ts";
import type { Scope } from "./compile.ts";
import { compileDirect } from "./direct.ts";
import { Unsure } from "./direct_values.ts";

const name = fc.constantFrom("a", "b", "list", "n", "none");
const literal = fc.constantFrom(
  "0",
  "1",
  "-1",
  "2.5",
  "'x'",
  "''",
  "'list'",
  "true",
  "false",
  "null",
);

const grammar = fc.letrec<{ expr: string; path: string; predicate: string }>((tie) => ({
  predicate: fc.oneof(
    {
      weight: 3,
      arbitrary: fc.constantFrom("[0]", "[-1]", "[1]", "[n=1]", "[a]", "[$$.n]", "[a.n > 0]"),
    },
    { weight: 1, arbitrary: tie("expr").map((expr) => `[${expr}]`) },
  ),
  path: fc.tuple(
    fc.oneof(
      name,
      fc.constantFrom("$$", "$", "$many()", "$one()", "$empty()", "$value", "(a; list)"),
    ),
    fc.array(fc.oneof(name.map((field) => `.${field}`), tie("predicate")), { maxLength: 3 }),
  ).map(([first, rest]) => first + rest.join("")),
  expr: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    literal,
    tie("path"),
    fc.tuple(tie("expr"), operator(), tie("expr")).map(([a, op, b]) => `(${a} ${op} ${b})`),
    fc.tuple(
      fc.constantFrom("count", "exists", "not", "boolean", "lowercase", "length", "echo"),
      tie("expr"),
    )
      .map(([f, a]) => `$${f}(${a})`),
    fc.tuple(tie("expr"), tie("expr")).map(([a, b]) => `$contains(${a}, ${b})`),
    fc.array(tie("expr"), { maxLength: 3 }).map((items) => `[${items.join(", ")}]`),
    fc.tuple(tie("expr"), tie("expr")).map(([a, b]) => `{'a': ${a}, 'n': ${b}}`),
    fc.tuple(tie("expr"), tie("expr"), tie("expr")).map(([a, b, c]) => `(${a} ? ${b} : ${c})`),
    fc.tuple(tie("expr"), tie("expr")).map(([a, b]) => `(${a}; ${b})`),
    fc.tuple(tie("path"), tie("predicate")).map(([a, b]) => `${a}${b}`),
  ),
}));

function operator() {
  return fc.constantFrom(
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
    "and",
    "or",
    "in",
    "+",
    "-",
    "*",
    "/",
    "&",
  );
}

const leaf = fc.constantFrom<unknown>(0, 1, 2, "x", "list", "", true, false, null);
const value = fc.letrec<{ value: unknown; record: unknown }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie("value"), { maxLength: 3 }), tie("record")),
  record: fc.dictionary(name, tie("value"), { maxKeys: 4 }),
}));

function sequence(items: readonly unknown[]): unknown[] {
  return Object.assign(items.slice(), { sequence: true });
}

function scopeOf(input: JsonObject): Scope {
  const bindings: Record<string, unknown> = Object.create(null);
  bindings.many = () => sequence([{ n: 1, a: "x" }, { n: 2, list: [1, 2] }, { n: 1 }]);
  bindings.one = () => sequence([{ n: 1, a: { n: 1 } }]);
  bindings.empty = () => sequence([]);
  bindings.echo = (given: unknown) => given;
  bindings.value = input;
  return { input, bindings };
}

function plain(given: unknown): string {
  return given === undefined
    ? "nothing"
    : JSON.stringify(given, (_, one: unknown) => Array.isArray(one) ? Array.from(one) : one);
}

async function byJsonata(text: string, scope: Scope): Promise<string> {
  const parsed = parseExpression(text);
  if (parsed.kind === "broken") return "error";
  try {
    return plain(await parsed.expression.evaluate(scope.input, { ...scope.bindings }));
  } catch {
    return "error";
  }
}

Deno.test("compileDirect() gives what JSONata gives, or leaves it to JSONata", async () => {
  const counts = { direct: 0, left: 0 };
  const record = fc.dictionary(name, value.value, { maxKeys: 5 }) as fc.Arbitrary<JsonObject>;
  await fc.assert(
    fc.asyncProperty(grammar.expr, record, async (text, input) => {
      const parsed = parseExpression(text);
      if (parsed.kind === "broken") return;
      const program = compileDirect(parsed.ast);
      const scope = scopeOf(input);
      let direct: string;
      try {
        if (program === null) throw new Unsure();
        direct = plain(program(scope));
        counts.direct++;
      } catch (error) {
        assert.ok(error instanceof Unsure, String(error));
        counts.left++;
        return;
      }
      assert.equal(direct, await byJsonata(text, scope), `${text} over ${JSON.stringify(input)}`);
    }),
    { seed: 20261001, numRuns: 3000 },
  );
  assert.ok(counts.direct > counts.left, JSON.stringify(counts));
});

Deno.test("compileDirect() leaves long evaluations to JSONata, which has a time limit", () => {
  const items = Array.from({ length: 400 }, (_, n) => ({ n }));
  const parsed = parseExpression("list[n in $$.list[n in $$.list.n].n]");
  assert.ok(parsed.kind === "parsed");
  const program = compileDirect(parsed.ast);
  assert.throws(() => program?.(scopeOf({ list: items })), Unsure);
});
