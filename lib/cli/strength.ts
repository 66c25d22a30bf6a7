/**
 * How strong is a scenario? Plays its passing recordings, makes mutants of each, runs those that
 * differ from every passing run, and judges them. Out: what became of every mutant. Runs nothing of
 * the owner's: recordings and scripts over simulated tools only.
 */
import { judgeRun } from "../judge/judge_run.ts";
import { scenarioStrength } from "../measure/strength.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import { type Mutant, MUTANTS_MIN, type ScenarioStrength } from "../model/mutation.ts";
import type { TriedMutant } from "../model/mutation.ts";
import type { Run } from "../model/run.ts";
import type { RunVerdict } from "../model/verdict.ts";
import { wordsOfMutants } from "../report/words_strength.ts";
import { type Fingerprint, fingerprintOf, isEquivalent } from "../run/equivalence.ts";
import { mutantsOf, type PassingRun, passingRun } from "../run/mutants.ts";
import { replayModel } from "../run/replay_model.ts";
import { overhear, playScript } from "../run/script.ts";
import type { ChosenAgent } from "./agents.ts";
import { severitiesOf } from "./pipeline.ts";
import { playWith } from "./play.ts";
import type { Session } from "./session.ts";

/** How many are made of one argument and of one tool: at first, and where too few mutants count. */
const ROUNDS = [
  { valuesMax: 3, writesMax: 1 },
  { valuesMax: 6, writesMax: 4 },
  { valuesMax: 24, writesMax: 12 },
] as const;

/** One scenario on the bench. */
interface Bench {
  readonly session: Session;
  readonly loaded: LoadedScenario;
  readonly agent: ChosenAgent;
}

/** Tries mutants of every passing recording of a scenario; strength null where none passes. */
export async function measureStrength(bench: Bench): Promise<ScenarioStrength> {
  const passing: PassingRun[] = [];
  const fingerprints: Fingerprint[] = [];
  for (const recording of bench.loaded.recordings) {
    if (recording.recording.fails !== undefined) continue;
    const heard = overhear(replayModel(recording, bench.loaded));
    const run = await playWith(bench, heard.model);
    if ((await judged(bench, run)).verdict !== "passed") continue;
    passing.push(passingRun(recording.name, heard.script, run));
    fingerprints.push(fingerprintOf(bench.loaded, run));
  }
  const tried = new Trial(bench, fingerprints);
  const words = wordsOfMutants(bench.session.project.config.locale);
  for (const [round, most] of ROUNDS.entries()) {
    if (round > 0 && tried.counted >= MUTANTS_MIN) break;
    for (const one of passing) {
      const options = { ...most, allKinds: round === 0, words };
      for (const mutant of await mutantsOf(bench.loaded, one, options)) {
        if (bench.session.io.interrupted.aborted) break;
        await tried.add(mutant);
        if (round > 0 && tried.counted >= MUTANTS_MIN) break;
      }
    }
  }
  return scenarioStrength(bench.loaded, tried.mutants);
}

/** The mutants of one scenario as they are tried, each that does the same only once. */
class Trial {
  readonly mutants: TriedMutant[] = [];
  readonly #bench: Bench;
  readonly #passing: readonly Fingerprint[];
  readonly #seen = new Set<string>();
  counted = 0;

  constructor(bench: Bench, passing: readonly Fingerprint[]) {
    this.#bench = bench;
    this.#passing = passing;
  }

  async add(mutant: Mutant): Promise<void> {
    const { loaded } = this.#bench;
    const run = await playWith(this.#bench, playScript(mutant.script));
    const fingerprint = fingerprintOf(loaded, run);
    if (this.#seen.has(fingerprint.whole)) return;
    this.#seen.add(fingerprint.whole);
    const { mutation, recording } = mutant;
    const base = { mutation, recording, failed: [], soft: [], why: "" };
    if (run.ended.kind === "environment_error" || run.ended.kind === "stale") {
      this.mutants.push({
        ...base,
        outcome: "invalid",
        why: run.ended.detail ?? run.ended.kind,
      });
      return;
    }
    if (isEquivalent(loaded, mutation, { mutant: fingerprint, passing: this.#passing })) {
      this.mutants.push({ ...base, outcome: "equivalent" });
      return;
    }
    const tried = concluded(mutant, await judged(this.#bench, run));
    if (tried.outcome !== "invalid" && mutation.kind !== "final_text") this.counted++;
    this.mutants.push(tried);
  }
}

function concluded({ mutation, recording }: Mutant, verdict: RunVerdict): TriedMutant {
  const failed = verdict.conditions.filter((one) => one.verdict === "failed");
  const undecided = verdict.conditions.filter((one) => one.verdict === "errored" && one.required);
  const base = {
    mutation,
    recording,
    failed: failed.filter(({ required }) => required).map(({ id }) => id),
    soft: failed.filter(({ required }) => !required).map(({ id }) => id),
  };
  if (verdict.verdict === "failed") return { ...base, outcome: "killed", why: "" };
  if (verdict.verdict === "passed") return { ...base, outcome: "survived", why: "" };
  const why = undecided.map(({ id, actual }) => `${id}: ${String(actual)}`).join("; ");
  return { ...base, outcome: "invalid", why: why === "" ? verdict.verdict : why };
}

async function judged({ session, loaded }: Bench, run: Run): Promise<RunVerdict> {
  const { config } = session.project;
  return await judgeRun(loaded, run, { severities: severitiesOf(config), rates: config.rates });
}
