/** What is told of a plan: rows in, a table for a terminal in the locale's words out. */
import type { Locale } from "./words.ts";
import { points } from "./sure.ts";
import { terminalVoice } from "./voice.ts";

/** One number of trials, as the plan counts it. */
interface Row {
  readonly trials: number;
  readonly drop: number;
  readonly cost: number | null;
  readonly minutes: number | null;
}

/** A plan, ready to be told. `chosen`: trials within the budget, null where none was given or known. */
export interface ToldPlan {
  readonly scenarios: number;
  readonly runs: number;
  readonly currency: string;
  readonly rows: readonly Row[];
  readonly budget: boolean;
  readonly chosen: Row | null;
  /** How the run is started, without its trials. */
  readonly command: string;
}

/** Lines for a terminal, ending with a line feed. */
export function renderPlan(plan: ToldPlan, locale: Locale): string {
  const voice = terminalVoice({ locale, zone: "UTC" }, plan.currency);
  const { words, format } = voice;
  const say = words.sure.plan;
  const cells = (row: Row) => [
    format.number(row.trials),
    points(row.drop, voice),
    row.cost === null ? words.unknown : format.money(row.cost),
    row.minutes === null ? words.unknown : say.minutes(format.tenths(row.minutes)),
  ];
  const lines = [[say.trials, say.finds, say.costs, say.takes], ...plan.rows.map(cells)];
  const widths = [0, 1, 2, 3].map((at) =>
    Math.max(...lines.map((line) => (line[at] ?? "").length))
  );
  return [
    say.head(format, plan.scenarios, plan.runs),
    "",
    ...lines.map((line) =>
      line.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd()
    ),
    "",
    say.note,
    ...(plan.budget ? [budgetLine(plan, locale)] : []),
    "",
  ].join("\n");
}

function budgetLine({ chosen, command, currency }: ToldPlan, locale: Locale): string {
  const { words, format } = terminalVoice({ locale, zone: "UTC" }, currency);
  const say = words.sure.plan;
  if (chosen === null) return say.budgetUnknown;
  if (chosen.trials === 0) return say.budgetTooSmall;
  return say.within(format, chosen.trials, `${command} --trials ${chosen.trials}`);
}
