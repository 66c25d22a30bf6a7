/**
 * What must be known before anything else of a report? An agent that changed its own skill, a model
 * that is not the one meant. A report in, one line each out; names are escaped by the place's `code`.
 */
import { match } from "ts-pattern";
import type { Report } from "../model/report.ts";
import type { Words } from "./words.ts";

/** How a place tells them. */
export interface AlertVoice {
  readonly words: Words["alerts"];
  code(text: string): string;
  /** How many alerts, and how many names in each, are shown. */
  readonly most: number;
}

/** The lines, most often none. */
export function alertLines(report: Report, voice: AlertVoice): string[] {
  const { alerts = [] } = report;
  const left = alerts.length - voice.most;
  return [
    ...alerts.slice(0, voice.most).map((alert) => alertLine(alert, voice)),
    ...(left > 0 ? [`… (+${left})`] : []),
  ];
}

function alertLine(
  { kind, what, scenarios }: NonNullable<Report["alerts"]>[number],
  { words, code, most }: AlertVoice,
): string {
  const listed = (names: readonly string[]) => {
    const shown = names.slice(0, most).map(code).join(", ");
    return names.length > most ? `${shown}, … (+${names.length - most})` : shown;
  };
  const [first = "", ...others] = what;
  const said = match(kind)
    .with("source_changed", () => words.source_changed(listed(what)))
    .with("other_model", () => words.other_model(code(first), listed(others)))
    .with("other_baseline_model", () => words.other_baseline_model(code(first), listed(others)))
    .exhaustive();
  return scenarios.length === 0 ? said : `${said}${words.inScenarios(listed(scenarios))}`;
}
