/**
 * How do build servers see a run? A report in, JUnit XML out, in English: one suite a task, one case
 * a scenario. Failed conditions stand as `failure` with what was expected and found; errored ones as
 * `error`; what was stale or skipped, and what is not stable, as `skipped` with its reason.
 */
import type { Json } from "../model/json.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import type { ConditionVerdict } from "../model/verdict.ts";
import { alertLines } from "./alerts.ts";
import { describeConsequences } from "./consequences.ts";
import { cut, xmlAttribute, xmlText } from "./escape.ts";
import { conditionsWith, shownTrial } from "./failed_conditions.ts";
import { shortJson } from "./short_json.ts";
import { terminalVoice } from "./voice.ts";
import { wordsOf } from "./words.ts";

const SENTENCES_MAX = 8;
const ALERTS = { words: wordsOf("en").alerts, code: (text: string) => text, most: 100 };

type CaseKind = "passed" | "failure" | "error" | "skipped";

/** The whole of `junit.xml`, ending with a line feed. */
export function renderJunit(report: Report): string {
  const tasks = Map.groupBy(report.scenarios, ({ task }) => task);
  const suites = [...tasks].map(([task, scenarios]) => suiteOf(task, scenarios, report));
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="collaudo ${xmlAttribute(report.gate.name)}" ${counts(report.scenarios)}>`,
    ...suites,
    `</testsuites>`,
    "",
  ].join("\n");
}

function counts(scenarios: readonly ReportScenario[]): string {
  const count = (kind: CaseKind) => scenarios.filter((one) => kindOf(one) === kind).length;
  return `tests="${scenarios.length}" failures="${count("failure")}" errors="${
    count("error")
  }" skipped="${count("skipped")}"`;
}

function suiteOf(task: string, scenarios: readonly ReportScenario[], report: Report): string {
  const properties = [
    `<property name="decision" value="${report.decision.verdict}"/>`,
    `<property name="evidence" value="${report.decision.evidence}"/>`,
    ...(report.decision.overridden ?? []).map(({ id, by, reason }) =>
      `<property name="overridden" value="${xmlAttribute(`${id} by ${by}: ${reason}`)}"/>`
    ),
    ...alertLines(report, ALERTS).map((line) =>
      `<property name="alert" value="${xmlAttribute(line)}"/>`
    ),
    ...(report.gateLoosened ?? []).map(({ what }) =>
      `<property name="gate loosened" value="${xmlAttribute(what)}"/>`
    ),
    ...(report.judgedBy === undefined
      ? []
      : [`<property name="judged by" value="${xmlAttribute(report.judgedBy.by)}"/>`]),
  ];
  return [
    `<testsuite name="${xmlAttribute(task)}" ${counts(scenarios)} timestamp="${
      xmlAttribute(report.time)
    }">`,
    `<properties>${properties.join("")}</properties>`,
    ...scenarios.map((scenario) => caseOf(scenario, report)),
    `</testsuite>`,
  ].join("\n");
}

function kindOf(scenario: ReportScenario): CaseKind {
  if (scenario.verdict === "passed") return "passed";
  if (scenario.lifecycle !== "stable") return "skipped";
  if (scenario.verdict === "failed") return "failure";
  return scenario.verdict === "errored" ? "error" : "skipped";
}

function caseOf(scenario: ReportScenario, report: Report): string {
  const time = scenario.usage.latencyMs === null
    ? ""
    : ` time="${(scenario.usage.latencyMs / 1000).toFixed(3)}"`;
  const file = scenario.file === "" ? "" : ` file="${xmlAttribute(scenario.file)}"`;
  const head = `<testcase name="${xmlAttribute(scenario.id)}" classname="${
    xmlAttribute(`${scenario.task}.${scenario.category}`)
  }"${file}${time}`;
  const body = bodyOf(scenario, report);
  return body === "" ? `${head}/>` : `${head}>${body}</testcase>`;
}

function bodyOf(scenario: ReportScenario, report: Report): string {
  const kind = kindOf(scenario);
  const details = detailsOf(scenario, report);
  if (kind === "passed") return details === "" ? "" : `<system-out>${details}</system-out>`;
  const message = xmlAttribute(messageOf(scenario, report));
  if (kind === "skipped") {
    const out = details === "" ? "" : `<system-out>${details}</system-out>`;
    return `<skipped message="${message}"/>${out}`;
  }
  const type = kind === "error" ? "errored" : scenario.sideEffects.critical ? "critical" : "failed";
  return `<${kind} message="${message}" type="${type}">${details}</${kind}>`;
}

function messageOf(scenario: ReportScenario, report: Report): string {
  const [first] = describeConsequences(scenario, englishVoice(report));
  const detail = shownTrial(scenario)?.detail;
  const state = scenario.lifecycle === "stable" ? "" : `${scenario.lifecycle}: `;
  const why = scenario.verdict === "failed" ? first : detail ?? first;
  return `${state}${scenario.verdict}${why === undefined ? "" : `: ${why}`}`;
}

/** Each condition that failed or is undecided, with what was expected and found. */
function detailsOf(scenario: ReportScenario, report: Report): string {
  const open = [...conditionsWith(scenario, "failed"), ...conditionsWith(scenario, "errored")];
  if (open.length === 0) return "";
  const sentences = scenario.verdict === "passed"
    ? []
    : describeConsequences(scenario, englishVoice(report)).slice(0, SENTENCES_MAX);
  const lines = [...sentences, ...open.map(conditionText)];
  return xmlText(`\n${lines.join("\n")}\n`, Infinity);
}

function conditionText(condition: ConditionVerdict): string {
  const lines = [
    `${condition.id}: ${condition.verdict}`,
    `  expected: ${jsonText(condition.expected)}`,
    `  actual: ${jsonText(condition.actual)}`,
    `  at: ${condition.at}`,
  ];
  if (condition.expression !== undefined) lines.push(`  expression: ${condition.expression}`);
  return lines.map((line) => cut(line, 1000)).join("\n");
}

function jsonText(value: Json): string {
  return typeof value === "string" ? cut(value, 900) : shortJson(value, 900);
}

/** Machine files are English, whatever the locale. */
function englishVoice(report: Report) {
  return terminalVoice({ locale: "en", zone: "UTC" }, report.currency);
}
