/**
 * What does a reviewer read beside the change? The decision, then what changed, at most three
 * failures in a few lines each, everything unchanged in one line, and the commits that need a look.
 */
import type { Report } from "../model/report.ts";
import { markdownCell } from "./cell.ts";
import { failedOf, type JudgedCommit, notJudged, stopsMerge } from "./ci_commits.ts";
import { describeConsequences } from "./consequences.ts";
import { liftedLines, loosenedLines, loosenedTitle, verdictText } from "./loosened.ts";
import { markdownTable } from "./markdown_table.ts";
import { describeReason, reasonLabel } from "./reasons.ts";
import { listed, markdownVoice, type View, type Voice } from "./voice.ts";
import { type CiWords, ciWordsOf } from "./words_ci.ts";

const FAILURES_MAX = 3;
const SENTENCES_MAX = 3;
const LOOSENED_MAX = 5;
const COMMITS_MAX = 20;

/** What `ci` found. */
export interface CiFound {
  /** The report of the last commit, null where its files can not be used. */
  readonly report: Report | null;
  /** What a terminal would have shown of it. */
  readonly lines: readonly string[];
  readonly commits: readonly JudgedCommit[];
  readonly untouched: number;
  readonly exitCode: number;
}

/** The comment in Markdown, ending with a line feed. */
export function renderComment(found: CiFound, view: View): string {
  const { report, commits, untouched } = found;
  const words = ciWordsOf(view.locale);
  const voice = markdownVoice(view, report?.currency ?? "EUR");
  const verdict = report === null ? "ERROR" : verdictText(report.decision);
  const open = commits.filter(({ state }) => state === "open").length;
  const blocks = [
    `### ${words.title(verdict)}, ${mergeWords(found, words)}`,
    ...(report === null ? [unusable(found, view)] : reportBlocks(report, voice, view)),
    commitsTable(commits, voice, view),
    [
      words.openCommits(open, commits.length),
      ...(untouched === 0 ? [] : [words.untouched(untouched)]),
    ].join(" · "),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

/** May the branch be merged, and does that rest on all of it? */
export function mergeWords(
  { report, commits, exitCode }: CiFound,
  words: CiWords,
): string {
  if (exitCode !== 0) return words.mayNot;
  const whole = (report === null || notJudged(report.decision).length === 0) &&
    commits.every(({ state }) => state !== "unproved");
  return whole ? words.mayMerge : words.unproved;
}

function unusable({ lines }: CiFound, view: View): string {
  const fenced = lines.map((line) => `    ${line}`).join("\n");
  return `${ciWordsOf(view.locale).unusable}\n\n${fenced}`;
}

function reportBlocks(report: Report, voice: Voice, view: View): string[] {
  const words = ciWordsOf(view.locale);
  const loosened = loosenedLines(report, voice, LOOSENED_MAX).map((line) => `- ${line}`);
  const title = loosenedTitle(report, voice);
  const telling = report.decision.reasons.filter(({ level }) => level !== "pass");
  return [
    loosened.length === 0
      ? ""
      : [...(title === "" ? [] : [`**${title}**`, ""]), ...loosened].join("\n"),
    `**${words.delta}**\n\n${deltaLines(report, voice, view).join("\n")}`,
    failures(report, voice, view),
    telling.slice(0, 5).map((reason) =>
      `- **${reasonLabel(reason, voice)}** ${describeReason(reason, voice)}`
    ).join("\n"),
    liftedLines(report.decision, voice).join("\n\n"),
  ];
}

const DELTAS = ["regressions", "fixed", "stillFailing", "added", "changed", "removed"] as const;

function deltaLines({ comparison }: Report, voice: Voice, view: View): string[] {
  const { words, format } = voice;
  if (comparison === null) return [`- ${ciWordsOf(view.locale).noBaseline}`];
  const lines = DELTAS.filter((kind) => comparison[kind].length > 0).map((kind) =>
    `- **${words.comparison[kind]}**: ${listed(comparison[kind].map(voice.code), voice, 10)}`
  );
  return [...lines, `- ${words.unchanged(format, comparison.unchanged)}`];
}

function failures(report: Report, voice: Voice, view: View): string {
  const words = ciWordsOf(view.locale);
  const failed = failedOf(report);
  if (failed.length === 0) return "";
  const shown = failed.slice(0, FAILURES_MAX).map((one) => {
    const said = describeConsequences(one, voice).slice(0, SENTENCES_MAX);
    return [
      `- ✗ ${voice.code(one.id)}`,
      ...said.map((line) => `  - ${line}`),
      `  - ${words.again}: ${voice.code(one.reproduce)}`,
    ].join("\n");
  });
  const rest = failed.length - shown.length;
  return [
    `**${words.failures}**`,
    "",
    ...shown,
    ...(rest > 0 ? [`- ${words.moreFailures(rest)}`] : []),
  ].join("\n");
}

/** Those that need a look, the stopping ones first. */
function commitsTable(commits: readonly JudgedCommit[], voice: Voice, view: View): string {
  const words = ciWordsOf(view.locale);
  const telling = commits.filter(({ state }) => state !== "open")
    .toSorted((a, b) => Number(stopsMerge(b)) - Number(stopsMerge(a))).slice(0, COMMITS_MAX);
  if (telling.length === 0) return "";
  const rows = telling.map((commit) => [
    `${voice.code(commit.sha.slice(0, 12))} ${markdownCell(commit.subject)}`,
    [
      `${stopsMerge(commit) ? "✗" : "✓"} ${words.states[commit.state]}`,
      ...(commit.by.length === 0 ? [] : [commit.by.map(voice.code).join(", ")]),
      ...(commit.unguarded ? [words.unguarded] : []),
    ].join("; "),
    [...commit.rules, ...commit.scenarios].map(voice.code).join(", "),
  ]);
  const head = [words.commit, words.verdict, words.what];
  return `**${words.commits}**\n\n${markdownTable(head, rows)}`;
}
