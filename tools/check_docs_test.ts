import assert from "node:assert/strict";
import { projectFiles, steady } from "./check_docs.ts";
import { checkBlock, whole } from "./docs/block_check.ts";
import { examplesIn } from "./docs/examples.ts";
import { keyTable } from "./docs/key_table.ts";
import { ownProject } from "./docs/own_project.ts";

const ROOT = new URL("../", import.meta.url).pathname.replace(/\/$/, "");

const PAGE = [
  "# Page",
  "```console",
  "$ deno task eval --version",
  "0.1.0",
  "```",
  "```yaml",
  "a: 1",
  "```",
  "<!-- file: gates/release.yaml -->",
  "```yaml",
  "gate: release",
  "```",
  "<!-- keys: scenario expected.state -->",
  "| old |",
  "<!-- end -->",
  "```json project fixtures/x.json",
  "{}",
  "```",
  "```jsonata refused crm",
  "true",
  "```",
  "",
].join("\n");

Deno.test("examplesIn() finds fences and tables in their order, and leaves plain fences alone", () => {
  const found = examplesIn(PAGE).map(({ start, end, line, shows }) => ({
    inside: PAGE.slice(start, end),
    line,
    shows,
  }));
  assert.deepEqual(found, [
    { inside: "$ deno task eval --version\n0.1.0\n", line: 3, shows: { kind: "console" } },
    { inside: "gate: release\n", line: 11, shows: { kind: "file", path: "gates/release.yaml" } },
    {
      inside: "| old |\n",
      line: 14,
      shows: { kind: "keys", schema: "scenario", path: ["expected", "state"] },
    },
    {
      inside: "{}\n",
      line: 17,
      shows: { kind: "block", words: ["json", "project", "fixtures/x.json"] },
    },
    {
      inside: "true\n",
      line: 20,
      shows: { kind: "block", words: ["jsonata", "refused", "crm"] },
    },
  ]);
  assert.deepEqual([...projectFiles(PAGE)], [["fixtures/x.json", "{}\n"]]);
});

Deno.test("steady() writes times and commits of report folders as placeholders", () => {
  assert.equal(
    steady(
      "reports/runs/2026-11-30T21-18-02Z-nogit/report.md  \nreports/runs/2026-11-30T21-18-02Z-142c623b-2/x",
    ),
    "reports/runs/<time>-<commit>/report.md\nreports/runs/<time>-<commit>/x",
  );
});

Deno.test("keyTable() takes the schema's words, keeps those of the page, and tells keys without any", () => {
  const schema = {
    properties: {
      rules: {
        type: "array",
        items: {
          properties: {
            id: { type: "string" },
            level: { enum: ["block", "warn"], description: "How grave | how light" },
            require: { type: "string", description: "A JSONata expression" },
            count: { type: "integer", minimum: 1, default: 1 },
            bare: { anyOf: [{ type: "boolean" }, { type: "number", exclusiveMinimum: 0 }] },
          },
          required: ["id", "level"],
        },
      },
    },
  };
  const before =
    "| `id` | x | y | Its name |\n| `level` | | | other |\n| `count` | | | a \\| b |\n" +
    "| `require` | | | Must be true |\n";
  const { text, wordless } = keyTable(schema, ["rules", "*"], before);
  assert.deepEqual(text.split("\n"), [
    "| key | value | default | what it is |",
    "|---|---|---|---|",
    "| `id` | text | obligatory | Its name |",
    "| `level` | `block`, `warn` | obligatory | How grave \\| how light |",
    "| `require` | expression |  | Must be true |",
    "| `count` | whole number from 1 | `1` | a \\| b |",
    "| `bare` | boolean or number above 0 |  |  |",
    "",
  ]);
  assert.deepEqual(wordless, ["bare"]);
  assert.throws(() => keyTable(schema, ["rule"], ""), /no "rule"/);
});

Deno.test("whole() adds what a part leaves out, and a state where its setup names none", () => {
  const made = whole("setup:\n  clock: x\n", "home");
  assert.match(
    made,
    /^setup:\n {2}clock: x\n {2}state: fixtures\/home\/house.json\nid: docs-example/,
  );
  assert.match(whole("expected: {}\n"), /setup:\n {2}state: fixtures\/crm\/erp.json\n/);
  assert.doesNotMatch(whole("setup:\n  state: own.json\n"), /erp\.json/);
});

Deno.test("checkBlock() accepts what loads and tells the line of what does not", async () => {
  const at = async (words: string, text: string) =>
    (await checkBlock(ROOT, words.split(" "), text)).map(({ line, code }) => `${line} ${code}`);
  assert.deepEqual(await at("jsonata crm", "$called('find_customer')\n\n/* a remark */\n"), []);
  assert.deepEqual(await at("jsonata crm", "\n$called('find_custmer')\n"), ["2 unknown-tool"]);
  assert.deepEqual(await at("jsonata refused crm", "$count(trace.cals) = 0\n"), []);
  assert.deepEqual(await at("jsonata refused crm", "$called('find_customer')\n"), ["1 "]);
  assert.deepEqual(await at("jsonata gate", "candidate.critical = 0\n"), []);
  assert.deepEqual(await at("yaml part crm", "tags: [a]\nasert: 1\n"), ["2 unknown-key"]);
  assert.deepEqual(await at("yaml config", "local: it\n"), ["1 unknown-key"]);
  assert.deepEqual(await at("yaml nonsense", "a: 1\n"), ["1 "]);
});

Deno.test("ownProject() runs the command line over files in memory, one command after the other", async () => {
  const project = ownProject(new Map([["scenarios/a/b.yaml", "id: c\n"]]));
  const { text, code } = await project.run("npx collaudo validate");
  assert.equal(code, 2);
  assert.match(text, /scenarios\/a\/b\.yaml:1:1: .*\[missing-key\]/);
  assert.equal((await project.run('npx collaudo "--version"')).code, 0);
});
