/** `schedule list`: when does each job come next, how did it end last, and is its success too old? */
import { EXIT } from "../model/exit.ts";
import type { JobFile } from "../model/job.ts";
import type { Io } from "../model/ports.ts";
import { type JobStanding, renderSchedule } from "../report/schedule.ts";
import { cronOf, type Job, readJob } from "./job_store.ts";
import { taskCall } from "./reproduce.ts";
import { openSchedule } from "./schedule_command.ts";
import type { Session } from "./session.ts";

const DAY_MS = 86_400_000;

/** A weekly job is an alarm after this: a week, an hour of summer time, and a long run. */
const STALE_MS = 8 * DAY_MS;

/** Runs the command; exit code 0 also where there is an alarm: it is told, and no failure of this. */
export async function scheduleList(io: Io, options: { readonly json?: boolean }): Promise<number> {
  const session = await openSchedule(io);
  if (typeof session === "number") return session;
  const { config } = session.project;
  const jobs: JobStanding[] = [];
  for (const job of config.schedule.jobs) jobs.push(await standingOf(session, job));
  io.terminal.out(
    options.json === true
      ? `${JSON.stringify({ zone: config.zone, jobs }, null, 1)}\n`
      : renderSchedule(jobs, { ...config, call: taskCall(io, "schedule") }),
  );
  return EXIT.ok;
}

/** How a job stands now. */
export async function standingOf(session: Session, job: Job): Promise<JobStanding> {
  const { io } = session;
  const now = io.clock.now();
  const kept = await readJob(session, job.name);
  const file = kept === "unusable" ? null : kept;
  const next = await io.cron.next(cronOf(session, job), now, 3);
  const age = ageMs(file, now);
  return {
    name: job.name,
    cron: job.cron,
    command: job.command,
    next,
    last: file?.last ?? null,
    lastSuccess: file?.succeeded?.ended ?? null,
    days: age === null ? null : Math.floor(age / DAY_MS),
    alarm: kept === "unusable" || (age !== null && age > limitMs(next)),
  };
}

/** Since the last success ended, or since the job is known; null where it never began. */
function ageMs(file: JobFile | null, now: string): number | null {
  if (file === null) return null;
  return Date.parse(now) - Date.parse(file.succeeded?.ended ?? file.since);
}

/** Rarer jobs may be older: a day more than the longest way between two of their times. */
function limitMs(next: readonly string[]): number {
  const times = next.map((time) => Date.parse(time));
  const gaps = times.slice(1).map((time, index) => time - (times[index] ?? time));
  return Math.max(STALE_MS, ...gaps.map((gap) => gap + DAY_MS));
}
