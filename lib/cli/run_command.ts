/** `run`: the suite, from the command line; with `--dry-run` it only says what would run. */
import { EXIT } from "../model/exit.ts";
import { renderScenarioLine } from "../report/terminal.ts";
import { chooseRecording } from "./agents.ts";
import type { JudgedRun } from "./collect.ts";
import { colourOf, finish, withLock } from "./judging.ts";
import { openSession, type Session } from "./session.ts";
import { type Plan, planRuns, type RunOptions, runPlan } from "./suite.ts";
import { trialsOf } from "./trial_order.ts";

/** Runs the command; resolves to its exit code. */
export async function runCommand(
  io: Session["io"],
  paths: readonly string[],
  options: RunOptions,
): Promise<number> {
  const session = await openSession(io, { remembers: true });
  if (typeof session === "number") return session;
  const plan = await planRuns(session, paths, options);
  if (typeof plan === "number") return plan;
  if (options.dryRun === true) return tellPlan(plan);
  return await withLock(session, options.wait === true, async () => {
    const ended = await runPlan(plan, (judged) => io.terminal.err(line(session, judged)));
    if (typeof ended === "number") return ended;
    return await finish(session, { ...ended, json: options.json === true });
  });
}

function tellPlan({ session, options, scenarios, agents, judges }: Plan): number {
  if (options.json === true) {
    const runs = scenarios.map(({ scenario }) => ({
      scenario: scenario.id,
      agent: agents.get(scenario.id)?.name ?? null,
      trials: trialsOf(options, judges.gate, scenario),
    }));
    session.io.terminal.out(`${JSON.stringify({ runs })}\n`);
    return EXIT.ok;
  }
  for (const loaded of scenarios) {
    const { id } = loaded.scenario;
    const recording = options.mode === "live"
      ? ""
      : ` recording ${chooseRecording(loaded, options.recording ?? null)?.name ?? "none"}`;
    const trials = trialsOf(options, judges.gate, loaded.scenario);
    session.io.terminal.out(`${id} agent ${agents.get(id)?.name}${recording} ×${trials}\n`);
  }
  return EXIT.ok;
}

function line(session: Session, { loaded, verdict, run }: JudgedRun): string {
  const text = renderScenarioLine({ scenario: loaded.scenario, verdict, ended: run.ended }, {
    locale: session.project.config.locale,
    colour: colourOf(session, true),
  });
  return session.masker.mask(text);
}
