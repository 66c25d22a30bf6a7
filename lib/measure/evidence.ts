/**
 * What do the rules of a gate rest on? The gate's questions and the scores of both sides in; every
 * comparison, floor and ratio out, tested and adjusted for their number before any rule is evaluated.
 * Replays have no chance in them: there every difference is real and no p-value is made.
 */
import { gateReferences } from "../expression/gate_scope.ts";
import type { Gate, GateRule } from "../model/gate.ts";
import type { Score } from "../model/metrics.ts";
import type {
  AmountEvidence,
  CriticalEvidence,
  DropEvidence,
  FloorEvidence,
  Statistics,
  StatisticsGroup,
} from "../model/statistics.ts";
import { costRatio, P95_SAMPLES_MIN, quantileRanks } from "./statistics/amounts.ts";
import { neededOf } from "./statistics/binomial.ts";
import { ASSUMED, findableDrop } from "./statistics/planning.ts";
import { judgeFloor } from "./statistics/rates.ts";
import { type AskedDrop, testDrops } from "./drops.ts";
import {
  groupReliability,
  inGroup,
  pair,
  reliabilityOf,
  rowsOf,
  type ScenarioRow,
  shareOf,
  sumOf,
} from "./trials.ts";

/** What is weighed. */
export interface Weighed {
  readonly gate: Pick<Gate, "rules">;
  /** False for replays. */
  readonly live: boolean;
  readonly scores: readonly Score[];
  /** Rows of scenarios of equal hash; null where nothing may be compared. */
  readonly equals: {
    readonly candidate: readonly Score[];
    readonly baseline: readonly Score[];
  } | null;
}

/** All that the rules of a gate ask, and what is always told. Never throws. */
export function weigh({ gate, live, scores, equals }: Weighed): Statistics {
  const rows = rowsOf(scores);
  const sides = equals === null
    ? null
    : { candidate: rowsOf(equals.candidate), baseline: rowsOf(equals.baseline) };
  const asked = gate.rules.filter((rule) => rule.stage === "offline")
    .map((rule) => ({ rule, references: gateReferences(rule.require) }));
  const questions = asked.flatMap(({ rule, references }): AskedDrop[] =>
    references.tests.flatMap((question) =>
      groupsOf(rule, sides?.candidate ?? []).map((group) => ({ ...question, rule: rule.id, group }))
    )
  );
  const drops = sides === null ? [] : testDrops(questions, { ...sides, live });
  return {
    overall: groupReliability(rows),
    byTask: groupsBy(rows, (row) => row.task),
    scenarios: Object.fromEntries(rows.map((row) => [row.scenario, reliabilityOf(row)])),
    drops,
    floors: asked.flatMap(({ rule, references }) =>
      references.floors.flatMap((question) =>
        groupsOf(rule, rows).map((group) =>
          measureFloor({ ...question, rule: rule.id, group }, rows, live)
        )
      )
    ),
    amounts: sides === null
      ? []
      : asked.flatMap(({ rule, references }) =>
        references.rises.flatMap((metric) =>
          groupsOf(rule, sides.candidate).flatMap((group) =>
            measureAmount({ metric, rule: rule.id, group }, sides) ?? []
          )
        )
      ),
    critical: rows.flatMap((row) => criticalShort(row, live) ?? []),
    surer: live ? makeSurer(drops[0]) : null,
  };
}

/** The groups of a rule: the whole, or each that has a scenario. */
function groupsOf(rule: GateRule, rows: readonly ScenarioRow[]): StatisticsGroup[] {
  const by = rule.for_each;
  if (by === undefined) return [null];
  const names = [...new Set(rows.map((row) => row[by]))].sort();
  return names.filter((name) => rule.only === undefined || rule.only.includes(name))
    .map((name) => ({ by, name }));
}

function groupsBy(rows: readonly ScenarioRow[], nameOf: (row: ScenarioRow) => string) {
  const groups = [...Map.groupBy(rows, nameOf)].sort(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(groups.map(([name, some]) => [name, groupReliability(some)]));
}

function measureFloor(
  asked: { readonly metric: string; readonly floor: number; rule: string; group: StatisticsGroup },
  rows: readonly ScenarioRow[],
  live: boolean,
): FloorEvidence {
  const { metric, floor, rule, group } = asked;
  const some = inGroup(rows, group).filter((row) => shareOf(row, metric) !== null);
  const x = sumOf(some.map((row) => shareOf(row, metric) ?? 0));
  const n = some.length;
  const { bounds, verdict } = judgeFloor(Math.min(x, n), n, floor);
  const exact = n === 0 ? "not_enough_evidence" : x / n < floor - 1e-12 ? "block" : "pass";
  return {
    rules: [rule],
    metric,
    group,
    floor,
    scenarios: n,
    trials: n === 0 ? 0 : Math.min(...some.map((row) => row.trials)),
    value: n === 0 ? null : Math.min(1, x / n),
    bounds: pair(bounds),
    verdict: live ? verdict : exact,
  };
}

function measureAmount(
  asked: { readonly metric: string; readonly rule: string; readonly group: StatisticsGroup },
  sides: {
    readonly candidate: readonly ScenarioRow[];
    readonly baseline: readonly ScenarioRow[];
  },
): AmountEvidence | null {
  const { metric, rule, group } = asked;
  const now = inGroup(sides.candidate, group);
  if (metric === "latencyP95Ms") {
    const known = now.flatMap((row) => row.latencyMs ?? []).sort((a, b) => a - b);
    const { lower, upper } = quantileRanks(known.length);
    const [low, high] = [known[(lower ?? 0) - 1], known[(upper ?? 0) - 1]];
    return {
      rules: [rule],
      metric,
      group,
      scenarios: known.length,
      ratio: null,
      interval: low === undefined || high === undefined ? null : [low, high],
      bounded: known.length >= P95_SAMPLES_MIN,
    };
  }
  if (metric !== "costPerTask") return null;
  const then = new Map(sides.baseline.map((row) => [row.scenario, row.cost]));
  const found = costRatio(now.flatMap((row) => {
    const baseline = then.get(row.scenario) ?? null;
    return row.cost === null || baseline === null ? [] : [{ candidate: row.cost, baseline }];
  }));
  return {
    rules: [rule],
    metric,
    group,
    scenarios: found?.pairs ?? 0,
    ratio: found?.ratio ?? null,
    interval: pair(found?.interval ?? null),
    bounded: true,
  };
}

/** A critical scenario that succeeded too seldom: of all trials in a replay, of most in live mode. */
function criticalShort(row: ScenarioRow, live: boolean): CriticalEvidence | null {
  const needed = live ? neededOf(row.trials) : row.trials;
  if (!row.isCritical || row.passed >= needed) return null;
  const { scenario, task, category, passed, trials } = row;
  return { scenario, task, category, passed, trials, needed };
}

const TRIALS_WORTH_IT = [3, 5, 10];

/** The next number of trials that is worth it, and the drop that it would find four times in five. */
function makeSurer(overall: DropEvidence | undefined): Statistics["surer"] {
  if (overall === undefined || overall.scenarios === 0) return null;
  const { candidate, baseline } = overall.trials;
  const trials = TRIALS_WORTH_IT.find((k) => k > Math.min(candidate, baseline));
  if (trials === undefined) return null;
  const p = Math.min(0.98, Math.max(0.5, overall.baseline ?? ASSUMED.p));
  const drop = findableDrop(overall.scenarios, { candidate: trials, baseline: trials }, {
    ...ASSUMED,
    p,
  });
  return { trials, drop: Math.min(1, drop) };
}
