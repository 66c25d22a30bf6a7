/** How strong are all selected suites? Strength of each scenario, then coverage over them. */
import { coverageOf } from "../measure/coverage.ts";
import { suiteStrengths } from "../measure/strength.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { ScenarioStrength } from "../model/mutation.ts";
import { renderStrength, strengthJson, type StrengthReport } from "../report/strength.ts";
import type { ChosenAgent } from "./agents.ts";
import type { Session } from "./session.ts";
import { measureStrength } from "./strength.ts";

/** What is measured; `whole` where it is all scenarios of the project. */
export interface Measured {
  readonly scenarios: readonly LoadedScenario[];
  readonly agents: ReadonlyMap<string, ChosenAgent>;
  readonly whole: boolean;
}

/** Measures every scenario that has an agent, in their order. */
export async function strengthReport(
  session: Session,
  { scenarios, agents, whole }: Measured,
): Promise<StrengthReport> {
  const strengths: ScenarioStrength[] = [];
  for (const loaded of scenarios) {
    const agent = agents.get(loaded.scenario.id);
    if (agent !== undefined) strengths.push(await measureStrength({ session, loaded, agent }));
  }
  const effects = new Map(
    scenarios.flatMap(({ suite, tools }) =>
      Object.entries(tools).map(([tool, { effect }]) => [`${suite}/${tool}`, effect] as const)
    ),
  );
  return {
    suites: suiteStrengths(strengths),
    coverage: whole ? coverageOf(scenarios, strengths) : [],
    effectOf: (suite, tool) => effects.get(`${suite}/${tool}`) ?? "read",
  };
}

/** Prints the report: one JSON document, or text in the project's locale. */
export function printStrength(session: Session, report: StrengthReport, json: boolean): void {
  const { locale } = session.project.config;
  const text = json
    ? `${JSON.stringify(strengthJson(report, locale), null, 1)}\n`
    : `\n${renderStrength(report, locale)}`;
  session.io.terminal.out(session.masker.mask(text));
}
