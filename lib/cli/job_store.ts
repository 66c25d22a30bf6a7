/**
 * What is known of each job, and which time is it due for? Reads and writes
 * `reports/schedule/<job>.json`. A file that cannot be used counts as a job that never succeeded:
 * doing a job once too often is better than never.
 */
import type { Config } from "../model/config.ts";
import { type JobAttempt, type JobFile, jobFile } from "../model/job.ts";
import type { CronJob } from "../model/ports.ts";
import { scheduleWordsOf } from "../report/words_schedule.ts";
import { join, type Session } from "./session.ts";

/** A job as `collaudo.yaml` has it. */
export type Job = Config["schedule"]["jobs"][number];

/** Tries for one time of the schedule; what fails so often needs a person. */
const ATTEMPTS_MAX = 3;

/** A moment before any schedule. */
const EVER = "1970-01-01T00:00:00.000Z";

/** The folder of everything that the schedule keeps. */
export function scheduleFolder({ project }: Session): string {
  return join(project.root, "reports/schedule");
}

/** A job with the zone that its times are in. */
export function cronOf({ project }: Session, { name, cron }: Job): CronJob {
  return { name, cron, zone: project.config.zone };
}

/** What is kept of a job; null where nothing is, `unusable` where the file cannot be read. */
export async function readJob(
  session: Session,
  name: string,
): Promise<JobFile | "unusable" | null> {
  const { files } = session.io;
  const path = `${scheduleFolder(session)}/${name}.json`;
  try {
    if (await files.stat(path) === null) return null;
    return jobFile.parse(JSON.parse(await files.readText(path)));
  } catch {
    return "unusable";
  }
}

/** What is kept of a job, made new where nothing is; another time or zone begins to count now. */
export async function openJob(session: Session, job: Job): Promise<JobFile> {
  const { io, project } = session;
  const kept = await readJob(session, job.name);
  const zone = project.config.zone;
  const fresh: JobFile = {
    schema: "collaudo/job@1",
    job: job.name,
    cron: job.cron,
    zone,
    command: job.command,
    since: io.clock.now(),
    last: null,
    succeeded: null,
  };
  if (kept === null) return fresh;
  if (kept === "unusable") {
    const words = scheduleWordsOf(project.config.locale);
    io.terminal.err(`${words.unusable(`reports/schedule/${job.name}.json`)}\n`);
    return { ...fresh, since: EVER };
  }
  const same = kept.cron === job.cron && kept.zone === zone;
  return same
    ? { ...kept, command: job.command }
    : { ...fresh, last: kept.last, succeeded: kept.succeeded };
}

/** Keeps what is known of a job; a disk that is full is told and stops nothing. */
export async function keepJob(session: Session, file: JobFile): Promise<void> {
  const path = `${scheduleFolder(session)}/${file.job}.json`;
  try {
    await session.io.files.writeText(path, `${JSON.stringify(file, null, 1)}\n`);
  } catch (error) {
    session.io.terminal.err(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  }
}

/** The newest time that a job is due for and was not done for, null where there is none. */
export async function dueTime(session: Session, job: Job, file: JobFile): Promise<string | null> {
  const { io } = session;
  const at = await io.cron.newest(cronOf(session, job), from(file), io.clock.now());
  return at === null || isDone(file, at) ? null : at;
}

/** Nothing before the newest success or before the job was known is looked for. */
function from({ since, succeeded }: JobFile): string {
  const done = succeeded?.due ?? since;
  return Date.parse(done) > Date.parse(since) ? done : since;
}

/** True where a job was done for a time, or tried often enough. */
export function isDone({ last, succeeded }: JobFile, due: string): boolean {
  const at = Date.parse(due);
  if (succeeded !== null && Date.parse(succeeded.due) >= at) return true;
  if (last === null) return false;
  return Date.parse(last.due) === at && triesOf(last, due) >= ATTEMPTS_MAX;
}

/** How often a job was tried for a time. */
export function triesOf(last: JobAttempt | null, due: string): number {
  return last !== null && Date.parse(last.due) === Date.parse(due) ? last.attempt : 0;
}
