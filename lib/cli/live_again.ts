/**
 * What becomes of outdated recordings where `on_stale: live` says so? Their scenarios run again with
 * the live model, and one decision is made over both: a replay's and those. Without such scenarios,
 * or with another setting, the report stays as it is.
 */
import type { Report } from "../model/report.ts";
import type { Session } from "./session.ts";
import { planRuns, type RunOptions, runPlan, type SuiteRun } from "./suite.ts";

/** The report to decide by. A live run that could not be made leaves the replay's, stale as it is. */
export async function runLiveAgain(
  session: Session,
  { report, folder }: SuiteRun,
  options: RunOptions,
): Promise<Report> {
  const stale = report.scenarios.filter(({ verdict }) => verdict === "stale");
  if (session.project.config.hook.on_stale !== "live" || stale.length === 0) return report;
  const files = stale.map(({ file }) => file);
  const live = { ...options, mode: "live" as const, out: `${folder}-live` };
  await session.io.files.remove(live.out);
  const plan = await planRuns(session, files, live);
  if (typeof plan === "number") return report;
  const ended = await runPlan(plan, () => {});
  if (typeof ended === "number") return report;
  return joined(report, ended.report);
}

/** The stricter decision, with the reasons of both; what was stale is told as it went live. */
function joined(replayed: Report, live: Report): Report {
  const ids = new Set(live.scenarios.map(({ id }) => id));
  const reasons = [
    ...replayed.decision.reasons.filter(({ kind }) => kind !== "scenario_stale"),
    ...live.decision.reasons,
  ];
  const order = ["block", "error", "warn", "not_enough_evidence", "pass"] as const;
  const verdict = order.find((each) => reasons.some(({ level }) => level === each)) ?? "pass";
  const exitCode = verdict === "block" ? 1 : verdict === "error" ? 3 : 0;
  return {
    ...replayed,
    decision: { ...replayed.decision, verdict, exitCode, reasons },
    scenarios: [...replayed.scenarios.filter(({ id }) => !ids.has(id)), ...live.scenarios],
  };
}
