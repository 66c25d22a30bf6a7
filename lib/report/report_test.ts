import assert from "node:assert/strict";
import fc from "fast-check";
import { marked } from "marked";
import { SaxesParser } from "saxes";
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
import type { Json } from "../model/json.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { renderJunit } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import { createMasker } from "./mask.ts";
import { renderScenarioLine, renderSummary } from "./terminal.ts";

const PROGRAM = { replay: "deno task eval", live: "deno task eval:live --mode live" };

const folder = new URL("../../testdata/report/", import.meta.url);

/** The tests need no permission but to read `testdata`; to rewrite, `UPDATE_GOLDEN=1` and more. */
const REWRITES =
  Deno.permissions.querySync({ name: "env", variable: "UPDATE_GOLDEN" }).state === "granted" &&
  Deno.env.get("UPDATE_GOLDEN") === "1";

function golden(name: string, text: string): void {
  const file = new URL(name, folder);
  if (REWRITES) Deno.writeTextFileSync(file, text);
  assert.equal(text, Deno.readTextFileSync(file), name);
}

const OVERRIDE: LedgerRow = {
  id: "9c1e0f3a",
  date: "2026-11-20",
  kind: "override",
  commits: ["9c1e0f3a"],
  rules: ["task-success"],
  scenarios: ["d07-lights"],
  reason: "The hub's new firmware is not out yet",
  until: "2026-11-28",
  by: "anna@example.test",
  git: "main",
};

const backup = newScenario({}, { cost: 0.012, latencyMs: 1900 });
const accepted = newBaseline(
  [INCIDENT, backup, SOFT].flatMap(({ trials }) =>
    trials.map(({ score }) => ({
      ...score,
      verdict: "passed" as const,
      critical: false,
      penalty: 0,
      cost: 0.009,
      latencyMs: 1500,
    }))
  ),
);

const cases: readonly (readonly [name: string, report: () => Promise<Report>])[] = [
  ["pass", () => newReport([backup, SOFT])],
  ["block", () => newReport([backup, SOFT, INCIDENT, INCUBATING], { baseline: accepted })],
  ["warn", () =>
    newReport([backup], {
      rules: [RELEASE_RULES[0]!, RELEASE_RULES[4]!],
      baseline: newBaseline(accepted.scores.filter(({ task }) => task === "backup")),
    })],
  [
    "not_enough_evidence",
    () =>
      newReport([backup, STALE, SKIPPED], { evidence: "live", rules: RELEASE_RULES.slice(0, 3) }),
  ],
  ["error", () => newReport([backup, ERRORED])],
];

for (const [name, build] of cases) {
  for (const locale of ["en", "it"] as const) {
    Deno.test(`renderMarkdown() and renderSummary() show ${name} in ${locale} as kept`, async () => {
      const report = await build();
      assert.equal(report.decision.verdict, name);
      const view = { locale, zone: "Europe/Rome" };
      golden(`${name}.${locale}.md`, renderMarkdown(report, { ...view, ledger: [OVERRIDE] }));
      golden(
        `${name}.${locale}.txt`,
        renderSummary(report, {
          ...view,
          colour: false,
          program: PROGRAM,
          files: ["reports/runs/x/report.md"],
        }),
      );
    });
  }
  Deno.test(`renderJunit() shows ${name} as kept`, async () => {
    const xml = renderJunit(await build());
    readXml(xml);
    golden(`${name}.xml`, xml);
  });
}

Deno.test("renderers say which protected field changed from what to what, and what was claimed", async () => {
  const report = await newReport([INCIDENT]);
  const view = { locale: "en", zone: "Europe/Rome" } as const;
  const summary = renderSummary(report, { ...view, colour: false, program: PROGRAM, files: [] });
  const markdown = plainText(renderMarkdown(report, view));
  for (const text of [summary, markdown, textOf(renderJunit(report))]) {
    assert.match(
      text,
      /billing_address changed from "Corso Francia 4, 10138 Torino \(TO\)" to "Via Po 12, 10123 Torino \(TO\)": it is protected/,
    );
    assert.match(text, /The message claimed success/);
  }
});

Deno.test("renderScenarioLine() is one line, with colour only where it is wanted", () => {
  const run = {
    scenario: { id: "a", lifecycle: "stable" as const },
    verdict: {
      verdict: "failed" as const,
      trial: 2,
      conditions: [newCondition({ id: "outcome", verdict: "failed" }), newCondition()],
    },
    ended: { kind: "limit" as const, detail: "50 calls\n\u001b[2J" },
  };
  assert.equal(
    renderScenarioLine(run, { locale: "en", colour: false }),
    "✗ a #2  failed; outcome; the run was cut at a limit; 50 calls ⏎ \\u{1b}[2J\n",
  );
  assert.match(
    renderScenarioLine(run, { locale: "it", colour: true }),
    new RegExp("^\u001b\\[31m✗\u001b\\[0m a #2"),
  );
});

Deno.test("a failed scenario takes at most one screen, however much it did", async () => {
  const changes = Array.from({ length: 500 }, (_, i) => ({
    path: `orders/${i}/state`,
    class: "other_record" as const,
    severity: 8,
    op: "deleted" as const,
    before: "x".repeat(5000),
  }));
  const scenario = newScenario({
    verdict: "failed",
    request: ["line\n".repeat(400)],
    final: "word ".repeat(4000),
    sideEffects: { penalty: 4000, critical: true, changes },
    attempts: Array.from({ length: 99 }, (_, i) => ({
      id: "forbidden:rm",
      event: i,
      what: "rm",
      status: "ok",
    })),
    conditions: [newCondition({ id: "outcome", verdict: "failed" })],
  });
  const text = renderMarkdown(await newReport([scenario]), { locale: "en", zone: "UTC" });
  const start = text.indexOf("### ✗");
  const lines = text.slice(start, text.indexOf("\n## ", start)).split("\n").length;
  assert.ok(lines <= 75, `${lines} lines`);
});

const HOSTILE = [
  "| a | b |\n|---|---|\n| x",
  "<script>alert(1)</script><img src=x onerror=y>&amp;&#60;",
  "\u001b[31mred\u001b[0m\u001b]0;title\u0007\r\u0000\u0085",
  "\u202eevil\u2066\u200b\ufeff\u2028\u2029",
  "``` ~~~ `` ` **b** _i_ [l](http://x.test) ![i](j) <http://y.test> www.z.test \\| \\",
  "# h\n- l\n1. n\n> q\n=== \n---\n    code\n\t\ttab\n+ p\n[a]: /b 'c'",
  "\ud800 lone \udfff ]]> --> <!-- <![CDATA[ ?>",
  "😀𝒳 👨‍👩‍👧 ﷽ " + "\u0301".repeat(50),
  "{{ $1 $& $$ }} %s ${x} @everyone",
  "",
  " ",
];

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc.array(fc.constantFrom(..."|`\\*_[]<>&~#-+=.!\n\r\t 1)(:/w\"'".split("")), { maxLength: 40 })
    .map((parts) => parts.join("")),
);

function hostileScenario(text: string, n: number): ReportScenario {
  const value: Json = { [text]: [text, n] };
  return newScenario({
    id: `s${n}`,
    description: text,
    recording: text,
    verdict: "failed",
    request: [text, text],
    final: text,
    claimedSuccess: true,
    sideEffects: {
      penalty: 5,
      critical: true,
      changes: [
        {
          path: text || "x",
          class: "protected",
          severity: 5,
          op: "changed",
          before: text,
          after: value,
        },
        {
          path: text || "x",
          class: "missing",
          severity: 3,
          op: "absent",
          expected: { where: text },
        },
        {
          path: "outbox/0",
          class: "unrequested_message",
          severity: 6,
          op: "added",
          after: { to: text, text },
        },
      ],
    },
    attempts: [{
      id: `forbidden:${text}`,
      event: 1,
      what: text,
      args: { [text]: text },
      status: text,
    }],
    conditions: [newCondition({
      id: `other_record:${text}`,
      verdict: "failed",
      expected: text,
      actual: value,
      at: text,
      expression: text,
    })],
    notes: [text],
    reproduce: text,
  });
}

Deno.test("renderers survive hostile text: Markdown and XML parse, and every failed verdict is shown", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hostileText, { minLength: 1, maxLength: 3 }), async (texts) => {
      const report = await newReport(texts.map(hostileScenario));
      const view = { locale: "it", zone: "Europe/Rome" } as const;
      checkMarkdown(renderMarkdown(report, view), texts.length);
      const xml = readXml(renderJunit(report));
      assert.equal(xml.failures, texts.length);
      const summary = renderSummary(report, {
        ...view,
        colour: false,
        program: PROGRAM,
        files: [],
      });
      assert.doesNotMatch(summary, /(?!\n)\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      assert.ok(summary.isWellFormed());
      for (const { id } of report.scenarios) {
        assert.match(summary, new RegExp(`^✗ ${id} `, "m"));
        assert.ok(xml.names.includes(id));
      }
    }),
    { seed: 20261130, numRuns: 300 },
  );
});

/** One heading a section and a scenario, tables with whole rows, no HTML and no link of foreign make. */
function checkMarkdown(text: string, scenarios: number): void {
  assert.ok(text.isWellFormed());
  const tokens = marked.lexer(text);
  const headings = tokens.filter((token) => token.type === "heading");
  assert.equal(
    headings.filter((token) => token.type === "heading" && token.depth === 3).length,
    scenarios + 2,
  );
  assert.equal(headings.filter((token) => token.type === "heading" && token.depth === 1).length, 1);
  marked.walkTokens(tokens, (token) => {
    assert.ok(
      !["link", "image", "def", "code", "hr", "del", "em"].includes(token.type),
      `${token.type}: ${token.raw}`,
    );
    if (token.type === "html") assert.match(token.raw, /^<\/?code>$/);
    if (token.type === "table") {
      for (const row of token.rows) assert.equal(row.length, token.header.length);
    }
  });
  const tables = tokens.filter((token) => token.type === "table").length;
  assert.equal(tables, 5 + 2 * scenarios, "tables");
}

/** Parses strictly; throws where it is not well-formed XML 1.0. */
function readXml(text: string): { failures: number; names: string[]; text: string } {
  const parser = new SaxesParser();
  const found = { failures: 0, names: [] as string[], text: "" };
  parser.on("error", (error) => assert.fail(error.message));
  parser.on("opentag", (tag) => {
    if (tag.name === "failure") found.failures++;
    if (tag.name === "testcase") found.names.push(String(tag.attributes["name"]));
    found.text += Object.values(tag.attributes).join("\n");
  });
  parser.on("text", (part) => found.text += part);
  parser.write(text).close();
  return found;
}

function textOf(xml: string): string {
  return readXml(xml).text;
}

/** What a reader of the rendered Markdown sees. */
function plainText(markdown: string): string {
  const html = marked.parse(markdown, { async: false });
  return html.replace(/<[^>]*>/g, "")
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll(
      "&amp;",
      "&",
    );
}

Deno.test("every failed verdict appears in every renderer, also of passed, incubating and other trials", async () => {
  const conditionId = fc.stringMatching(/^[a-z_]{1,12}:[a-z0-9_/*-]{1,20}$/);
  const scenario = fc.record({
    verdict: fc.constantFrom("passed", "failed", "errored", "stale", "skipped"),
    lifecycle: fc.constantFrom("stable", "incubating", "known_failing"),
    ids: fc.uniqueArray(conditionId, { maxLength: 30 }),
    otherIds: fc.uniqueArray(conditionId, { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(scenario, { minLength: 1, maxLength: 5 }), async (rows) => {
      const scenarios = rows.map((row, n) => {
        const fail = (id: string) => newCondition({ id, verdict: "failed" });
        const one = newScenario({
          id: `s${n}`,
          verdict: row.verdict as "failed",
          lifecycle: row.lifecycle as "stable",
          conditions: row.ids.map(fail),
        });
        const other = one.trials.map((trial) => ({
          ...trial,
          trial: 2,
          failed: row.otherIds.map(fail),
        }));
        return { ...one, trials: [...one.trials, ...other] };
      });
      const report = await newReport(scenarios);
      const view = { locale: "en", zone: "UTC" } as const;
      const outputs = [
        plainText(renderMarkdown(report, view)),
        renderSummary(report, { ...view, colour: false, program: PROGRAM, files: [] }),
        textOf(renderJunit(report)),
      ];
      for (const [n, row] of rows.entries()) {
        for (const output of outputs) {
          if (row.verdict === "failed") assert.ok(output.includes(`s${n}`));
          for (const id of [...row.ids, ...row.otherIds]) {
            assert.ok(output.includes(id), `${id} is missing in ${output}`);
          }
        }
      }
    }),
    { seed: 20261130, numRuns: 100 },
  );
});

Deno.test("renderers cut texts of 5 MB with a count and stay quick", async () => {
  for (const part of ["a", "\u0000", "|`<", "😀", "\n", "> - #\n"]) {
    const text = part.repeat(Math.ceil(5_000_000 / part.length));
    const report = await newReport([hostileScenario(text, 1)]);
    const markdown = renderMarkdown(report, { locale: "en", zone: "UTC" });
    checkMarkdown(markdown, 1);
    const xml = renderJunit(report);
    readXml(xml);
    const summary = renderSummary(report, {
      locale: "en",
      zone: "UTC",
      colour: false,
      program: PROGRAM,
      files: [],
    });
    for (const output of [markdown, xml, summary]) {
      assert.ok(output.length < 100_000, `${output.length} characters`);
      assert.match(output, /\(\+\d{5,}\)|\(\+49\d+\)/);
    }
  }
});

Deno.test("a planted secret appears in no output, plain or encoded, in values or keys", async () => {
  const secret = "hunter2-Überschlüssel/42";
  const encoded = btoa(String.fromCharCode(...new TextEncoder().encode(secret)));
  const hidden = [secret, encoded, `sk-live-${"a1B2".repeat(8)}`];
  const report = await newReport(hidden.map(hostileScenario));
  const masker = createMasker([secret]);
  const masked = masker.maskDeep(report);
  const view = { locale: "en", zone: "UTC" } as const;
  const outputs = [
    JSON.stringify(masked),
    renderMarkdown(masked, view),
    renderJunit(masked),
    renderSummary(masked, { ...view, colour: false, program: PROGRAM, files: [] }),
  ];
  for (const output of outputs) {
    for (const text of hidden) assert.ok(!output.includes(text));
    assert.ok(!output.includes("hunter2") && !output.includes("a1B2a1B2"));
    assert.ok(output.includes("[masked:1]") || output.includes("masked:1"));
  }
});
