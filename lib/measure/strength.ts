/**
 * How many ways to fail does a scenario notice? In: mutants that were run and judged. Out: strength,
 * killed / counted, for a scenario and for a suite, where counted leaves out equivalent and invalid
 * ones and those of the final text; the survivors; and marks by which duplicates are found.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import type {
  Mutation,
  MutationKind,
  ScenarioStrength,
  StrengthFigures,
  SuiteStrength,
  TriedMutant,
} from "../model/mutation.ts";

const VOICE: MutationKind = "final_text";

/** The strength of a scenario from its mutants. */
export function scenarioStrength(
  { scenario, suite }: LoadedScenario,
  tried: readonly TriedMutant[],
): ScenarioStrength {
  const deeds = tried.filter(({ mutation }) => mutation.kind !== VOICE);
  const voice = tried.filter(({ mutation }) => mutation.kind === VOICE);
  const { setup, expected } = scenario;
  return {
    id: scenario.id,
    suite,
    risk: scenario.risk,
    ...figuresOf({
      killed: countOf(deeds, "killed"),
      survived: countOf(deeds, "survived"),
      equivalent: countOf(deeds, "equivalent"),
      invalid: countOf(tried, "invalid"),
      voice: {
        killed: countOf(voice, "killed"),
        counted: countOf(voice, "killed") + countOf(voice, "survived"),
      },
    }),
    survivors: deeds.filter(({ outcome }) => outcome === "survived"),
    voiceSurvivors: voice.filter(({ outcome }) => outcome === "survived"),
    invalids: tried.filter(({ outcome }) => outcome === "invalid"),
    marks: [
      ...new Set([
        `outcome ${expected.outcome}`,
        ...setup.faults.map(({ kind, tool }) => `fault ${kind} ${tool}`),
        ...deeds.filter(({ outcome }) => outcome === "killed").map(markOf),
      ]),
    ].sort(),
  };
}

/** Suites in the order of their first scenario; each the sum of its scenarios' mutants. */
export function suiteStrengths(scenarios: readonly ScenarioStrength[]): SuiteStrength[] {
  const ids = [...new Set(scenarios.map(({ suite }) => suite))];
  return ids.map((id) => {
    const own = scenarios.filter(({ suite }) => suite === id);
    const sum = (count: (one: ScenarioStrength) => number) =>
      own.reduce((total, one) => total + count(one), 0);
    return {
      id,
      scenarios: own,
      ...figuresOf({
        killed: sum((one) => one.killed),
        survived: sum((one) => one.counted - one.killed),
        equivalent: sum((one) => one.equivalent),
        invalid: sum((one) => one.invalid),
        voice: {
          killed: sum((one) => one.voice.killed),
          counted: sum((one) => one.voice.counted),
        },
      }),
    };
  });
}

function figuresOf(counts: {
  readonly killed: number;
  readonly survived: number;
  readonly equivalent: number;
  readonly invalid: number;
  readonly voice: StrengthFigures["voice"];
}): StrengthFigures {
  const counted = counts.killed + counts.survived;
  return {
    killed: counts.killed,
    counted,
    equivalent: counts.equivalent,
    invalid: counts.invalid,
    strength: counted === 0 ? null : counts.killed / counted,
    voice: counts.voice,
  };
}

function countOf(tried: readonly TriedMutant[], outcome: TriedMutant["outcome"]): number {
  return tried.filter((one) => one.outcome === outcome).length;
}

/** A killed mutant without ids: its kind, its call's tool and argument, and what failed. */
function markOf({ mutation, failed }: TriedMutant): string {
  const classes = [...new Set(failed.map(withoutIds))].sort();
  return `${subjectOf(mutation)} -> ${classes.join(", ")}`;
}

function subjectOf(mutation: Mutation): string {
  if (mutation.kind === "final_text") return mutation.kind;
  const argument = mutation.kind === "change_argument" ? `.${mutation.argument}` : "";
  return `${mutation.kind} ${mutation.call.tool}${argument}`;
}

/** `protected:customers/C-1043/vat` as `protected:customers/*\/vat`; names of checkpoints go. */
function withoutIds(condition: string): string {
  const [kind = "", ...rest] = condition.split(":");
  if (kind === "checkpoint" || kind.endsWith("message")) return kind;
  const parts = rest.join(":").split("/");
  return parts.length < 2 ? condition : `${kind}:${parts.with(1, "*").join("/")}`;
}
