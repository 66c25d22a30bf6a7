/**
 * What is there to tell of the last seven days? The reports of two weeks below `reports/runs`, the
 * rows of the ledger and the scenarios' origins in; the news of a week out. What cannot be read is
 * passed over, as in the picture.
 */
import { loadReport } from "../load/report.ts";
import { loadScenarios } from "../load/scenarios.ts";
import { addDays, dayIn } from "../model/day.ts";
import type { Report } from "../model/report.ts";
import { weekFacts, type WeekRun, weekRun } from "../report/week_facts.ts";
import { ledgerRowsNow } from "./ledger_command.ts";
import type { News } from "./morning.ts";
import { join, type Session } from "./session.ts";

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;

/** The news of the week that ends now; a ledger that cannot be used is told of, there too. */
export async function newsOfWeek(session: Session): Promise<News> {
  const { io, project } = session;
  const nowMs = Date.parse(io.clock.now());
  const today = dayIn(project.config.zone, io.clock.now());
  const rows = await ledgerRowsNow(session);
  const { runs, newest, unreadable } = await readWeeks(session, nowMs);
  const facts = weekFacts({
    runs,
    begun: new Date(nowMs - WEEK_MS).toISOString(),
    today,
    rows: typeof rows === "number" ? null : rows,
    unreadable,
    incidents: await incidentIds(session),
  });
  return {
    told: { kind: "week", facts },
    about: `week from ${addDays(today, -6)} to ${today}`,
    file: null,
    pictured: newest,
  };
}

/** The runs of two weeks, the newest whole one with its report, and how many cannot be read. */
async function readWeeks(
  { io, project }: Session,
  nowMs: number,
): Promise<{
  readonly runs: readonly WeekRun[];
  readonly newest: Report | null;
  readonly unreadable: number;
}> {
  const folder = join(project.root, "reports/runs");
  const runs: WeekRun[] = [];
  let newest: Report | null = null;
  let unreadable = 0;
  for (const { name, kind } of (await io.files.list(folder)).toReversed()) {
    const path = `${folder}/${name}/report.json`;
    if (kind !== "folder" || isOlder(name, nowMs - 2 * WEEK_MS)) continue;
    if (await io.files.stat(path) === null) continue;
    const { report } = await loadReport(io.files, project, path);
    if (report === null) {
      if (!isOlder(name, nowMs - WEEK_MS)) unreadable++;
      continue;
    }
    const age = nowMs - Date.parse(report.time);
    if (age < 0 || age >= 2 * WEEK_MS) continue;
    runs.push(weekRun(report));
    if (age < WEEK_MS && isNewer(report, newest)) newest = report;
  }
  return { runs, newest, unreadable };
}

function isNewer(report: Report, newest: Report | null): boolean {
  return !report.partial && report.mode !== "recorded" &&
    (newest === null || Date.parse(report.time) > Date.parse(newest.time));
}

/** By the day in a folder's name, so that a year of reports is not read; a day is left for doubt. */
function isOlder(name: string, sinceMs: number): boolean {
  const day = /^\d{4}-\d\d-\d\d(?=T)/.exec(name)?.[0];
  return day !== undefined && Date.parse(`${day}T00:00:00Z`) < sinceMs - 2 * DAY_MS;
}

async function incidentIds({ io, project }: Session): Promise<string[]> {
  const { scenarios } = await loadScenarios(io.files, project, {
    paths: [],
    only: [],
    recordings: [],
  });
  return scenarios.filter(({ scenario }) => scenario.origin.kind === "incident")
    .map(({ scenario }) => scenario.id);
}
