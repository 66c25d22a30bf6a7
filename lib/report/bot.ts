/**
 * What does the bot answer? The state of the jobs, one scenario of a report, the open overrides, or a
 * run that is asked about in; a message of Telegram's HTML mode out. Only ids, numbers and our own
 * words reach it; ids stand beside a command that can be tapped.
 */
import { LAPSE_MINUTES } from "../model/bot.ts";
import type { Config } from "../model/config.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { conditionsWith, shownTrial, trialMarks } from "./failed_conditions.ts";
import { createFormat, type Format } from "./format.ts";
import type { ShownRow } from "./ledger_list.ts";
import { messageCode, messageId, some } from "./message_parts.ts";
import type { JobStanding } from "./schedule.ts";
import { shortId } from "./short_ids.ts";
import { marks, notGraded } from "./summary_facts.ts";
import { plainHarm } from "./summary_harm.ts";
import { VERDICT_WORDS } from "./verdict_words.ts";
import { type BotWords, botWordsOf } from "./words_bot.ts";
import { scheduleWordsOf } from "./words_schedule.ts";
import { type SummaryWords, summaryWordsOf } from "./words_summary.ts";

const LISTED_MAX = 6;

/** In which language, zone and currency. */
export type BotView = Pick<Config, "locale" | "zone" | "currency">;

interface Context {
  readonly own: BotWords;
  readonly words: SummaryWords;
  readonly format: Format;
}

function contextOf({ locale, zone, currency }: BotView): Context {
  return {
    own: botWordsOf(locale),
    words: summaryWordsOf(locale),
    format: createFormat(locale, zone, currency),
  };
}

/** What the bot can do, after a sentence that says why it is told. */
export function renderHelp(why: "unknown" | "onlyText" | null, view: BotView): string {
  const own = botWordsOf(view.locale);
  return [...(why === null ? [] : [own[why]]), ...own.help, own.nothingChanges].join("\n");
}

/** What `/status` tells. */
export interface BotStatus {
  readonly jobs: readonly JobStanding[];
  /** The job that runs, null where none does. */
  readonly running: string | null;
  /** `none` where no report is there, `unreadable` where it cannot be used. */
  readonly newest: Report | "none" | "unreadable";
  readonly undelivered: number;
  readonly ignored: number;
  readonly question: { readonly suite: string | null; readonly code: string } | null;
}

/** How everything stands. */
export function renderStatus(status: BotStatus, view: BotView): string {
  const { own, format } = contextOf(view);
  const { jobs, running, newest, undelivered, ignored, question } = status;
  const report = newest === "none"
    ? own.noReport
    : newest === "unreadable"
    ? own.unreadable
    : own.lastVerdict(format, VERDICT_WORDS[newest.decision.verdict], newest.time);
  return [
    `<b>${own.status}</b> · ${running === null ? own.idle : own.runsNow(messageId(running))}`,
    report,
    ...jobs.map((job) => jobLine(job, view)),
    ...(undelivered === 0 ? [] : [own.undelivered(format, undelivered)]),
    ...(ignored === 0 ? [] : [own.ignored(format, ignored)]),
    ...(question === null
      ? []
      : [own.openQuestion(suiteName(question.suite, view), question.code)]),
  ].join("\n");
}

function jobLine({ name, next, last, days, alarm }: JobStanding, view: BotView): string {
  const { own, format } = contextOf(view);
  const outcome = scheduleWordsOf(view.locale);
  const [first] = next;
  return [
    first === undefined ? messageId(name) : own.next(format, messageId(name), first),
    last === null ? own.never : own.ended(format, last.started, outcome.outcome(last)),
    ...(alarm ? [own.alarm(days ?? 0)] : []),
  ].join(" · ");
}

/** A suite by its name, or the words for all of them. */
export function suiteName(suite: string | null, view: BotView): string {
  return suite === null ? botWordsOf(view.locale).whole : messageCode(suite);
}

/** Commands for the gravest failures of a report, to stand below its message; empty where none failed. */
export function renderDetails(report: Report, view: BotView): string {
  const ids = failedIds(report);
  return ids.length === 0
    ? ""
    : `${botWordsOf(view.locale).details}: ${commands("why", ids, idsOf(report))}`;
}

function idsOf({ scenarios }: Report): string[] {
  return scenarios.map(({ id }) => id);
}

function failedIds({ scenarios }: Report): string[] {
  return scenarios.filter(({ verdict }) => verdict === "failed").map(({ id }) => id);
}

function commands(command: string, ids: readonly string[], all: readonly string[]): string {
  return ids.slice(0, LISTED_MAX).map((id) => `/${command}_${shortId(id, all)}`).map(messageId)
    .join(" ");
}

/** What to write after `/why` alone. */
export function renderWhich(report: Report, view: BotView): string {
  const { own, words } = contextOf(view);
  const ids = failedIds(report);
  if (ids.length === 0) {
    const open = report.scenarios.filter((one) => notGraded(one) !== null).map(({ id }) => id);
    return open.length === 0
      ? own.noFailures
      : `${own.noFailures} ${words.notGraded}: ${commands("why", open, idsOf(report))}`;
  }
  return `${own.whyWhich}: ${commands("why", ids, idsOf(report))}`;
}

/** Which scenarios begin so. */
export function renderSeveral(ids: readonly string[], all: readonly string[], view: BotView) {
  const { own, words, format } = contextOf(view);
  const left = ids.length - LISTED_MAX;
  const more = left > 0 ? ` ${words.more(format, left)}` : "";
  return `${own.whySeveral}: ${commands("why", ids, all)}${more}`;
}

/** What a scenario of a report did, in plain words; `place` is its `report.md` from the project's top. */
export function renderWhy(
  scenario: ReportScenario,
  { report, place }: { readonly report: Report; readonly place: string },
  view: BotView,
): string {
  const context = contextOf({ ...view, currency: report.currency });
  const { own, words, format } = context;
  const failed = scenario.verdict === "failed";
  const score = shownTrial(scenario)?.score;
  const spent = own.tookAndCost(
    format.metric("latencyP95Ms", score?.latencyMs ?? null),
    format.metric("costPerTask", score?.cost ?? null),
  );
  const again = report.mode === "recorded" ? "" : scenario.reproduce;
  return [
    `<b>${messageId(scenario.id)}</b>${marks(scenario, format)} · ${
      format.shortMoment(report.time)
    }`,
    verdictLine(scenario, context),
    ...(scenario.trials.length > 1 ? [`${own.trials}: ${trialMarks(scenario)}`] : []),
    ...(failed ? stepLines(scenario, context) : []),
    ...(failed ? standingLine(scenario, report, context) : []),
    ...(spent === "" ? [] : [spent]),
    `${words.report}: ${messageCode(place)}`,
    ...(again === "" ? [] : [`${words.seeIt}: ${messageCode(again)}`]),
  ].join("\n");
}

function verdictLine(scenario: ReportScenario, { own, words, format }: Context): string {
  if (scenario.verdict === "failed") return plainHarm(scenario, { words, format });
  const why = notGraded(scenario);
  return why === null ? own.passed : `${words.notGraded}: ${words.why[why]}`;
}

/** Checkpoints by the ids that a person gave; other conditions may be called after a record. */
function stepLines(scenario: ReportScenario, context: Context): string[] {
  const ids = conditionsWith(scenario, "failed").map(({ id }) => id);
  const steps = ids.filter((id) => /^checkpoint:[A-Za-z][A-Za-z0-9_.-]{0,47}$/.test(id));
  const others = ids.length - steps.length;
  const parts = [
    ...(steps.length === 0
      ? []
      : [`${context.own.steps}: ${
        some(steps.map((id) => messageId(id.slice("checkpoint:".length))), context)
      }`]),
    ...(others === 0 || steps.length === 0 ? [] : [context.own.others(context.format, others)]),
  ];
  return parts.length === 0 ? [] : [parts.join(" · ")];
}

function standingLine({ id }: ReportScenario, { comparison }: Report, { own }: Context): string[] {
  if (comparison === null) return [];
  return [comparison.stillFailing.includes(id) ? own.isKnown : own.isNew];
}

/** The overrides that hold. */
export function renderOverrides(rows: readonly ShownRow[], view: BotView): string {
  const context = contextOf(view);
  const { own, words, format } = context;
  if (rows.length === 0) return own.noOverrides;
  const lines = rows.slice(0, LISTED_MAX).map(({ row, stale }) =>
    [
      messageCode(row.id),
      ...(row.scenarios.length === 0 ? [] : [some(row.scenarios.map(messageId), context)]),
      ...(row.until === null ? [] : [words.until(format, row.until)]),
      ...(stale ? [own.unneeded] : []),
    ].join(" · ")
  );
  const left = rows.length - lines.length;
  return [
    `<b>${own.overridesOpen(format, rows.length)}</b>`,
    ...lines,
    ...(left > 0 ? [words.more(format, left)] : []),
  ].join("\n");
}

/** The suites to choose from; `typed` is what was written and is none of them. */
export function renderSuites(suites: readonly string[], typed: string | null, view: BotView) {
  const own = botWordsOf(view.locale);
  const list = [...suites.map((suite) => shortId(suite, suites)), "all"]
    .map((suite) => messageId(`/run_${suite}`)).join(" ");
  return [...(typed === null ? [] : [own.runNone(messageId(typed))]), `${own.runWhich} ${list}`]
    .join("\n");
}

/** A run as it is asked about. Costs are of all runs together; null where nobody knows. */
export interface AskedRun {
  readonly suite: string | null;
  readonly scenarios: number;
  readonly runs: number;
  readonly cost: number | null;
  readonly minutes: number | null;
  /** How many live runs the figures are from. */
  readonly from: number;
  /** In euro. */
  readonly cap: number | null;
  readonly code: string;
  /** The job that must end first. */
  readonly after: string | null;
}

/** The question, with its cost first and what happens without an answer last. */
export function renderQuestion(asked: AskedRun, view: BotView): string {
  const { own, format } = contextOf(view);
  const { cost, minutes, cap, after } = asked;
  const euro = createFormat(view.locale, view.zone, "EUR");
  return [
    cost === null ? own.costUnknown : own.cost(format.money(cost), format.number(asked.from)),
    cap === null ? own.noCap : own.cap(euro.money(cap)),
    own.question(format, suiteName(asked.suite, view), asked.scenarios, asked.runs),
    ...(minutes === null ? [] : [own.takes(format, Math.max(1, Math.round(minutes)))]),
    ...(after === null ? [] : [own.afterOther(messageId(after))]),
    own.confirm(asked.code),
    own.lapses(LAPSE_MINUTES),
  ].join("\n");
}
