/**
 * What does the terminal show? One line a scenario as it ends; at the end the three numbers, the
 * decision with its reasons, the files written and the exact next command. Plain text: colour only
 * where the caller says that a terminal wants it, never a cursor move.
 */
import type { Baseline } from "../model/baseline.ts";
import type { DecisionVerdict } from "../model/gate.ts";
import type { MetricsSet } from "../model/metrics.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import type { EndedKind } from "../model/run.ts";
import type { Scenario } from "../model/scenario.ts";
import type { RunVerdict, VerdictKind } from "../model/verdict.ts";
import { alertLines } from "./alerts.ts";
import { describeConsequences, describeEnd } from "./consequences.ts";
import { conditionsWith, trialMarks, VERDICT_MARKS } from "./failed_conditions.ts";
import { describeReason, reasonLabel } from "./reasons.ts";
import { liftedLines, loosenedLines, loosenedTitle, verdictText } from "./loosened.ts";
import { sureLines } from "./sure.ts";
import { listed, terminalVoice, type View, type Voice } from "./voice.ts";
import { VERDICT_WORDS } from "./words.ts";

const CONSEQUENCES_MAX = 5;

const COLOURS = { green: 32, red: 31, yellow: 33, magenta: 35, dim: 2, bold: 1 } as const;
type Colour = keyof typeof COLOURS;

const VERDICT_COLOURS: Readonly<Record<VerdictKind, Colour>> = {
  passed: "green",
  failed: "red",
  errored: "magenta",
  stale: "yellow",
  skipped: "dim",
};

/** How each verdict of a decision is coloured. */
export const DECISION_COLOURS: Readonly<Record<DecisionVerdict, Colour>> = {
  pass: "green",
  warn: "yellow",
  block: "red",
  error: "magenta",
  not_enough_evidence: "yellow",
};

/** Colours a text, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

/** A painter that colours where the caller says so. */
export function painter(colour: boolean): Paint {
  return (name, text) => colour ? `\u001b[${COLOURS[name]}m${text}\u001b[0m` : text;
}

/** A run that has just ended, as its line needs it. */
export interface EndedRun {
  readonly scenario: Pick<Scenario, "id" | "lifecycle">;
  readonly verdict: Pick<RunVerdict, "verdict" | "conditions" | "trial">;
  readonly ended: { readonly kind: EndedKind; readonly detail?: string | undefined };
}

/** One line for one run that ended, with a line feed: its verdict, its id, what failed or stopped it. */
export function renderScenarioLine(
  run: EndedRun,
  view: { readonly locale: View["locale"]; readonly colour: boolean },
): string {
  const voice = terminalVoice({ locale: view.locale, zone: "UTC" }, "EUR");
  const { scenario, verdict, ended } = run;
  const { words } = voice;
  const trial = verdict.trial > 1 ? ` #${verdict.trial}` : "";
  const parts = [words.verdicts[verdict.verdict], ...openIds(verdict.conditions, voice)];
  if (ended.kind !== "completed") parts.push(describeEnd(ended.kind, voice));
  if (ended.detail !== undefined) parts.push(voice.text(ended.detail));
  if (scenario.lifecycle !== "stable") parts.push(words.lifecycles[scenario.lifecycle]);
  const mark = painter(view.colour)(
    VERDICT_COLOURS[verdict.verdict],
    VERDICT_MARKS[verdict.verdict],
  );
  return `${mark} ${voice.code(scenario.id)}${trial}  ${parts.join("; ")}\n`;
}

function openIds(conditions: RunVerdict["conditions"], voice: Voice): string[] {
  const open = conditions.filter(({ verdict }) => verdict === "failed" || verdict === "errored");
  return open.length === 0 ? [] : [open.map(({ id }) => voice.code(id)).join(", ")];
}

/** How far a run of the suite is, in one line without a line feed. */
export function renderProgress(
  done: { readonly runs: number; readonly of: number },
  locale: View["locale"],
): string {
  const { words, format } = terminalVoice({ locale, zone: "UTC" }, "EUR");
  return words.progress(format.number(done.runs), format.number(done.of));
}

/** For whom and where the summary is shown. `program`: how its command lines begin. */
export interface SummaryView extends View {
  readonly colour: boolean;
  readonly files: readonly string[];
  readonly program: { readonly replay: string; readonly live: string };
}

/** What stands at the end of a run, ending with a line feed. */
export function renderSummary(report: Report, view: SummaryView): string {
  const voice = terminalVoice(view, report.currency);
  const paint = painter(view.colour);
  const { words } = voice;
  const { decision } = report;
  const verdict = paint(DECISION_COLOURS[decision.verdict], VERDICT_WORDS[decision.verdict]);
  const next = nextCommand(report, view.program);
  const lines = [
    "",
    ...alerts(report, voice, paint),
    ...loosened(report, voice, paint),
    ...notPassed(report).flatMap((scenario) => scenarioLines(scenario, voice, paint)),
    ...headlineLines(report, voice),
    ...otherLines(report, voice),
    "",
    words.restsOn[decision.evidence],
    `${verdict}  decision: ${verdictText(decision)}`,
    ...liftedLines(decision, voice).map((line) => `  ${line}`),
    ...reasonLines(report, voice),
    ...sureLines(report, voice).map(({ title, text }) => `  ${title}: ${text}`),
    "",
    ...view.files.map((file) => `${words.files}: ${voice.text(file)}`),
    ...(next === "" ? [] : [`${words.next}: ${voice.code(next)}`]),
  ];
  return `${lines.join("\n")}\n`;
}

const ALERTS_MAX = 10;
const LOOSENED_MAX = 5;

/** What must be known first stands first. */
function alerts(report: Report, { words, code }: Voice, paint: Paint): string[] {
  const lines = alertLines(report, { words: words.alerts, code, most: ALERTS_MAX });
  return lines.length === 0 ? [] : [...lines.map((line) => paint("red", line)), ""];
}

/** That the gate was loosened stands before everything else of a decision. */
function loosened(report: Report, voice: Voice, paint: Paint): string[] {
  const title = loosenedTitle(report, voice);
  const lines = loosenedLines(report, voice, LOOSENED_MAX);
  if (lines.length === 0) return [];
  const head = title === "" ? [] : [paint("red", title)];
  return [...head, ...lines.map((line) => `  ${line}`), ""];
}

function notPassed(report: Report): ReportScenario[] {
  return report.scenarios.filter((scenario) =>
    scenario.verdict !== "passed" || scenario.lifecycle === "known_failing" ||
    conditionsWith(scenario, "failed").length > 0
  );
}

/** What a scenario did in plain words, and every condition that failed or is undecided. */
function scenarioLines(scenario: ReportScenario, voice: Voice, paint: Paint): string[] {
  const { words, format } = voice;
  const apart = scenario.lifecycle === "stable" ? "" : ` (${words.lifecycles[scenario.lifecycle]})`;
  const trials = scenario.trials.length > 1 ? `  ${trialMarks(scenario)}` : "";
  const mark = paint(VERDICT_COLOURS[scenario.verdict], VERDICT_MARKS[scenario.verdict]);
  const said = scenario.verdict === "passed" ? [] : describeConsequences(scenario, voice);
  const more = said.length > CONSEQUENCES_MAX
    ? [`  … ${words.more(format, said.length - CONSEQUENCES_MAX)}`]
    : [];
  const failed = conditionsWith(scenario, "failed");
  const undecided = conditionsWith(scenario, "errored");
  return [
    `${mark} ${voice.code(scenario.id)}${apart}${trials}  ${words.verdicts[scenario.verdict]}`,
    ...(scenario.lifecycle === "known_failing" && scenario.verdict === "passed"
      ? [`  ${words.ledger.passesAgain}`]
      : []),
    ...said.slice(0, CONSEQUENCES_MAX).map((line) => `  ${line}`),
    ...more,
    ...(failed.length === 0 ? [] : [`  ${words.outcomes.failed}: ${idsOf(failed, voice)}`]),
    ...(undecided.length === 0 ? [] : [`  ${words.undecided}: ${idsOf(undecided, voice)}`]),
    "",
  ];
}

function idsOf(conditions: readonly { readonly id: string }[], voice: Voice): string {
  return conditions.map(({ id }) => voice.code(id)).join(", ");
}

function headlineLines(report: Report, { words, format }: Voice): string[] {
  return (["taskSuccess", "costPerTask", "latencyP95Ms"] as const).map((name) => {
    const { value, baseline } = report.headline[name];
    const found = format.metric(name, value) ?? words.notMeasured;
    const before = format.metric(name, baseline);
    return `${words.metrics[name]}: ${found}${
      before === null ? "" : ` (${words.baseline} ${before})`
    }`;
  });
}

/** What may make the comparison another one than it looks, and that a run is only a part of one. */
const TOLD_LIMITS = [
  "cut_short",
  "baseline_moved",
  "other_agent",
  "other_model",
  "other_prompt",
  "other_prices",
  "other_notes",
] as const;

function otherLines({ limits, comparison }: Report, voice: Voice): string[] {
  const { words } = voice;
  const changed = comparison?.changed ?? [];
  return [
    ...TOLD_LIMITS.filter((limit) => limits.includes(limit)).map((limit) => words.limits[limit]),
    ...(changed.length === 0
      ? []
      : [`${words.comparison.changed}: ${listed(changed.map(voice.code), voice, 5)}`]),
  ];
}

/** Reasons that moved the decision; those that would let it pass stand in the report. */
function reasonLines(report: Report, voice: Voice): string[] {
  const telling = report.decision.reasons.filter(({ level }) => level !== "pass");
  if (telling.length === 0) {
    return report.decision.verdict === "pass" ? [`  ${rulesHold(report, voice)}`] : [];
  }
  return telling.map((reason) =>
    `  ${reasonLabel(reason, voice)}: ${describeReason(reason, voice)}`
  );
}

/** That all rules hold, and how many of them were not judged. */
function rulesHold({ decision }: Report, { words, format }: Voice): string {
  const unjudged = new Set(decision.reasons.flatMap(({ rule }) => rule ?? []));
  return unjudged.size === 0 ? words.noReasons : words.judgedHold(format, unjudged.size);
}

/** The command to go on with: see the first failure again, mend what is stale, set a baseline, go live. */
function nextCommand(report: Report, program: SummaryView["program"]): string {
  const { reasons, verdict, evidence } = report.decision;
  const again = scenarioToSee(report);
  if (again !== undefined) return again.reproduce;
  const stale = report.scenarios.find((scenario) => scenario.verdict === "stale");
  if (stale !== undefined) return `${program.replay} validate --only ${stale.id}`;
  if (report.partial || (verdict !== "pass" && verdict !== "not_enough_evidence")) return "";
  const complete = report.scenarios.every(({ verdict }) =>
    verdict === "passed" || verdict === "failed"
  );
  if (complete && reasons.some(({ kind }) => kind === "no_baseline")) {
    return `${program.replay} baseline accept --reason "…"`;
  }
  return evidence === "self_test" ? program.live : "";
}

/** A failed scenario that a reason names, else any failed stable one, else any that a reason names. */
function scenarioToSee(report: Report): ReportScenario | undefined {
  const telling = report.decision.reasons.filter(({ level }) => level !== "pass");
  const named = new Set(telling.flatMap(({ scenarios }) => scenarios));
  const { scenarios } = report;
  const isOpen = ({ verdict }: ReportScenario) => verdict === "failed" || verdict === "errored";
  return scenarios.find((one) => isOpen(one) && named.has(one.id)) ??
    scenarios.find((one) => isOpen(one) && one.lifecycle === "stable") ??
    scenarios.find((one) => one.verdict === "passed" && named.has(one.id));
}

/** What `baseline show` prints: where it came from, why, and its figures. */
export function renderBaseline(baseline: Baseline, measured: MetricsSet, view: View): string {
  const voice = terminalVoice(view, baseline.currency);
  const { words, format } = voice;
  const { overall } = measured;
  const lines = [
    words.baselineLine(voice.code(baseline.name), format.moment(baseline.acceptedAt)),
    words.baselineReason(voice.text(baseline.reason)),
    words.baselineFrom(voice.text(baseline.report), voice.text(baseline.commit ?? words.absent)),
    words.restsOn[baseline.evidence],
    words.baselineScores(format, overall.trials, overall.scenarios),
    ...(["taskSuccess", "costPerTask", "latencyP95Ms", "critical"] as const).map((name) =>
      `${words.metrics[name]}: ${format.metric(name, overall[name]) ?? words.notMeasured}`
    ),
  ];
  return `${lines.join("\n")}\n`;
}
