/** Whatever stands in a file, loading it never throws: it gives a value, or a problem that says why not. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { hasErrors, type Problem } from "../model/problem.ts";
import { renderProblems } from "../report/problems.ts";
import { loadGate } from "./gate.ts";
import { parseJson } from "./json_text.ts";
import { memoryFiles } from "./memory_files.ts";
import { findProject } from "./project.ts";
import { readRuns } from "./runs.ts";
import { loadScenarios } from "./scenarios.ts";
import { parseYaml } from "./yaml.ts";

const SEED = 20261130;

const PIECES = [
  "id: good\n",
  "description: x\n",
  "category: happy_path\n",
  "conversation:\n",
  "  - user: Hello\n",
  "expected:\n",
  "  tools_called: [{name: find_customer}]\n",
  "  state: {changes: {a/b: 1}}\n",
  "setup: {state: fixtures/shop/state.json}\n",
  "tools:\n",
  "  find_customer:\n",
  "    effect: read\n",
  "    description: d\n",
  "    input: {type: object}\n",
  '    set: {"a/<b>": <c>}\n',
  "gate: g\n",
  "version: 1\n",
  "reason: r\n",
  "rules:\n",
  "  - {id: a, level: block, require: candidate.critical = 0}\n",
  "origin: handmade\n",
  "turns:\n",
  "  - {say: Hello, calls: [{tool: x, args: {a: [1, {b: 2}]}}]}\n",
  "&a ",
  "*a",
  "!!str ",
  "!x ",
  "<<: ",
  "? ",
  "- ",
  ": ",
  "{",
  "}",
  "[",
  "]",
  "'",
  '"',
  "\\",
  "|\n",
  ">-\n",
  "# c\n",
  " #",
  "---\n",
  "...\n",
  "%YAML 1.1\n",
  "\t",
  "\r\n",
  "\uFEFF",
  "\u0000",
  "\uD800",
  "\u202E",
  ".nan",
  "0x1F",
  "+39",
  "007",
  "1e999",
  "~",
  "__proto__: 1\n",
  "constructor: {}\n",
  "null",
  "true",
  '{"schema":"collaudo/run@1"',
  '"state":{"before":{},"after":{}}',
  "\n",
  "  ",
  "a",
  "é",
  "😀",
];

const text = fc.oneof(
  fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }).map((pieces) => pieces.join("")),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.json(),
);

const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }),
  text.map((one) => new TextEncoder().encode(one)),
);

function checkProblems(problems: readonly Problem[]): void {
  for (const problem of problems) {
    assert.ok(
      problem.line >= 1 && problem.col >= 1 && problem.length >= 1,
      JSON.stringify(problem),
    );
    assert.ok(problem.what !== "" && problem.fix !== "" && problem.code !== "");
  }
}

Deno.test("parseYaml() and parseJson() give a value or a problem for any text", () => {
  fc.assert(
    fc.property(text, (one) => {
      for (const parse of [parseYaml, parseJson]) {
        const { source, problems } = parse("file", one);
        checkProblems(problems);
        if (source === null) assert.ok(hasErrors(problems), "neither a value nor an error");
        assert.equal(typeof renderProblems(problems, new Map([["file", one]])), "string");
      }
    }),
    { seed: SEED, numRuns: 700 },
  );
});

Deno.test("parseJson() agrees with JSON.parse on every JSON value", () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (one) => {
      const { source, problems } = parseJson("file", one);
      if (problems.length > 0) return;
      assert.deepEqual(source?.value, JSON.parse(one));
    }),
    { seed: SEED, numRuns: 300 },
  );
});

const BASE: Record<string, string | Uint8Array> = {
  "/p/collaudo.yaml": "locale: en\n",
  "/p/scenarios/shop/good.yaml":
    "id: good\ndescription: d\ncategory: happy_path\nsetup: {state: fixtures/shop/state.json}\n" +
    "conversation: [{user: Hello}]\nexpected: {tools_called: [{name: find_customer}]}\n",
  "/p/fixtures/shop/tools.yaml":
    "tools:\n  find_customer: {description: d, effect: read, input: {type: object}}\n",
  "/p/fixtures/shop/state.json": "{}",
  "/p/fixtures/recordings/good/pass.yaml": "origin: handmade\nturns: [{say: Hello}]\n",
  "/p/gates/release.yaml":
    "gate: g\nversion: 1\nreason: r\nrules: [{id: a, level: block, require: candidate.critical = 0}]\n",
  "/p/runs.jsonl": "",
};

Deno.test("loading never throws, whichever file holds whatever bytes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(BASE)), bytes, async (path, content) => {
      const files = memoryFiles({ ...BASE, [path]: content });
      const { project, problems } = await findProject(files, "/p");
      checkProblems(problems);
      if (project === null) return assert.ok(hasErrors(problems));
      const loaded = await loadScenarios(files, project, { paths: [], only: [] });
      checkProblems(loaded.problems);
      assert.ok(loaded.scenarios.length > 0 || hasErrors(loaded.problems));
      const gate = await loadGate(files, project, "gates/release.yaml");
      checkProblems(gate.problems);
      assert.ok(gate.gate !== null || hasErrors(gate.problems));
      let runs = 0;
      for await (const read of readRuns(files, project, "runs.jsonl")) {
        runs++;
        if ("problem" in read) checkProblems([read.problem]);
      }
      assert.ok(runs > 0, "a file without runs gives neither a run nor a problem");
    }),
    { seed: SEED, numRuns: 250 },
  );
});
