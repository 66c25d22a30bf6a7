/**
 * What does a suite not touch? Its tools that no recording calls and no expectation names, effects,
 * kinds of fault, categories, risks and outcomes without a scenario; and scenarios that kill the
 * same mutants for the same reasons, so that one of them may be enough.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import type { ScenarioStrength, SuiteCoverage } from "../model/mutation.ts";
import { category, fault, outcomeKind, risk } from "../model/scenario.ts";
import { toolEffect } from "../model/tool.ts";

const FAULT_KINDS: readonly string[] = fault.options.map(({ shape }) => shape.kind.value);

/** The coverage of each suite; without strengths no duplicates are looked for. */
export function coverageOf(
  scenarios: readonly LoadedScenario[],
  strengths: readonly ScenarioStrength[],
): SuiteCoverage[] {
  const suites = [...new Set(scenarios.map(({ suite }) => suite))];
  return suites.map((suite) => {
    const own = scenarios.filter((loaded) => loaded.suite === suite);
    const specs = new Map(own.flatMap(({ tools }) => Object.entries(tools)));
    const touched = new Set(own.flatMap(touchedTools));
    const called = new Set(own.flatMap(calledTools));
    const seen = (values: readonly string[]) => new Set(values);
    return {
      suite,
      scenarios: own.length,
      tools: untouched([...specs.keys()], touched),
      effects: untouched(
        toolEffect.options,
        seen([...called].flatMap((tool) => specs.get(tool)?.effect ?? [])),
      ),
      faults: untouched(
        FAULT_KINDS,
        seen(own.flatMap(({ scenario }) => scenario.setup.faults.map(({ kind }) => kind))),
      ),
      categories: untouched(
        category.options,
        seen(own.map(({ scenario }) => scenario.category)),
      ),
      risks: untouched(risk.options, seen(own.map(({ scenario }) => scenario.risk))),
      outcomes: untouched(
        outcomeKind.options,
        seen(own.map(({ scenario }) => scenario.expected.outcome)),
      ),
      duplicates: duplicatesIn(strengths.filter((one) => one.suite === suite)),
    };
  });
}

function untouched(all: readonly string[], seen: ReadonlySet<string>): string[] {
  return all.filter((one) => !seen.has(one)).sort();
}

/** Tools that a recording calls: right or wrong, a scenario knows what they do. */
function calledTools({ recordings }: LoadedScenario): string[] {
  return recordings.flatMap(({ recording }) =>
    recording.turns.flatMap((turn) =>
      "calls" in turn ? (turn.calls ?? []).map(({ tool }) => tool) : []
    )
  );
}

/** Tools that a recording calls or that an expectation names. */
function touchedTools(loaded: LoadedScenario): string[] {
  const { expected } = loaded.scenario;
  const forbidden = (expected.forbidden ?? []).flatMap((rule) => {
    if (typeof rule === "string") return [rule];
    return "tool" in rule ? [rule.tool] : [];
  });
  const checks = (expected.checkpoints ?? []).map(({ check }) => check).join("\n");
  const named = Object.keys(loaded.tools).filter((tool) =>
    checks.includes(`'${tool}'`) || checks.includes(`"${tool}"`)
  );
  return [
    ...calledTools(loaded),
    ...forbidden,
    ...expected.tools_called.map(({ name }) => name),
    ...named,
  ];
}

function duplicatesIn(strengths: readonly ScenarioStrength[]): string[][] {
  const byMarks = new Map<string, string[]>();
  for (const { id, killed, marks } of strengths) {
    if (killed === 0) continue;
    const key = marks.join("\n");
    byMarks.set(key, [...byMarks.get(key) ?? [], id]);
  }
  return [...byMarks.values()].filter(({ length }) => length > 1);
}
