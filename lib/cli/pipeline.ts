/**
 * How do scenarios become a decision? load → run → judge → measure → compare → decide → report, on
 * one screen. The commands say which scenarios, which runs and where the report goes; nothing here
 * knows of options or exit codes.
 */
import { decide } from "../gate/decide.ts";
import { judgeRun } from "../judge/judge_run.ts";
import { compareScores } from "../measure/compare.ts";
import { measure } from "../measure/metrics.ts";
import { scoreRun } from "../measure/score.ts";
import type { Baseline } from "../model/baseline.ts";
import { type Config, DEFAULT_SEVERITIES, type Severities } from "../model/config.ts";
import type { Evidence, Gate } from "../model/gate.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Comparison, MetricsSet } from "../model/metrics.ts";
import type { Report } from "../model/report.ts";
import type { Change, Run, RunMode } from "../model/run.ts";
import type { Collector, JudgedRun } from "./collect.ts";

/** Judges one run and reduces it to a score; `changes` where the run's file stated them already. */
export async function judge(
  loaded: LoadedScenario,
  run: Run,
  { config, place, changes, skipped }: {
    readonly config: Config;
    readonly place: string | null;
    readonly changes?: readonly Change[];
    /** True where we stopped the run, or never started it. */
    readonly skipped?: boolean;
  },
): Promise<JudgedRun> {
  const judged = await judgeRun(loaded, run, {
    severities: severitiesOf(config),
    rates: config.rates,
    ...(changes === undefined ? {} : { changes }),
  });
  const verdict = skipped === true && !judged.critical
    ? { ...judged, verdict: "skipped" as const, stepScore: null, conditions: [] }
    : judged;
  return { loaded, run, verdict, score: scoreRun(loaded, run, verdict, config), place };
}

/** Everything that a decision and its report rest on, besides the collected runs. */
export interface Conclusion {
  readonly gate: Gate;
  readonly gateFile: string;
  readonly gateHash: string;
  readonly baseline: Baseline | null;
  readonly mode: RunMode;
  readonly evidence: Evidence;
  readonly partial: boolean;
  readonly strict: boolean;
  readonly ids: readonly string[];
  readonly config: Config;
  readonly command: string;
  readonly time: string;
  readonly versions: Report["versions"];
  readonly limits: Report["limits"];
}

/** Measures, compares with the baseline, decides by the gate, and states it all as a report. */
export async function conclude(collected: Collector, input: Conclusion): Promise<Report> {
  const { gate, baseline, partial, evidence, mode, strict } = input;
  const scores = collected.scores;
  const candidate = measure(scores);
  const compared = baseline === null ? null : compareScores(scores, baseline, { partial });
  const narrowed = compared === null ? null : measure(compared.narrowed);
  const relative = relativeTo(baseline, evidence);
  const decision = await decide({
    gate,
    mode,
    evidence,
    candidate,
    baseline: narrowed,
    equals: compared === null || relative !== "judged"
      ? null
      : { candidate: measure(compared.candidate), baseline: measure(compared.baseline) },
    scores,
    removedTasks: compared?.removedTasks ?? [],
    relative,
    partial,
    ledger: [],
    invalid: invalidInputs(baseline, input.config),
    strict,
  });
  return {
    schema: "collaudo/report@1",
    time: input.time,
    mode,
    command: input.command,
    partial,
    currency: input.config.currency,
    decision,
    headline: headline(candidate, narrowed),
    gate: {
      name: gate.gate,
      version: gate.version,
      hash: input.gateHash,
      file: input.gateFile,
    },
    versions: input.versions,
    metrics: candidate,
    baseline: narrowed,
    comparison: comparisonOf(compared),
    scenarios: collected.scenarios(input.ids),
    limits: input.limits,
  };
}

function relativeTo(
  baseline: Baseline | null,
  evidence: Evidence,
): "judged" | "no_baseline" | "self_test_baseline" {
  if (baseline === null) return "no_baseline";
  return baseline.evidence === "self_test" && evidence !== "self_test"
    ? "self_test_baseline"
    : "judged";
}

function invalidInputs(baseline: Baseline | null, config: Config): string[] {
  if (baseline === null || baseline.currency === config.currency) return [];
  return [`the baseline counts in ${baseline.currency}, the configuration in ${config.currency}`];
}

function comparisonOf(compared: { readonly comparison: Comparison } | null): Comparison | null {
  return compared?.comparison ?? null;
}

function headline(candidate: MetricsSet, baseline: MetricsSet | null): Report["headline"] {
  const pair = (name: "taskSuccess" | "costPerTask" | "latencyP95Ms") => ({
    value: candidate.overall[name],
    baseline: baseline?.overall[name] ?? null,
  });
  return {
    taskSuccess: pair("taskSuccess"),
    costPerTask: pair("costPerTask"),
    latencyP95Ms: pair("latencyP95Ms"),
  };
}

/** The severities that hold in a project. */
export function severitiesOf(config: Config): Severities {
  const configured = Object.entries(config.severities).filter(([, value]) => value !== undefined);
  return { ...DEFAULT_SEVERITIES, ...Object.fromEntries(configured) };
}
