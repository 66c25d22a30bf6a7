/**
 * How do scenarios become a decision? load → run → judge → measure → compare → decide → report, on
 * one screen. The commands say which scenarios, which runs and where the report goes; nothing here
 * knows of options or exit codes.
 */
import { decide, stricter } from "../gate/decide.ts";
import { overrideDecision } from "../gate/override.ts";
import { judgeRun } from "../judge/judge_run.ts";
import { compareScores } from "../measure/compare.ts";
import { weigh } from "../measure/evidence.ts";
import { measure } from "../measure/metrics.ts";
import { scoreRun } from "../measure/score.ts";
import { differingReplays } from "../measure/trials.ts";
import type { GateInput } from "../gate/input.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Config, Severities } from "../model/config.ts";
import { DEFAULT_SEVERITIES } from "../model/severities.ts";
import type { Evidence, Gate } from "../model/gate.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { LedgerRow } from "../model/ledger.ts";
import { ledgerStatus } from "../model/ledger_rows.ts";
import type { Comparison, MetricsSet, Score } from "../model/metrics.ts";
import type { Report } from "../model/report.ts";
import type { Change, Run, RunMode } from "../model/run.ts";
import type { Collector, JudgedRun } from "./collect.ts";
import type { Standing } from "./standing.ts";

/** What is said of a run that we stopped or never started: nothing that it did or did not do. */
const NOT_JUDGED = {
  verdict: "skipped",
  stepScore: null,
  penalty: 0,
  claimedSuccess: false,
  changes: [],
  conditions: [],
  notes: [],
} as const;

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
  const verdict = skipped === true && !judged.critical ? { ...judged, ...NOT_JUDGED } : judged;
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
  /** The caps of the run, where any were set. */
  readonly budgets?: Pick<Report, "budgetEur" | "budgetMinutes">;
  /** What else has a say; absent where nobody asked. */
  readonly standing?: Standing;
}

/** Measures, compares with the baseline, decides by the gate, and states it all as a report. */
export async function conclude(collected: Collector, input: Conclusion): Promise<Report> {
  const { gate, baseline, standing } = input;
  const candidate = measure(collected.scores);
  const judge = (by: { readonly gate: Gate; readonly baseline: Baseline | null }) =>
    judgeBy(by, { scores: collected.scores, candidate, input });
  const own = await judge({ gate, baseline });
  const base = standing?.base ?? null;
  const former = standing?.former ?? null;
  const byBase = base === null
    ? null
    : (await judge({ gate: base.gate, baseline: former ?? base.baseline })).decision;
  const byGates = byBase === null ? own.decision : stricter(own.decision, byBase);
  const byFormer = former === null ? null : (await judge({ gate, baseline: former })).decision;
  const decided = byFormer === null ? byGates : stricter(byGates, byFormer);
  const { compared, narrowed, statistics } = own;
  const isChance = input.mode !== "replay" || collected.scores.some(({ trial }) => trial > 1);
  return {
    schema: "collaudo/report@1",
    time: input.time,
    mode: input.mode,
    command: input.command,
    partial: input.partial,
    currency: input.config.currency,
    ...input.budgets,
    decision: standing === undefined
      ? decided
      : overrideDecision(decided, { ...standing, standing: standing.overrides }, input.strict),
    headline: headline(candidate, narrowed),
    gate: {
      name: gate.gate,
      version: gate.version,
      hash: input.gateHash,
      file: input.gateFile,
    },
    ...standingParts(standing, decided === byBase),
    versions: input.versions,
    metrics: candidate,
    baseline: narrowed,
    comparison: comparisonOf(compared),
    ...(isChance ? { statistics } : {}),
    scenarios: collected.scenarios(input.ids),
    ...alertsOf(collected, baseline, input.versions),
    limits: [
      ...input.limits,
      ...(former === null ? [] : ["baseline_moved"]),
      ...otherThanBaseline(baseline, input.versions),
      ...otherNotes(baseline, input.versions),
    ],
  };
}

/** One gate's decision about the scores, and what they were compared with. */
async function judgeBy(
  { gate, baseline }: { readonly gate: Gate; readonly baseline: Baseline | null },
  { scores, candidate, input }: {
    readonly scores: readonly Score[];
    readonly candidate: MetricsSet;
    readonly input: Conclusion;
  },
) {
  const { partial, evidence, mode, strict, standing } = input;
  const compared = baseline === null ? null : compareScores(scores, baseline, { partial });
  const narrowed = compared === null ? null : measure(compared.narrowed);
  const relative = relativeTo(baseline, evidence, compared);
  const statistics = weigh({
    gate,
    live: mode !== "replay",
    scores,
    equals: relative === "judged" ? compared : null,
  });
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
    statistics,
    relative,
    partial,
    ledger: openRows(standing),
    invalid: [...invalidInputs(baseline, input.config), ...unsteady(scores, mode)],
    strict,
  });
  return { decision, compared, narrowed, statistics };
}

/** The overrides that hold today: what rules see as `ledger`. */
function openRows(standing: Standing | undefined): LedgerRow[] {
  return (standing?.overrides ?? []).filter((row) =>
    ledgerStatus(row, standing?.today ?? "") === "open"
  );
}

/** What a report says of the base branch and of the overrides in the history; nothing where nothing is. */
function standingParts(standing: Standing | undefined, byBase: boolean) {
  if (standing === undefined) return {};
  const { base, loosened, overrides } = standing;
  return {
    ...(base === null ? {} : {
      judgedBy: {
        by: byBase ? "base" as const : "own" as const,
        ref: base.ref,
        version: base.gate.version,
        hash: base.hash,
      },
    }),
    ...(loosened.length === 0 ? {} : { gateLoosened: [...loosened] }),
    ...(overrides.length === 0 ? {} : { overrides: [...overrides] }),
  };
}

function relativeTo(
  baseline: Baseline | null,
  evidence: Evidence,
  compared: ReturnType<typeof compareScores> | null,
): GateInput["relative"] {
  if (baseline === null || compared === null) return "no_baseline";
  if (baseline.evidence === "self_test" && evidence !== "self_test") return "self_test_baseline";
  return compared.narrowed.length > 0 && compared.candidate.length === 0 ? "no_equals" : "judged";
}

function invalidInputs(baseline: Baseline | null, config: Config): string[] {
  if (baseline === null || baseline.currency === config.currency) return [];
  return [`the baseline counts in ${baseline.currency}, the configuration in ${config.currency}`];
}

/** What must be known first; nothing where nothing is. */
function alertsOf(
  collected: Collector,
  baseline: Baseline | null,
  versions: Report["versions"],
): Pick<Report, "alerts"> {
  const [then, now] = [baseline?.versions["model"] ?? null, versions["model"] ?? null];
  const other = then === null || now === null || then === now
    ? []
    : [{ kind: "other_baseline_model" as const, what: [then, now], scenarios: [] }];
  const alerts = [...collected.alerts(), ...other];
  return alerts.length === 0 ? {} : { alerts };
}

/** What the baseline was measured with, and this run was not: said, as it may be why they differ. */
function otherThanBaseline(baseline: Baseline | null, versions: Report["versions"]): string[] {
  return ["agent", "model", "prompt", "prices"].filter((name) => {
    const [then, now] = [baseline?.versions[name] ?? null, versions[name] ?? null];
    return then !== null && now !== null && then !== now;
  }).map((name) => `other_${name}`);
}

/** What a hook notes for itself, other in each run. */
const OWN_NOTE = "note.tree";

/** Runs under other notes are comparable, but not the same: said. */
function otherNotes(baseline: Baseline | null, versions: Report["versions"]): string[] {
  const notesOf = (all: Report["versions"]) =>
    JSON.stringify(
      Object.keys(all).filter((name) => name.startsWith("note.") && name !== OWN_NOTE).sort()
        .map((name) => [name, all[name]]),
    );
  if (baseline === null || notesOf(baseline.versions) === notesOf(versions)) return [];
  return ["other_notes"];
}

/** Replays of one input that differ: something in the harness is left to chance. */
function unsteady(scores: readonly Score[], mode: RunMode): string[] {
  const ids = mode === "replay" ? differingReplays(scores) : [];
  return ids.map((id) => `two replays of "${id}" differ`);
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
