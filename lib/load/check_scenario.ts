/** Does a scenario hold together with its tools, its state and its recordings? All static checks. */
import type { Problem } from "../model/problem.ts";
import { checkResume } from "./check_agents.ts";
import { checkConditions } from "./check_conditions.ts";
import { checkExpressions } from "./check_expressions.ts";
import type { CheckInput } from "./check_input.ts";
import { checkNames } from "./check_names.ts";
import { checkPaths } from "./check_paths.ts";
import { checkRecordings } from "./check_recordings.ts";
import { checkSetup } from "./check_setup.ts";
import { checkWorld } from "./check_world.ts";
import { Checker } from "./checker.ts";

/** All static problems of a scenario beyond its shape. */
export async function checkScenario(input: CheckInput): Promise<Problem[]> {
  const checker = new Checker(input.source);
  checkSetup(checker, input);
  checkNames(checker, input);
  checkResume(checker, input);
  checkConditions(checker, input);
  checkPaths(checker, input);
  checkWorld(checker, input);
  const expressions = await checkExpressions(input);
  return [...checker.problems, ...expressions, ...checkRecordings(input)];
}
