/** What was accepted as the reference? Reads a file of `reports/baselines`. */
import { type Baseline, baselineFile } from "../model/baseline.ts";
import type { Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import { type Problem, sortProblems } from "../model/problem.ts";
import { readJsonFile } from "./json_file.ts";
import type { Gathered } from "./project.ts";
import { problemOfFile } from "./source.ts";

export const BASELINES = "reports/baselines";

/** Reads a baseline by its name (`production`) or by its file, absolute or relative to the project. */
export async function loadBaseline(
  files: Files,
  project: Project,
  nameOrFile: string,
): Promise<{ baseline: Baseline | null } & Gathered> {
  const isFile = nameOrFile.includes("/") || nameOrFile.endsWith(".json");
  const path = isFile ? nameOrFile : `${BASELINES}/${nameOrFile}.json`;
  const { value, problems, sources } = await readJsonFile(files, project, {
    path,
    noun: "baseline",
    schema: baselineFile,
  });
  if (value === null) return { baseline: null, problems: sortProblems(problems), sources };
  const repeated = repeatedScores(path, value);
  return {
    baseline: repeated.length > 0 ? null : value,
    problems: sortProblems([...problems, ...repeated]),
    sources,
  };
}

function repeatedScores(file: string, baseline: Baseline): Problem[] {
  const seen = new Set<string>();
  const problems: Problem[] = [];
  for (const { scenario, trial } of baseline.scores) {
    const key = `${scenario} ${trial}`;
    if (seen.has(key)) {
      problems.push(problemOfFile(file, {
        code: "duplicate-score",
        what: `Trial ${trial} of scenario "${scenario}" stands twice in the baseline`,
        fix: "accept the baseline anew",
      }));
    }
    seen.add(key);
  }
  return problems;
}
