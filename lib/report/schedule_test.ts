import assert from "node:assert/strict";
import type { JobAttempt } from "../model/job.ts";
import { type JobStanding, renderSchedule } from "./schedule.ts";

const LAST: JobAttempt = {
  due: "2026-11-20T01:30:00.000Z",
  reason: "on_time",
  attempt: 1,
  started: "2026-11-20T01:30:00.004Z",
  ended: "2026-11-20T03:00:00.000Z",
  outcome: "completed",
  exitCode: 1,
  decision: "block",
  report: "reports/runs/2026-11-20T01-30-00Z-eval/report.json",
  said: null,
};

const JOBS: readonly JobStanding[] = [
  {
    name: "eval",
    cron: "30 2 * * 5",
    command: ["run", "--mode", "live\u001b[2J"],
    next: ["2026-12-04T01:30:00.000Z", "2027-04-02T00:30:00.000Z"],
    last: LAST,
    lastSuccess: LAST.ended,
    days: 11,
    alarm: true,
  },
  {
    name: "summary",
    cron: "30 7 * * 5",
    command: ["notify"],
    next: ["2026-12-04T06:30:00.000Z"],
    last: { ...LAST, outcome: "timeout", exitCode: null, decision: null, report: null },
    lastSuccess: null,
    days: 0,
    alarm: false,
  },
  {
    name: "fresh",
    cron: "0 4 * * 1",
    command: ["validate"],
    next: ["2026-12-07T03:00:00.000Z"],
    last: null,
    lastSuccess: null,
    days: null,
    alarm: false,
  },
];

/** Whether a comma follows the weekday differs from one version of ICU to the next. */
function steady(text: string): string {
  return text.replaceAll(/(Fri|Mon),/g, "$1");
}

Deno.test("renderSchedule() tells times in the zone, outcomes, and ALARM in every locale", () => {
  const zone = "Europe/Rome";
  assert.equal(
    steady(renderSchedule(JOBS, { locale: "en", zone, call: "deno task schedule" })),
    `eval  "30 2 * * 5" Europe/Rome  run --mode live\\u{1b}[2J
  next: Fri 4 Dec 2026, 02:30 CET · Fri 2 Apr 2027, 02:30 CEST
  last: Fri 20 Nov 2026, 02:30 CET: completed, exit code 1, decision: block
  reports/runs/2026-11-20T01-30-00Z-eval/report.md
  last success: Fri 20 Nov 2026, 04:00 CET (11 days ago)
  ALARM: no success for 11 days
summary  "30 7 * * 5" Europe/Rome  notify
  next: Fri 4 Dec 2026, 07:30 CET
  last: Fri 20 Nov 2026, 02:30 CET: ended at its time limit
fresh  "0 4 * * 1" Europe/Rome  validate
  next: Mon 7 Dec 2026, 04:00 CET
  last: never begun: start \`deno task schedule\`, or \`deno task schedule install\`
`,
  );
  assert.equal(
    renderSchedule(JOBS.slice(0, 1), { locale: "it", zone, call: "npx collaudo schedule" }).split(
      "\n",
    ).slice(1).join("\n"),
    `  prossimi: ven 4 dic 2026, 02:30 CET · ven 2 apr 2027, 02:30 CEST
  ultimo: ven 20 nov 2026, 02:30 CET: completato, codice di uscita 1, decision: block
  reports/runs/2026-11-20T01-30-00Z-eval/report.md
  ultimo riuscito: ven 20 nov 2026, 04:00 CET (11 giorni fa)
  ALARM: nessuna esecuzione riuscita da 11 giorni
`,
  );
});
