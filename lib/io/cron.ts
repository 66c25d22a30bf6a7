/**
 * When is it time? Times of a cron text in a time zone, and a wait that tells each of them, by
 * node-cron. That package keeps nothing: what it misses (a sleeping machine, a clock that was set)
 * is noticed here and told as `missed`; the caller knows what it has done already. Daylight saving:
 * a local time that does not exist is left out, one that comes twice is told at its second coming.
 */
import { createTask, type ScheduledTask, setLogger } from "node-cron";
import type { Cron, CronEvents, CronJob } from "../model/ports.ts";

/** How late a time may still be told; later ones are told as missed. */
const TOLERANCE_MS = 6 * 3_600_000;

/** How often to look whether the machine slept, and how much sleep counts. */
const LOOK_MS = 60_000;
const SLEPT_MS = 5_000;

/** Eight years: the longest way between two 29ths of February. */
const REACH_MS = 8 * 366 * 86_400_000;

const SILENT = { info: ignore, warn: ignore, error: ignore, debug: ignore };

/** The schedule of this machine. */
export function realCron(): Cron {
  setLogger(SILENT);
  return {
    next: (job, from, count) => Promise.resolve(next(taskOf(job), Date.parse(from), count)),
    newest: (job, since, at) => Promise.resolve(newest(taskOf(job), Date.parse(since), at)),
    watch,
  };
}

function ignore(): void {}

function taskOf(job: CronJob, due: (at: Date) => Promise<void> | void = ignore): ScheduledTask {
  return createTask(job.cron, ({ date }) => due(date), {
    name: job.name,
    timezone: job.zone,
    noOverlap: true,
    missedExecutionTolerance: TOLERANCE_MS,
    suppressMissedWarning: true,
  });
}

function next(task: ScheduledTask, fromMs: number, count: number): string[] {
  return atMoment(fromMs, () => task.getNextRuns(count)).map((time) => time.toISOString());
}

/** Looks from ever further back until a time comes up before `at`, then goes on to the newest. */
function newest(task: ScheduledTask, sinceMs: number, at: string): string | null {
  const end = new Date(at).toISOString();
  const endMs = Date.parse(end);
  for (let back = 60_000;; back *= 2) {
    const from = Math.max(sinceMs, endMs - back);
    const found = newestFrom(task, from, end);
    if (found !== null) return found;
    if (from === sinceMs || back > REACH_MS) return null;
  }
}

function newestFrom(task: ScheduledTask, fromMs: number, end: string): string | null {
  let found: string | null = null;
  for (let from = fromMs;;) {
    const times = next(task, from, 16);
    for (const time of times) {
      if (time > end) return found;
      found = time;
    }
    const last = Date.parse(times.at(-1) ?? "");
    if (!(last > from)) return found;
    from = last;
  }
}

/**
 * Runs `work`, for which it is `ms` now. node-cron counts from the present only; nothing else runs
 * in between, since `work` waits for nothing.
 */
function atMoment<T>(ms: number, work: () => T): T {
  const Present = globalThis.Date;
  class Then extends Present {
    constructor(...args: readonly unknown[]) {
      super(...((args.length === 0 ? [ms] : args) as [number]));
    }
    static override now(): number {
      return ms;
    }
  }
  globalThis.Date = Then as DateConstructor;
  try {
    return work();
  } finally {
    globalThis.Date = Present;
  }
}

async function watch(
  jobs: readonly CronJob[],
  events: CronEvents,
  signal: AbortSignal,
): Promise<void> {
  const tasks = jobs.map((job) => {
    const task = taskOf(job, (at) => events.due(job.name, at.toISOString()));
    task.on("execution:missed", () => events.missed());
    task.on("execution:overlap", ({ date }) => events.overlap(job.name, date.toISOString()));
    return task;
  });
  for (const task of tasks) await task.start();
  const stopLooking = onSleep(() => {
    // Timers do not count while the machine sleeps: they would be late by as much.
    for (const task of tasks) {
      task.stop();
      task.start();
    }
    events.missed();
  });
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  stopLooking();
  for (const task of tasks) await task.destroy();
}

/** Calls `slept` where the wall clock went on much further than the machine, or backwards. */
function onSleep(slept: () => void): () => void {
  const apart = () => Date.now() - performance.now();
  let before = apart();
  const timer = setInterval(() => {
    const now = apart();
    const differs = Math.abs(now - before) > SLEPT_MS;
    before = now;
    if (differs) slept();
  }, LOOK_MS);
  return () => clearInterval(timer);
}
