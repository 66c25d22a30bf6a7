/**
 * What became of the recordings that were to be made? Outcomes in, lines for a terminal out: kept or
 * why not, what is other than before, what it cost. A cost that is not known is said to be unknown.
 */
import { match } from "ts-pattern";
import type { VerdictKind } from "../model/verdict.ts";
import type { RecordingDifference } from "./recording_diff.ts";
import { createFormat } from "./format.ts";
import { terminalVoice, type View, type Voice } from "./voice.ts";
import { type RecordWords, recordWordsOf } from "./words_record.ts";

/** Why a run was not kept. */
export type NotKept =
  | { readonly kind: "verdict"; readonly verdict: VerdictKind }
  | { readonly kind: "handmade"; readonly file: string }
  | { readonly kind: "silent" | "secret" | "not_written" }
  | { readonly kind: "unreadable"; readonly why: string }
  /** The replay of the file has another verdict than the run. */
  | { readonly kind: "other_verdict"; readonly verdict: VerdictKind; readonly detail: string }
  | { readonly kind: "other_conditions"; readonly ids: readonly string[] }
  /** `index` from 1; the events as JSON, null where there is none. */
  | {
    readonly kind: "other_events";
    readonly index: number;
    readonly live: string | null;
    readonly replayed: string | null;
  };

/** Why a scenario was not run. */
export type NotRun =
  | { readonly kind: "needs_programs" | "unknown_cost" | "interrupted" }
  | { readonly kind: "budget"; readonly limitEur: number }
  | { readonly kind: "unproved"; readonly name: string; readonly why: string };

/** What a run cost, in each currency that it is known in. */
export interface RunCost {
  readonly eur: number | null;
  readonly usd: number | null;
}

/** What became of one scenario. */
export type RecordOutcome =
  & { readonly scenario: string }
  & (
    | {
      readonly kind: "kept";
      /** Relative to the project. */
      readonly file: string;
      readonly failed: boolean;
      readonly cost: RunCost;
      /** Null where there was no file before. */
      readonly difference: RecordingDifference | null;
      /** True where commands print something else each time. */
      readonly withoutDigests: boolean;
    }
    | { readonly kind: "not_kept"; readonly why: NotKept; readonly cost: RunCost }
    | { readonly kind: "fits"; readonly name: string }
    | { readonly kind: "not_run"; readonly why: NotRun }
  );

const LINES_MAX = 16;
const TEXT_MAX = 300;

/** The lines of one scenario, each with a line feed. */
export function renderRecorded(outcome: RecordOutcome, view: View): string {
  const voice = terminalVoice(view, "EUR");
  const words = recordWordsOf(view.locale);
  const said = match(outcome)
    .with({ kind: "kept" }, ({ file, failed }) => (failed ? words.keptFailed : words.kept)(file))
    .with({ kind: "not_kept" }, ({ why }) => words.notKept(whyNotKept(why, words, voice)))
    .with({ kind: "fits" }, ({ name }) => words.fits(name))
    .with({ kind: "not_run" }, ({ why }) => words.notRun(whyNotRun(why, words, voice)))
    .exhaustive();
  const cost = "cost" in outcome ? `; ${words.cost(costText(outcome.cost, view, words))}` : "";
  const more = outcome.kind === "kept" ? keptLines(outcome, words) : [];
  return [`${voice.code(outcome.scenario)}: ${said}${cost}`, ...more, ""].join("\n");
}

/** The last line: how many, and what all of it cost. */
export function renderRecordTotal(outcomes: readonly RecordOutcome[], view: View): string {
  const words = recordWordsOf(view.locale);
  const format = createFormat(view.locale, view.zone, "EUR");
  const count = (kind: RecordOutcome["kind"]) =>
    outcomes.filter((each) => each.kind === kind).length;
  const n = { kept: count("kept"), fit: count("fits"), of: outcomes.length };
  const costs = outcomes.flatMap((each) => "cost" in each ? [each.cost] : []);
  return `${words.total(format, n)}; ${words.cost(totalText(costs, view, words))}\n`;
}

/** The sum in euros; null where one of them is unknown. */
export function totalEur(outcomes: readonly RecordOutcome[]): number | null {
  return sum(outcomes.flatMap((each) => "cost" in each ? [each.cost.eur] : []));
}

function sum(amounts: readonly (number | null)[]): number | null {
  return amounts.reduce<number | null>(
    (total, one) => total === null || one === null ? null : total + one,
    0,
  );
}

function costText({ eur, usd }: RunCost, { locale, zone }: View, words: RecordWords): string {
  if (eur !== null) return createFormat(locale, zone, "EUR").money(eur);
  return usd === null ? words.unknown : createFormat(locale, zone, "USD").money(usd);
}

function totalText(costs: readonly RunCost[], view: View, words: RecordWords): string {
  const [eur, usd] = [sum(costs.map((each) => each.eur)), sum(costs.map((each) => each.usd))];
  if (eur !== null || usd !== null) return costText({ eur, usd }, view, words);
  const known = costs.filter((each) => each.eur !== null);
  if (known.length === 0) return words.unknown;
  const rest = costText({ eur: sum(known.map((each) => each.eur)), usd: null }, view, words);
  return words.partly(rest, costs.length - known.length);
}

function keptLines(
  { file, difference, withoutDigests }: RecordOutcome & { readonly kind: "kept" },
  words: RecordWords,
): string[] {
  const digests = withoutDigests ? [`  ${words.withoutDigests}`] : [];
  if (difference === null) return digests;
  const { turns, facts } = difference;
  if (turns.length === 0 && facts.length === 0) return [...digests, `  ${words.same(file)}`];
  const lines = turns.map(({ sign, turn, text }) => `    ${sign} ${turn}  ${text}`);
  const shown = lines.slice(0, LINES_MAX);
  const left = lines.length - shown.length;
  return [
    ...digests,
    `  ${words.against(file)} ${facts.map((fact) => words.facts[fact]).join(", ")}`.trimEnd(),
    ...shown,
    ...(left === 0 ? [] : [`    ${words.more(left)}`]),
  ];
}

function whyNotKept(why: NotKept, words: RecordWords, voice: Voice): string {
  return match(why)
    .with({ kind: "verdict" }, ({ verdict }) => words.verdict[verdict])
    .with({ kind: "handmade" }, ({ file }) => words.handmade(file))
    .with({ kind: "silent" }, () => words.silent)
    .with({ kind: "secret" }, () => words.secret)
    .with({ kind: "not_written" }, () => words.notWritten)
    .with({ kind: "unreadable" }, (one) => words.unreadable(voice.text(one.why)))
    .with(
      { kind: "other_verdict" },
      ({ verdict, detail }) =>
        words.otherVerdict(voice.words.verdicts[verdict], voice.text(detail)),
    )
    .with(
      { kind: "other_conditions" },
      ({ ids }) => words.otherConditions(ids.map((id) => voice.code(id)).join(", ")),
    )
    .with({ kind: "other_events" }, ({ index, live, replayed }) => {
      const shown = (event: string | null) =>
        event === null ? words.noEvent : voice.text(event.slice(0, TEXT_MAX));
      return words.otherEvents(index, shown(live), shown(replayed));
    })
    .exhaustive();
}

function whyNotRun(why: NotRun, words: RecordWords, { text, format }: Voice): string {
  return match(why)
    .with({ kind: "needs_programs" }, () => words.needsPrograms)
    .with({ kind: "unknown_cost" }, () => words.unknownCost)
    .with({ kind: "interrupted" }, () => words.interrupted)
    .with({ kind: "budget" }, ({ limitEur }) => words.budget(format.money(limitEur)))
    .with({ kind: "unproved" }, (one) => words.unproved(one.name, text(one.why)))
    .exhaustive();
}
