import assert from "node:assert/strict";
import { INCIDENT, newReport } from "../../testdata/report/sample_report.ts";
import type { Report } from "../model/report.ts";
import { alertLines } from "./alerts.ts";
import { renderJunit } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderMessage } from "./summary.ts";
import { renderSummary } from "./terminal.ts";
import { wordsOf } from "./words.ts";

const PROGRAM = { replay: "deno task eval", live: "deno task eval:live --mode live" };

const ALERTS: NonNullable<Report["alerts"]> = [
  { kind: "source_changed", what: ["skills/a.md (modified)"], scenarios: ["k1", "k2"] },
  { kind: "other_model", what: ["gpt-5", "gpt-5-mini"], scenarios: ["k1"] },
  { kind: "other_baseline_model", what: ["qwen3-8b", "gpt-5"], scenarios: [] },
];

const NAMES = ["skills/a.md", "gpt-5-mini", "qwen3-8b"];

Deno.test("alerts stand first in every rendering, in both languages", async () => {
  const plain = await newReport([INCIDENT]);
  const report = { ...plain, alerts: ALERTS };
  for (const locale of ["en", "it"] as const) {
    const view = { locale, zone: "Europe/Rome" };
    const said = { ...view, colour: false, program: PROGRAM, files: [] };
    const markdown = renderMarkdown(report, view);
    const texts = [
      renderSummary(report, said).split("\n").slice(0, 4).join("\n"),
      markdown.slice(0, markdown.indexOf("\n| ")),
      renderMessage({
        told: { kind: "report", report, place: "reports/runs/x" },
        undelivered: [],
        nextRun: null,
        today: "2026-11-30",
        program: PROGRAM,
      }, view).split("\n").slice(0, 4).join("\n"),
      renderJunit(report),
    ];
    for (const text of texts) for (const name of NAMES) assert.ok(text.includes(name), text);
  }
  assert.equal(alertsOf(plain), "");
});

function alertsOf(report: Report): string {
  return alertLines(report, { words: wordsOf("en").alerts, code: (text) => text, most: 9 })
    .join("\n");
}

Deno.test("alertLines() names the scenarios, and counts what it leaves out", async () => {
  const report = { ...await newReport([]), alerts: ALERTS };
  assert.equal(
    alertsOf(report),
    [
      "The agent changed what it is evaluated by: skills/a.md (modified) (in k1, k2)",
      "Another model answered than the configured gpt-5: gpt-5-mini (in k1)",
      "The baseline was measured with another model: qwen3-8b, not gpt-5",
    ].join("\n"),
  );
  const words = wordsOf("en").alerts;
  assert.deepEqual(alertLines(report, { words, code: (text) => text, most: 1 }), [
    "The agent changed what it is evaluated by: skills/a.md (modified) (in k1, … (+1))",
    "… (+2)",
  ]);
});
