/**
 * What broke, in a few lines of a narrow terminal? A report in; the failed scenarios with their
 * gravest consequence, the rules that stop the commit, and the command that shows it again out. At
 * most 9 lines of 80 columns (a command is never cut).
 */
import type { DecisionVerdict } from "../model/gate.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { describeConsequences } from "./consequences.ts";
import { cut } from "./escape.ts";
import { VERDICT_MARKS } from "./failed_conditions.ts";
import { describeReason, reasonLabel } from "./reasons.ts";
import { terminalVoice, type View } from "./voice.ts";
import { hookWordsOf } from "./words_hook.ts";

/** Columns of the narrowest terminal that is served. */
export const COLUMNS = 80;

const SCENARIOS_MAX = 3;

/** The lines about a report whose decision stops or warns; none where it passed. */
export function renderHookLines(report: Report, view: View): string[] {
  const { verdict } = report.decision;
  if (verdict === "pass") return [];
  const voice = terminalVoice(view, report.currency);
  const words = hookWordsOf(view.locale);
  const telling = report.decision.reasons.filter(({ level }) => level === verdict);
  const named = new Set(telling.flatMap(({ scenarios }) => scenarios));
  const open = report.scenarios.filter((one) => isOpen(one, named));
  const lines = open.slice(0, SCENARIOS_MAX).flatMap((one, index) => {
    const [first = ""] = describeConsequences(one, voice);
    const line = `${VERDICT_MARKS[one.verdict]} ${voice.code(one.id)}: ${first}`;
    return index === 0 ? folded(line) : [narrow(line)];
  });
  if (open.length > SCENARIOS_MAX) lines.push(`  ${words.more(open.length - SCENARIOS_MAX)}`);
  const [reason, ...others] = telling;
  if (reason !== undefined) {
    lines.push(...folded(`  ${reasonLabel(reason, voice)}: ${describeReason(reason, voice)}`));
  }
  if (others.length > 0) {
    const rules = others.map((each) => each.rule ?? each.kind);
    lines.push(narrow(`  ${words.besides([...new Set(rules)].join(", "))}`));
  }
  const again = open.find(({ verdict }) => verdict === "failed" || verdict === "errored");
  if (again !== undefined && STOPS.includes(verdict)) {
    lines.push(`  ${words.seeIt(again.reproduce)}`);
  }
  return lines;
}

/** A line over at most two, the second indented. */
export function folded(line: string): string[] {
  const points = [...line];
  if (points.length <= COLUMNS) return [line];
  const blank = points.slice(0, COLUMNS).lastIndexOf(" ");
  const at = blank > COLUMNS / 2 ? blank : COLUMNS;
  return [
    points.slice(0, at).join(""),
    narrow(`    ${points.slice(at).join("").trimStart()}`),
  ];
}

const STOPS: readonly DecisionVerdict[] = ["block", "error"];

function isOpen({ id, verdict, lifecycle }: ReportScenario, named: ReadonlySet<string>): boolean {
  return named.has(id) ? verdict !== "passed" : verdict === "failed" && lifecycle === "stable";
}

/** At most so many lines: the first, and the last three, which say how it is seen again. */
export function clipped(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most - 3), ...lines.slice(-3)];
}

/** A line that fits. */
export function narrow(line: string): string {
  const points = [...line];
  return points.length <= COLUMNS ? line : `${points.slice(0, COLUMNS - 1).join("")}…`;
}

/** Ids by comma, at most six. */
export function shortList(ids: readonly string[], view: Pick<View, "locale">): string {
  const shown = ids.slice(0, 6).join(", ");
  return ids.length <= 6 ? shown : `${shown} ${hookWordsOf(view.locale).more(ids.length - 6)}`;
}

/** Text of a tool's own problems, cut to so many lines. */
export function problemLines(text: string, most: number): string[] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const rest = lines.length > most ? [`… (+${lines.length - most})`] : [];
  return [...lines.slice(0, most).map((line) => narrow(cut(line, 400))), ...rest];
}
