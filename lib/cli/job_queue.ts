/**
 * Which job is next? One at a time, in the order of the times that they are due for: the summary of
 * the morning comes after the run of the night, also where both are late. A job that waits or runs
 * already is not added again.
 */
import type { Job } from "./job_store.ts";

interface Waiting {
  readonly job: Job;
  readonly due: string;
  readonly done: Promise<void>;
  settle(): void;
}

/** Jobs that wait for their turn. */
export class JobQueue {
  readonly #waiting: Waiting[] = [];
  #current: Waiting | null = null;

  /** `work` does one job and never throws. */
  constructor(readonly work: (job: Job, due: string) => Promise<void>) {}

  /** Adds a job; resolves when it was done or dropped. */
  add(job: Job, due: string): Promise<void> {
    const known = [this.#current, ...this.#waiting].find((each) => each?.job.name === job.name);
    if (known) return known.done;
    const { promise: done, resolve: settle } = Promise.withResolvers<void>();
    this.#waiting.push({ job, due, done, settle });
    this.#waiting.sort((a, b) => Date.parse(a.due) - Date.parse(b.due));
    // Jobs that are added together are sorted before the first of them begins.
    queueMicrotask(() => void this.#go());
    return done;
  }

  /** Resolves when nothing waits or runs. */
  async idle(): Promise<void> {
    for (let next = this.#next(); next !== undefined; next = this.#next()) await next.done;
  }

  /** True while a job runs. */
  get isBusy(): boolean {
    return this.#current !== null;
  }

  /** The name of the job that runs, null where none does. */
  get current(): string | null {
    return this.#current?.job.name ?? null;
  }

  /** Drops what waits; what runs goes on. */
  drop(): void {
    for (const each of this.#waiting.splice(0)) each.settle();
  }

  #next(): Waiting | undefined {
    return this.#current ?? this.#waiting[0];
  }

  async #go(): Promise<void> {
    if (this.#current !== null) return;
    const next = this.#waiting.shift();
    if (next === undefined) return;
    this.#current = next;
    try {
      await this.work(next.job, next.due);
    } finally {
      this.#current = null;
      next.settle();
      void this.#go();
    }
  }
}
