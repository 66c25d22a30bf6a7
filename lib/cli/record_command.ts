/**
 * `record`: what does a real model do in these scenarios, kept so that it can be replayed? Runs them
 * live, one after the other, keeps runs that passed (or failed ones by name), tells what is other than
 * before and what it cost. Exits 0 only where every scenario came to what was asked.
 */
import { EXIT } from "../model/exit.ts";
import { createMasker, type Masker } from "../report/mask.ts";
import {
  type NotRun,
  type RecordOutcome,
  renderRecorded,
  renderRecordTotal,
  totalEur,
} from "../report/record.ts";
import { renderScenarioLine } from "../report/terminal.ts";
import type { ToldConversation } from "../run/recorded_conversation.ts";
import { unfitPrograms } from "./agent_plan.ts";
import type { ChosenAgent } from "./agents.ts";
import type { JudgedRun } from "./collect.ts";
import { colourOf, withLock } from "./judging.ts";
import { judge } from "./pipeline.ts";
import { play } from "./play.ts";
import { keepRun } from "./record_keep.ts";
import { planRecord, type RecordOptions, type RecordTask, renewed } from "./record_plan.ts";
import { openSession, refuse, type Session } from "./session.ts";
import { unfitForLive } from "./suite.ts";

/** Runs the command; resolves to its exit code. */
export async function recordCommand(
  io: Session["io"],
  paths: readonly string[],
  options: RecordOptions,
): Promise<number> {
  const opened = await openSession(io);
  if (typeof opened === "number") return opened;
  const session = { ...opened, masker: keyMasker(opened) };
  const tasks = await planRecord(session, paths, options);
  if (typeof tasks === "number") return tasks;
  return await withLock(session, options.wait === true, async () => {
    return await new Recorder(session, options).record(tasks);
  });
}

/** Names of variables that hold keys, whatever else an agent's environment holds. */
const KEY_NAME = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH/i;

/** Masks what the configuration says to mask, and every key that it names. */
function keyMasker({ io, project: { config } }: Session): Masker {
  const { mask_env, models, agents, notify } = config;
  const named = (value: unknown): string[] =>
    typeof value === "object" && value !== null && "env" in value && typeof value.env === "string"
      ? [value.env]
      : [];
  const names = [
    ...mask_env,
    ...Object.values(models).flatMap(({ key }) => named(key)),
    ...named(notify.telegram?.token),
    ...Object.values(agents).flatMap((agent) =>
      agent.kind === "http"
        ? [agent.key, ...Object.values(agent.headers ?? {})].flatMap(named)
        : agent.kind === "command"
        ? Object.values(agent.env ?? {}).flatMap(named).filter((name) => KEY_NAME.test(name))
        : []
    ),
  ];
  return createMasker([...new Set(names)].map((name) => io.env(name) ?? ""));
}

/** What becomes of a scenario before it is run: nothing, or why it is not. */
type Checked = RecordOutcome | "to_record";

class Recorder {
  readonly #session: Session;
  readonly #options: RecordOptions;
  /** Null once a cost is unknown. */
  #spentEur: number | null = 0;

  constructor(session: Session, options: RecordOptions) {
    this.#session = session;
    this.#options = options;
  }

  async record(tasks: readonly RecordTask[]): Promise<number> {
    const checked: (readonly [RecordTask, Checked])[] = [];
    for (const task of tasks) checked.push([task, await this.#check(task)]);
    const used = checked.flatMap(([{ agent }, found]) => found === "to_record" ? [agent] : []);
    const refused = await this.#unfit(used);
    if (refused !== null) return refused;
    const outcomes: RecordOutcome[] = [];
    for (const [task, found] of checked) {
      const outcome = found === "to_record" ? await this.#run(task) : found;
      outcomes.push(outcome);
      if (this.#options.json !== true) this.#out(renderRecorded(outcome, this.#view()));
    }
    this.#tell(outcomes);
    if (this.#session.io.interrupted.aborted) return EXIT.interrupted;
    const done = outcomes.every(({ kind }) => kind === "kept" || kind === "fits");
    return done ? EXIT.ok : EXIT.undecided;
  }

  /** With `stale`, only what its recording no longer plays to a pass is to be recorded. */
  async #check({ loaded, agent, unplayable }: RecordTask): Promise<Checked> {
    const scenario = loaded.scenario.id;
    if (unplayable) return { scenario, kind: "not_run", why: { kind: "needs_programs" } };
    const recording = this.#options.stale === true ? renewed(loaded) : null;
    if (recording === null) return "to_record";
    const session = this.#session;
    const { name } = recording;
    const run = await play({ session, loaded, agent, mode: "replay", recording, trial: 1 });
    const { verdict } = await judge(loaded, run, { config: session.project.config, place: null });
    if (session.io.interrupted.aborted) return notRun(scenario, { kind: "interrupted" });
    if (verdict.verdict === "passed") return { scenario, kind: "fits", name };
    if (verdict.verdict !== "errored") return "to_record";
    const why = run.ended.detail ?? verdict.verdict;
    return notRun(scenario, { kind: "unproved", name, why });
  }

  async #unfit(agents: readonly ChosenAgent[]): Promise<number | null> {
    const { io } = this.#session;
    const named = new Map(agents.map((agent) => [agent.name, agent]));
    const unfit = await unfitPrograms(this.#session, named.values(), { mode: "live" }) ??
      unfitForLive(this.#session, this.#options, named);
    return unfit === null ? null : refuse(io, unfit.what, unfit.fix);
  }

  async #run(task: RecordTask): Promise<RecordOutcome> {
    const session = this.#session;
    const { loaded, agent } = task;
    const stop = this.#stop();
    if (stop !== null) return notRun(loaded.scenario.id, stop);
    let told: ToldConversation | null = null;
    const run = await play({
      session,
      loaded,
      agent,
      mode: "live",
      recording: null,
      trial: 1,
      tell: (conversation) => {
        told = conversation;
      },
    });
    const skipped = session.io.interrupted.aborted;
    const { config } = session.project;
    const judged = await judge(loaded, run, { config, place: null, skipped });
    const { costEur } = judged.verdict.usage;
    this.#spentEur = this.#spentEur === null || costEur === null ? null : this.#spentEur + costEur;
    session.io.terminal.err(session.masker.mask(this.#line(judged)));
    const { masker } = session;
    return await keepRun({ session, task, options: this.#options, judged, told, masker });
  }

  #stop(): NotRun | null {
    const { budgetEur } = this.#options;
    if (this.#session.io.interrupted.aborted) return { kind: "interrupted" };
    if (budgetEur === undefined) return null;
    if (this.#spentEur === null) return { kind: "unknown_cost" };
    return this.#spentEur >= budgetEur ? { kind: "budget", limitEur: budgetEur } : null;
  }

  #line({ loaded, verdict, run }: JudgedRun): string {
    return renderScenarioLine({ scenario: loaded.scenario, verdict, ended: run.ended }, {
      locale: this.#session.project.config.locale,
      colour: colourOf(this.#session, true),
    });
  }

  #tell(outcomes: readonly RecordOutcome[]): void {
    if (this.#options.json !== true) return this.#out(renderRecordTotal(outcomes, this.#view()));
    const document = { recordings: outcomes, costEur: totalEur(outcomes) };
    this.#out(`${JSON.stringify(this.#session.masker.maskDeep(document), null, 1)}\n`);
  }

  #view() {
    const { locale, zone } = this.#session.project.config;
    return { locale, zone };
  }

  #out(text: string): void {
    this.#session.io.terminal.out(this.#session.masker.mask(text));
  }
}

function notRun(scenario: string, why: NotRun): RecordOutcome {
  return { scenario, kind: "not_run", why };
}
