/** What did an earlier run of the suite leave behind? Reads a `report.json`. */
import type { Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import { sortProblems } from "../model/problem.ts";
import { type Report, reportFile } from "../model/report.ts";
import { readJsonFile } from "./json_file.ts";
import type { Gathered } from "./project.ts";

/** Reads a report; `path` is absolute or relative to the project. */
export async function loadReport(
  files: Files,
  project: Project,
  path: string,
): Promise<{ report: Report | null } & Gathered> {
  const read = await readJsonFile(files, project, { path, noun: "report", schema: reportFile });
  return { report: read.value, problems: sortProblems(read.problems), sources: read.sources };
}
