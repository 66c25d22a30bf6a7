/**
 * How sure is a run with chance in it, may it ship, what broke, what would make it surer, what did it cost? The
 * statistics of a report in; lines of plain words out, one a question, without a formula. The figures
 * behind them stand apart, in `sure_numbers.ts`.
 */
import type { MetricName } from "../model/metrics.ts";
import type { Report } from "../model/report.ts";
import type { DropEvidence, Statistics } from "../model/statistics.ts";
import { listed, type Voice } from "./voice.ts";

/** One line: what it answers, and the answer. */
export interface SureLine {
  readonly title: string;
  readonly text: string;
}

/** Points of a share: `3.2 points`; never negative. */
export function points(share: number, { words, format }: Voice): string {
  return words.points(format, Math.abs(share));
}

/** The questions that an owner has, answered; empty where a run states no statistics. */
export function sureLines(report: Report, voice: Voice): SureLine[] {
  const { statistics } = report;
  if (statistics === undefined || report.mode === "replay") return [];
  const { sure } = voice.words;
  const { verdict, overridden } = report.decision;
  const ship = sure.shipAnswers[overridden === undefined ? verdict : "overridden"];
  return [
    { title: sure.ship, text: sentence(ship) },
    { title: sure.broke, text: brokeText(report, statistics, voice) },
    { title: sure.sure, text: sureText(report, statistics, voice) },
    { title: sure.surer, text: surerText(statistics, voice) },
    { title: sure.cost, text: costText(report, voice) },
  ];
}

/** That a live pass could hide a drop, and how large a one. */
export function hiddenText(statistics: Statistics, voice: Voice): string {
  const { sure } = voice.words;
  const hidden = statistics.drops[0]?.hidden ?? null;
  return hidden === null ? sure.hiddenAny : sure.hidden(points(hidden, voice));
}

function brokeText(report: Report, { drops, critical }: Statistics, voice: Voice): string {
  const { sure } = voice.words;
  const collapsed = [...new Set(drops.flatMap((one) => one.collapsed))];
  const less = (report.comparison?.regressions ?? []).filter((id) => !collapsed.includes(id));
  const alone = report.comparison !== null
    ? []
    : report.scenarios.filter((one) => one.lifecycle === "stable" && one.verdict === "failed").map((
      { id },
    ) => voice.code(id));
  const parts = [
    ...(collapsed.length === 0 ? [] : [sure.collapsed(listed(collapsed.map(voice.code), voice))]),
    ...critical.slice(0, 5).map(({ scenario, passed, trials, needed }) =>
      sure.critical(
        voice.code(scenario),
        sure.of(voice.format, passed, trials),
        voice.format.number(needed),
      )
    ),
    ...(alone.length === 0 ? [] : [sure.failedAlone(listed(alone, voice))]),
    ...(less.length === 0 ? [] : [sure.lessOften(listed(less.map(voice.code), voice))]),
  ];
  if (parts.length > 0) return sentence(parts.join("; "));
  return sentence(report.comparison === null ? sure.notCompared : sure.nothingBroke);
}

function sureText(report: Report, statistics: Statistics, voice: Voice): string {
  const { words, format } = voice;
  const { sure } = words;
  const rows = Object.values(statistics.scenarios);
  const always = rows.filter(({ success }) => success === 1).length;
  const never = rows.filter(({ success }) => success === 0).length;
  const sometimes = Object.entries(statistics.scenarios).filter(([, { success }]) =>
    success !== null && success > 0 && success < 1
  ).map(([id, { success, trials }]) =>
    `${voice.code(id)} ${sure.of(format, Math.round((success ?? 0) * trials), trials)}`
  );
  const { scenarios, k } = statistics.overall;
  const tried = { least: k, most: Math.max(0, ...rows.map(({ trials }) => trials)) };
  const head = statistics.drops[0];
  return [
    sentence(
      `${sure.tried(format, scenarios, tried)}: ${
        sure.outcomes(format, always, rows.length - always - never, never)
      }`,
    ),
    ...(sometimes.length === 0 ? [] : [sentence(sure.sometimes(listed(sometimes, voice)))]),
    sentence(comparedText(head, statistics, { report, voice })),
  ].join(" ");
}

function comparedText(
  head: DropEvidence | undefined,
  statistics: Statistics,
  { report, voice }: { readonly report: Report; readonly voice: Voice },
): string {
  const { sure } = voice.words;
  if (head === undefined || head.scenarios === 0) return hiddenText(statistics, voice);
  const seen = report.decision.verdict === "pass" ? `${sure.noRegression}; ` : "";
  const change = head.difference ?? 0;
  const moved = Math.abs(change) < 0.0005
    ? sure.same
    : change < 0
    ? sure.fell(points(change, voice))
    : sure.rose(points(change, voice));
  return `${seen}${moved}; ${hiddenText(statistics, voice)}`;
}

function surerText({ surer, drops }: Statistics, voice: Voice): string {
  const { sure } = voice.words;
  if ((drops[0]?.scenarios ?? 0) === 0) return sentence(sure.needsBaseline);
  return sentence(
    surer === null
      ? sure.enoughTrials
      : sure.moreTrials(voice.format, surer.trials, points(surer.drop, voice)),
  );
}

function costText({ scenarios }: Report, voice: Voice): string {
  const { words, format } = voice;
  // A trial that was never begun cost nothing.
  const begun = scenarios.flatMap(({ trials }) => trials)
    .filter(({ verdict }) => verdict !== "skipped");
  const costs = begun.map(({ score }) => score.cost);
  const known = costs.filter((cost) => cost !== null).sort((a, b) => a - b);
  if (known.length === 0) return sentence(words.sure.unknownCost);
  const total = known.reduce((sum, cost) => sum + cost, 0);
  const rest = costs.length - known.length;
  return sentence([
    words.sure.totalCost(format.money(total), format, known.length),
    ...(rest === 0 ? [] : [words.sure.partlyKnown(format, rest)]),
  ].join("; "));
}

/** Each relative rule, floor and ratio in words: what it asks, on what, and the answer. */
export function ruleLines({ drops, floors, amounts }: Statistics, voice: Voice): string[] {
  const asked = drops.filter(({ rules }) => rules.length > 0);
  const groups = [...Map.groupBy(asked, (one) => JSON.stringify([one.rules, one.margin]))];
  return [
    ...groups.map(([, some]) => dropLine(some, voice)),
    ...floors.map((one) => floorLine(one, voice)),
    ...amounts.flatMap((one) => amountLine(one, voice)),
  ];
}

function dropLine(some: readonly DropEvidence[], voice: Voice): string {
  const { words, format } = voice;
  const { sure } = words;
  const first = some[0]!;
  const metric = words.metrics[first.metric as MetricName];
  const rule = first.rules.map(voice.code).join(", ");
  const on = first.group === null
    ? sure.onScenarios(format, first.scenarios, first.trials.candidate, first.trials.baseline)
    : sure.onGroups(format, some.length);
  const question = sure.question(rule, metric, points(first.margin, voice), on);
  if (first.group === null) return sentence(`${question}: ${sure.answers[first.verdict]}`);
  const verdicts = ["block", "warn", "not_enough_evidence", "too_small", "pass"] as const;
  const answers = verdicts.flatMap((verdict) => {
    const names = some.filter((one) => one.verdict === verdict)
      .map((one) => voice.code(one.group?.name ?? ""));
    return names.length === 0 ? [] : [`${sure.answers[verdict]}: ${listed(names, voice)}`];
  });
  return sentence(`${question}: ${answers.join("; ")}`);
}

function floorLine(one: Statistics["floors"][number], voice: Voice): string {
  const { words, format } = voice;
  const { sure } = words;
  const rule = one.rules.map(voice.code).join(", ") +
    (one.group === null ? "" : ` (${voice.code(one.group.name)})`);
  const found = one.value === null ? words.notMeasured : format.percent(one.value);
  const on = format.count(one.scenarios, sure.heads.scenario, words.metrics.scenarios);
  return sentence(
    `${
      sure.floor(
        rule,
        words.metrics[one.metric as MetricName],
        format.percent(one.floor),
        found,
        on,
      )
    }: ${sure.floorAnswers[one.verdict]}`,
  );
}

function amountLine(one: Statistics["amounts"][number], voice: Voice): string[] {
  const { sure } = voice.words;
  const { percent } = voice.format;
  if (one.metric === "latencyP95Ms") {
    return one.bounded ? [] : [sentence(sure.fewLatencies(voice.format, one.scenarios))];
  }
  if (one.ratio === null || one.interval === null) return [];
  const [low, high] = one.interval;
  return [sentence(sure.costRatio(percent(one.ratio), percent(low), percent(high)))];
}

function sentence(text: string): string {
  const begun = /^\p{Ll}/u.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
