import assert from "node:assert/strict";
import { INCIDENT, newReport, newScenario } from "../../testdata/report/sample_report.ts";
import type { Report } from "../model/report.ts";
import { renderJunit } from "./junit.ts";
import { renderMarkdown } from "./markdown.ts";
import { renderSummary } from "./terminal.ts";

const KNOWN = newScenario({
  id: "d15-known",
  lifecycle: "known_failing",
  knownFailing: { owner: "anna", reason: "Hub firmware", until: "2026-11-01" },
});

async function newOverridden(): Promise<Report> {
  const report = await newReport([INCIDENT, KNOWN]);
  return {
    ...report,
    decision: {
      ...report.decision,
      exitCode: 0,
      overridden: [{
        id: "0123456789ab",
        reason: "The *hub* is <late>",
        by: "anna@example.test",
        until: "2026-12-14",
      }],
    },
    judgedBy: { by: "base", ref: "origin/main", version: 7, hash: `sha256:${"b".repeat(64)}` },
    gateLoosened: Array.from({ length: 30 }, (_, index) => ({
      what: `gates/release.yaml rules/r${index}/level`,
      from: "block",
      to: index === 0 ? null : "warn",
      direction: "looser" as const,
    })),
    overrides: [{
      id: "aaaaaaaaaaaa",
      date: "2026-11-20",
      kind: "override",
      commits: ["9c1e0f3a"],
      rules: ["no-critical"],
      scenarios: ["d15-known"],
      reason: "Once needed",
      until: "2026-12-04",
      by: "bo@example.test",
      git: "reachable",
    }],
  };
}

const SAID = {
  en: {
    title: "Gate loosened: 30 changes",
    base: /The gate of .*origin\/main.*, version 7, is stricter and decided/,
    again: "passes again: make it stable",
    more: "and 10 more",
    stale: "(no longer needed)",
    until: /until 1 Nov 2026, anna answers for it; expired/,
  },
  it: {
    title: "Gate allentato: 30 modifiche",
    base: /Il gate di .*origin\/main.*, versione 7, è più severo e ha deciso/,
    again: "è di nuovo superato: va reso stabile",
    more: "e altri 10",
    stale: "(non più necessaria)",
    until: /fino al 1 nov 2026, ne risponde anna; scaduta/,
  },
} as const;

for (const locale of ["en", "it"] as const) {
  Deno.test(`renderers show a loosened gate first, the override and what passes again in ${locale}`, async () => {
    const report = await newOverridden();
    const view = { locale, zone: "Europe/Rome" };
    const said = SAID[locale];
    const markdown = renderMarkdown(report, view);
    const summary = renderSummary(report, {
      ...view,
      colour: false,
      files: [],
      program: { replay: "deno task eval", live: "deno task eval:live" },
    });
    assert.ok(summary.startsWith(`\n${said.title}\n`), summary);
    assert.ok(markdown.split("\n").indexOf(`**${said.title}**`) === 4, markdown);
    for (const text of [markdown, summary]) {
      assert.match(text, /decision: block \(overridden by 0123456789ab\)/);
      assert.match(text, said.base);
      assert.ok(text.includes(said.again));
    }
    for (const part of [said.more, said.stale, "The &#42;hub&#42; is &#60;late&#62;"]) {
      assert.ok(markdown.includes(part), part);
    }
    assert.match(markdown, said.until);
  });
}

Deno.test("renderJunit() keeps an overridden failure a failure, and names override and loosened gate", async () => {
  const xml = renderJunit(await newOverridden());
  assert.match(xml, /failures="1"/);
  assert.match(
    xml,
    /<property name="overridden" value="0123456789ab by anna@example.test: The \*hub\* is &#60;late&#62;"\/>/,
  );
  assert.match(
    xml,
    /<property name="gate loosened" value="gates\/release.yaml rules\/r0\/level"\/>/,
  );
  assert.match(xml, /<property name="judged by" value="base"\/>/);
});
