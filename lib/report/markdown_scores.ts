/** How good was it, and what did it cost? The sections of figures of `report.md`. */
import type { Metrics } from "../model/metrics.ts";
import { METRIC_NAMES } from "../model/metric_names.ts";
import type { Report, Trial } from "../model/report.ts";
import { markdownTable } from "./markdown_table.ts";
import type { Voice } from "./voice.ts";

const TOP = 3;

/** The three headline numbers with the baseline beside them. */
export function headlineTable(report: Report, voice: Voice): string {
  const { words } = voice;
  const rows = (["taskSuccess", "costPerTask", "latencyP95Ms"] as const).map((name) => [
    words.metrics[name],
    `**${metricCell(name, report.headline[name].value, voice)}**`,
    metricCell(name, report.headline[name].baseline, voice),
  ]);
  return markdownTable([words.figure, words.value, words.baseline], rows);
}

function metricCell(name: keyof Metrics, value: number | null, { format, words }: Voice): string {
  return format.metric(name, value) ?? words.notMeasured;
}

/** All metrics against the baseline, then the groups. */
export function scoresSection(report: Report, voice: Voice): string {
  const { words } = voice;
  const rows = METRIC_NAMES.map((name) => [
    words.metrics[name],
    metricCell(name, report.metrics.overall[name], voice),
    report.baseline === null ? "" : metricCell(name, report.baseline.overall[name], voice),
  ]);
  return [
    markdownTable([words.figure, words.value, words.baseline], rows),
    `### ${words.sections.byTask}`,
    groupTable(report.metrics.byTask, report.baseline?.byTask ?? null, voice),
    `### ${words.sections.byCategory}`,
    groupTable(report.metrics.byCategory, report.baseline?.byCategory ?? null, voice),
  ].filter((block) => block !== "").join("\n\n");
}

const GROUP_METRICS = [
  "taskSuccess",
  "stepScore",
  "sideEffectPenalty",
  "critical",
  "forbiddenAttempts",
  "trials",
] as const;

function groupTable(
  groups: Readonly<Record<string, Metrics>>,
  baseline: Readonly<Record<string, Metrics>> | null,
  voice: Voice,
): string {
  const { words } = voice;
  const rows = Object.entries(groups).map(([name, metrics]) => {
    const before = baseline !== null && Object.hasOwn(baseline, name) ? baseline[name] : undefined;
    return [
      voice.code(name),
      before === undefined ? "" : metricCell("taskSuccess", before.taskSuccess, voice),
      ...GROUP_METRICS.map((metric) => metricCell(metric, metrics[metric], voice)),
    ];
  });
  const heads = GROUP_METRICS.map((metric) => words.metrics[metric]);
  return markdownTable([words.name, words.baseline, ...heads], rows);
}

/** Mean cost, the dearest and slowest scenarios, repeated calls. */
export function costSection(report: Report, voice: Voice): string {
  const { words, format } = voice;
  const { costPerTask, latencyP95Ms } = report.metrics.overall;
  const lines = [
    costPerTask === null ? words.unknownCost : words.meanCost(format.money(costPerTask)),
    topLine(words.spenders, report, { voice, valueOf: (t) => t.score.cost, write: format.money }),
    latencyP95Ms === null ? words.latencyUnknown : "",
    topLine(words.slowest, report, {
      voice,
      valueOf: (trial) => trial.score.latencyMs,
      write: format.duration,
    }),
    topLine(words.repeats, report, {
      voice,
      valueOf: (trial) => trial.score.repeatedCalls,
      write: format.number,
    }),
  ];
  return lines.filter((line) => line !== "").map((line) => `- ${line}`).join("\n");
}

function topLine(
  title: string,
  report: Report,
  of: {
    readonly voice: Voice;
    readonly valueOf: (trial: Trial) => number | null;
    readonly write: (value: number) => string;
  },
): string {
  const most = report.scenarios.map(({ id, trials }) => ({
    id,
    value: Math.max(0, ...trials.map((trial) => of.valueOf(trial) ?? 0)),
  }));
  const top = most.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value).slice(0, TOP);
  if (top.length === 0) return "";
  return `${title}: ${
    top.map(({ id, value }) => `${of.voice.code(id)} ${of.write(value)}`).join(", ")
  }`;
}
