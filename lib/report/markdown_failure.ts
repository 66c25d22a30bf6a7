/**
 * How is a failed scenario shown on at most one screen? What it did in plain words, the request, the
 * world as it should be and as it is, forbidden attempts, what was said, the first failing condition
 * with the value found, and the command that plays it again. Whatever is cut says how much.
 */
import type { Json } from "../model/json.ts";
import type { ReportScenario } from "../model/report.ts";
import type { ConditionVerdict, JudgedChange } from "../model/verdict.ts";
import {
  describeConsequences,
  describeMessage,
  describeStatus,
  harms,
  wantedValue,
} from "./consequences.ts";
import { markdownQuote, markdownText } from "./escape.ts";
import { narrowPair } from "./differences.ts";
import { conditionsWith, shownTrial, trialMarks } from "./failed_conditions.ts";
import { markdownTable } from "./markdown_table.ts";
import type { Voice } from "./voice.ts";

const CHANGES_MAX = 10;
const CONSEQUENCES_MAX = 8;
const ATTEMPTS_MAX = 5;
const TRIALS_MAX = 5;
const NOTES_MAX = 4;

/** The section of one failed scenario, in Markdown. */
export function failureSection(scenario: ReportScenario, voice: Voice): string {
  const { words } = voice;
  const blocks = [
    `### ✗ ${voice.text(scenario.id)}: ${markdownText(scenario.description, 160)}`,
    facts(scenario, voice),
    bullets(describeConsequences(scenario, voice), CONSEQUENCES_MAX, voice),
    `**${words.request}**`,
    markdownQuote(scenario.request.join("\n"), 500),
    `**${words.worldTitle}**`,
    changesTable(scenario, voice),
    attemptsTable(scenario, voice),
    `**${words.claim}**`,
    scenario.final.trim() === "" ? words.saidNothing : markdownQuote(scenario.final, 400),
    [conditionLines(scenario, voice), placeLines(scenario, voice)].filter((part) => part !== "")
      .join("\n"),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

/** Category, task, risk, recording and how each trial went, in one line. */
export function facts(scenario: ReportScenario, { words, code }: Voice): string {
  const parts = [code(scenario.category), code(scenario.task), words.risk[scenario.risk]];
  if (scenario.recording !== null) parts.push(words.recording(code(scenario.recording)));
  if (scenario.trials.length > 1) parts.push(`${words.trials} ${trialMarks(scenario)}`);
  return parts.join(" · ");
}

function bullets(lines: readonly string[], most: number, { words, format }: Voice): string {
  const shown = lines.slice(0, most).map((line) => `- ${line}`);
  if (lines.length > most) shown.push(`- … ${words.more(format, lines.length - most)}`);
  return shown.join("\n");
}

/** Harms first, then what changed as it was expected or allowed to. */
function changesTable(scenario: ReportScenario, voice: Voice): string {
  const { words, format } = voice;
  const bad = harms(scenario);
  const told = new Set(scenario.sideEffects.changes.filter(isMissing).map(({ path }) => path));
  const rest = scenario.sideEffects.changes.filter((change) =>
    (change.class === "expected" || change.class === "allowed") && !told.has(change.path)
  );
  const changes = [...bad, ...rest];
  if (changes.length === 0) return words.noChanges;
  const head = words.table;
  const table = markdownTable(
    [head.path, head.before, head.expected, head.after, head.class],
    changes.slice(0, CHANGES_MAX).map((change) => changeRow(change, scenario, voice)),
  );
  const left = changes.length - CHANGES_MAX;
  return left > 0 ? `${table}\n\n… ${words.more(format, left)}` : table;
}

function isMissing(change: JudgedChange): boolean {
  return change.class === "missing";
}

function changeRow(change: JudgedChange, scenario: ReportScenario, voice: Voice): string[] {
  const isMessage = change.class === "missing_message" || change.class === "unrequested_message";
  const value = (found: Json | undefined) =>
    found === undefined
      ? voice.words.absent
      : isMessage
      ? describeMessage(found, voice)
      : voice.value(found);
  return [
    voice.code(change.path),
    change.class === "missing"
      ? wantedValue(change.before, voice)
      : change.op === "absent"
      ? ""
      : value(change.before),
    expectedCell(change, scenario, voice),
    change.class === "missing" ? wantedValue(change.after, voice) : value(change.after),
    `**${voice.words.classes[change.class]}**`,
  ];
}

function expectedCell(change: JudgedChange, scenario: ReportScenario, voice: Voice): string {
  const { words } = voice;
  switch (change.class) {
    case "missing":
      return wantedValue(change.expected, voice);
    case "missing_message":
      return describeMessage(change.expected, voice);
    case "protected":
    case "other_record":
    case "file":
      return words.asBefore;
    case "unrequested_message":
      return words.none;
    default: {
      const wanted = scenario.conditions.find(({ id }) => id === `missing:${change.path}`);
      return wanted === undefined ? "" : wantedValue(wanted.expected, voice);
    }
  }
}

function attemptsTable(scenario: ReportScenario, voice: Voice): string {
  const { words } = voice;
  if (scenario.attempts.length === 0) return "";
  const heads = words.attemptHeads;
  const rows = scenario.attempts.slice(0, ATTEMPTS_MAX).map((attempt) => [
    voice.code(attempt.what),
    attempt.args === undefined ? "" : voice.value(attempt.args),
    describeStatus(attempt.status, voice),
  ]);
  const table = markdownTable([heads.what, heads.args, heads.status], rows);
  const left = scenario.attempts.length - ATTEMPTS_MAX;
  const more = left > 0 ? `\n\n… ${words.more(voice.format, left)}` : "";
  return `**${words.attempts}**\n\n${table}${more}`;
}

/** The first failing condition in full, the first with an expression too, then all of them by id. */
function conditionLines(scenario: ReportScenario, voice: Voice): string {
  const { words } = voice;
  const failed = conditionsWith(scenario, "failed");
  const ordered = [
    ...failed.filter(({ required }) => required),
    ...failed.filter(({ required }) => !required),
  ];
  const shown = [ordered[0], ordered.find(({ expression }) => expression !== undefined)];
  const lines = [...new Set(shown)].flatMap((condition) =>
    condition === undefined ? [] : conditionInFull(condition, voice)
  );
  const first = lines.length === 0 ? [] : [`- ${words.firstFailing}:`, ...lines];
  const groups: readonly (readonly [string, readonly ConditionVerdict[]])[] = [
    [words.allFailing, failed.length > 1 ? failed : []],
    [words.undecided, conditionsWith(scenario, "errored")],
    [words.notMeasuredConditions, conditionsWith(scenario, "not_measured")],
  ];
  const named = groups.filter(([, conditions]) => conditions.length > 0)
    .map(([title, conditions]) => `- ${title}: ${idList(conditions, voice)}`);
  return [...first, ...named].join("\n");
}

function conditionInFull(condition: ConditionVerdict, voice: Voice): string[] {
  const { words } = voice;
  const parts = [expectedAndFound(condition, voice), `${words.at} ${voice.code(condition.at)}`];
  if (condition.expression !== undefined) {
    parts.unshift(`${words.expression} ${voice.code(condition.expression)}`);
  }
  return [`  - ${voice.code(condition.id)}: ${parts.join("; ")}`];
}

/** Both values; of large ones the first inner place that differs. */
function expectedAndFound({ expected, actual }: ConditionVerdict, voice: Voice): string {
  const { words, format } = voice;
  const { path, wanted, found, more } = narrowPair(expected, actual);
  const place = path === "" ? "" : `${voice.code(path)} `;
  const both = `${place}${words.expected} ${wantedValue(wanted, voice)}; ` +
    `${words.foundValue} ${wantedValue(found, voice)}`;
  return more === 0 ? both : `${both} (${words.more(format, more)})`;
}

/** All ids: a condition that failed is never left out of a report. */
export function idList(conditions: readonly ConditionVerdict[], voice: Voice): string {
  return conditions.map(({ id }) => voice.code(id)).join(", ");
}

/** What failed in the failed trials that are not shown in full, a line each. */
function otherTrials(scenario: ReportScenario, voice: Voice): string[] {
  const { words } = voice;
  const shown = shownTrial(scenario);
  const others = scenario.trials.filter((trial) => trial !== shown && trial.failed.length > 0);
  const lines = others.slice(0, TRIALS_MAX).map(({ trial, run, failed }) => {
    const found = failed.slice(0, 3).map((each) =>
      `${voice.code(each.id)}: ${expectedAndFound(each, voice)}`
    );
    const more = failed.length > 3 ? [voice.words.more(voice.format, failed.length - 3)] : [];
    const place = run === null ? "" : ` (${voice.code(run)})`;
    return `- ${words.trial(trial)}${place}: ${[...found, ...more].join(" · ")}`;
  });
  const left = others.length - TRIALS_MAX;
  return left > 0 ? [...lines, `- … ${words.more(voice.format, left)}`] : lines;
}

function placeLines(scenario: ReportScenario, voice: Voice): string {
  const { words } = voice;
  const lines: string[] = [];
  const trial = shownTrial(scenario);
  lines.push(...otherTrials(scenario, voice));
  lines.push(
    ...scenario.notes.slice(0, NOTES_MAX).map((note) => `- ${words.notes}: ${voice.text(note)}`),
  );
  if (trial?.run !== null && trial?.run !== undefined) {
    lines.push(`- ${words.runFile}: ${voice.code(trial.run)}`);
  }
  if (scenario.reproduce !== "") {
    lines.push(`- ${words.reproduce}: ${voice.code(scenario.reproduce)}`);
  }
  return lines.join("\n");
}
