/**
 * What does the message say? The facts of a report, that there was none, or of a week in; one message
 * of Telegram's HTML mode out, its first line whole by itself as a locked phone shows it. Only ids,
 * numbers and our own words reach it; every id is escaped. A night without news takes three lines.
 */
import { match } from "ts-pattern";
import type { DecisionVerdict } from "../model/gate.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Report } from "../model/report.ts";
import { alertLines } from "./alerts.ts";
import { createFormat, type Format } from "./format.ts";
import { messageCode, messageId, some } from "./message_parts.ts";
import {
  isCritical,
  marks,
  type NotGraded,
  type SummaryFacts,
  summaryFacts,
} from "./summary_facts.ts";
import { plainHarm } from "./summary_harm.ts";
import type { View } from "./voice.ts";
import { weekLines } from "./week.ts";
import type { WeekFacts } from "./week_facts.ts";
import { type Words, wordsOf } from "./words.ts";
import { type SummaryWords, summaryWordsOf } from "./words_summary.ts";
import { VERDICT_WORDS } from "./verdict_words.ts";

/** Why no report came, as far as it is known. */
export type Stopped = Exclude<keyof SummaryWords["stopped"], "due" | "unknown">;

/** A message that has to be told about because it did not arrive. */
export interface Undelivered {
  /** When it was written, ISO 8601. */
  readonly when: string;
  /** What its first line said, such as `BLOCK`. */
  readonly verdict: string;
  /** True where it may have arrived all the same. */
  readonly doubtful: boolean;
}

/** What is told. */
export type Told =
  | {
    readonly kind: "report";
    readonly report: Report;
    /** Path of `report.md` from the project's top. */
    readonly place: string;
  }
  | {
    readonly kind: "no_run";
    /** When the newest report was made, null where there is none. */
    readonly since: string | null;
    /** When a run was due, null where no schedule says so. */
    readonly due: string | null;
    readonly stopped: Stopped | null;
    /** A live run was due: `since` and `last` are about live runs alone. */
    readonly live: boolean;
    /** What the newest report says, for what it is worth. */
    readonly last: DecisionVerdict | null;
  }
  | { readonly kind: "week"; readonly facts: WeekFacts };

/** Everything that a message is made of. */
export interface MessageInput {
  readonly told: Told;
  readonly undelivered: readonly Undelivered[];
  /** When the next run is due, null where nobody knows. */
  readonly nextRun: string | null;
  /** Calendar day in the project's zone. */
  readonly today: string;
  /** How command lines begin here. */
  readonly program: { readonly replay: string; readonly live: string };
}

interface Context {
  readonly words: SummaryWords;
  readonly format: Format;
}

interface ReportContext extends Context {
  readonly alerts: Words["alerts"];
}

const ALERTS_MAX = 3;
const NEW_MAX = 3;
const OVERRIDES_MAX = 3;
const UNDELIVERED_MAX = 3;

const SIGNS: Readonly<Record<DecisionVerdict, string>> = {
  pass: "✅",
  warn: "🟡",
  block: "⛔",
  error: "❌",
  not_enough_evidence: "❔",
};

/** The message, lines by line feed; it ends without one. */
export function renderMessage(input: MessageInput, view: View): string {
  const { told } = input;
  const currency = told.kind === "report" ? told.report.currency : "EUR";
  const context = {
    words: summaryWordsOf(view.locale),
    format: createFormat(view.locale, view.zone, currency),
    alerts: wordsOf(view.locale).alerts,
  };
  const lines = match(told)
    .with({ kind: "report" }, ({ report, place }) => reportLines(report, place, input, context))
    .with({ kind: "no_run" }, (none) => noRunLines(none, input, context))
    .with({ kind: "week" }, ({ facts }) => weekLines(facts, context))
    .exhaustive();
  const [first = "", ...rest] = lines;
  return [first, ...undeliveredLines(input.undelivered, context), ...rest].join("\n");
}

/** What a message's first line says in a word, to speak of it later. */
export function headOf(told: Told, locale: View["locale"]): string {
  const words = summaryWordsOf(locale);
  if (told.kind === "no_run") return words.noRun;
  if (told.kind === "week") return words.week.head;
  const { decision } = told.report;
  const verdict = VERDICT_WORDS[decision.verdict];
  return decision.overridden === undefined ? verdict : words.overridden(verdict);
}

function undeliveredLines(undelivered: readonly Undelivered[], { words, format }: Context) {
  const shown = undelivered.slice(-UNDELIVERED_MAX).map(({ when, verdict, doubtful }) =>
    (doubtful ? words.doubtful : words.undelivered)(format, when, messageId(verdict))
  );
  const left = undelivered.length - shown.length;
  return left > 0 ? [...shown, words.undeliveredMore(format, left)] : shown;
}

function reportLines(
  report: Report,
  place: string,
  { nextRun, today, program }: MessageInput,
  context: ReportContext,
): string[] {
  const { words, format } = context;
  const facts = summaryFacts(report, today);
  const numbers = figures(report, facts, context).join(" · ");
  const news = [
    ...failureLines(facts, context),
    ...asideLines(facts, context),
    ...harmLines(report, context),
  ];
  const overrides = overrideLines(facts.openOverrides, context);
  const loosened = report.gateLoosened?.length ?? 0;
  const where = nextRun !== null && isGreen(report)
    ? words.nextRun(format, nextRun)
    : `${words.report}: ${messageCode(place)}`;
  const head = [
    firstLine(report, facts, context),
    ...alertLines(report, { words: context.alerts, code: messageCode, most: ALERTS_MAX }),
    ...liftedLines(report, context),
    ...(loosened === 0 ? [] : [words.loosened(format, loosened)]),
  ];
  if (isGreen(report) && news.length === 0) {
    const { commit, model } = report.versions;
    const basis = [
      evidenceOf(report, facts, context),
      numbers,
      ...versionParts(commit, asked(report, model), words),
    ];
    return [...head, basis.filter((part) => part !== "").join(" · "), ...overrides, where];
  }
  const next = nextLines(report, facts, program, context);
  return [
    ...head,
    provenance(report, facts, context),
    ...(news.length === 0 ? [] : ["", ...news]),
    "",
    numbers,
    ...overrides,
    where,
    ...next,
  ];
}

/** Passed in full, with nothing to add: a part of the suite is never green. */
function isGreen({ decision, partial }: Report): boolean {
  return decision.verdict === "pass" && !partial;
}

/** The verdict, and why in a few words. */
function firstLine(report: Report, facts: SummaryFacts, { words, format }: Context): string {
  const { verdict, overridden } = facts;
  const word = overridden ? words.overridden(VERDICT_WORDS[verdict]) : VERDICT_WORDS[verdict];
  const green = verdict === "pass" && report.partial;
  const sign = overridden || green ? SIGNS.warn : SIGNS[verdict];
  const count = words.passed(format, facts.passed, facts.graded);
  const { evidence } = report.decision;
  const parts = [
    `${sign} ${report.partial ? `${word}, ${words.partial}` : word}`,
    report.partial ? `${count} ${words.ofSelection}` : count,
    newsInBrief(facts, { words, format }),
    ...(facts.notGraded.length === 0 ? [] : [words.notGradedCount(format, facts.notGraded.length)]),
    ...(evidence === "live" ? [] : [words.evidence[evidence]]),
  ];
  return `<b>${parts[0]}</b> · ${parts.slice(1).join(" · ")}`;
}

/** Which overrides let it pass, and until when; why and by whom stands in the report. */
function liftedLines({ decision }: Report, { words, format }: Context): string[] {
  const lifted = decision.overridden ?? [];
  if (lifted.length === 0) return [];
  const each = lifted.slice(0, OVERRIDES_MAX).map(({ id: name, until }) =>
    until === null ? messageId(name) : `${messageId(name)} (${words.until(format, until)})`
  );
  const left = lifted.length - each.length;
  return [`${words.liftedBy}: ${each.join(", ")}${left > 0 ? ` ${words.more(format, left)}` : ""}`];
}

function newsInBrief(facts: SummaryFacts, { words, format }: Context): string {
  const { failures, compared, rules, verdict } = facts;
  if (failures.length > 0) {
    const critical = failures.filter(isCritical).length;
    const count = (compared ? words.newFailures : words.failures)(format, failures.length);
    return critical === 0 ? count : `${count}, ${words.critical(format, critical)}`;
  }
  if (rules.length > 0 && verdict !== "not_enough_evidence") {
    const more = rules.length > 2 ? ` ${words.more(format, rules.length - 2)}` : "";
    return words.rulesSpoke(rules.slice(0, 2).map(messageId).join(", ") + more);
  }
  return compared ? words.nothingNew : words.failedAll;
}

/** When, by which gate, on what, of which version. */
function provenance(report: Report, facts: SummaryFacts, context: Context): string {
  const { words, format } = context;
  const { commit, model } = report.versions;
  return [
    format.shortMoment(report.time),
    words.gate(messageId(report.gate.name), report.gate.version),
    evidenceOf(report, facts, context),
    ...versionParts(commit, asked(report, model), words),
  ].join(" · ");
}

/** A self-test asks no model, whichever is configured. */
function asked({ decision }: Report, model: string | null | undefined) {
  return decision.evidence === "self_test" ? null : model;
}

function evidenceOf(report: Report, { trials }: SummaryFacts, { words, format }: Context): string {
  const proves = words.proves[report.decision.evidence];
  return trials > 1 ? `${proves} ×${format.number(trials)}` : proves;
}

function versionParts(
  commit: string | null | undefined,
  model: string | null | undefined,
  words: SummaryWords,
): string[] {
  return [
    ...(commit ? [words.commit(messageId(commit.slice(0, 8)))] : []),
    ...(model ? [messageId(model)] : []),
  ];
}

function failureLines(facts: SummaryFacts, context: Context): string[] {
  const { words, format } = context;
  const { failures } = facts;
  if (failures.length === 0) return [];
  const shown = failures.slice(0, NEW_MAX).map((scenario, i) =>
    `${i + 1}. ${messageCode(scenario.id)}${marks(scenario, format)}: ${
      plainHarm(scenario, context)
    }`
  );
  const left = failures.length - shown.length;
  return [
    `<b>${facts.compared ? words.titles.new : words.titles.failed}</b>`,
    ...shown,
    ...(left > 0 ? [words.more(format, left)] : []),
  ];
}

/** Known, fixed and not graded ones, each kind in a line. */
function asideLines(facts: SummaryFacts, { words, format }: Context): string[] {
  const line = (title: string, items: readonly string[]) =>
    items.length === 0 ? [] : [`${title}: ${some(items, { words, format })}`];
  return [
    ...line(words.known, facts.known.map((one) => `${messageId(one.id)}${marks(one, format)}`)),
    ...line(words.passAgain, facts.passAgain.map(messageId)),
    ...line(words.fixed, facts.fixed.map(messageId)),
    ...line(words.notGraded, grouped(facts, words)),
  ];
}

/** Ids by why they were not graded, so that the reason stands once. */
function grouped({ notGraded }: SummaryFacts, words: SummaryWords): string[] {
  const kinds: readonly NotGraded[] = ["environment", "undecided", "stale", "skipped"];
  return kinds.flatMap((kind) => {
    const ids = notGraded.filter(({ why }) => why === kind).map((one) => messageId(one.id));
    return ids.map((one, i) => i === ids.length - 1 ? `${one} (${words.why[kind]})` : one);
  });
}

function harmLines({ scenarios }: Report, { words, format }: Context): string[] {
  const tried = scenarios.filter(({ attempts }) => attempts.length > 0).length;
  const harmed =
    scenarios.filter(({ sideEffects }) =>
      sideEffects.changes.some(({ severity, op }) => severity > 0 && op !== "absent")
    ).length;
  const parts = [
    ...(tried === 0 ? [] : [words.forbiddenTried(format, tried)]),
    ...(harmed === 0 ? [] : [words.sideEffects(format, harmed)]),
  ];
  return parts.length === 0 ? [] : [parts.join(" · ")];
}

/** Success, cost, latency and questions, as far as they were measured. */
function figures(report: Report, facts: SummaryFacts, { words, format }: Context): string[] {
  const { taskSuccess, costPerTask, latencyP95Ms } = report.headline;
  const percent = (rate: number | null) => format.metric("taskSuccess", rate);
  const success = percent(taskSuccess.value);
  const cost = format.metric("costPerTask", costPerTask.value);
  const latency = format.metric("latencyP95Ms", latencyP95Ms.value);
  return [
    ...(success === null ? [] : [words.success(success, percent(taskSuccess.baseline))]),
    ...spending(report, facts, { words, format }),
    ...(cost === null
      ? []
      : [words.aTask(cost, format.metric("costPerTask", costPerTask.baseline))]),
    ...(latency === null
      ? []
      : [words.p95(latency, format.metric("latencyP95Ms", latencyP95Ms.baseline))]),
    ...(facts.interventions === 0 ? [] : [words.questions(format, facts.interventions)]),
  ];
}

function spending(report: Report, { spending }: SummaryFacts, { words, format }: Context) {
  const { known, runs, unknown } = spending;
  if (report.mode === "replay") return [];
  const cap = report.budgetEur === undefined
    ? null
    : capText(format, report.currency, report.budgetEur);
  if (runs === unknown) return [words.spentUnknown(cap)];
  const spent = words.spent(format.money(known), cap);
  return [unknown === 0 ? spent : words.spentPart(format, unknown, spent)];
}

/** The cap is in euro whatever the report counts in. */
function capText(format: Format, currency: string, amount: number): string {
  return currency === "EUR" ? format.money(amount) : `${format.number(amount)} EUR`;
}

function overrideLines(rows: readonly LedgerRow[], { words, format }: Context): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, OVERRIDES_MAX).map((row) => {
    const until = row.until === null ? [] : [words.until(format, row.until)];
    return `${messageId(row.id)} (${
      [...row.scenarios.slice(0, 2).map(messageId), ...until].join(", ")
    })`;
  });
  const left = rows.length - shown.length;
  const more = left > 0 ? ` ${words.more(format, left)}` : "";
  return [`${words.overridesOpen(format, rows.length)}: ${shown.join(", ")}${more}`];
}

/** What to type: the gravest failure again, or what is outdated. */
function nextLines(
  report: Report,
  facts: SummaryFacts,
  program: MessageInput["program"],
  { words }: Context,
): string[] {
  const [worst] = [...facts.failures, ...facts.known];
  if (worst !== undefined) {
    const again = report.mode === "recorded" ? "" : worst.reproduce;
    return again === "" ? [] : [`${words.seeIt}: ${messageCode(again)}`];
  }
  const stale = facts.notGraded.find(({ why }) => why === "stale");
  if (stale === undefined) return [];
  return [`${words.goOn}: ${messageCode(`${program.replay} validate --only ${stale.id}`)}`];
}

function noRunLines(
  { since, due, stopped, live, last }: Extract<Told, { kind: "no_run" }>,
  { nextRun, program }: MessageInput,
  { words, format }: Context,
): string[] {
  const never = stopped === "unreadable"
    ? words.noneReadable
    : live
    ? words.neverLive
    : words.neverRan;
  const when = since === null ? never : words.since(format, since);
  return [
    `<b>⚠️ ${words.noRun}</b> · ${when}`,
    ...(due === null ? [] : [words.stopped.due(format, due)]),
    ...(stopped !== null ? [words.stopped[stopped]] : due === null ? [words.stopped.unknown] : []),
    ...(last === null ? [] : [words.lastSaid(VERDICT_WORDS[last])]),
    ...(nextRun === null ? [] : [words.nextRun(format, nextRun)]),
    `${words.goOn}: ${messageCode(`${program.replay} schedule list`)}`,
  ];
}
