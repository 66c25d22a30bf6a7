/**
 * Did the metrics that a gate names fall, in each group? Questions and the rows of both sides in;
 * one piece of evidence a question out. All p-values are made and adjusted first (Holm); a group in
 * which even a total failure could not be told from chance is judged by counts instead.
 */
import type { DropEvidence, StatisticsGroup } from "../model/statistics.ts";
import type { DropQuestion } from "../model/evidence.ts";
import { DROP_DEFAULTS, sameGroup } from "../model/evidence.ts";
import { collapseP } from "./statistics/binomial.ts";
import {
  fellBy,
  hiddenDrop,
  holm,
  judgeDrop,
  leastP,
  type Paired,
  signFlip,
  smoothedInterval,
} from "./statistics/paired.ts";
import { inGroup, pair, type ScenarioRow, shareOf, sumOf } from "./trials.ts";

/** A question of one rule in one group. */
export interface AskedDrop extends DropQuestion {
  readonly rule: string;
  readonly group: StatisticsGroup;
}

/** The rows that are compared. */
interface Sides {
  readonly candidate: readonly ScenarioRow[];
  readonly baseline: readonly ScenarioRow[];
  readonly live: boolean;
}

/** One scenario on both sides. */
interface Both {
  readonly now: ScenarioRow;
  readonly then: ScenarioRow;
}

/** One metric in one group, with its p before adjustment. */
interface Test {
  readonly metric: string;
  readonly group: StatisticsGroup;
  readonly both: readonly Both[];
  readonly paired: Paired;
  readonly p: number;
  /** The least p that a total failure would give: known before the candidate ran. */
  readonly leastP: number;
}

/** Most steps of all scenarios together: what the exact test counts through for each of them. */
const STEPS_MAX = 100_000;

/** Common numbers of trials up to this one are kept exact in suites of any size. */
const UNIT_EXACT = 60;

/** Most steps of a share that is no count of trials. */
const UNIT_OF_SCORES = 1000;

/**
 * One entry a question, the first being task success over everything: the gate's own question where it
 * asks that, else one that no rule rests on.
 */
export function testDrops(asked: readonly AskedDrop[], sides: Sides): DropEvidence[] {
  const tests: Test[] = [];
  for (const { metric, group } of asked) {
    if (!tests.some((one) => isOf(one, { metric, group }))) {
      tests.push(newTest(metric, group, sides));
    }
  }
  const alpha = Math.min(...asked.map((one) => one.alpha), DROP_DEFAULTS.alpha);
  const family = sides.live ? familyOf(tests, alpha) : [];
  const adjusted = holm(family.map((test) => test.p));
  const entries = merged(asked).map((question) => {
    const test = tests.find((one) => isOf(one, question))!;
    const at = family.indexOf(test);
    return answer(question, test, {
      live: sides.live,
      adjusted: at < 0 ? null : adjusted[at] ?? null,
      family: family.length,
    });
  });
  return headFirst(entries, sides);
}

function isOf(test: Test, of: { readonly metric: string; readonly group: StatisticsGroup }) {
  return test.metric === of.metric && sameGroup(test.group, of.group);
}

/** Equal questions of several rules are one. */
function merged(asked: readonly AskedDrop[]): (AskedDrop & { readonly rules: string[] })[] {
  const all = new Map<string, AskedDrop & { readonly rules: string[] }>();
  for (const one of asked) {
    const { metric, margin, warn, replay, alpha, group } = one;
    const key = JSON.stringify([metric, margin, warn, replay, alpha, group]);
    const known = all.get(key);
    if (known === undefined) all.set(key, { ...one, rules: [one.rule] });
    else if (!known.rules.includes(one.rule)) known.rules.push(one.rule);
  }
  return [...all.values()];
}

function headFirst(entries: readonly DropEvidence[], sides: Sides): DropEvidence[] {
  const isHead = (one: DropEvidence) => one.metric === "taskSuccess" && one.group === null;
  const head = entries.filter(isHead);
  const first = head.length > 0 ? head : [
    answer(
      { metric: "taskSuccess", group: null, rules: [], ...DROP_DEFAULTS },
      newTest(
        "taskSuccess",
        null,
        sides,
      ),
      { live: sides.live, adjusted: null, family: 0 },
    ),
  ];
  return [...first, ...entries.filter((one) => !isHead(one))];
}

function newTest(metric: string, group: StatisticsGroup, sides: Sides): Test {
  const then = new Map(sides.baseline.map((row) => [row.scenario, row]));
  const both = inGroup(sides.candidate, group).flatMap((now): Both[] => {
    const before = then.get(now.scenario);
    return before === undefined || shareOf(now, metric) === null || shareOf(before, metric) === null
      ? []
      : [{ now, then: before }];
  });
  const paired = pairedOf(metric, both);
  const canFall = both.filter((one) => (shareOf(one.then, metric) ?? 0) > 0).length;
  const p = sides.live ? signFlip(paired.differences).drop : 1;
  return { metric, group, both, paired, p, leastP: leastP(canFall) };
}

/** Whole steps: of the least common number of trials where the metric counts passes. */
function pairedOf(metric: string, both: readonly Both[]): Paired {
  const counts = both.flatMap(({ now, then }) => [now.trials, then.trials]);
  const common = counts.reduce(leastCommon, 1);
  const most = Math.max(UNIT_EXACT, Math.floor(STEPS_MAX / Math.max(1, both.length)));
  const unit = metric !== "stepScore" && common <= most ? common : Math.min(UNIT_OF_SCORES, most);
  const differences = both.map(({ now, then }) =>
    Math.round(((shareOf(now, metric) ?? 0) - (shareOf(then, metric) ?? 0)) * unit)
  );
  return { differences, unit, pseudo: 1 / Math.max(1, usualTrials(both)) };
}

function leastCommon(a: number, b: number): number {
  let [x, y] = [a, b];
  while (y > 0) [x, y] = [y, x % y];
  return a / x * b;
}

/** The (lower) median of the scenarios' trials on the side that has fewer. */
function usualTrials(both: readonly Both[]): number {
  const fewer = both.map(({ now, then }) => Math.min(now.trials, then.trials));
  return fewer.sort((a, b) => a - b)[Math.ceil(fewer.length / 2) - 1] ?? 0;
}

/**
 * The tests that could reach significance if their groups failed entirely, as many together as Holm's
 * adjustment lets; chosen by the baseline alone, so that the choice favours no outcome. Groups that are
 * alike go in or stay out together.
 */
function familyOf(tests: readonly Test[], alpha: number): Test[] {
  const order = tests.toSorted((a, b) => a.leastP - b.leastP);
  for (let size = order.length; size > 0; size--) {
    const some = order.slice(0, size);
    if (some.at(-1)?.leastP === order[size]?.leastP) continue;
    if (some.every((test, rank) => (size - rank) * test.leastP <= alpha)) return some;
  }
  return [];
}

function answer(
  question: DropQuestion & { readonly rules: readonly string[]; readonly group: StatisticsGroup },
  test: Test,
  run: { readonly live: boolean; readonly adjusted: number | null; readonly family: number },
): DropEvidence {
  const { metric, margin, warn, replay, alpha, group, rules } = question;
  const { both, paired } = test;
  const n = both.length;
  const isAlways = rules.length === 0;
  const mean = (of: (one: Both) => number | null) =>
    n === 0 ? null : Math.min(1, sumOf(both.map((one) => of(one) ?? 0)) / n);
  const found = smoothedInterval(paired);
  const hidden = hiddenDrop(paired);
  const collapsed = metric === "taskSuccess" && run.live ? both.filter(isCollapse) : [];
  const byTest = run.adjusted !== null || isAlways;
  return {
    rules: [...rules],
    metric,
    group,
    margin,
    warn,
    replay,
    alpha,
    test: !run.live ? "replay" : byTest ? "sign_flip" : "counts",
    scenarios: n,
    trials: {
      candidate: n === 0 ? 0 : Math.min(...both.map(({ now }) => now.trials)),
      baseline: n === 0 ? 0 : Math.min(...both.map(({ then }) => then.trials)),
    },
    candidate: mean(({ now }) => shareOf(now, metric)),
    baseline: mean(({ then }) => shareOf(then, metric)),
    difference: found?.mean ?? null,
    interval: run.live ? pair(found?.interval ?? null) : null,
    hidden: run.live && hidden !== null ? Math.min(1, -hidden) : null,
    p: run.live && n > 0 ? test.p : null,
    pAdjusted: run.adjusted,
    family: run.family,
    collapsed: collapsed.map(({ now }) => now.scenario),
    verdict: verdictOf(question, test, {
      live: run.live,
      p: run.adjusted ?? (isAlways ? test.p : null),
      lost: collapsed.some(({ now }) => now.isCritical),
    }),
  };
}

function verdictOf(
  { margin, warn, replay, alpha }: DropQuestion,
  { paired, both }: Test,
  of: { readonly live: boolean; readonly p: number | null; readonly lost: boolean },
): DropEvidence["verdict"] {
  if (both.length === 0) return "not_enough_evidence";
  if (!of.live) {
    if (fellBy(paired, replay)) return "block";
    return fellBy(paired, warn) && warn > 0 ? "warn" : "pass";
  }
  if (of.lost) return "block";
  if (of.p !== null) return judgeDrop(paired, { block: margin, warn, alpha }, of.p);
  return fellBy(paired, margin) && fellByTrials(both) ? "warn" : "too_small";
}

/** True where two successes or more were lost, of as many trials as both sides have. */
function fellByTrials(both: readonly Both[]): boolean {
  const lost = sumOf(
    both.map(({ now, then }) =>
      (then.passed / then.trials - now.passed / now.trials) * Math.min(now.trials, then.trials)
    ),
  );
  return lost >= 2 - 1e-9;
}

/** Falls that chance alone does not explain in one scenario: 5 of 5 to 0 of 5, or 3 to 0 of 3. */
function isCollapse({ now, then }: Both): boolean {
  return collapseP(
    { successes: then.passed, trials: then.trials },
    { successes: now.passed, trials: now.trials },
  ) <= DROP_DEFAULTS.alpha + 1e-12;
}
