/**
 * How did a figure go, run by run, and which scenarios are not steady? A trend in; lines for a
 * terminal of any width out, a bar a run. Bars are plain text: without colour they say the same.
 */
import type { Trend, TrendScenario } from "../model/history.ts";
import { DECISION_COLOURS, type Paint, painter } from "./terminal.ts";
import { terminalVoice, type View, type Voice } from "./voice.ts";
import { historyWordsOf } from "./words_history.ts";
import { VERDICT_WORDS } from "./verdict_words.ts";

/** For whom it is drawn. */
export interface TrendView extends View {
  readonly colour: boolean;
  /** Columns that a line may have. */
  readonly width: number;
}

/** Bars that are drawn: a month of nights. */
const BARS_MAX = 30;

/** Scenarios that are told of; `--json` has all. */
const SCENARIOS_MAX = 12;

/** Widest bar. */
const BAR_MAX = 40;

/** Below it no bar is drawn: the numbers alone say more. */
const BAR_MIN = 4;

/** Where the verdict would leave less for the bar, the bar has it all. */
const BAR_WITH_VERDICT = 10;

const RATES: ReadonlySet<string> = new Set([
  "taskSuccess",
  "stepScore",
  "humanIntervention",
  "correctRefusals",
]);

/** The chart, the scenarios that are not steady, and the proposals; ends with a line feed. */
export function renderTrend(trend: Trend, view: TrendView): string {
  const voice = terminalVoice(view, trend.currency);
  const say = historyWordsOf(view.locale);
  if (trend.evidence === null) return `${say.none}\n`;
  const { words, format } = voice;
  const task = trend.task === null ? null : voice.code(trend.task);
  const shown = trend.points.slice(-BARS_MAX);
  const rest = trend.runs - trend.points.length;
  const counts = [
    ...(shown.length === 0 ? [] : [say.shown(format, shown.length, trend.points.length)]),
    ...(rest === 0 ? [] : [say.leftOut(format, rest)]),
  ];
  const lines = [
    ...wrapped(say.head(words.metrics[trend.metric], task, say.kinds[trend.evidence]), view),
    ...wrapped(counts.join("; "), view),
    "",
    ...(shown.length === 0 ? wrapped(say.noPoint, view) : bars(shown, trend, { view, voice })),
    ...unsteadyLines(trend.scenarios, { view, voice }),
    ...proposalLines(trend, { view, voice }),
  ];
  return `${lines.join("\n")}\n`;
}

interface Place {
  readonly view: TrendView;
  readonly voice: Voice;
}

function bars(
  shown: Trend["points"],
  { metric, points }: Trend,
  { view, voice }: Place,
): string[] {
  const say = historyWordsOf(view.locale);
  const { words, format } = voice;
  const paint = painter(view.colour);
  const most = RATES.has(metric) ? 1 : Math.max(...shown.map(({ value }) => value ?? 0));
  const cells = shown.map(({ time, value, verdict }) => ({
    day: format.shortDay(time),
    value: format.metric(metric, value) ?? words.notMeasured,
    verdict: VERDICT_WORDS[verdict],
  }));
  const wide = (of: (cell: (typeof cells)[number]) => string) =>
    Math.max(...cells.map((cell) => of(cell).length));
  const [days, values, verdicts] = [
    wide(({ day }) => day),
    wide(({ value }) => value),
    wide(({ verdict }) => verdict),
  ];
  const free = view.width - days - values - 2;
  const withVerdict = free - verdicts - 4 >= BAR_WITH_VERDICT;
  const room = Math.min(BAR_MAX, free - (withVerdict ? verdicts + 2 : 0) - 2);
  const before = points.at(-shown.length - 1)?.model ?? null;
  return shown.flatMap(({ model, value, verdict }, i) => {
    const cell = cells[i]!;
    const earlier = i === 0 ? before : shown[i - 1]!.model;
    const isNew = model !== null && earlier !== null && model !== earlier;
    const bar = room < BAR_MIN ? "" : `${barOf(value, most, { room, paint, verdict })}  `;
    const tail = withVerdict ? `  ${paint(DECISION_COLOURS[verdict], cell.verdict)}` : "";
    const line = `${cell.day.padEnd(days)}  ${bar}${cell.value.padStart(values)}${tail}`;
    return [...(isNew ? wrapped(`── ${say.newModel(voice.code(model))}`, view) : []), line];
  });
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/** As long as the share of `most`, in eighths of a column; a value that is not 0 leaves a trace. */
function barOf(
  value: number | null,
  most: number,
  { room, paint, verdict }: {
    readonly room: number;
    readonly paint: Paint;
    readonly verdict: Trend["points"][number]["verdict"];
  },
): string {
  if (value === null) return " ".repeat(room);
  const share = most === 0 ? 0 : Math.min(1, Math.max(0, value / most));
  const eighths = value > 0 ? Math.max(1, Math.round(share * room * 8)) : 0;
  const text = "█".repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? "");
  return paint(DECISION_COLOURS[verdict], text) + " ".repeat(room - text.length);
}

/** Those that fail at times first by how flaky they are. */
function unsteadyLines(scenarios: readonly TrendScenario[], { view, voice }: Place): string[] {
  const say = historyWordsOf(view.locale);
  const { format, words } = voice;
  const seen = scenarios.filter(({ runs }) => runs > 0);
  const open = seen.filter(({ trials }) => trials.failed > 0)
    .toSorted((a, b) => b.flaky.mixed - a.flaky.mixed || b.trials.failed - a.trials.failed);
  if (open.length === 0) {
    return seen.length === 0 ? [] : ["", ...wrapped(say.steady(format, seen.length), view)];
  }
  const told = open.slice(0, SCENARIOS_MAX).flatMap((one) => [
    ...wrapped(`  ${voice.code(one.id)}`, view),
    ...wrapped(`    ${factsOf(one, { view, voice })}`, view),
  ]);
  const more = open.length - SCENARIOS_MAX;
  return [
    "",
    ...wrapped(say.unsteady, view),
    ...told,
    ...(more > 0 ? [`  ${words.more(format, more)}`] : []),
  ];
}

function factsOf(one: TrendScenario, { view, voice }: Place): string {
  const say = historyWordsOf(view.locale);
  const { format } = voice;
  const { trials, flaky, firstFailure, lastChange } = one;
  return [
    say.passed(format, trials.passed, trials.passed + trials.failed),
    ...(flaky.mixed === 0 ? [] : [say.flaky(format, flaky.mixed, flaky.cases)]),
    ...(firstFailure === null ? [] : [say.failsSince(format.shortDay(firstFailure.time))]),
    ...(lastChange === null ? [] : [
      say.changed(
        format.shortDay(lastChange.time),
        say.often[lastChange.from],
        say.often[lastChange.to],
      ),
    ]),
  ].join("; ");
}

function proposalLines({ proposals }: Trend, { view, voice }: Place): string[] {
  if (proposals.length === 0) return [];
  const say = historyWordsOf(view.locale);
  return ["", ...wrapped(say.proposals, view)].concat(
    proposals.flatMap(({ scenario, file, from, to, why, nights }) => {
      const needs = say.needs[to];
      const change = say.change(from, to, voice.code(file));
      return [
        ...wrapped(`  ${voice.code(scenario)}: ${say.why[why](voice.format, nights)}`, view),
        ...wrapped(`    ${change}${needs === "" ? "" : `; ${needs}`}`, view),
      ];
    }),
  );
}

/** A text over as many lines as it needs, each with the indentation of the first. */
function wrapped(text: string, { width }: Pick<TrendView, "width">): string[] {
  if (text === "") return [];
  const indent = /^ */.exec(text)?.[0] ?? "";
  const room = Math.max(10, width - indent.length);
  const lines = [""];
  for (const word of text.trim().split(" ")) {
    const last = lines.at(-1) ?? "";
    const joined = last === "" ? word : `${last} ${word}`;
    if (joined.length <= room || last === "") lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines.map((line) => indent + line);
}
