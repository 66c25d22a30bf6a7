/**
 * What is there to tell this morning? The report of the scheduled run that was due, or the newest
 * one; or that none came: nothing since the time that it was due, no report at all, none for longer
 * than a week and a day. A replay never stands for a live run that was due.
 */
import { readJsonFile } from "../load/json_file.ts";
import { loadReport } from "../load/report.ts";
import { type JobAttempt, type JobFile, jobFile } from "../model/job.ts";
import type { CronJob } from "../model/ports.ts";
import { hasErrors } from "../model/problem.ts";
import type { Report } from "../model/report.ts";
import type { Told } from "../report/summary.ts";
import { optionOf } from "./job_child.ts";
import { reportPaths } from "./last_report.ts";
import { fromRoot, join, printProblems, type Session } from "./session.ts";

const HOUR_MS = 3_600_000;

/** A weekly run that is a day late is missing. */
const STALE_MS = 8 * 24 * HOUR_MS;

/** News, and what names it: the same news has the same name. */
export interface News {
  readonly told: Told;
  readonly about: string;
  /** Absolute path of `report.md`, null where there is none. */
  readonly file: string | null;
  /** The report at the end of the picture, where the news are not about one. */
  readonly pictured?: Report | null;
}

/** The news of a report that was named; null where it cannot be used, which is told. */
export async function newsOf(session: Session, path: string): Promise<News | null> {
  const { io, project } = session;
  const { report, problems } = await loadReport(io.files, project, path);
  await printProblems(io, problems, project.root);
  return report === null || hasErrors(problems) ? null : reported(session, report, path);
}

function reported({ project }: Session, report: Report, path: string): News {
  const file = path.replace(/report\.json$/, "report.md");
  const below = fromRoot(project.root, file);
  // Of a path elsewhere only the end is told: the rest may hold a person's name.
  const place = below.startsWith("/") ? `…/${below.split("/").slice(-2).join("/")}` : below;
  return {
    told: { kind: "report", report, place },
    about: `report ${report.time} ${below}`,
    file,
  };
}

/** The news of today. */
export async function newsOfToday(session: Session): Promise<News> {
  const { io, project } = session;
  const due = await lastDue(session);
  const job = due?.attempt ?? null;
  const own = job?.report ? await newsOf(session, join(project.root, job.report)) : null;
  const found = own === null
    ? await standIn(session, due)
    : { news: own, broken: false, live: false };
  const { news, live } = found;
  const report = news?.told.kind === "report" ? news.told.report : null;
  const wasTried = job !== null && own === null;
  const oldest = due === null ? Date.parse(io.clock.now()) - STALE_MS : Date.parse(due.at);
  const isThere = news !== null && report !== null && !found.broken && !wasTried;
  if (isThere && Date.parse(report.time) >= oldest) return news;
  const since = report?.time ?? null;
  return {
    told: {
      kind: "no_run",
      since,
      due: due?.at ?? null,
      stopped: found.broken || (job?.report && own === null)
        ? "unreadable"
        : job === null
        ? null
        : stoppedBy(job),
      live,
      last: report?.decision.verdict ?? null,
    },
    file: null,
    about: `no run since ${since ?? "ever"}, due ${due?.at ?? io.clock.now().slice(0, 10)}`,
  };
}

/**
 * The newest report in the place of one that the schedule noted; `live`: of live runs alone. Where no
 * schedule ever began, a live run comes first, and any other says at least what it is.
 */
async function standIn(
  session: Session,
  due: Due | null,
): Promise<{ readonly news: News | null; readonly broken: boolean; readonly live: boolean }> {
  const live = due?.live ?? false;
  const found = await newestNews(session, live);
  if (due === null || !live || due.isNoted) return { ...found, live };
  const { told } = found.news ?? {};
  if (told?.kind === "report" && Date.parse(told.report.time) >= Date.parse(due.at)) {
    return { ...found, live };
  }
  return { ...await newestNews(session, false), live: false };
}

/**
 * The news of the newest report that can be read, of live runs only where one is wanted; `broken`:
 * a newer one cannot be read, which is told.
 */
async function newestNews(
  session: Session,
  live: boolean,
): Promise<{ readonly news: News | null; readonly broken: boolean }> {
  let broken = false;
  for (const path of await reportPaths(session)) {
    const news = await newsOf(session, path);
    if (news === null) broken = true;
    else if (!live || (news.told.kind === "report" && news.told.report.mode === "live")) {
      return { news, broken };
    }
  }
  return { news: null, broken };
}

interface Due {
  readonly at: string;
  /** It was to ask a model. */
  readonly live: boolean;
  /** The schedule looks after it, or did so once. */
  readonly isNoted: boolean;
  /** What the schedule noted of that run, null where it noted nothing. */
  readonly attempt: JobAttempt | null;
}

/** The scheduled jobs that run the suite. */
function runJobs({ project: { config } }: Session): (CronJob & { readonly live: boolean })[] {
  return config.schedule.jobs.filter(({ command }) => command[0] === "run")
    .map(({ name, cron, command }) => ({
      name,
      cron,
      zone: config.zone,
      live: optionOf(command, "--mode") === "live",
    }));
}

/** The latest time in the last week at which a scheduled run was due; null where none was. */
async function lastDue(session: Session): Promise<Due | null> {
  const { io } = session;
  const now = io.clock.now();
  const due: Due[] = [];
  for (const job of runJobs(session)) {
    const isNoted = await session.io.files.stat(notesPath(session, job)) !== null;
    const noted = isNoted ? await notesOf(session, job) : null;
    const begun = noted === null ? 0 : Date.parse(noted.since);
    const since = new Date(Math.max(Date.parse(now) - STALE_MS, begun)).toISOString();
    const at = await io.cron.newest(job, since, now);
    if (at !== null) {
      due.push({ at, live: job.live, isNoted, attempt: attemptFor(noted, at) });
    }
  }
  return due.sort((a, b) => Date.parse(b.at) - Date.parse(a.at))[0] ?? null;
}

/** When the next run is due, in UTC; null where none is scheduled. */
export async function nextRun(session: Session): Promise<string | null> {
  const { io } = session;
  const times: string[] = [];
  for (const job of runJobs(session)) times.push(...await io.cron.next(job, io.clock.now(), 1));
  return times.sort((a, b) => Date.parse(a) - Date.parse(b))[0] ?? null;
}

function notesPath({ project }: Session, { name }: CronJob): string {
  return join(project.root, `reports/schedule/${name}.json`);
}

/** What the schedule noted of a job, null where that cannot be read. */
async function notesOf(session: Session, job: CronJob): Promise<JobFile | null> {
  const { io, project } = session;
  const wanted = { path: notesPath(session, job), noun: "job", schema: jobFile };
  const { value, problems } = await readJsonFile(io.files, project, wanted);
  await printProblems(io, problems, project.root);
  return value;
}

function attemptFor(noted: JobFile | null, at: string): JobAttempt | null {
  const last = noted?.last ?? null;
  return last !== null && Date.parse(last.due) >= Date.parse(at) ? last : null;
}

function stoppedBy({ outcome }: JobAttempt) {
  return outcome === "completed" ? "failed" : outcome;
}
