/**
 * Which figures stand behind the words? Every comparison, floor and rate of a report's statistics as
 * tables, in a part of `report.md` that is folded until somebody opens it.
 */
import type { MetricName } from "../model/metrics.ts";
import type { Report } from "../model/report.ts";
import type { DropEvidence, Reliability } from "../model/statistics.ts";
import { markdownTable } from "./markdown_table.ts";
import { ruleLines, sureLines } from "./sure.ts";
import type { Voice } from "./voice.ts";

/** The body of the section: the answers, the rules in words, the folded figures; empty without any. */
export function sureSection(report: Report, voice: Voice): string {
  const { statistics } = report;
  if (statistics === undefined || report.mode === "replay") return "";
  const { sure } = voice.words;
  const lines = sureLines(report, voice).map(({ title, text }) => `- **${title}**: ${text}`);
  const tables = [
    sure.estimand,
    dropTable(statistics.drops, voice),
    rateTable(sure.heads.task, Object.entries(statistics.byTask), {
      voice,
      overall: statistics.overall,
    }),
    rateTable(sure.heads.scenario, Object.entries(statistics.scenarios), { voice }),
  ].filter((block) => block !== "");
  return [
    lines.join("\n"),
    ...ruleLines(statistics, voice),
    `<details><summary>${sure.numbers}</summary>`,
    ...tables,
    "</details>",
  ].join("\n\n");
}

function dropTable(drops: readonly DropEvidence[], voice: Voice): string {
  const { words, format } = voice;
  const { heads, whole, tests } = words.sure;
  const number = (value: number | null) => value === null ? "" : figure(value);
  const share = (value: number | null) => value === null ? "" : format.number(value * 100);
  const rows = drops.map((one) => [
    one.rules.map(voice.code).join(", "),
    one.group === null ? whole : voice.code(one.group.name),
    words.metrics[one.metric as MetricName],
    format.number(one.scenarios),
    `${one.trials.candidate} / ${one.trials.baseline}`,
    share(one.difference),
    one.interval === null ? "" : `${share(one.interval[0])} … ${share(one.interval[1])}`,
    share(one.hidden),
    tests[one.test],
    number(one.p),
    one.pAdjusted === null ? "" : `${number(one.pAdjusted)} (${one.family})`,
    `${share(one.margin)} / ${share(one.warn)}`,
    words.sure.answers[one.verdict],
  ]);
  return markdownTable([
    heads.rule,
    heads.group,
    heads.metric,
    heads.n,
    heads.k,
    heads.difference,
    heads.interval,
    heads.hidden,
    heads.test,
    heads.p,
    heads.adjusted,
    heads.margin,
    heads.verdict,
  ], rows);
}

/** A probability with three significant digits. */
function figure(value: number): string {
  return value.toPrecision(3);
}

function rateTable(
  title: string,
  entries: readonly (readonly [string, Reliability])[],
  { voice, overall }: { readonly voice: Voice; readonly overall?: Reliability },
): string {
  const { words, format } = voice;
  const { heads, whole } = words.sure;
  const percent = (value: number | null) => value === null ? "" : format.percent(value);
  const row = (name: string, one: Reliability) => [
    name,
    ...(overall === undefined ? [] : [format.number(one.scenarios)]),
    format.number(one.k),
    percent(one.success),
    one.interval === null ? "" : `${percent(one.interval[0])} … ${percent(one.interval[1])}`,
    percent(one.passHatK),
    percent(one.passAtK),
    percent(one.failureBound),
  ];
  return markdownTable([
    title,
    ...(overall === undefined ? [] : [heads.n]),
    "k",
    heads.success,
    heads.interval,
    heads.allOfK,
    heads.oneOfK,
    heads.bound,
  ], [
    ...(overall === undefined ? [] : [row(whole, overall)]),
    ...entries.map(([name, one]) => row(voice.code(name), one)),
  ]);
}
