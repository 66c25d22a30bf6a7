/**
 * What does the message about a week say? Its facts in; a message of Telegram's HTML mode out, whose
 * first line is whole by itself. Only ids, numbers and our own words reach it. A part of which there
 * is nothing to say is left out, but for the runs: a week without any says so first.
 */
import type { LedgerRow } from "../model/ledger.ts";
import type { Format } from "./format.ts";
import { messageId, some } from "./message_parts.ts";
import { rate, rise, type Share, type TaskTrend, type WeekFacts } from "./week_facts.ts";
import type { SummaryWords } from "./words_summary.ts";
import { VERDICT_WORDS } from "./verdict_words.ts";

interface Context {
  readonly words: SummaryWords;
  readonly format: Format;
}

const TASKS_MAX = 8;
const OVERRIDES_MAX = 3;

/** The lines of the message. */
export function weekLines(facts: WeekFacts, context: Context): string[] {
  const { words, format } = context;
  const { week } = words;
  const days = week.days(format, facts.from, facts.to);
  if (facts.runs === 0) {
    return [
      `<b>⚠️ ${week.head} ${days}</b> · ${words.noRun}`,
      ...overrideLines(facts, context),
      ...(facts.unreadable === 0 ? [week.noRuns] : unreadableLines(facts, context)),
    ];
  }
  return [
    [
      `<b>📅 ${week.head} ${days}</b>`,
      week.runs(format, facts.runs),
      facts.last === null ? week.noWhole : week.last(VERDICT_WORDS[facts.last]),
      ...successParts(facts, context),
    ].join(" · "),
    ...unreadableLines(facts, context),
    ...taskLines(facts, context),
    ...interventionLines(facts, context),
    ...listLine(week.critical, facts.critical, context),
    ...incidentLines(facts, context),
    ...suiteLines(facts, context),
    ...overrideLines(facts, context),
    ...divergenceLines(facts, context),
  ];
}

function successParts({ success }: WeekFacts, context: Context): string[] {
  if (success === null) return [];
  const { words } = context;
  const now = words.success(percent(success.now, context), null);
  return success.before === null
    ? [now]
    : [`${now} (${words.week.was(percent(success.before, context))})`];
}

function percent(share: Share, { format }: Context): string {
  return format.percent(rate(share));
}

function taskLines({ tasks, evidence }: WeekFacts, context: Context): string[] {
  if (tasks.length === 0 || evidence === null) return [];
  const { words, format } = context;
  const moved = tasks.filter((trend) => rise(trend) !== 0 || trend.before === null);
  const still = tasks.filter((trend) => !moved.includes(trend));
  const shown = moved.slice(0, TASKS_MAX);
  const left = moved.length - shown.length;
  return [
    "",
    `<b>${words.week.byTask}</b> (${words.evidence[evidence]})`,
    ...shown.map((trend) => taskLine(trend, context)),
    ...(left > 0 ? [words.more(format, left)] : []),
    ...(still.length === 0 ? [] : [`= ${
      some(
        still.map((trend) => `${messageId(trend.task)} ${percent(trend.now, context)}`),
        context,
      )
    }`]),
    "",
  ];
}

function taskLine(trend: TaskTrend, context: Context): string {
  const { words, format } = context;
  const change = rise(trend);
  const sign = trend.before === null ? "+" : change < 0 ? "▼" : "▲";
  const { n, of } = trend.now;
  const was = trend.before === null
    ? words.week.firstTime
    : words.week.was(`${percent(trend.before, context)}`);
  const count = `${format.number(n)}/${format.number(of)}`;
  return `${sign} ${messageId(trend.task)} ${percent(trend.now, context)} (${count}, ${was})`;
}

function interventionLines({ interventions }: WeekFacts, { words, format }: Context): string[] {
  if (interventions === null) return [];
  const { now, before } = interventions;
  return [words.week.people(format, now, before)];
}

function listLine(title: string, ids: readonly string[], context: Context): string[] {
  return ids.length === 0 ? [] : [`${title}: ${some(ids.map(messageId), context)}`];
}

function incidentLines({ incidents }: WeekFacts, context: Context): string[] {
  const { words, format } = context;
  const { all, added, failed } = incidents;
  if (all === 0) return [];
  const parts = [
    words.week.fromIncidents(format, all),
    ...(added.length === 0 ? [] : [`${words.week.new}: ${some(added.map(messageId), context)}`]),
    ...(failed.length === 0
      ? []
      : [`${words.week.failed}: ${some(failed.map(messageId), context)}`]),
  ];
  return [`${words.week.incidents}: ${parts.join(" · ")}`];
}

function suiteLines({ suite }: WeekFacts, context: Context): string[] {
  if (suite === null) return [];
  const { words } = context;
  return [
    ...listLine(words.week.added, suite.added, context),
    ...listLine(words.week.removed, suite.removed, context),
  ];
}

function unreadableLines({ unreadable }: WeekFacts, { words, format }: Context): string[] {
  return unreadable === 0 ? [] : [words.week.unreadable(format, unreadable)];
}

function overrideLines({ overrides }: WeekFacts, context: Context): string[] {
  const { words, format } = context;
  if (overrides === null) return [words.week.noLedger];
  const { opened, closed, open } = overrides;
  if (opened.length + closed.length + open === 0) return [];
  const named = (rows: readonly LedgerRow[]) => {
    const shown = rows.slice(0, OVERRIDES_MAX).map(({ id }) => messageId(id)).join(", ");
    return rows.length > OVERRIDES_MAX
      ? `${shown} ${words.more(format, rows.length - OVERRIDES_MAX)}`
      : shown;
  };
  const parts = [
    ...(opened.length === 0 ? [] : [words.week.opened(format, opened.length, named(opened))]),
    ...(closed.length === 0 ? [] : [words.week.closed(format, closed.length, named(closed))]),
    words.week.open(format, open),
  ];
  return [`${words.week.overrides}: ${parts.join(" · ")}`];
}

function divergenceLines({ divergence }: WeekFacts, context: Context): string[] {
  if (divergence === null) return [];
  const { words } = context;
  const both = (shares: readonly [Share, Share]) =>
    [percent(shares[0], context), percent(shares[1], context)] as const;
  const line = words.week.divergence(both(divergence.success), both(divergence.interventions));
  return [
    divergence.kind === "together" ? line : `⚠️ ${line}`,
    ...(divergence.kind === "together" ? [] : [words.week[divergence.kind]]),
  ];
}
