/**
 * What would a run of a suite cost, and how is it started? Two commands that change nothing are
 * asked, each in a process of its own: what a live run would do, and what the last ones cost. The run
 * itself is a job as the schedule starts them.
 */
import { dryRunAnswer, planAnswer } from "../model/bot.ts";
import { EXIT } from "../model/exit.ts";
import { hashText } from "../model/hash.ts";
import { optionOf, questionChild } from "./job_child.ts";
import type { Job } from "./job_store.ts";
import { join, type Session } from "./session.ts";

/** The name of the job that runs on demand. */
export const BOT_JOB = "from-chat";

/** Time for a question about a run. */
const ASK_MS = 120_000;

const ANSWER_MAX = 1_000_000;

/** The suites of the project, by the names of their folders. */
export async function suitesOf({ io, project }: Session): Promise<string[]> {
  const folders = await io.files.list(join(project.root, "scenarios"));
  return folders.filter(({ name, kind }) => kind === "folder" && !name.startsWith("."))
    .map(({ name }) => name);
}

/** Options of the scheduled live run that hold on demand too. */
const INHERITED = ["--budget-eur", "--agent", "--trials", "--gate", "--baseline", "--jobs"];

/** The job that runs a suite live, or all of them: as the scheduled one does, where there is one. */
export function botJob({ project }: Session, suite: string | null): Job {
  const scheduled = project.config.schedule.jobs.find(({ command }) =>
    command[0] === "run" && optionOf(command, "--mode") === "live"
  );
  const options = INHERITED.flatMap((name) => {
    const value = scheduled === undefined ? null : optionOf(scheduled.command, name);
    return value === null ? [] : [name, value];
  });
  const only = suite === null ? [] : ["--only", suite];
  return {
    name: BOT_JOB,
    // It has no time of its own.
    cron: "0 0 31 12 *",
    command: ["run", "--mode", "live", ...only, ...options],
    timeout_s: scheduled?.timeout_s ?? 14_400,
  };
}

/** What a run comes to; costs of all its runs together, null where nobody knows. */
export interface Estimate {
  readonly scenarios: number;
  readonly runs: number;
  readonly cost: number | null;
  readonly minutes: number | null;
  /** How many live runs the figures are from. */
  readonly from: number;
  readonly currency: string;
  /** In euro. */
  readonly cap: number | null;
}

/** The estimate; null where the run would be refused. */
export async function estimateRun(session: Session, job: Job): Promise<Estimate | null> {
  const dry = dryRunAnswer.safeParse(await ask(session, [...job.command, "--dry-run", "--json"]));
  if (!dry.success) return null;
  const only = optionOf(job.command, "--only");
  const words = ["plan", ...only === null ? [] : ["--only", only], "--json"];
  const told = planAnswer.safeParse(await ask(session, words));
  const once = told.success ? told.data.rows.find(({ trials }) => trials === 1) : undefined;
  const scenarios = dry.data.runs.length;
  const runs = dry.data.runs.reduce((sum, { trials }) => sum + trials, 0);
  const times = (value: number | null | undefined) =>
    value === null || value === undefined ? null : value * runs / scenarios;
  const cap = Number(optionOf(job.command, "--budget-eur") ?? NaN);
  return {
    scenarios,
    runs,
    cost: times(once?.cost),
    minutes: times(once?.minutes),
    from: told.success ? told.data.runs : 0,
    currency: told.success ? told.data.currency : session.project.config.currency,
    cap: cap > 0 ? cap : null,
  };
}

/** The JSON that a command prints; null where it fails. It gets the permissions of a local one. */
async function ask(session: Session, command: readonly string[]): Promise<unknown> {
  const { io, project } = session;
  const child = await questionChild(session, command);
  let said = "";
  const end = await io.children.start({
    ...child,
    cwd: project.root,
    limitMs: ASK_MS,
    signal: io.interrupted,
    said: (stream, text) => {
      if (stream === "err") io.terminal.err(session.masker.mask(text));
      else if (said.length < ANSWER_MAX) said += text;
    },
  });
  if (end.kind !== "exited" || end.code !== EXIT.ok) return null;
  try {
    return JSON.parse(said);
  } catch {
    return null;
  }
}

/** Four signs that are not mistaken for each other on a phone, made of what was asked and when. */
export function codeOf(asked: string): string {
  const signs = "abcdefghjkmnpqrstuvwxyz23456789";
  const digits = hashText(asked).slice("sha256:".length);
  return [0, 1, 2, 3].map((n) => signs[parseInt(digits.slice(n * 8, n * 8 + 8), 16) % signs.length])
    .join("");
}
