/**
 * How do the jobs of the schedule stand? A block of lines a job: when it comes next, how it ended
 * last, and an ALARM where its last success is too long ago. In: jobs with their times; out: text.
 */
import type { Config } from "../model/config.ts";
import type { JobAttempt } from "../model/job.ts";
import { escapeTerminal } from "./escape.ts";
import { localMoment, scheduleWordsOf } from "./words_schedule.ts";

/** A job as it stands at a moment. Times are ISO 8601. */
export interface JobStanding {
  readonly name: string;
  readonly cron: string;
  readonly command: readonly string[];
  readonly next: readonly string[];
  readonly last: JobAttempt | null;
  readonly lastSuccess: string | null;
  /** Whole days since the last success, or since the job is known; null where it never began. */
  readonly days: number | null;
  /** The last success is too long ago. */
  readonly alarm: boolean;
}

/** In which language and zone, and how the schedule is called here. */
export interface ScheduleView extends Pick<Config, "locale" | "zone"> {
  /** Such as `deno task schedule`. */
  readonly call: string;
}

/** Lines about all jobs, for a terminal. */
export function renderSchedule(
  jobs: readonly JobStanding[],
  { locale, zone, call }: ScheduleView,
): string {
  const words = scheduleWordsOf(locale);
  const moment = (iso: string) => localMoment(locale, zone, iso);
  const blocks = jobs.map((job) => {
    const { last, lastSuccess, days } = job;
    const lines = [
      `${job.name}  "${job.cron}" ${zone}  ${escapeTerminal(job.command.join(" "))}`,
      `${words.next}: ${job.next.map(moment).join(" · ")}`,
      last === null
        ? `${words.last}: ${days === null ? words.neverBegun(call) : words.never}`
        : `${words.last}: ${moment(last.started)}: ${words.outcome(last)}`,
      ...(last?.report ? [last.report.replace(/report\.json$/, "report.md")] : []),
      ...(lastSuccess === null ? [] : [
        `${words.success}: ${moment(lastSuccess)}${days ? ` (${words.days(days)})` : ""}`,
      ]),
      ...(job.alarm ? [`ALARM: ${words.alarm(days ?? 0)}`] : []),
    ];
    return lines.map((line, index) => index === 0 ? line : `  ${line}`).join("\n");
  });
  return `${blocks.join("\n")}\n`;
}
