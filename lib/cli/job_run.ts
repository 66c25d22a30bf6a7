/**
 * How did a job end? Starts it as a process of its own, with what is known of it stored before and
 * after. Never throws: whatever happens to a job is an outcome of the job.
 */
import { loadReport } from "../load/report.ts";
import { EXIT } from "../model/exit.ts";
import type { JobAttempt } from "../model/job.ts";
import type { ChildEnd } from "../model/ports.ts";
import { scheduleWordsOf } from "../report/words_schedule.ts";
import { jobChild } from "./job_child.ts";
import { type Job, keepJob, openJob, triesOf } from "./job_store.ts";
import { fromRoot, type Session } from "./session.ts";

/** A start within so much of its time is on time; later it is late, and after that caught up. */
const ON_TIME_MS = 60_000;
const LATE_MS = 6 * 3_600_000;

/** How much of what a job said is kept. */
const SAID_MAX = 2_000;

/** How a packaged program says 1, since Deno itself says 1 when it cannot start. */
const PACKAGED_BLOCK = 101;

/** Runs a job that is due; resolves to how it ended, stored already. */
export async function runJob(session: Session, job: Job, due: string): Promise<JobAttempt> {
  const { io } = session;
  const file = await openJob(session, job);
  const running = beginning(due, triesOf(file.last, due) + 1, io.clock.now());
  await keepJob(session, { ...file, last: running });
  tell(session, job, running);
  const said = new Tail();
  let ended: JobAttempt;
  try {
    const child = await jobChild(session, job, running.started);
    const end = await io.children.start({
      ...child,
      cwd: session.project.root,
      limitMs: job.timeout_s * 1000,
      signal: io.interrupted,
      said: (stream, text) => {
        if (stream === "err") said.add(text);
        io.terminal[stream](text);
      },
    });
    const read = await readOutcome(session, child.folder, running.started);
    ended = {
      ...running,
      ...read,
      ...outcomeOf(end, read.decision),
      ...saidOf(session, end, said),
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    ended = { ...running, outcome: "not_started", said: session.masker.mask(why) };
  }
  ended = { ...ended, ended: io.clock.now() };
  const succeeded = ended.outcome === "completed" ? ended : file.succeeded;
  await keepJob(session, { ...file, last: ended, succeeded });
  tell(session, job, ended);
  return ended;
}

function beginning(due: string, attempt: number, started: string): JobAttempt {
  const lateMs = Date.parse(started) - Date.parse(due);
  const late = lateMs <= LATE_MS ? "late" : "caught_up";
  const reason = attempt > 1 ? "caught_up" : lateMs <= ON_TIME_MS ? "on_time" : late;
  return {
    due,
    reason,
    attempt,
    started,
    ended: null,
    outcome: "running",
    exitCode: null,
    decision: null,
    report: null,
    said: null,
  };
}

/** The report that the job made, where it made one: an older one in the same folder is not its own. */
async function readOutcome(
  { io, project }: Session,
  folder: string | null,
  started: string,
): Promise<Pick<JobAttempt, "decision" | "report">> {
  const nothing = { decision: null, report: null };
  const path = folder === null ? null : `${folder}/report.json`;
  if (path === null || await io.files.stat(path) === null) return nothing;
  const { report } = await loadReport(io.files, project, path);
  if (report === null || Date.parse(report.time) < Date.parse(started)) return nothing;
  const { verdict, overridden } = report.decision;
  const decision = overridden === undefined ? verdict : `${verdict} (overridden)`;
  return { decision, report: fromRoot(project.root, path) };
}

function outcomeOf(
  end: ChildEnd,
  decision: string | null,
): Pick<JobAttempt, "outcome" | "exitCode"> {
  if (end.kind === "killed") return { outcome: "crashed", exitCode: null };
  if (end.kind !== "exited") return { outcome: end.kind, exitCode: null };
  const exitCode = codeOf(end.code, decision);
  if (exitCode === EXIT.ok) return { outcome: "completed", exitCode };
  if (exitCode === EXIT.interrupted) return { outcome: "interrupted", exitCode };
  // A run that decided did its job, whatever it decided.
  return { outcome: exitCode === EXIT.block ? "completed" : "failed", exitCode };
}

/** Deno itself says 1 when it cannot start: without a decision that is 3. */
function codeOf(code: number, decision: string | null): number {
  if (code === PACKAGED_BLOCK) return EXIT.block;
  return code === EXIT.block && decision === null ? EXIT.undecided : code;
}

function saidOf(
  { masker }: Session,
  end: ChildEnd,
  tail: Tail,
): Pick<JobAttempt, "said"> {
  const text = end.kind === "not_started" ? end.why : tail.text.trim();
  return { said: text === "" ? null : masker.mask(text) };
}

/** The end of a long text. */
class Tail {
  text = "";

  add(more: string): void {
    this.text = (this.text + more).slice(-SAID_MAX);
  }
}

function tell({ io, project }: Session, { name }: Job, attempt: JobAttempt): void {
  const { locale, zone } = project.config;
  io.terminal.err(`${scheduleWordsOf(locale).told(name, attempt, zone)}\n`);
}
