/**
 * What does the evidence behind a rule say besides its truth? The comparisons and floors that a rule
 * asked for in; the level that they give a rule that holds, and a cap for one that does not. Only what
 * is over everything can leave the decision without enough evidence: small groups are shown.
 */
import type { DecisionVerdict, RuleLevel } from "../model/gate.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type {
  DropEvidence,
  FloorEvidence,
  Statistics,
  StatisticsGroup,
} from "../model/statistics.ts";
import { criticalIn, dropFor, floorFor, sameGroup } from "../model/evidence.ts";
import type { References } from "./needs.ts";

/** What a rule asked and what was found. */
export interface Asked {
  readonly references: References;
  readonly statistics: Statistics | null;
  readonly group: StatisticsGroup;
}

/** Every comparison and floor that the rule asked for in this group. */
export function evidenceOf({ references, statistics, group }: Asked): {
  readonly drops: readonly DropEvidence[];
  readonly floors: readonly FloorEvidence[];
} {
  return {
    drops: references.tests.flatMap((one) => dropFor(statistics, one, group) ?? []),
    floors: references.floors.flatMap((one) => floorFor(statistics, one, group) ?? []),
  };
}

/** The level of a rule that holds: a fall that is not sure warns, a large doubt is said. */
export function levelOfDoubt(asked: Asked): DecisionVerdict {
  const { drops, floors } = evidenceOf(asked);
  if ([...drops, ...floors].some(({ verdict }) => verdict === "warn")) return "warn";
  const isOpen = drops.some(({ verdict }) => verdict === "not_enough_evidence");
  return isOpen && asked.group === null ? "not_enough_evidence" : "pass";
}

/** The level of a rule that failed: a percentile of too few runs warns at most. */
export function levelOfFailure(
  level: RuleLevel,
  { references, statistics, group }: Asked,
  isLive: boolean,
): RuleLevel {
  const { reads, drops, rises, tests, floors } = references;
  const onlyLatency = rises.length > 0 && rises.every((metric) => metric === "latencyP95Ms") &&
    reads.length + drops.length + tests.length + floors.length === 0;
  if (!isLive || !onlyLatency) return level;
  const known =
    statistics?.amounts.filter((one) =>
      one.metric === "latencyP95Ms" && sameGroup(one.group, group)
    ) ?? [];
  return known.some(({ bounded }) => bounded) ? level : "warn";
}

/** The scenarios that the evidence names: those that collapsed, and critical ones that fell short. */
export function scenariosOf(asked: Asked): string[] {
  const short = asked.references.critical && asked.statistics !== null
    ? criticalIn(asked.statistics, asked.group).map(({ scenario }) => scenario)
    : [];
  return [...evidenceOf(asked).drops.flatMap(({ collapsed }) => collapsed), ...short];
}

/** The figures of the evidence by name, for the reason's `actual`. */
export function figuresOfEvidence(asked: Asked): JsonObject {
  const { drops, floors } = evidenceOf(asked);
  const rows: [string, Json][] = [
    ...drops.flatMap((one): [string, Json][] => [
      [`drop.${one.metric}`, one.difference === null ? null : round(-one.difference)],
      [`p.${one.metric}`, one.pAdjusted ?? one.p],
      [`hidden.${one.metric}`, one.hidden],
      ["collapsed", byCollapse(one) ? one.collapsed.length : null],
    ]),
    ...floors.map((one): [string, Json] => [`candidate.${one.metric}`, one.value]),
  ];
  return Object.fromEntries(rows.filter(([, value]) => value !== null));
}

/** True where a collapse alone blocks: the mean did not fall by the margin, or chance may explain it. */
function byCollapse({ verdict, collapsed, difference, margin, alpha, pAdjusted }: DropEvidence) {
  const isFall = (difference ?? 0) <= -margin + 1e-12 && pAdjusted !== null && pAdjusted <= alpha;
  return verdict === "block" && collapsed.length > 0 && !isFall;
}

function round(value: number): number {
  return Math.round(value * 1e9) / 1e9;
}
