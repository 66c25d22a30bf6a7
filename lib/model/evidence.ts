/** Which of the comparisons that were made answers what a rule asks? Apart from their schemas. */
import type {
  CriticalEvidence,
  DropEvidence,
  FloorEvidence,
  Statistics,
  StatisticsGroup,
} from "./statistics.ts";

/** What one comparison of a rule asks: the literal arguments of `$significantDrop`. */
export interface DropQuestion {
  readonly metric: string;
  readonly margin: number;
  readonly warn: number;
  readonly replay: number;
  readonly alpha: number;
}

/** What `$atLeast` asks. */
export interface FloorQuestion {
  readonly metric: string;
  readonly floor: number;
}

/** The defaults of `$significantDrop`. */
export const DROP_DEFAULTS = { margin: 0.05, alpha: 0.05, warn: 0.05, replay: 0.05 } as const;

/** True where two parts of a gate are the same; null is the whole. */
export function sameGroup(a: StatisticsGroup, b: StatisticsGroup): boolean {
  return a?.by === b?.by && a?.name === b?.name;
}

/** The comparison that answers a question in a group, if it was made. */
export function dropFor(
  statistics: Statistics | null,
  question: DropQuestion,
  group: StatisticsGroup,
): DropEvidence | undefined {
  return statistics?.drops.find((one) =>
    one.metric === question.metric && one.margin === question.margin &&
    one.warn === question.warn && one.replay === question.replay &&
    one.alpha === question.alpha && sameGroup(one.group, group)
  );
}

/** The floor that answers a question in a group, if it was measured. */
export function floorFor(
  statistics: Statistics | null,
  question: FloorQuestion,
  group: StatisticsGroup,
): FloorEvidence | undefined {
  return statistics?.floors.find((one) =>
    one.metric === question.metric && one.floor === question.floor && sameGroup(one.group, group)
  );
}

/** The critical scenarios of a group that did not succeed often enough. */
export function criticalIn(
  { critical }: Statistics,
  group: StatisticsGroup,
): readonly CriticalEvidence[] {
  return group === null ? critical : critical.filter((one) => one[group.by] === group.name);
}
