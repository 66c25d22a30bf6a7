/**
 * Can the jobs of the schedule run when they should? Refused: a cron text that is none, a command
 * that does not exist, a name that comes twice. Warned about: a time that does not exist on the day
 * on which summer time begins, and a text with seconds.
 */
import type { Config } from "../model/config.ts";
import { JOB_COMMANDS } from "../model/job.ts";
import { wordList } from "../model/near_words.ts";
import type { Problem } from "../model/problem.ts";
import { type CronFields, readCron } from "./cron_text.ts";
import { problemAt, problemOn, type SourceFile, spanInText } from "./source.ts";
import { didYouMean } from "./suggest.ts";

type Job = Config["schedule"]["jobs"][number];

/** Problems of `schedule.jobs`; the zone is checked elsewhere. */
export function checkSchedule(source: SourceFile, { schedule, zone }: Config): Problem[] {
  const names = schedule.jobs.map((job) => job.name);
  return schedule.jobs.flatMap((job, index) => [
    ...repeated(source, names, index),
    ...cronProblems(source, job, { index, zone }),
    ...commandProblems(source, job, index),
  ]);
}

function repeated(source: SourceFile, names: readonly string[], index: number): Problem[] {
  const name = names[index] ?? "";
  if (names.indexOf(name) === index) return [];
  return [problemAt(source, ["schedule", "jobs", index, "name"], {
    code: "duplicate-entry",
    what: `Job "${name}" is described twice`,
    fix: "give one of the two another name",
  })];
}

function cronProblems(
  source: SourceFile,
  job: Job,
  { index, zone }: { readonly index: number; readonly zone: string },
): Problem[] {
  const path = ["schedule", "jobs", index, "cron"];
  const read = readCron(job.cron);
  if (read.kind === "broken") {
    const { what, fix, start, end } = read;
    return [
      problemOn(source, spanInText(source, path, { start, end }), { code: "bad-cron", what, fix }),
    ];
  }
  const problems: Problem[] = [];
  if (read.fields.withSeconds) {
    problems.push(problemAt(source, path, {
      code: "cron-seconds",
      severity: "warning",
      what: `"${job.cron}" has six fields: the first counts seconds`,
      fix: "write five fields: minute, hour, day of the month, month, weekday",
    }));
  }
  const skipped = skippedDay(read.fields, zone);
  if (skipped !== null) {
    problems.push(problemAt(source, path, {
      code: "time-skipped",
      severity: "warning",
      what: `Job "${job.name}" is left out on ${skipped.day}: in ${zone} it is never ` +
        `${skipped.time} on that day, when summer time begins`,
      fix: `choose a time after ${skipped.until}, or another weekday`,
    }));
  }
  return problems;
}

function commandProblems(source: SourceFile, job: Job, index: number): Problem[] {
  const [word = ""] = job.command;
  if ((JOB_COMMANDS as readonly string[]).includes(word)) return [];
  return [problemAt(source, ["schedule", "jobs", index, "command", 0], {
    code: "unknown-command",
    what: `Job "${job.name}" begins with "${word}": expected one of ${wordList(JOB_COMMANDS)}`,
    fix: word.startsWith("-") ? `write the command first, such as [run, ${word}]` : didYouMean(
      word,
      JOB_COMMANDS,
      "write the words of one command, such as [run, --mode, live]",
    ),
  })];
}

/** A local day on which summer time begins, with the first and the last minute that it lacks. */
interface Gap {
  readonly day: string;
  readonly month: number;
  readonly date: number;
  readonly weekday: number;
  /** Minutes of the day: from the first that is not there to the first that is. */
  readonly from: number;
  readonly to: number;
}

/** Times of the day at which no clock of these parts of the world is changed, but on Sundays. */
const SUNDAYS = /^(?:Europe|America|Atlantic)\//;

/** Whether a time of the fields may be one that the clocks of a zone leave out, or show twice. */
export function mayMeetChange(fields: CronFields, zone: string): boolean {
  if (fields.hours.length === 24 || !fields.hours.some((hour) => hour < 4)) return false;
  const sundays = fields.weekdays === null || fields.weekdays.includes(0);
  return sundays || !SUNDAYS.test(zone);
}

/** The first day in the years ahead on which a time of the fields does not exist. */
function skippedDay(
  fields: CronFields,
  zone: string,
): { readonly day: string; readonly time: string; readonly until: string } | null {
  if (!mayMeetChange(fields, zone)) return null;
  for (const gap of gapsOf(zone)) {
    if (!isOn(fields, gap)) continue;
    const missing = minutesOf(fields).find((minute) => minute >= gap.from && minute < gap.to);
    if (missing !== undefined) {
      return { day: gap.day, time: clockTime(missing), until: clockTime(gap.to) };
    }
  }
  return null;
}

function isOn({ days, months, weekdays }: CronFields, { month, date, weekday }: Gap): boolean {
  return months.includes(month) && (days === null || days.includes(date)) &&
    (weekdays === null || weekdays.includes(weekday));
}

function minutesOf({ hours, minutes }: CronFields): number[] {
  return hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
}

function clockTime(minutes: number): string {
  const two = (n: number) => String(n).padStart(2, "0");
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const MINUTE_MS = 60_000;
/** By the rules that are known today; a zone that changes them gives other days, not other advice. */
const YEARS = [2027, 2038] as const;

/** The days of a zone on which its clocks go forward. */
function gapsOf(zone: string): Gap[] {
  const local = localTime(zone);
  const gaps: Gap[] = [];
  let from = Date.UTC(YEARS[0], 0, 1);
  for (let month = 1; month <= (YEARS[1] - YEARS[0]) * 12; month++) {
    const to = Date.UTC(YEARS[0], month, 1);
    const forward = local(to) - to - (local(from) - from);
    if (forward > 0) gaps.push(gapBetween(local, from, to));
    from = to;
  }
  return gaps;
}

function gapBetween(local: (ms: number) => number, low: number, high: number): Gap {
  const offset = local(low) - low;
  let [before, after] = [low, high];
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (local(middle) - middle === offset) before = middle;
    else after = middle;
  }
  // Read as if it were UTC, a local time gives its own day and minute.
  const first = new Date(after + offset);
  const then = new Date(local(after));
  const from = first.getUTCHours() * 60 + first.getUTCMinutes();
  const jump = (then.getTime() - first.getTime()) / MINUTE_MS;
  return {
    day: first.toISOString().slice(0, 10),
    month: first.getUTCMonth() + 1,
    date: first.getUTCDate(),
    weekday: first.getUTCDay(),
    from,
    to: from + jump,
  };
}

/** The local time of a moment, as milliseconds of a UTC that would read the same. */
function localTime(zone: string): (ms: number) => number {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  return (ms) => {
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"));
  };
}
