import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../model/json.ts";
import { matchArgs, PatternError } from "./args.ts";
import { compileRe2, Re2Engine } from "./re2.ts";

Deno.test("matchArgs() fits a subset: nested, by value, literal texts, patterns", () => {
  const rows: [JsonObject, JsonObject, boolean][] = [
    [{}, { a: 1 }, true],
    [{ a: 1 }, { a: 1.0, b: 2 }, true],
    [{ a: 1 }, { a: "1" }, false],
    [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, true],
    [{ a: { b: 1 } }, { a: null }, false],
    [{ a: [1, { b: 2 }] }, { a: [1, { b: 2, c: 3 }] }, true],
    [{ a: [1] }, { a: [1, 2] }, false],
    [{ a: ".*" }, { a: "x" }, false],
    [{ a: { matches: "^V.a Po" } }, { a: "Via Po 12" }, true],
    [{ a: { matches: "^Po" } }, { a: "Via Po 12" }, false],
    [{ a: { matches: "x" } }, { a: { matches: "x" } }, true],
    [{ a: null }, {}, false],
    [{ toString: "x" }, {}, false],
  ];
  for (const [pattern, args, fits] of rows) {
    assert.equal(matchArgs(pattern, args), fits, JSON.stringify([pattern, args]));
  }
  assert.throws(() => matchArgs({ a: { matches: "(?=x)" } }, { a: "x" }), PatternError);
});

Deno.test("matchArgs() fits everything with itself", () => {
  const args = fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(args, (one) => {
      if (!JSON.stringify(one).includes('"matches"')) assert.ok(matchArgs(one, one));
    }),
    { seed: 20261001, numRuns: 1000 },
  );
});

Deno.test("compileRe2() finds in linear time, or says why it cannot run", () => {
  const digits = compileRe2("[0-9]+|x*");
  assert.ok(digits.kind === "pattern");
  assert.deepEqual(digits.find("a12b3xx"), ["12", "3", "xx"]);
  const slow = compileRe2("(a+)+$");
  assert.ok(slow.kind === "pattern" && !slow.test("a".repeat(5000) + "b"));
  for (const refused of ["(?=a)", "(a)\\1", "(?<!a)b", "[", "(a{1000}){1000}"]) {
    const broken = compileRe2(refused);
    assert.ok(broken.kind === "broken" && broken.why !== "", refused);
  }
});

Deno.test("Re2Engine steps through matches as a global RegExp does", () => {
  const text = "uno 12, due 345, 6";
  const [engine, native] = [new Re2Engine(/(\d)(\d+)?/g), /(\d)(\d+)?/g];
  for (let i = 0; i < 4; i++) {
    const [found, expected] = [engine.exec(text), native.exec(text)];
    assert.deepEqual(found && [...found, found.index], expected && [...expected, expected.index]);
    assert.equal(engine.lastIndex, native.lastIndex);
  }
});
