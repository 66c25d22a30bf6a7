/**
 * Which earlier runs does the picture show beside this one? The newest run of each day that is of
 * the same kind: whole suite to its end, same mode, evidence and currency. From the history, which
 * knows runs whose reports are gone.
 */
import { dayIn } from "../model/day.ts";
import type { Report } from "../model/report.ts";
import type { TrendPoint } from "../report/trend_svg.ts";
import { askHistory } from "./history.ts";
import type { Session } from "./session.ts";

/** Points in a picture: a quarter of weeks. */
const POINTS_MAX = 13;

/** The points up to a report, oldest first, the report's own the last. */
export async function trendPoints(session: Session, report: Report): Promise<TrendPoint[]> {
  if (report.partial) return [];
  const { zone } = session.project.config;
  const { evidence } = report.decision;
  const earlier = await askHistory(
    session,
    (file) => file.points(evidence, { metric: "taskSuccess", task: null }),
  );
  const alike = earlier.filter(({ whole, mode, currency, time }) =>
    whole && mode === report.mode && currency === report.currency &&
    Date.parse(time) < Date.parse(report.time)
  );
  const newest = new Map(
    [...alike, report].map((one): [string, TrendPoint] => [
      dayIn(zone, one.time),
      { time: one.time, headline: one.headline },
    ]),
  );
  return [...newest.values()].slice(-POINTS_MAX);
}
