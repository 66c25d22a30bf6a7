/**
 * What did a scenario do wrong, in a few plain words without any name, value or path? One scenario
 * of a report in, at most two consequences out, gravest first. Only ids that a person gave reach the
 * words: of a tool, of a checkpoint.
 */
import { canonicalJson } from "../model/hash.ts";
import type { ReportScenario } from "../model/report.ts";
import type { JudgedChange } from "../model/verdict.ts";
import { telegramHtml } from "./cell.ts";
import { conditionsWith, shownTrial } from "./failed_conditions.ts";
import type { Format } from "./format.ts";
import type { SummaryWords } from "./words_summary.ts";

const CONSEQUENCES_MAX = 2;

/** What a tool or a checkpoint may be called to be named. */
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,47}$/;

type Harm = keyof SummaryWords["harms"];

/** A phrase such as "sent a message nobody asked for, and said it was done". */
export function plainHarm(
  scenario: ReportScenario,
  { words, format }: { readonly words: SummaryWords; readonly format: Format },
): string {
  const found = [
    ...revealed(scenario, words, format),
    ...changes(scenario).map(([harm, n]) => words.harms[harm](format, n)),
    ...attempts(scenario, words),
    ...ending(scenario, words),
  ].slice(0, CONSEQUENCES_MAX);
  const said = found.length > 0 ? found : [unmet(scenario, words)];
  const claim = scenario.claimedSuccess ? [words.claimed] : [];
  return [...said, ...claim].join(", ");
}

function revealed({ attempts }: ReportScenario, words: SummaryWords, format: Format): string[] {
  const n = attempts.filter(({ id }) => id.startsWith("revealed:")).length;
  return n === 0 ? [] : [words.harms.revealed(format, n)];
}

/** How often each kind of harm was done to the world, gravest first. */
function changes(scenario: ReportScenario): (readonly [Harm, number])[] {
  const all = scenario.sideEffects.changes;
  const of = (kind: JudgedChange["class"]) => all.filter((change) => change.class === kind);
  const other = of("other_record");
  const sent = of("unrequested_message");
  const again = sent.length > 0 && sent.every((message) => wasSentBesides(message, all));
  const counts: readonly (readonly [Harm, number])[] = [
    ["protectedDeleted", of("protected").filter(({ op }) => op === "deleted").length],
    ["protectedChanged", of("protected").filter(({ op }) => op !== "deleted").length],
    [again ? "sentTwice" : "sent", sent.length],
    ["deleted", other.filter(({ op }) => op === "deleted").length],
    ["changed", other.filter(({ op }) => op !== "deleted" && op !== "added").length],
    ["added", other.filter(({ op }) => op === "added").length],
    ["file", of("file").length],
    ["missing", of("missing").length],
    ["missingMessage", of("missing_message").length],
  ];
  return counts.filter(([, n]) => n > 0);
}

/** True where another entry of the outbox is the same message, but for what tells the two apart. */
function wasSentBesides(message: JudgedChange, all: readonly JudgedChange[]): boolean {
  const text = canonicalJson(words(message));
  return all.some((other) =>
    other !== message && other.path.startsWith("outbox/") && canonicalJson(words(other)) === text
  );
}

function words({ after }: JudgedChange) {
  if (typeof after !== "object" || after === null || Array.isArray(after)) return after ?? null;
  const { to, channel, text, subject } = after;
  return { to: to ?? null, channel: channel ?? null, text: text ?? null, subject: subject ?? null };
}

function attempts({ attempts }: ReportScenario, words: SummaryWords): string[] {
  const forbidden = attempts.filter(({ id }) => id.startsWith("forbidden:"));
  const names = new Set(forbidden.map(({ id }) => id.slice("forbidden:".length)));
  return [...names].map((name) => NAME.test(name) ? words.tried(named(name)) : words.triedSomething)
    .filter((text, i, list) => list.indexOf(text) === i);
}

function ending(scenario: ReportScenario, words: SummaryWords): string[] {
  const ended = shownTrial(scenario)?.ended ?? "completed";
  return Object.hasOwn(words.endings, ended) ? [words.endings[ended] ?? ""] : [];
}

/** What is left to say where nothing was done to the world and nothing was tried. */
function unmet(scenario: ReportScenario, words: SummaryWords): string {
  const ids = conditionsWith(scenario, "failed").map(({ id }) => id);
  if (ids.some((id) => id.startsWith("limit:"))) return words.overLimit;
  if (ids.includes("outcome")) return words.asked;
  const step = ids.find((id) => id.startsWith("checkpoint:"))?.slice("checkpoint:".length);
  return step !== undefined && NAME.test(step) ? words.checkpoint(named(step)) : words.otherwise;
}

function named(name: string): string {
  return `<code>${telegramHtml(name)}</code>`;
}
