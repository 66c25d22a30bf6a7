/**
 * What does `validate --strength` tell? Strength by suite and scenario, survivors with the call
 * concerned and the check that is missing, coverage; as text for a terminal in the locale, or as one
 * JSON document for programs.
 */
import { match } from "ts-pattern";
import {
  type CallAt,
  MUTANTS_MIN,
  type Mutation,
  type ScenarioStrength,
  type StrengthFigures,
  type SuiteCoverage,
  type SuiteStrength,
  type TriedMutant,
} from "../model/mutation.ts";
import { type ToolEffect } from "../model/tool.ts";
import { escapeTerminal } from "./escape.ts";
import { createFormat, type Format } from "./format.ts";
import { shortJson } from "./short_json.ts";
import type { Locale } from "./words.ts";
import { type StrengthWords, strengthWords } from "./words_strength.ts";

const ARGS_MAX = 140;
const TEXT_MAX = 80;
const LINE_MAX = 10_000;

/** How the effect of a tool is known where a survivor is explained. */
export type EffectOf = (suite: string, tool: string) => ToolEffect;

/** What the report is made of. */
export interface StrengthReport {
  readonly suites: readonly SuiteStrength[];
  /** Empty where only a selection was looked at: it says nothing of what is left out. */
  readonly coverage: readonly SuiteCoverage[];
  readonly effectOf: EffectOf;
}

/** A survivor as programs read it. */
export interface ToldSurvivor {
  readonly kind: Mutation["kind"];
  readonly what: string;
  readonly missing: string;
}

interface Teller {
  readonly locale: Locale;
  readonly words: StrengthWords;
  readonly format: Format;
  readonly effectOf: EffectOf;
}

function tellerOf(effectOf: EffectOf, locale: Locale): Teller {
  const format = createFormat(locale, "UTC", "EUR");
  return { locale, words: strengthWords(locale), format, effectOf };
}

/** The document of `--strength --json`. */
export function strengthJson({ suites, effectOf }: StrengthReport, locale: Locale): {
  readonly suites: readonly { readonly id: string; readonly strength: number | null }[];
  readonly scenarios: readonly {
    readonly id: string;
    readonly strength: number | null;
    readonly survivors: readonly ToldSurvivor[];
  }[];
} {
  const teller = tellerOf(effectOf, locale);
  return {
    suites: suites.map(({ id, strength }) => ({ id, strength })),
    scenarios: suites.flatMap(({ scenarios }) =>
      scenarios.map((one) => ({
        id: one.id,
        strength: one.strength,
        survivors: one.survivors.map((survivor) => tellSurvivor(teller, one.suite, survivor)),
      }))
    ),
  };
}

/** One survivor in words: what was spoilt, and which check would notice. */
export function describeSurvivor(
  survivor: TriedMutant,
  { suite, locale, effectOf }: {
    readonly suite: string;
    readonly locale: Locale;
    readonly effectOf: EffectOf;
  },
): ToldSurvivor {
  return tellSurvivor(tellerOf(effectOf, locale), suite, survivor);
}

function tellSurvivor(teller: Teller, suite: string, survivor: TriedMutant): ToldSurvivor {
  const { words } = teller;
  const { mutation, recording, soft } = survivor;
  const what = `${describeMutation(mutation, words)} (${words.recording(recording)})`;
  const missing = soft.length > 0
    ? words.checks.soft(soft.join(", "))
    : missingCheck(teller, suite, mutation);
  return { kind: mutation.kind, what, missing };
}

/** A mutation in words, on one line. */
export function describeMutation(mutation: Mutation, words: StrengthWords): string {
  const say = words.mutations;
  const call = (one: CallAt) => words.call(one.nth, shownCall(one));
  return match(mutation)
    .with({ kind: "drop_call" }, (one) => say.drop_call(call(one.call)))
    .with({ kind: "swap_calls" }, (one) => say.swap_calls(call(one.call), call(one.other)))
    .with({ kind: "change_argument" }, (one) => {
      const from = shortJson(one.from, TEXT_MAX);
      return one.to === undefined
        ? say.argument_left_out(call(one.call), one.argument, from)
        : say.change_argument(call(one.call), one.argument, from, shortJson(one.to, TEXT_MAX));
    })
    .with({ kind: "repeat_write" }, (one) => say.repeat_write(call(one.call)))
    .with(
      { kind: "early_write" },
      (one) => say.early_write(call(one.call), quoted(one.before)),
    )
    .with({ kind: "forbidden_attempt" }, (one) => {
      const times = one.times > 1 ? ` ×${one.times}` : "";
      return `${say.forbidden_attempt(call(one.call))}${times}`;
    })
    .with({ kind: "unrelated_write" }, (one) => say.unrelated_write(call(one.call)))
    .with(
      { kind: "no_confirmation" },
      (one) => say.no_confirmation(call(one.call), quoted(one.question)),
    )
    .with({ kind: "final_text" }, (one) => say[one.how](quoted(one.text)))
    .exhaustive();
}

function missingCheck({ words, effectOf }: Teller, suite: string, mutation: Mutation): string {
  const { checks } = words;
  return match(mutation)
    .with({ kind: "drop_call" }, ({ call }) => {
      const effect = effectOf(suite, call.tool);
      if (effect === "read") return checks.drop_read(call.tool);
      return effect === "ask" ? checks.drop_ask() : checks.drop_call(call.tool);
    })
    .with({ kind: "swap_calls" }, ({ call, other }) => checks.swap_calls(call.tool, other.tool))
    .with(
      { kind: "change_argument" },
      ({ call, argument }) =>
        effectOf(suite, call.tool) === "read"
          ? checks.change_read(call.tool, argument)
          : checks.change_argument(call.tool, argument),
    )
    .with({ kind: "repeat_write" }, ({ call }) => checks.repeat_write(call.tool))
    .with({ kind: "early_write" }, ({ call }) => checks.early_write(call.tool))
    .with({ kind: "forbidden_attempt" }, ({ call }) => checks.forbidden_attempt(call.tool))
    .with({ kind: "unrelated_write" }, ({ call }) => checks.unrelated_write(call.tool))
    .with({ kind: "no_confirmation" }, ({ call }) => checks.no_confirmation(call.tool))
    .with({ kind: "final_text" }, () => checks.final_text())
    .exhaustive();
}

function shownCall({ tool, args }: CallAt): string {
  return `${tool} ${shortJson(args, ARGS_MAX)}`;
}

function quoted(text: string): string {
  return `“${text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX - 1)}…` : text}”`;
}

/** The report for people, ending with a line feed. */
export function renderStrength(report: StrengthReport, locale: Locale): string {
  const teller = tellerOf(report.effectOf, locale);
  const { words } = teller;
  const scenarios = report.suites.flatMap((suite) => suite.scenarios);
  const lines = [
    words.title,
    "",
    ...report.suites.flatMap((suite) => suiteLines(suite, teller)),
    ...survivorLines(scenarios, teller),
    ...listOf(
      words.voiceSurvivors,
      scenarios,
      (one) =>
        one.voiceSurvivors.map(({ mutation, recording }) =>
          `${describeMutation(mutation, words)} (${words.recording(recording)})`
        ),
    ),
    ...listOf(
      words.invalids,
      scenarios,
      (one) =>
        one.invalids.map(({ mutation, why }) => `${describeMutation(mutation, words)}: ${why}`),
    ),
    ...coverageLines(report.coverage, teller),
    ...warnings(scenarios, teller),
  ];
  return `${lines.map((line) => escapeTerminal(line, LINE_MAX)).join("\n").trimEnd()}\n`;
}

function suiteLines(suite: SuiteStrength, teller: Teller): string[] {
  return [
    `${suite.id}  ${figures(suite, teller)}`,
    ...suite.scenarios.map((one) => `  ${one.id}  ${figures(one, teller)}`),
    "",
  ];
}

function figures(one: StrengthFigures, { words, format }: Teller): string {
  const strength = one.strength === null ? words.notMeasured : format.percent(one.strength);
  return [
    strength,
    words.figures(format, one.killed, one.counted),
    words.apart(format, one.equivalent, one.invalid),
    words.voice(format, one.voice.killed, one.voice.counted),
  ].join("; ");
}

function survivorLines(scenarios: readonly ScenarioStrength[], teller: Teller): string[] {
  const { words } = teller;
  if (scenarios.every(({ survivors }) => survivors.length === 0)) return [words.noSurvivors, ""];
  return listOf(words.survivors, scenarios, (one) =>
    one.survivors.flatMap((survivor) => {
      const { what, missing } = tellSurvivor(teller, one.suite, survivor);
      return [what, `  ${words.missing}: ${missing}`];
    }));
}

function listOf(
  title: string,
  scenarios: readonly ScenarioStrength[],
  told: (one: ScenarioStrength) => readonly string[],
): string[] {
  const lines = scenarios.flatMap((one) => {
    const own = told(one);
    return own.length === 0 ? [] : [`  ${one.id}`, ...own.map((line) => `    ${line}`)];
  });
  return lines.length === 0 ? [] : [title, ...lines, ""];
}

const COVERED = ["tools", "effects", "faults", "categories", "risks", "outcomes"] as const;

/** What a suite does not touch and its duplicates, one line each. */
export function coverageTold(one: SuiteCoverage, locale: Locale): string[] {
  const words = strengthWords(locale);
  const left = COVERED.flatMap((kind) =>
    one[kind].length === 0 ? [] : [`${words.coverageOf[kind]}: ${one[kind].join(", ")}`]
  );
  return [
    ...(left.length === 0 ? [words.allTouched] : left),
    ...one.duplicates.map((ids) => words.duplicates(ids.join(", "))),
  ];
}

function coverageLines(
  coverage: readonly SuiteCoverage[],
  { words, locale }: Teller,
): string[] {
  if (coverage.length === 0) return [];
  return [
    words.coverage,
    ...coverage.flatMap((one) => [
      `  ${one.suite}`,
      ...coverageTold(one, locale).map((line) => `    ${line}`),
    ]),
    "",
  ];
}

function warnings(scenarios: readonly ScenarioStrength[], { words, format }: Teller): string[] {
  return scenarios.flatMap((one) => {
    const { id, risk, survivors, counted } = one;
    return [
      ...(risk === "critical" && survivors.length > 0
        ? [`${words.warning}: ${words.criticalSurvivor(format, id, survivors.length)}`]
        : []),
      ...(counted < MUTANTS_MIN
        ? [`${words.warning}: ${id}: ${words.few(format, counted, MUTANTS_MIN)}`]
        : []),
    ];
  });
}
