/**
 * How much of a suite may be excused? The scenarios of a whole load in; a problem at each known
 * failure beyond a tenth of its suite out: a suite of which more is excused no longer guards anything.
 */
import type { Problem } from "../model/problem.ts";
import type { ScenarioFile } from "../model/scenario.ts";
import { problemAt, type SourceFile } from "./source.ts";

/** Share of a suite that may be known to fail. */
const KNOWN_FAILING_MAX = 0.1;

/** A scenario as it was read, or not. */
interface Read {
  readonly suite: string;
  readonly source: SourceFile | null;
  readonly written: ScenarioFile | null;
}

/** One problem for each scenario that is known to fail beyond what its suite may have. */
export function excusedProblems(all: readonly Read[]): Problem[] {
  return [...Map.groupBy(all, ({ suite }) => suite)].flatMap(([suite, scenarios]) => {
    const allowed = Math.floor(scenarios.length * KNOWN_FAILING_MAX);
    const excused = scenarios.filter(({ written }) => written?.lifecycle === "known_failing");
    return excused.slice(allowed).flatMap(({ source }) =>
      source === null ? [] : [problemAt(source, ["lifecycle"], {
        code: "too-many-known-failing",
        what:
          `${excused.length} of ${scenarios.length} scenarios of suite "${suite}" are known to fail: expected at most ${allowed}, a tenth`,
        fix: "mend the agent, or take the scenario back to `stable` and let it block",
      })]
    );
  });
}
