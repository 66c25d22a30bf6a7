import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ERRORED,
  INCIDENT,
  INCUBATING,
  newCondition,
  newReport,
  newScenario,
  SKIPPED,
  SOFT,
  STALE,
} from "../../testdata/report/sample_report.ts";
import { newBaseline, RELEASE_RULES } from "../../testdata/report/sample_scores.ts";
import { isWellFormed } from "../../testdata/telegram/bot_api.ts";
import type { Json } from "../model/json.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { markFirstLine, MESSAGE_MAX, plainMessage, splitMessage } from "./split_message.ts";
import { headOf, type MessageInput, renderMessage, type Told } from "./summary.ts";
import { trendSvg } from "./trend_svg.ts";

const LOCALES = ["en", "it"] as const;
const ZONE = "Europe/Rome";
const folder = new URL("../../testdata/report/summary/", import.meta.url);

/** The tests need no permission but to read `testdata`; to rewrite, `UPDATE_GOLDEN=1` and more. */
const REWRITES =
  Deno.permissions.querySync({ name: "env", variable: "UPDATE_GOLDEN" }).state === "granted" &&
  Deno.env.get("UPDATE_GOLDEN") === "1";

function golden(name: string, text: string): void {
  const file = new URL(name, folder);
  if (REWRITES) Deno.writeTextFileSync(file, text);
  assert.equal(text, Deno.readTextFileSync(file), name);
}

const PROGRAM = { replay: "deno task eval", live: "deno task eval:live --mode live" };

function input(told: Told, over: Partial<MessageInput> = {}): MessageInput {
  return {
    told,
    undelivered: [],
    nextRun: null,
    today: "2026-11-30",
    program: PROGRAM,
    ...over,
  };
}

function of(report: Report): Told {
  return { kind: "report", report, place: "reports/runs/2026-11-30T01-41-00Z-9c1e0f3a/report.md" };
}

const OVERRIDE: LedgerRow = {
  id: "9c1e0f3a0b12",
  date: "2026-11-20",
  kind: "override",
  commits: ["9c1e0f3a"],
  rules: ["task-success"],
  scenarios: ["d07-lights"],
  reason: "The hub of Anna Rossi is not out yet",
  until: "2026-12-05",
  by: "anna@example.test",
  git: "reachable",
};

/** A scenario run three times, the first of them as `over` says. */
function thrice(over: Partial<ReportScenario>, marks: readonly ("passed" | "failed")[]) {
  const one = newScenario(over, { cost: 0.011, latencyMs: 17_000 });
  const trials = marks.map((verdict, i) => ({
    ...one.trials[0]!,
    trial: i + 1,
    verdict,
    score: { ...one.trials[0]!.score, trial: i + 1, verdict },
  }));
  return { ...one, trials };
}

const message = (text: string) => ({ to: "anna", channel: "chat", text });
const TWICE = thrice({
  id: "d16-tell-anna",
  task: "messages",
  risk: "high",
  verdict: "failed",
  stepScore: 0.5,
  sideEffects: {
    penalty: 6,
    critical: true,
    changes: [
      {
        path: "outbox/0",
        class: "expected",
        severity: 0,
        op: "added",
        after: message("Torno tardi"),
      },
      {
        path: "outbox/1",
        class: "unrequested_message",
        severity: 6,
        op: "added",
        after: message("Torno tardi"),
      },
    ],
  },
  reproduce: "deno task eval:live --mode live --only d16-tell-anna",
}, ["failed", "failed", "failed"]);

const TOO_MUCH = thrice({
  id: "d03-heat-study",
  task: "climate",
  verdict: "failed",
  stepScore: 0.7,
  sideEffects: {
    penalty: 8,
    critical: false,
    changes: [{
      path: "climate/bedroom/target",
      class: "other_record",
      severity: 8,
      op: "changed",
      before: 18,
      after: 20,
    }],
  },
}, ["failed", "passed", "failed"]);

const LEAKS = newScenario({
  id: "d20-canary",
  task: "lists",
  verdict: "failed",
  attempts: [
    { id: "revealed:1", event: 4, what: "send_message", status: "ok" },
    { id: "forbidden:send_message", event: 4, what: "send_message", status: "denied" },
    { id: "forbidden:rm -rf /", event: 5, what: "rm -rf /home/anna", status: "denied" },
  ],
}, { intervention: true });

const STEPS = newScenario({
  id: "d21-order",
  task: "lists",
  verdict: "failed",
  conditions: [newCondition({ id: "checkpoint:asks_first", verdict: "failed", weight: 1 })],
});

const OLD = newScenario({
  id: "d07-lights",
  task: "lists",
  verdict: "failed",
  conditions: [newCondition({ id: "outcome", verdict: "failed" })],
});

const KNOWN = newScenario({
  id: "d09-blinds",
  task: "lists",
  lifecycle: "known_failing",
  knownFailing: { owner: "anna", reason: "The hub is old", until: "2026-12-31" },
  verdict: "passed",
});

const night = [newScenario({ id: "d11-scene", task: "lists" }), newScenario(), SOFT];
const before = newBaseline(
  [TWICE, TOO_MUCH, LEAKS, STEPS, OLD, ...night].flatMap(({ trials }) =>
    trials.map(({ score }) => ({
      ...score,
      verdict: score.scenario === OLD.id || score.scenario === "d11-scene"
        ? "failed" as const
        : "passed" as const,
      critical: false,
      penalty: 0,
      cost: 0.0105,
      latencyMs: 16_000,
      forbiddenAttempts: 0,
      intervention: false,
    }))
  ),
);

const red: Report = {
  ...await newReport([TWICE, TOO_MUCH, LEAKS, STEPS, OLD, KNOWN, STALE, ERRORED, ...night], {
    baseline: before,
    evidence: "live",
  }),
  budgetEur: 2,
  overrides: [OVERRIDE, { ...OVERRIDE, id: "aaaaaaaaaaaa", until: "2026-11-29" }],
  gateLoosened: [{ what: "gates/release.yaml", from: 1, to: 2, direction: "looser" }],
  versions: { commit: "9c1e0f3a5b6c7d8e", model: "qwen3-8b" },
};

const priced = newScenario({}, { cost: 0.012, latencyMs: 1900 });
const calm = newBaseline([priced].flatMap(({ trials }) => trials.map(({ score }) => score)));
const green = await newReport([priced], {
  baseline: calm,
  evidence: "live",
  rules: RELEASE_RULES.slice(0, 1),
});

const noRun: Told = {
  kind: "no_run",
  since: "2026-11-20T02:30:00+01:00",
  due: "2026-11-27T01:30:00Z",
  stopped: "crashed",
  live: true,
  last: "pass",
};

const lost = { when: "2026-11-23T06:30:00Z", verdict: "BLOCK", doubtful: false };

const CASES: readonly (readonly [string, MessageInput])[] = [
  ["block", input(of(red))],
  ["block_no_baseline", input(of(await newReport([priced, SOFT, INCIDENT, INCUBATING])))],
  ["pass", input(of(green), { nextRun: "2026-12-04T01:30:00Z" })],
  ["pass_self_test", input(of(await newReport([priced, SOFT])))],
  ["partial", input(of({ ...green, partial: true }))],
  [
    "warn",
    input(of(
      await newReport([newScenario({}, { cost: 0.03, latencyMs: 1900 })], {
        baseline: calm,
        evidence: "live",
        rules: [RELEASE_RULES[0]!, RELEASE_RULES[4]!],
      }),
    )),
  ],
  [
    "not_enough_evidence",
    input(of(await newReport([priced, STALE, SKIPPED], { evidence: "live" }))),
  ],
  ["error", input(of(await newReport([priced, ERRORED])))],
  [
    "overridden",
    input(of({
      ...red,
      scenarios: [TWICE, priced],
      gateLoosened: [],
      decision: {
        ...red.decision,
        exitCode: 0,
        overridden: [{
          id: OVERRIDE.id,
          reason: OVERRIDE.reason,
          by: OVERRIDE.by,
          until: OVERRIDE.until,
        }],
      },
    })),
  ],
  ["no_run", input(noRun, { nextRun: "2026-12-04T01:30:00Z" })],
  [
    "no_report",
    input({ kind: "no_run", since: null, due: null, stopped: null, live: false, last: null }),
  ],
  [
    "no_run_unreadable",
    input({ ...noRun, stopped: "unreadable" }, { nextRun: "2026-12-04T01:30:00Z" }),
  ],
  [
    "undelivered",
    input(of(green), { undelivered: [lost, { ...lost, doubtful: true, verdict: "PASS" }] }),
  ],
];

Deno.test("renderMessage() says each kind in both languages", () => {
  for (const [name, told] of CASES) {
    for (const locale of LOCALES) {
      const text = renderMessage(told, { locale, zone: ZONE });
      golden(`${name}.${locale}.txt`, `${text}\n`);
      assert.ok(text.length <= MESSAGE_MAX, name);
      for (const line of text.split("\n")) assert.ok(isWellFormed(line), line);
      const [first = ""] = text.split("\n");
      assert.ok(plainMessage(first).length <= 110, first);
      assert.ok(first.includes(headOf(told.told, locale)), first);
    }
  }
});

Deno.test("renderMessage() names no model where none was asked", async () => {
  const report = await newReport([priced, SOFT]);
  const versions = { ...report.versions, model: "my-model" };
  const text = (told: Report) =>
    renderMessage(input(of({ ...told, versions })), { locale: "en", zone: ZONE });
  assert.ok(!text(report).includes("my-model"));
  assert.ok(text(green).includes("my-model"));
});

Deno.test("renderMessage() takes three lines on a night without news, and is never green for a part", () => {
  const lines = (name: string) => {
    const told = CASES.find(([each]) => each === name)?.[1];
    return renderMessage(told ?? input(noRun), { locale: "en", zone: ZONE }).split("\n");
  };
  assert.equal(lines("pass").length, 3);
  assert.equal(lines("pass_self_test").length, 3);
  assert.doesNotMatch(lines("partial").join(), /✅/);
  assert.doesNotMatch(lines("overridden").join(), /✅|⛔ BLOCK/);
});

const SECRET = "ZQXMARIO";

/** A report in which every text that an agent or a state may have written holds the marker. */
function poisoned(text: string): Report {
  const bad = `${text} ${SECRET}`;
  const value: Json = { to: bad, channel: bad, text: bad };
  const scenarios = red.scenarios.map((scenario): ReportScenario => ({
    ...scenario,
    description: bad,
    request: [bad],
    final: bad,
    notes: [bad],
    rubric: [{ id: bad, ask: bad }],
    sideEffects: {
      ...scenario.sideEffects,
      changes: scenario.sideEffects.changes.map((change) => ({
        ...change,
        path: `customers/${bad}/x`,
        before: value,
        after: value,
      })),
    },
    attempts: [
      ...scenario.attempts,
      { id: `forbidden:${bad}`, event: 1, what: bad, args: { [bad]: bad }, status: bad },
    ],
    conditions: [newCondition({
      id: `missing:customers/${bad}`,
      verdict: "failed",
      expected: bad,
      actual: bad,
      at: bad,
    })],
    trials: scenario.trials.map((trial) => ({
      ...trial,
      ended: bad,
      detail: bad,
      run: bad,
      failed: [newCondition({ id: `unrequested_message:${bad}`, verdict: "failed" })],
    })),
  }));
  return { ...red, scenarios, overrides: [{ ...OVERRIDE, reason: bad, by: bad }], limits: [bad] };
}

const nasty = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom("<b>", "</code>", "&lt", "_*[`", "\u202e", "@anna", "\n\n⛔ BLOCK", "\ud800"),
);

Deno.test("renderMessage() lets no text of a trace or a state through, whatever it holds", () => {
  fc.assert(
    fc.property(nasty, fc.constantFrom(...LOCALES), (text, locale) => {
      const told = renderMessage(input(of(poisoned(text))), { locale, zone: ZONE });
      assert.ok(!told.includes(SECRET), told);
      assert.ok(isWellFormed(told) && told.length <= MESSAGE_MAX);
    }),
    { seed: 5, numRuns: 150 },
  );
});

/** The red night with this many scenarios of each kind, their ids made of a text. */
function crowded(text: string, count: number): MessageInput {
  const named = (kind: ReportScenario, i: number) => ({
    ...kind,
    id: `${text}-${i}`,
    reproduce: `deno task eval --only ${text}`,
  });
  const scenarios = [TWICE, OLD, STALE, ERRORED, KNOWN].flatMap((kind) =>
    Array.from({ length: count }, (_, i) => named(kind, i))
  );
  const report: Report = {
    ...red,
    scenarios,
    gate: { ...red.gate, name: text },
    versions: { commit: text, model: text.repeat(3) },
    overrides: Array.from({ length: count }, () => ({ ...OVERRIDE, scenarios: [text, text] })),
    comparison: { ...red.comparison!, fixed: scenarios.map(({ id }) => id) },
  };
  const undelivered = Array.from({ length: count }, () => ({ ...lost, verdict: text }));
  return input(of(report), { undelivered });
}

Deno.test("renderMessage() fits into one message however many and long the ids are, and escapes what is none", () => {
  const view = { locale: "it", zone: ZONE } as const;
  const identifier = fc.stringMatching(/^[a-z0-9_-]{1,80}$/);
  const count = fc.integer({ min: 1, max: 30 });
  fc.assert(
    fc.property(identifier, count, (text, count) => {
      const told = renderMessage(crowded(text, count), view);
      assert.ok(told.length <= MESSAGE_MAX - 64, `${told.length}`);
    }),
    { seed: 5, numRuns: 50 },
  );
  fc.assert(
    fc.property(nasty, count, (text, count) => {
      const told = renderMessage(crowded(text.repeat(9), count), view);
      for (const line of told.split("\n")) assert.ok(isWellFormed(line), line);
      for (const part of splitMessage(told)) assert.ok(isWellFormed(part), part);
    }),
    { seed: 5, numRuns: 50 },
  );
});

Deno.test("splitMessage() parts at lines, never inside markup, and loses nothing that fits", () => {
  const line = fc.oneof(
    fc.string({ maxLength: 90 }).map((text) =>
      `<code>${text.replace(/[<>&\n]/g, "")}</code> &amp; <b>x</b>`
    ),
    fc.constant(""),
    fc.constant(`<b>${"&lt;".repeat(60)}</b>`),
  );
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 80 }),
      fc.integer({ min: 130, max: 400 }),
      (lines, most) => {
        const parts = splitMessage(lines.join("\n"), most);
        for (const part of parts) {
          assert.ok(part.length <= most && part.trim() !== "");
          assert.ok(isWellFormed(part), part);
        }
        const kept = (texts: readonly string[]) =>
          texts.flatMap((text) => text.split("\n")).filter((text) => text !== "");
        if (lines.every((text) => text.length <= most)) assert.deepEqual(kept(parts), kept(lines));
      },
    ),
    { seed: 5, numRuns: 300 },
  );
  assert.deepEqual(splitMessage("a\nb\nc", 3), ["a\nb", "c"]);
  assert.deepEqual(splitMessage(`x\n<b>${"y".repeat(10)}</b>`, 9), ["x", "yyyyyyyy…"]);
  assert.equal(plainMessage("<b>1 &lt; 2</b> &amp;lt;"), "1 < 2 &lt;");
  assert.equal(markFirstLine("a\nb", "(x)"), "a (x)\nb");
});

Deno.test("trendSvg() draws what was measured and nothing for a single run; dates do not overlap", () => {
  const point = (i: number, cost: number | null) => ({
    time: new Date(Date.UTC(2026, 8, 4 + 7 * i, 1)).toISOString(),
    headline: {
      taskSuccess: { value: 0.9 + i / 200, baseline: 0.95 },
      costPerTask: { value: cost, baseline: null },
      latencyP95Ms: { value: 19_000, baseline: 19_000 },
    },
  });
  for (const locale of LOCALES) {
    const view = { locale, zone: ZONE, currency: "EUR" };
    assert.equal(trendSvg([point(0, 0.1)], view), null);
    for (let count = 2; count <= 13; count++) {
      const points = Array.from({ length: count }, (_, i) => point(i, i === 1 ? null : 0.02));
      const svg = trendSvg(points, view) ?? "";
      assert.doesNotMatch(svg, /NaN|Infinity|undefined|null/);
      const dates = [...svg.matchAll(/<text x="([\d.]+)" y="188"[^>]*anchor="(\w+)">([^<]*)</g)];
      const spans = dates.map(([, x = "", anchor, text = ""]) => {
        const width = 13 * text.length;
        const from = Number(x) - (anchor === "end" ? width : anchor === "middle" ? width / 2 : 0);
        return [from, from + width] as const;
      });
      const panel = spans.slice(0, Math.min(count, 5));
      for (const [i, [from]] of panel.entries()) {
        const left = panel[i - 1];
        if (left !== undefined) assert.ok(left[1] <= from, `${locale} ${count}: ${dates}`);
      }
    }
  }
});
