/**
 * `schedule`: which jobs of `collaudo.yaml` are due now? A program that stays in the foreground and
 * starts each at its time; `--once` does what is due and ends, for timers of the system. Both first
 * see what an earlier one left behind: what crashed, and what was missed. One of a project at a time.
 * `--bot` also answers the chat of the configuration, which is off otherwise.
 */
import { EXIT } from "../model/exit.ts";
import type { ChatAddress, Io } from "../model/ports.ts";
import { localMoment, scheduleWordsOf } from "../report/words_schedule.ts";
import { JobQueue } from "./job_queue.ts";
import { runJob } from "./job_run.ts";
import {
  cronOf,
  dueTime,
  isDone,
  type Job,
  keepJob,
  openJob,
  readJob,
  scheduleFolder,
} from "./job_store.ts";
import { taskCall } from "./reproduce.ts";
import { openSession, printProblems, refuse, type Session } from "./session.ts";

/** Runs the command; resolves to its exit code. */
export async function scheduleCommand(
  io: Io,
  options: { readonly once?: boolean; readonly bot?: boolean },
): Promise<number> {
  const session = await openSchedule(io);
  if (typeof session === "number") return session;
  const address = options.bot === true ? await botAddress(session, options.once === true) : null;
  if (typeof address === "number") return address;
  if (!io.children.mayStart()) {
    return refuse(io, "This task may not start programs", `use \`${taskCall(io, "schedule")}\``);
  }
  const held = await io.lock.acquire(`${scheduleFolder(session)}/.lock`, false);
  if (held === null) return elsewhere(session, options.once === true);
  try {
    const schedule = new Schedule(session);
    await schedule.recover();
    return options.once === true ? await schedule.once() : await schedule.watch(address);
  } finally {
    held.release();
  }
}

/** The chat that the bot answers; an exit code where there is none, or the bot cannot be. */
async function botAddress(session: Session, once: boolean): Promise<ChatAddress | number> {
  const { io, project } = session;
  if (once) {
    return refuse(io, "A bot listens as long as the schedule runs", "leave out --once or --bot");
  }
  const { BOT_JOB } = await import("./bot_run.ts");
  if (project.config.schedule.jobs.some(({ name }) => name === BOT_JOB)) {
    return refuse(io, `The name "${BOT_JOB}" is the bot's own`, "give that job another name");
  }
  const { chatAddress } = await import("./channels.ts");
  const address = chatAddress(session, null);
  if (typeof address === "number" || /^-?\d+$/.test(address.chat)) return address;
  return refuse(
    io,
    "The chat is no number, so nobody would be answered",
    "put the number of the chat there: getUpdates shows it",
  );
}

/** A session with jobs and with the warnings about them told; else an exit code. */
export async function openSchedule(io: Io): Promise<Session | number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  await printProblems(io, session.warnings ?? [], session.project.root);
  if (session.project.config.schedule.jobs.length > 0) return session;
  return refuse(
    io,
    "No job in collaudo.yaml",
    'describe one under `schedule`: {jobs: [{name: eval, cron: "30 2 * * 5", command: [run]}]}',
  );
}

/** The other one does what is due: nothing is left for this one. */
function elsewhere({ io, project }: Session, once: boolean): number {
  if (once) return EXIT.ok;
  io.terminal.err(`error: ${scheduleWordsOf(project.config.locale).elsewhere}\n`);
  return EXIT.undecided;
}

/** The jobs of a project, while this process looks after them. */
class Schedule {
  readonly #jobs: readonly Job[];
  readonly #queue: JobQueue;
  /** Jobs and times that this process has tried. */
  readonly #tried = new Set<string>();
  #failed = false;

  constructor(readonly session: Session) {
    this.#jobs = session.project.config.schedule.jobs;
    this.#queue = new JobQueue((job, due) => this.#work(job, due));
  }

  /** Gives what was started and never ended the outcome `crashed`; begins to count for new jobs. */
  async recover(): Promise<void> {
    for (const job of this.#jobs) {
      const file = await openJob(this.session, job);
      const { last } = file;
      const crashed = last?.outcome === "running";
      const mended = crashed ? { ...file, last: { ...last, outcome: "crashed" as const } } : file;
      await keepJob(this.session, mended);
      if (crashed) this.#tell((words) => words.crashedAt(job.name, this.#local(last.started)));
    }
  }

  /** Does what is due until nothing is; exit code 3 where something of it failed. */
  async once(): Promise<number> {
    while (await this.catchUp() && !this.session.io.interrupted.aborted) await this.#queue.idle();
    if (this.session.io.interrupted.aborted) return EXIT.interrupted;
    return this.#failed ? EXIT.undecided : EXIT.ok;
  }

  /** Waits for the times of the jobs, and for questions of a chat, until the process is told to end. */
  async watch(chat: ChatAddress | null): Promise<number> {
    const { io } = this.session;
    const { interrupted } = io;
    await this.#tellNext();
    const watching = io.cron.watch(this.#jobs.map((job) => cronOf(this.session, job)), {
      due: (name, at) => this.#due(name, at),
      overlap: (name) => this.#tell((words) => words.overlap(name)),
      missed: () => void this.catchUp(),
    }, interrupted);
    await this.catchUp();
    const talking = chat === null ? null : this.#talk(chat);
    await watching;
    const busy = this.#queue.isBusy;
    this.#queue.drop();
    await this.#queue.idle();
    await talking;
    return busy ? EXIT.interrupted : EXIT.ok;
  }

  async #talk(chat: ChatAddress): Promise<void> {
    const { runBot } = await import("./bot.ts");
    await runBot(this.session, chat, {
      start: (job, due) => this.#queue.add(job, due),
      running: () => this.#queue.current,
    });
  }

  /** Adds what was missed; false where there is nothing. Never throws. */
  async catchUp(): Promise<boolean> {
    const due: { job: Job; at: string }[] = [];
    for (const job of this.#jobs) {
      const at = await dueTime(this.session, job, await openJob(this.session, job))
        .catch((error) => this.#told(error));
      if (at !== null && !this.#tried.has(`${job.name} ${at}`)) due.push({ job, at });
    }
    for (const { job, at } of due) void this.#queue.add(job, at);
    return due.length > 0;
  }

  async #due(name: string, at: string): Promise<void> {
    const job = this.#jobs.find((each) => each.name === name);
    if (job !== undefined) await this.#queue.add(job, at);
  }

  /** Does a job, unless it was done for this time while it waited. */
  async #work(job: Job, due: string): Promise<void> {
    if (this.session.io.interrupted.aborted) return;
    try {
      const kept = await readJob(this.session, job.name);
      this.#tried.add(`${job.name} ${due}`);
      if (kept !== null && kept !== "unusable" && isDone(kept, due)) return;
      const { outcome } = await runJob(this.session, job, due);
      if (outcome !== "completed") this.#failed = true;
    } catch (error) {
      this.#told(error);
    }
  }

  #told(error: unknown): null {
    this.#failed = true;
    const why = error instanceof Error ? error.message : String(error);
    this.session.io.terminal.err(`error: ${this.session.masker.mask(why)}\n`);
    return null;
  }

  #tell(line: (words: ReturnType<typeof scheduleWordsOf>) => string): void {
    const words = scheduleWordsOf(this.session.project.config.locale);
    this.session.io.terminal.err(`${line(words)}\n`);
  }

  #local(iso: string): string {
    const { locale, zone } = this.session.project.config;
    return localMoment(locale, zone, iso);
  }

  async #tellNext(): Promise<void> {
    const { io } = this.session;
    for (const job of this.#jobs) {
      const [at] = await io.cron.next(cronOf(this.session, job), io.clock.now(), 1);
      if (at !== undefined) this.#tell((words) => words.nextAt(job.name, this.#local(at)));
    }
  }
}
