/**
 * Which earlier runs does the picture show beside this one? The newest report of each day that is of
 * the same kind: whole suite, same mode, evidence and currency. What cannot be read is passed over.
 */
import { loadReport } from "../load/report.ts";
import type { Report } from "../model/report.ts";
import type { TrendPoint } from "../report/trend_svg.ts";
import { join, type Session } from "./session.ts";
import { dayIn } from "./standing.ts";

/** Points in a picture: a quarter of weeks. */
const POINTS_MAX = 13;

/** Folders looked at, so that a busy week does not cost minutes. */
const FOLDERS_MAX = 80;

/** The points up to a report, oldest first, the report's own the last. */
export async function trendPoints(session: Session, report: Report): Promise<TrendPoint[]> {
  if (report.partial) return [];
  const { io, project } = session;
  const day = (time: string) => dayIn(project.config.zone, time);
  const points = new Map([[day(report.time), report]]);
  const folder = join(project.root, "reports/runs");
  const folders = (await io.files.list(folder)).filter(({ kind }) => kind === "folder");
  for (const { name } of folders.reverse().slice(0, FOLDERS_MAX)) {
    if (points.size >= POINTS_MAX) break;
    const earlier = await readQuietly(session, `${folder}/${name}/report.json`);
    if (earlier === null || !isAlike(earlier, report) || points.has(day(earlier.time))) continue;
    points.set(day(earlier.time), earlier);
  }
  return [...points.values()]
    .sort((a, b) => Date.parse(a.time) - Date.parse(b.time))
    .map(({ time, headline }) => ({ time, headline }));
}

async function readQuietly({ io, project }: Session, path: string): Promise<Report | null> {
  if (await io.files.stat(path) === null) return null;
  return (await loadReport(io.files, project, path)).report;
}

function isAlike(earlier: Report, report: Report): boolean {
  return !earlier.partial && earlier.mode === report.mode && earlier.currency === report.currency &&
    earlier.decision.evidence === report.decision.evidence &&
    Date.parse(earlier.time) < Date.parse(report.time);
}
