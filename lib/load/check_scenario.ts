/** Does a scenario hold together? */
import type { Problem } from "../model/problem.ts";
import type { CheckInput } from "./check_input.ts";

/** All static problems of a scenario beyond its shape. */
export function checkScenario(_input: CheckInput): Promise<Problem[]> {
  return Promise.resolve([]);
}
