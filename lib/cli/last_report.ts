/** Which report is the newest, and what was not passed in it? */
import type { Refusal } from "./agents.ts";
import { join, type Session } from "./session.ts";

/** Path of the newest `report.json` of the project, null where there is none. */
export async function newestReport(session: Session): Promise<string | null> {
  return (await reportPaths(session))[0] ?? null;
}

/** Paths of all `report.json` of the project, newest first. */
export async function reportPaths(session: Session): Promise<string[]> {
  const folder = join(session.project.root, "reports/runs");
  const found: { readonly stamp: string; readonly path: string }[] = [];
  for (const { name, kind } of await session.io.files.list(folder)) {
    const path = `${folder}/${name}/report.json`;
    if (kind !== "folder" || await session.io.files.stat(path) === null) continue;
    found.push({ stamp: STAMPED.test(name) ? name : await stampOf(session, path), path });
  }
  return found.sort((a, b) => a.stamp < b.stamp ? 1 : -1).map(({ path }) => path);
}

/** A folder that was named by its time. */
const STAMPED = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ/;

/** The time of a report whose folder a person named; what does not say it counts as the oldest. */
async function stampOf({ io }: Session, path: string): Promise<string> {
  try {
    const { time } = JSON.parse(await io.files.readText(path));
    return new Date(time).toISOString().replace(/\.\d+/, "").replaceAll(":", "-");
  } catch {
    return "";
  }
}

/** Ids of the scenarios that were not passed in the newest report. */
export async function failedLast(
  session: Session,
): Promise<{ readonly ids: string[] } | Refusal> {
  const path = await newestReport(session);
  if (path === null) {
    return { what: "No report to rerun from", fix: "run once without --rerun-failed" };
  }
  const { loadReport } = await import("../load/report.ts");
  const { report } = await loadReport(session.io.files, session.project, path);
  if (report === null) {
    return { what: `Cannot use report "${path}"`, fix: "run once without --rerun-failed" };
  }
  const ids = report.scenarios.filter((each) => each.verdict !== "passed").map((each) => each.id);
  if (ids.length === 0) {
    return {
      what: "Nothing to rerun: the newest report has only passed scenarios",
      fix: "run without --rerun-failed",
    };
  }
  return { ids };
}
