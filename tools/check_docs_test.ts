import assert from "node:assert/strict";
import { steady } from "./check_docs.ts";
import { examplesIn } from "./docs/examples.ts";

Deno.test("examplesIn() finds console fences and shown files, and leaves the rest alone", () => {
  const text = [
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
    "",
  ].join("\n");
  const found = examplesIn(text).map(({ start, end, line, shows }) => ({
    inside: text.slice(start, end),
    line,
    shows,
  }));
  assert.deepEqual(found, [
    {
      inside: "$ deno task eval --version\n0.1.0\n",
      line: 3,
      shows: { kind: "console" },
    },
    { inside: "gate: release\n", line: 11, shows: { kind: "file", path: "gates/release.yaml" } },
  ]);
});

Deno.test("steady() writes times and commits of report folders as placeholders", () => {
  assert.equal(
    steady(
      "reports/runs/2026-11-30T21-18-02Z-nogit/report.md  \nreports/runs/2026-11-30T21-18-02Z-142c623b-2/x",
    ),
    "reports/runs/<time>-<commit>/report.md\nreports/runs/<time>-<commit>/x",
  );
});
