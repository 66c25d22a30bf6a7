/**
 * What does it change that another run is the reference? The baseline and the one before it in;
 * lines for a terminal out: why it is no reference by itself, the scenarios that stand otherwise, the
 * figures that moved, and what it was measured with.
 */
import type { Baseline } from "../model/baseline.ts";
import { METRIC_NAMES } from "../model/metric_names.ts";
import type { Comparison, Metrics } from "../model/metrics.ts";
import type { VerdictKind } from "../model/verdict.ts";
import { listed, terminalVoice, type View, type Voice } from "./voice.ts";
import { baselineWordsOf } from "./words_baseline.ts";

/** Why a run is no reference by itself. */
export interface Unfit {
  readonly kind: "blocked" | "undecided" | "partial" | VerdictKind;
  readonly ids: readonly string[];
}

/** A baseline against the one of that name before it. */
export interface Moved {
  /** The new one as the candidate. */
  readonly comparison: Comparison;
  readonly former: Baseline;
  readonly figures: { readonly now: Metrics; readonly former: Metrics };
}

/** What was accepted; `moved` null where there was none of that name. */
export interface Accepted {
  readonly baseline: Baseline;
  readonly unfit: readonly Unfit[];
  readonly moved: Moved | null;
  /** False where the gate names no baseline, so that no run is compared with this one. */
  readonly compared: boolean;
}

const COUNTS: ReadonlySet<string> = new Set(["errored", "stale", "scenarios", "trials"]);

const KINDS = ["regressions", "fixed", "added", "removed", "changed", "errored", "stale"] as const;

/** Indented lines, each with its line feed. */
export function renderAccepted({ baseline, unfit, moved, compared }: Accepted, view: View): string {
  const voice = terminalVoice(view, baseline.currency);
  const words = baselineWordsOf(view.locale);
  const lines = [
    ...unfit.map((one) => words.although(words.unfit({ ...one, ids: one.ids.map(voice.code) }))),
    ...(moved === null ? [words.first] : movedLines(baseline, moved, { voice, words })),
    ...(compared ? [] : [words.notCompared(baseline.name)]),
    words.commit,
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

function movedLines(
  baseline: Baseline,
  { comparison, former, figures }: Moved,
  { voice, words }: {
    readonly voice: Voice;
    readonly words: ReturnType<typeof baselineWordsOf>;
  },
): string[] {
  const scenarios = KINDS.filter((kind) => comparison[kind].length > 0)
    .map((kind) => `${words.kinds[kind]}: ${listed(comparison[kind].map(voice.code), voice)}`);
  const shown = (value: string | null) =>
    value === null ? voice.words.absent : voice.code(value.replace(/^(sha256:.{12}).*/, "$1…"));
  const version = (name: "agent" | "model" | "prompt" | "prices") =>
    [words.versions[name], former.versions[name] ?? null, baseline.versions[name] ?? null] as const;
  const versions = [
    ...(["agent", "model", "prompt", "prices"] as const).map(version),
    [words.versions.evidence, former.evidence, baseline.evidence] as const,
    [words.versions.currency, former.currency, baseline.currency] as const,
  ].filter(([, from, to]) => from !== to)
    .map(([name, from, to]) => words.figure(name, shown(from), shown(to)));
  const metrics = METRIC_NAMES.filter((name) =>
    !COUNTS.has(name) && figures.now[name] !== figures.former[name]
  ).map((name) => {
    const of = ({ [name]: value }: Metrics) =>
      voice.format.metric(name, value) ?? voice.words.notMeasured;
    return words.figure(voice.words.metrics[name], of(figures.former), of(figures.now));
  });
  return [...(scenarios.length === 0 ? [words.same] : scenarios), ...metrics, ...versions];
}
