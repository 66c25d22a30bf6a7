/**
 * What does a person read after a run? A report in, `report.md` out: the three numbers, the decision
 * and what it rests on, what changed, each failed scenario on a screen, scores, cost, overrides, and
 * what this run can not prove. Every foreign text is escaped; secrets were masked before.
 */
import type { LedgerRow } from "../model/ledger.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { alertLines } from "./alerts.ts";
import { describeEnd } from "./consequences.ts";
import { conditionsWith, shownTrial, VERDICT_MARKS } from "./failed_conditions.ts";
import { failureSection, idList } from "./markdown_failure.ts";
import { costSection, headlineTable, scoresSection } from "./markdown_scores.ts";
import { markdownTable } from "./markdown_table.ts";
import { describeReason, reasonLabel } from "./reasons.ts";
import { showRows } from "./ledger_list.ts";
import { liftedLines, loosenedLines, loosenedTitle, verdictText } from "./loosened.ts";
import { sureSection } from "./sure_numbers.ts";
import { listed, markdownVoice, type View, type Voice } from "./voice.ts";

/** For whom `report.md` is rendered; `ledger`: rows to show as overrides, none where absent. */
export interface MarkdownView extends View {
  readonly ledger?: readonly LedgerRow[];
}

/** The whole of `report.md`, ending with a line feed. */
export function renderMarkdown(report: Report, view: MarkdownView): string {
  const voice = markdownVoice(view, report.currency);
  const { words } = voice;
  const { sections } = words;
  const blocks = [
    `# ${words.title(voice.code(report.gate.name), report.gate.version)}`,
    `${voice.format.stamp(report.time)} · ${voice.code(report.command)} · ${report.mode}`,
    ...alertsBlock(report, voice),
    ...loosenedBlock(report, voice),
    headlineTable(report, voice),
    ...section(sections.decision, decisionSection(report, voice)),
    ...section(words.sure.title, sureSection(report, voice)),
    ...section(sections.changes, comparisonSection(report, voice)),
    ...section(sections.failures, failuresSection(report, voice)),
    ...section(sections.notGraded, notGradedSection(report, voice)),
    ...section(sections.soft, softSection(report, voice)),
    ...section(sections.apart, apartSection(report, voice)),
    ...section(sections.scores, scoresSection(report, voice)),
    ...section(sections.cost, costSection(report, voice)),
    ...section(
      sections.overrides,
      overridesSection(report, view.ledger ?? report.overrides ?? [], voice),
    ),
    ...section(sections.limits, limitsSection(report, voice)),
    ...section(sections.versions, versionsSection(report, voice)),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** A heading with its body; nothing where the body is empty. */
function section(title: string, body: string): string[] {
  return body === "" ? [] : [`## ${title}`, body];
}

/** What must be known first. */
function alertsBlock(report: Report, { words, code }: Voice): string[] {
  const lines = alertLines(report, { words: words.alerts, code, most: ALERTS_MAX });
  return lines.length === 0 ? [] : [lines.map((line) => `- **${line}**`).join("\n")];
}

const OTHERS = [
  "other_agent",
  "other_model",
  "other_prompt",
  "other_prices",
  "other_notes",
] as const;

const ALERTS_MAX = 20;
const LOOSENED_MAX = 20;

/** That the gate was loosened stands before everything else. */
function loosenedBlock(report: Report, voice: Voice): string[] {
  const title = loosenedTitle(report, voice);
  const lines = loosenedLines(report, voice, LOOSENED_MAX).map((line) => `- ${line}`);
  if (lines.length === 0) return [];
  return [...(title === "" ? [] : [`**${title}**`]), lines.join("\n")];
}

function decisionSection(report: Report, voice: Voice): string {
  const { words } = voice;
  const { decision } = report;
  const reasons = decision.reasons.map((reason) =>
    `- **${reasonLabel(reason, voice)}** ${describeReason(reason, voice)}`
  );
  return [
    words.restsOn[decision.evidence],
    `**decision: ${verdictText(decision)}**`,
    ...liftedLines(decision, voice),
    ...(report.limits.includes("cut_short") ? [words.limits.cut_short] : []),
    reasons.length === 0 ? words.noReasons : reasons.join("\n"),
  ].join("\n\n");
}

function comparisonSection(report: Report, voice: Voice): string {
  const { words } = voice;
  const { comparison } = report;
  if (comparison === null) return words.noBaselineToCompare;
  const kinds = [
    "regressions",
    "fixed",
    "stillFailing",
    "added",
    "changed",
    "removed",
    "errored",
    "stale",
  ] as const;
  const lines = kinds.filter((kind) => comparison[kind].length > 0).map((kind) =>
    `- **${words.comparison[kind]}**: ${listed(comparison[kind].map(voice.code), voice, 20)}`
  );
  const others = OTHERS
    .filter((limit) => report.limits.includes(limit)).map((limit) => `- ${words.limits[limit]}`);
  return [...others, ...lines, `- ${words.unchanged(voice.format, comparison.unchanged)}`]
    .join("\n");
}

function isStable(scenario: ReportScenario): boolean {
  return scenario.lifecycle === "stable";
}

/** Those with something critical first, each group as it ran. */
function failuresSection(report: Report, voice: Voice): string {
  const failed = report.scenarios.filter((s) => isStable(s) && s.verdict === "failed");
  if (failed.length === 0) return voice.words.noFailures;
  const critical = failed.filter((scenario) => scenario.sideEffects.critical);
  const others = failed.filter((scenario) => !scenario.sideEffects.critical);
  return [...critical, ...others].map((one) => failureSection(one, voice)).join("\n\n");
}

function notGradedSection(report: Report, voice: Voice): string {
  return report.scenarios
    .filter((scenario) =>
      isStable(scenario) && scenario.verdict !== "passed" && scenario.verdict !== "failed"
    )
    .map((scenario) => `- ${briefLine(scenario, voice)}`).join("\n");
}

/** A scenario in one line: its verdict, how it ended, and all that failed or is undecided. */
function briefLine(scenario: ReportScenario, voice: Voice): string {
  const { words } = voice;
  const trial = shownTrial(scenario);
  const parts = [
    `${VERDICT_MARKS[scenario.verdict]} ${voice.code(scenario.id)}: ${
      words.verdicts[scenario.verdict]
    }`,
  ];
  if (trial !== undefined && trial.ended !== "completed") {
    parts.push(describeEnd(trial.ended, voice));
  }
  if (trial?.detail !== null && trial?.detail !== undefined) parts.push(voice.text(trial.detail));
  return [...parts, ...openConditions(scenario, voice)].join("; ");
}

function openConditions(scenario: ReportScenario, voice: Voice): string[] {
  const failed = conditionsWith(scenario, "failed");
  const undecided = conditionsWith(scenario, "errored");
  return [
    ...(failed.length === 0 ? [] : [`${voice.words.outcomes.failed}: ${idList(failed, voice)}`]),
    ...(undecided.length === 0 ? [] : [`${voice.words.undecided}: ${idList(undecided, voice)}`]),
  ];
}

/** Passed scenarios of which a weighted checkpoint failed or stayed open. */
function softSection(report: Report, voice: Voice): string {
  const { words, format } = voice;
  return report.scenarios
    .filter((scenario) => isStable(scenario) && scenario.verdict === "passed")
    .map((scenario) => ({ scenario, open: openConditions(scenario, voice) }))
    .filter(({ open }) => open.length > 0)
    .map(({ scenario, open }) => {
      const share = format.metric("stepScore", scenario.stepScore) ?? words.notMeasured;
      return `- ${words.softLine(voice.code(scenario.id), share, open.join("; "))}`;
    }).join("\n");
}

function apartSection(report: Report, voice: Voice): string {
  return report.scenarios.filter((scenario) => !isStable(scenario)).map((scenario) =>
    `- ${briefLine(scenario, voice)} (${lifecycleWords(scenario, report, voice)})`
  ).join("\n");
}

/** What keeps a scenario apart, until when, and whether anything still does. */
function lifecycleWords(scenario: ReportScenario, report: Report, voice: Voice): string {
  const { words, format } = voice;
  const { knownFailing: known, lifecycle } = scenario;
  const parts: string[] = [words.lifecycles[lifecycle]];
  if (known !== undefined) {
    parts.push(words.ledger.knownUntil(format.day(known.until), voice.text(known.owner)));
    if (known.until < report.time.slice(0, 10)) parts.push(words.expired);
  }
  if (lifecycle === "known_failing" && scenario.verdict === "passed") {
    parts.push(`**${words.ledger.passesAgain}**`);
  }
  return parts.join("; ");
}

function overridesSection(report: Report, ledger: readonly LedgerRow[], voice: Voice): string {
  const { words, format } = voice;
  const today = report.time.slice(0, 10);
  const heads = words.overrideHeads;
  const overrides = ledger.filter((row) => row.kind === "override");
  const rows = showRows(overrides, today, report.scenarios).map(({ row, status, stale }) => [
    listed(row.rules.map(voice.code), voice),
    listed(row.scenarios.map(voice.code), voice),
    voice.text(row.reason),
    voice.text(row.by),
    format.day(row.date),
    row.until === null
      ? ""
      : `${format.day(row.until)}${status === "expired" ? ` (${words.expired})` : ""}${
        stale ? ` (${words.ledger.stale})` : ""
      }`,
  ]);
  if (rows.length === 0) return words.noOverrides;
  return markdownTable(
    [heads.rules, heads.scenarios, heads.reason, heads.by, heads.date, heads.until],
    rows,
  );
}

/** A known limit in the words of the locale, any other as it is. */
function limitsSection(report: Report, voice: Voice): string {
  const { words } = voice;
  const known: Readonly<Record<string, string>> = words.limits;
  const lines = report.limits.map((limit) =>
    `- ${Object.hasOwn(known, limit) ? known[limit] : voice.text(limit)}`
  );
  return lines.length === 0 ? words.noLimits : lines.join("\n");
}

function versionsSection(report: Report, voice: Voice): string {
  const { words } = voice;
  const rows = [
    ["gate", voice.code(`${report.gate.file} ${report.gate.hash}`)],
    ...Object.entries(report.versions).map(([name, version]) => [
      voice.code(name),
      version === null ? words.unknown : voice.code(version),
    ]),
  ];
  return markdownTable([words.name, words.value], rows);
}
