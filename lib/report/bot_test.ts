import assert from "node:assert/strict";
import fc from "fast-check";
import {
  newCondition,
  newReport,
  newScenario,
  STALE,
} from "../../testdata/report/sample_report.ts";
import { newBaseline } from "../../testdata/report/sample_scores.ts";
import { isWellFormed } from "../../testdata/telegram/bot_api.ts";
import type { JobAttempt } from "../model/job.ts";
import type { Report } from "../model/report.ts";
import {
  type AskedRun,
  type BotView,
  renderDetails,
  renderHelp,
  renderOverrides,
  renderQuestion,
  renderSeveral,
  renderStatus,
  renderSuites,
  renderWhich,
  renderWhy,
} from "./bot.ts";
import type { ShownRow } from "./ledger_list.ts";
import type { JobStanding } from "./schedule.ts";
import { readShortId, shortId } from "./short_ids.ts";
import { MESSAGE_MAX } from "./split_message.ts";
import { botWordsOf } from "./words_bot.ts";

const folder = new URL("../../testdata/report/bot/", import.meta.url);

/** The tests need no permission but to read `testdata`; to rewrite, `UPDATE_GOLDEN=1` and more. */
const REWRITES =
  Deno.permissions.querySync({ name: "env", variable: "UPDATE_GOLDEN" }).state === "granted" &&
  Deno.env.get("UPDATE_GOLDEN") === "1";

const FAILED = newScenario({
  id: "d16-tell-anna",
  verdict: "failed",
  risk: "high",
  sideEffects: { penalty: 6, critical: true, changes: [] },
  claimedSuccess: true,
  conditions: [
    newCondition({ id: "checkpoint:asks_first", verdict: "failed", weight: 1 }),
    newCondition({ id: "missing:customers/Anna Rossi/phone", verdict: "failed" }),
  ],
  reproduce: "deno task eval:live --mode live --only d16-tell-anna",
}, { cost: 0.011, latencyMs: 17_000 });
const THRICE = {
  ...FAILED,
  trials: [1, 2, 3].map((trial) => ({
    ...FAILED.trials[0]!,
    trial,
    verdict: trial === 2 ? "passed" as const : "failed" as const,
  })),
};
const PASSED = newScenario({ id: "d16-tell-anna-not-sent" }, { cost: 0.012, latencyMs: 1900 });
const REPORT: Report = {
  ...await newReport([THRICE, PASSED, STALE], {
    evidence: "live",
    baseline: newBaseline([PASSED].flatMap(({ trials }) => trials.map(({ score }) => score))),
  }),
  mode: "live",
};
const QUIET = await newReport([PASSED], { evidence: "live" });

const OPEN = await newReport([PASSED, STALE], { evidence: "live" });

const LAST: JobAttempt = {
  due: "2026-11-27T01:30:00.000Z",
  reason: "on_time",
  attempt: 1,
  started: "2026-11-27T01:30:00.004Z",
  ended: "2026-11-27T03:00:00.000Z",
  outcome: "completed",
  exitCode: 1,
  decision: "block",
  report: null,
  said: null,
};
const JOBS: readonly JobStanding[] = [
  {
    name: "eval",
    cron: "30 2 * * 5",
    command: ["run"],
    next: ["2026-12-04T01:30:00.000Z"],
    last: LAST,
    lastSuccess: LAST.ended,
    days: 3,
    alarm: false,
  },
  {
    name: "summary",
    cron: "30 7 * * 5",
    command: ["notify"],
    next: ["2026-12-04T06:30:00.000Z"],
    last: null,
    lastSuccess: null,
    days: 9,
    alarm: true,
  },
];

const row = (id: string, until: string | null, scenarios: string[], stale = false): ShownRow => ({
  row: {
    id,
    date: "2026-11-25",
    kind: "override",
    commits: ["9c1e0f3a"],
    rules: [],
    scenarios,
    reason: "The hub of Anna Rossi is not out yet",
    until,
    by: "anna@example.test",
    git: "reachable",
  },
  status: "open",
  stale,
});

const ASKED: AskedRun = {
  suite: "home",
  scenarios: 32,
  runs: 96,
  cost: 0.42,
  minutes: 11.6,
  from: 3,
  cap: 3,
  code: "k7f2",
  after: null,
};
const IDS = ["d16-tell-anna", "d16-tell-anna-not-sent", STALE.id];

const CASES: readonly (readonly [string, (view: BotView) => string])[] = [
  ["help", (view) => renderHelp(null, view)],
  ["unknown", (view) => renderHelp("unknown", view)],
  ["only_text", (view) => renderHelp("onlyText", view)],
  [
    "status",
    (view) =>
      renderStatus({
        jobs: JOBS,
        running: "from-chat",
        newest: REPORT,
        undelivered: 2,
        ignored: 1,
        question: { suite: null, code: "k7f2" },
      }, view),
  ],
  [
    "status_quiet",
    (view) =>
      renderStatus({
        jobs: [],
        running: null,
        newest: "none",
        undelivered: 0,
        ignored: 0,
        question: null,
      }, view),
  ],
  ["last", (view) => renderDetails(REPORT, view)],
  ["why_which", (view) => renderWhich(REPORT, view)],
  ["why_nothing", (view) => renderWhich(QUIET, view)],
  ["why_not_graded", (view) => renderWhich(OPEN, view)],
  ["why_several", (view) => renderSeveral(IDS.slice(0, 2), IDS, view)],
  ...[THRICE, PASSED, STALE].map((scenario) =>
    [
      `why_${scenario.verdict}`,
      (view: BotView) =>
        renderWhy(scenario, { report: REPORT, place: "reports/runs/x/report.md" }, view),
    ] as const
  ),
  [
    "overrides",
    (view) =>
      renderOverrides([
        row("aaaaaaaaaaaa", "2026-12-20", ["d16-tell-anna"]),
        row("bbbbbbbbbbbb", null, [], true),
      ], view),
  ],
  ["overrides_none", (view) => renderOverrides([], view)],
  ["run_which", (view) => renderSuites(["crm", "home"], null, view)],
  ["run_unknown", (view) => renderSuites(["crm", "home"], "<hoem>", view)],
  ["run_question", (view) => renderQuestion(ASKED, view)],
  [
    "run_question_unknown",
    (view) =>
      renderQuestion(
        { ...ASKED, suite: null, cost: null, minutes: null, from: 0, cap: null, after: "eval" },
        view,
      ),
  ],
  [
    "run_answers",
    ({ locale }) => {
      const own = botWordsOf(locale);
      return [
        own.begun("home"),
        own.begunLater("home"),
        own.busy("home"),
        own.dropped,
        own.noQuestion,
        own.wrongCode,
        own.lapsed(10),
        own.brokeOff("home"),
        own.runOver("home", "failed, exit code 2"),
        own.cannotRun,
        own.ledgerBroken,
        own.failed,
      ].join("\n");
    },
  ],
];

Deno.test("the bot's answers of each kind in both languages: short, well formed, ids only", () => {
  for (const [name, render] of CASES) {
    for (const locale of ["en", "it"] as const) {
      const text = render({ locale, zone: "Europe/Rome", currency: "EUR" });
      const file = new URL(`${name}.${locale}.txt`, folder);
      if (REWRITES) Deno.writeTextFileSync(file, `${text}\n`);
      assert.equal(`${text}\n`, Deno.readTextFileSync(file), name);
      assert.ok(text.length <= MESSAGE_MAX, name);
      for (const line of text.split("\n")) assert.ok(isWellFormed(line), line);
      assert.doesNotMatch(text, /Rossi|example\.test/, name);
    }
  }
});

Deno.test("renderQuestion() says the cost before the question, and what happens without an answer last", () => {
  const lines = renderQuestion(ASKED, { locale: "en", zone: "Europe/Rome", currency: "EUR" })
    .split("\n");
  assert.match(lines[0] ?? "", /^It costs about €0.42/);
  assert.match(lines.at(-1) ?? "", /Without an answer within 10 minutes .* nothing runs/);
});

Deno.test("shortId() can be read back, whatever the ids; what several begin with is several", () => {
  const ids = fc.uniqueArray(
    fc.array(fc.constantFrom("d", "d1", "d16", "tell", "anna", "a", "A"), {
      minLength: 1,
      maxLength: 4,
    }).map((words) => words.join("-")),
    { minLength: 1, maxLength: 8, selector: (id) => id.toLowerCase().replace(/[^a-z0-9]+/g, "_") },
  );
  fc.assert(
    fc.property(ids, (all) => {
      for (const id of all) {
        const short = shortId(id, all);
        assert.deepEqual(readShortId(short, all), { kind: "one", id }, `${short} of ${all}`);
        assert.deepEqual(readShortId(` ${id.toUpperCase()} `, all), { kind: "one", id });
      }
    }),
    { seed: 5 },
  );
  assert.equal(shortId("d16-tell-anna", ["d16-tell-anna", "d03-heat"]), "d16");
  assert.equal(shortId("d16-tell-anna", IDS), "d16_tell_anna");
  assert.deepEqual(readShortId("D16", IDS), { kind: "several", ids: IDS.slice(0, 2) });
  assert.deepEqual(readShortId("<b>", IDS), { kind: "none" });
  assert.deepEqual(readShortId("", IDS), { kind: "none" });
});
