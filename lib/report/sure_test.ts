import assert from "node:assert/strict";
import { marked } from "marked";
import { newReport, newScenario } from "../../testdata/report/sample_report.ts";
import { newBaseline } from "../../testdata/report/sample_scores.ts";
import type { GateRule } from "../model/gate.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderSummary } from "./terminal.ts";

const folder = new URL("../../testdata/report/", import.meta.url);
const REWRITES =
  Deno.permissions.querySync({ name: "env", variable: "UPDATE_GOLDEN" }).state === "granted" &&
  Deno.env.get("UPDATE_GOLDEN") === "1";

function golden(name: string, text: string): void {
  const file = new URL(name, folder);
  if (REWRITES) Deno.writeTextFileSync(file, text);
  assert.equal(text, Deno.readTextFileSync(file), name);
}

const RULES: readonly Partial<GateRule>[] = [
  {
    id: "success",
    level: "block",
    require: "$not($significantDrop('taskSuccess', {'margin': 0.1, 'warn': 0.05}))",
  },
  {
    id: "task-success",
    level: "block",
    for_each: "task",
    require: "$not($significantDrop('taskSuccess', {'margin': 0.25}))",
  },
  { id: "refusals", level: "block", require: "$atLeast('taskSuccess', 0.85)" },
  { id: "latency", level: "block", require: "$rise('latencyP95Ms') <= 0.3" },
];

const TASKS = ["lists", "backup", "calendar", "messages"];

/** A night of 24 scenarios tried three times; `passed`: of those that did not always succeed. */
async function night(passed: Readonly<Record<number, number>>): Promise<Report> {
  const build = (passes: (i: number) => number): ReportScenario[] =>
    Array.from({ length: 24 }, (_, i) => {
      const one = newScenario({
        id: `h${String(i).padStart(2, "0")}-${TASKS[i % 4]}`,
        task: TASKS[i % 4]!,
        verdict: passes(i) === 3 ? "passed" : "failed",
      }, { cost: 0.004 + 0.0001 * i, latencyMs: 1000 + 50 * i });
      const trials = [1, 2, 3].flatMap((trial) =>
        one.trials.map((first) => {
          const verdict = trial <= passes(i) ? "passed" as const : "failed" as const;
          return { ...first, trial, verdict, score: { ...first.score, trial, verdict } };
        })
      );
      return { ...one, trials };
    });
  const then = build(() => 3).flatMap(({ trials }) => trials.map(({ score }) => score));
  const baseline = newBaseline(then, { evidence: "live" });
  return await newReport(build((i) => passed[i] ?? 3), {
    rules: RULES,
    evidence: "live",
    baseline,
  });
}

const NIGHTS:
  readonly (readonly [name: string, verdict: string, passed: Record<number, number>])[] = [[
    "live_flaky",
    "pass",
    { 5: 2 },
  ], ["live_fallen", "block", { 1: 0, 5: 1, 6: 1, 9: 0, 13: 1, 17: 0 }]];

for (const [name, verdict, passed] of NIGHTS) {
  for (const locale of ["en", "it"] as const) {
    Deno.test(`the report of ${name} in ${locale} answers an owner's questions as kept`, async () => {
      const report = await night(passed);
      assert.equal(report.decision.verdict, verdict);
      const view = { locale, zone: "Europe/Rome" };
      const markdown = renderMarkdown(report, view);
      golden(`${name}.${locale}.md`, markdown);
      const program = { replay: "deno task eval", live: "deno task eval:live --mode live" };
      golden(
        `${name}.${locale}.txt`,
        renderSummary(report, { ...view, colour: false, program, files: [] }),
      );
      const screen = markdown.split("\n").slice(0, 45).join("\n");
      for (const answer of ANSWERED[locale]) assert.match(screen, answer);
      const open = markdown.slice(0, markdown.indexOf("<details>"));
      assert.doesNotMatch(open.replace(/`[^`]*`/g, ""), /Holm|McNemar|Wilson|σ|√|p-value|\bp = /);
      const folded = markdown.slice(markdown.indexOf("<details>"), markdown.indexOf("</details>"));
      const tables = marked.lexer(folded).filter((token) => token.type === "table");
      assert.equal(tables.length, 3);
    });
  }
}

Deno.test("a trial that was never begun is none of unknown cost", async () => {
  const report = await night({});
  const cut = report.scenarios.map((one) => ({
    ...one,
    trials: one.trials.map((trial) =>
      trial.trial === 1 ? trial : {
        ...trial,
        verdict: "skipped" as const,
        score: { ...trial.score, verdict: "skipped" as const, cost: null },
      }
    ),
  }));
  const view = { locale: "en", zone: "UTC" } as const;
  const screen = renderMarkdown({ ...report, scenarios: cut }, view);
  assert.match(screen, /What it cost\*\*: €[\d.]+ for 24 runs\./);
});

/** May it ship? What broke? How sure? What would make it surer? What did it cost? */
const ANSWERED = {
  en: [
    /decision: (pass|block)/,
    /What broke/,
    /could hide a drop of up to [\d.]+\u00a0points/,
    /What would make it surer\*\*: .*(trials|scenarios)/,
    /What it cost\*\*: €/,
  ],
  it: [
    /decision: (pass|block)/,
    /Che cosa si è rotto/,
    /potrebbe nascondere un calo fino a [\d,]+\u00a0punti/,
    /Che cosa lo renderebbe più sicuro\*\*: .*(prove|scenari)/,
    /Quanto è costato\*\*: .*€/,
  ],
};
