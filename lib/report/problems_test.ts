/** Problems are shown where they are, whatever stands in the line. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Problem } from "../model/problem.ts";
import { renderProblems } from "./problems.ts";

function problem(more: Partial<Problem>): Problem {
  return {
    code: "unknown-key",
    severity: "error",
    file: "a.yaml",
    line: 1,
    col: 1,
    length: 1,
    what: "Unknown key",
    fix: "remove it",
    ...more,
  };
}

function render(source: string, ...problems: Partial<Problem>[]): string {
  return renderProblems(problems.map(problem), new Map([["a.yaml", source]]));
}

Deno.test("renderProblems() shows place, line, caret and fix, sorted, each once", () => {
  const text = render(
    "id: a\n    wieght: 2\n",
    { line: 2, col: 5, length: 6, what: 'Unknown key "wieght"', fix: 'did you mean "weight"?' },
    { severity: "warning", what: "Something small" },
    { severity: "warning", what: "Something small" },
  );
  assert.equal(
    text,
    `a.yaml:1:1: warning: Something small [unknown-key]
  1 | id: a
    | ^
  fix: remove it

a.yaml:2:5: Unknown key "wieght" [unknown-key]
  2 |     wieght: 2
    |     ^~~~~~
  fix: did you mean "weight"?
`,
  );
  assert.equal(renderProblems([], new Map()), "");
});

Deno.test("renderProblems() counts wide characters as two columns and marks as none", () => {
  const line = "😀漢 e\u0301 key: 1";
  const out = render(line, { col: line.indexOf("key") + 1, length: 3 });
  assert.match(out, /\n {4}\| {8}\^~~\n/);
});

Deno.test("renderProblems() lets no text move the cursor and cuts long lines around the caret", () => {
  const out = render("a: \u001b[2J\u202Eevil\u0000\r\n", {
    col: 4,
    length: 3,
    what: "bad \u001b[31m",
  });
  assert.doesNotMatch(out.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
  const long = render(`${"x".repeat(500)}key${"y".repeat(500)}`, { col: 501, length: 3 });
  const lines = long.split("\n");
  assert.ok(lines.every((line) => line.length < 120));
  assert.equal(lines[1]?.slice(lines[2]?.indexOf("^")).slice(0, 3), "key");
});

Deno.test("renderProblems() never shows a line that holds a secret", () => {
  const out = render(
    "key: sk-abcdefghijklmnopqrst\n",
    { code: "secret-in-clear", col: 6, length: 23 },
    { col: 1, length: 3 },
  );
  assert.doesNotMatch(out, /sk-abc/);
});

Deno.test("renderProblems() renders any problem of any text", () => {
  const place = fc.record({
    line: fc.integer({ min: 1, max: 5 }),
    col: fc.integer({ min: 1, max: 300 }),
    length: fc.integer({ min: 1, max: 300 }),
  });
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), place, (source, at) => {
      assert.match(render(source, at), /^a\.yaml:\d+:\d+: Unknown key \[unknown-key\]\n/);
    }),
    { seed: 20261130, numRuns: 300 },
  );
});
