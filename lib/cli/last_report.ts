/** Which report is the newest, and what was not passed in it? */
import type { Refusal } from "./agents.ts";
import { join, type Session } from "./session.ts";

/** Path of the newest `report.json` of the project, null where there is none. */
export async function newestReport(session: Session): Promise<string | null> {
  const folder = join(session.project.root, "reports/runs");
  const names = (await session.io.files.list(folder)).filter((each) => each.kind === "folder");
  for (const { name } of [...names].reverse()) {
    const path = `${folder}/${name}/report.json`;
    if (await session.io.files.stat(path) !== null) return path;
  }
  return null;
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
