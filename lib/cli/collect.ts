/**
 * What is kept of many runs? Scores of all, and of each scenario the details of its first run with
 * the worst verdict; a run itself is let go as soon as it is added, so that a stream of any length
 * fits in memory.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import type { Score } from "../model/metrics.ts";
import type { ReportAlert, ReportScenario, Trial } from "../model/report.ts";
import type { Run, RunAlert } from "../model/run.ts";
import type { RunVerdict, VerdictKind } from "../model/verdict.ts";
import { finalText } from "../expression/conversation.ts";
import { WORST_FIRST } from "../measure/worst.ts";
import { type Program, reproduceCommand } from "./reproduce.ts";

/** One judged run, with where its run file lies (null: nowhere). */
export interface JudgedRun {
  readonly loaded: LoadedScenario;
  readonly run: Run;
  readonly verdict: RunVerdict;
  readonly score: Score;
  readonly place: string | null;
}

/** Gathers judged runs into the scenarios of a report. */
export class Collector {
  readonly #scenarios = new Map<string, ReportScenario & { trials: Trial[] }>();
  readonly #alerts = new Map<string, ReportAlert>();
  readonly scores: Score[] = [];

  constructor(private readonly program: Program) {}

  add(judged: JudgedRun): void {
    const { loaded, verdict } = judged;
    this.scores.push(judged.score);
    for (const alert of judged.run.alerts ?? []) this.#alert(loaded.scenario.id, alert);
    const known = this.#scenarios.get(loaded.scenario.id);
    const trials = known?.trials ?? [];
    trials.push(trialOf(judged));
    if (known === undefined || isWorse(verdict.verdict, known.verdict)) {
      this.#scenarios.set(loaded.scenario.id, { ...detailsOf(judged, this.program), trials });
    }
  }

  /** The scenarios in the order of `ids`. */
  scenarios(ids: readonly string[]): ReportScenario[] {
    return ids.flatMap((id) => this.#scenarios.get(id) ?? []);
  }

  /** What must be known first, each once with the scenarios that it is about. */
  alerts(): ReportAlert[] {
    return [...this.#alerts.values()];
  }

  #alert(id: string, { kind, what }: RunAlert): void {
    const key = JSON.stringify([kind, what]);
    const scenarios = new Set(this.#alerts.get(key)?.scenarios).add(id);
    this.#alerts.set(key, { kind, what, scenarios: [...scenarios] });
  }

  has(id: string): boolean {
    return this.#scenarios.has(id);
  }
}

function isWorse(a: VerdictKind, b: VerdictKind): boolean {
  return WORST_FIRST.indexOf(a) < WORST_FIRST.indexOf(b);
}

function trialOf({ run, verdict, score, place }: JudgedRun): Trial {
  return {
    trial: verdict.trial,
    verdict: verdict.verdict,
    ended: run.ended.kind,
    detail: run.ended.detail ?? null,
    run: place,
    failed: verdict.conditions.filter((each) =>
      each.verdict === "failed" || each.verdict === "errored"
    ),
    score,
  };
}

function detailsOf(
  { loaded, run, verdict }: JudgedRun,
  program: Program,
): Omit<ReportScenario, "trials"> {
  const { scenario } = loaded;
  return {
    id: scenario.id,
    description: scenario.description,
    file: loaded.file,
    hash: loaded.hash,
    task: scenario.task,
    category: scenario.category,
    risk: scenario.risk,
    lifecycle: scenario.lifecycle,
    ...(scenario.known_failing === undefined ? {} : { knownFailing: scenario.known_failing }),
    recording: run.recording ?? null,
    verdict: verdict.verdict,
    stepScore: verdict.stepScore,
    request: run.events.flatMap((event) =>
      event.kind === "message" && event.role === "user" ? [event.text] : []
    ),
    final: finalText(run.events),
    claimedSuccess: verdict.claimedSuccess,
    sideEffects: {
      penalty: verdict.penalty,
      critical: verdict.critical,
      changes: [...verdict.changes],
    },
    attempts: [...verdict.attempts],
    conditions: [...verdict.conditions],
    rubric: scenario.expected.rubric.map(({ id, ask }) => ({ id, ask })),
    usage: verdict.usage,
    notes: [...verdict.notes],
    reproduce: reproduceCommand(program, {
      scenario: scenario.id,
      mode: run.mode,
      recording: run.recording ?? null,
    }),
  };
}
