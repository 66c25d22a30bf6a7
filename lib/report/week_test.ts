import assert from "node:assert/strict";
import { newReport, newScenario } from "../../testdata/report/sample_report.ts";
import { isWellFormed } from "../../testdata/telegram/bot_api.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { ReportScenario } from "../model/report.ts";
import { MESSAGE_MAX } from "./split_message.ts";
import { renderMessage } from "./summary.ts";
import { type WeekFacts, weekFacts, type WeekInput, type WeekRun, weekRun } from "./week_facts.ts";

const folder = new URL("../../testdata/report/summary/", import.meta.url);

/** The tests need no permission but to read `testdata`; to rewrite, `UPDATE_GOLDEN=1` and more. */
const REWRITES =
  Deno.permissions.querySync({ name: "env", variable: "UPDATE_GOLDEN" }).state === "granted" &&
  Deno.env.get("UPDATE_GOLDEN") === "1";

const BEGUN = "2026-11-23T18:00:00+01:00";
const TODAY = "2026-11-30";

function override(id: string, date: string, until: string | null): LedgerRow {
  return {
    id,
    date,
    kind: "override",
    commits: ["9c1e0f3a"],
    rules: [],
    scenarios: [],
    reason: "The hub of Anna Rossi is not out yet",
    until,
    by: "anna@example.test",
    git: "reachable",
  };
}

const ROWS = [
  override("aaaaaaaaaaaa", "2026-11-25", "2026-12-20"),
  override("bbbbbbbbbbbb", "2026-11-10", "2026-11-26"),
  override("cccccccccccc", "2026-10-01", "2026-11-01"),
  override("dddddddddddd", "2026-11-26", "2026-11-28"),
  { ...override("eeeeeeeeeeee", "2026-11-26", null), kind: "baseline" as const },
];

/** Trials of one scenario: `+` passed, `-` failed, `?` errored, `!` passed with a person's help. */
function trials(id: string, task: string, marks: string, over: Partial<ReportScenario> = {}) {
  const one = newScenario({ id, task, ...over });
  const [first] = one.trials;
  assert.ok(first);
  const all = [...marks].map((mark, i) => {
    const verdict = mark === "-"
      ? "failed" as const
      : mark === "?"
      ? "errored" as const
      : "passed" as const;
    return {
      ...first,
      trial: i + 1,
      verdict,
      score: { ...first.score, trial: i + 1, verdict, intervention: mark === "!" },
    };
  });
  const verdict = marks.includes("-") ? "failed" as const : "passed" as const;
  return { ...one, verdict, trials: all };
}

async function run(
  time: string,
  scenarios: readonly ReportScenario[],
  over: Partial<WeekRun> = {},
): Promise<WeekRun> {
  const report = await newReport(scenarios, { evidence: "live" });
  return { ...weekRun({ ...report, time }), ...over };
}

const CRITICAL = { sideEffects: { penalty: 6, critical: true, changes: [] } };

const before = [
  await run("2026-11-20T02:40:00+01:00", [
    trials("d03-heat-study", "climate", "+++"),
    trials("d16-tell-anna", "messages", "++-"),
    trials("d02-lights", "devices", "+++"),
    trials("d99-gone", "lists", "+-"),
  ]),
  await run("2026-11-21T09:00:00+01:00", [trials("p1", "messages", "+++++!")], {
    mode: "recorded",
    evidence: "recorded",
    partial: true,
  }),
];

const now = [
  await run("2026-11-27T02:40:00+01:00", [
    trials("d03-heat-study", "climate", "+--"),
    trials("d16-tell-anna", "messages", "+++"),
    trials("d02-lights", "devices", "++!"),
    trials("d21-pinned", "lists", "---", CRITICAL),
    trials("d22-mail", "mail", "+?"),
  ], { verdict: "block" }),
  await run("2026-11-28T09:00:00+01:00", [trials("p2", "messages", "++!!")], {
    mode: "recorded",
    evidence: "recorded",
    partial: true,
  }),
  await run("2026-11-29T09:00:00+01:00", [trials("d03-heat-study", "climate", "---")], {
    mode: "replay",
    evidence: "self_test",
  }),
];

const FULL: WeekInput = {
  runs: [...now, ...before],
  begun: BEGUN,
  today: TODAY,
  rows: ROWS,
  unreadable: 0,
  incidents: ["d21-pinned", "d16-tell-anna"],
};

const better = await run("2026-11-28T02:40:00+01:00", [trials("d02-lights", "devices", "+++")]);

function told(facts: WeekFacts, locale: "en" | "it"): string {
  return renderMessage({
    told: { kind: "week", facts },
    undelivered: [],
    nextRun: null,
    today: TODAY,
    program: { replay: "deno task eval", live: "deno task eval:live" },
  }, { locale, zone: "Europe/Rome" });
}

Deno.test("renderMessage() tells a full week, a quiet one and an empty one in both languages", () => {
  const cases: readonly (readonly [string, WeekInput])[] = [
    ["week", FULL],
    ["week_hidden", { ...FULL, runs: [better, now[1]!, ...before], incidents: [] }],
    ["week_quiet", { ...FULL, runs: [better], rows: [], incidents: [] }],
    ["week_broken", { ...FULL, runs: [better], rows: null, unreadable: 2, incidents: [] }],
    ["week_empty", { ...FULL, runs: before, rows: ROWS.slice(0, 1) }],
  ];
  for (const [name, input] of cases) {
    for (const locale of ["en", "it"] as const) {
      const text = told(weekFacts(input), locale);
      const file = new URL(`${name}.${locale}.txt`, folder);
      if (REWRITES) Deno.writeTextFileSync(file, `${text}\n`);
      assert.equal(`${text}\n`, Deno.readTextFileSync(file), name);
      assert.ok(text.length <= MESSAGE_MAX, name);
      for (const line of text.split("\n")) assert.ok(isWellFormed(line), line);
    }
  }
});

Deno.test("weekFacts() mixes no evidence, counts what was graded, and knows what opened and ran out", () => {
  const facts = weekFacts(FULL);
  assert.equal(facts.evidence, "live");
  assert.equal(facts.last, "block");
  assert.deepEqual(facts.tasks.map(({ task, now }) => [task, now.n, now.of]), [
    ["climate", 1, 3],
    ["lists", 0, 3],
    ["devices", 3, 3],
    ["mail", 1, 1],
    ["messages", 3, 3],
  ]);
  assert.deepEqual(facts.interventions, { now: { n: 1, of: 13 }, before: { n: 0, of: 11 } });
  assert.deepEqual(facts.critical, ["d21-pinned"]);
  assert.deepEqual(facts.suite, { added: ["d21-pinned", "d22-mail"], removed: ["d99-gone"] });
  assert.deepEqual(facts.incidents, { all: 2, added: ["d21-pinned"], failed: ["d21-pinned"] });
  assert.ok(facts.overrides !== null);
  const { opened, closed, open } = facts.overrides;
  assert.deepEqual(opened.map(({ id }) => id), ["aaaaaaaaaaaa", "dddddddddddd"]);
  assert.deepEqual(closed.map(({ id }) => id), ["bbbbbbbbbbbb", "dddddddddddd"]);
  assert.equal(open, 1);
  assert.equal(facts.divergence?.kind, "together");
  assert.equal(weekFacts({ ...FULL, runs: now }).divergence, null);
  assert.equal(weekFacts({ ...FULL, runs: now }).suite, null);
});

Deno.test("weekFacts() counts nothing twice and nothing at all where nothing was graded", async () => {
  const errored = await run("2026-11-28T02:40:00+01:00", [trials("a", "t", "??")]);
  const facts = weekFacts({ ...FULL, runs: [errored] });
  assert.deepEqual([facts.success, facts.tasks, facts.interventions], [null, [], null]);
  assert.doesNotMatch(told(facts, "en"), /%|NaN/);
  const lost = told(weekFacts({ ...FULL, runs: [], unreadable: 1 }), "en");
  assert.match(lost, /NO RUN\n[^]*1 report of these days cannot be read/);
  assert.doesNotMatch(lost, /No report was made/);
});
