/**
 * When must a run stop whatever the agent does? At the agent's time limit, and when the caller's
 * signal fires. In: both. Out: one signal for the model, and how the run ended.
 */
import type { Ended } from "../model/run.ts";
import type { RunClock } from "./run_clock.ts";

/** Watches one run; `close` it when the run is over. */
export interface Stop {
  /** Fires when the run must stop. */
  readonly signal: AbortSignal;
  /** How the run ends, null while it may go on. */
  ended(): Ended | null;
  /** The promised value, or how the run ended where that came first. */
  race<Value>(work: Promise<Value>): Promise<Value | Ended>;
  close(): void;
}

/** A reason of our own: without one, each abort makes an error with its stack, which costs most of it. */
const OVER = "over";

/** Starts to watch: `timeoutS` seconds of the run's clock, and the caller's signal. */
export function watchStop(clock: RunClock, timeoutS: number, outer: AbortSignal): Stop {
  const control = new AbortController();
  const watch = new AbortController();
  let ended: Ended | null = null;
  const stop = (how: Ended) => {
    ended ??= how;
    control.abort(new Error(how.detail));
  };
  const interrupt = () => stop({ kind: "interrupted", detail: "The run was interrupted" });
  if (outer.aborted) interrupt();
  outer.addEventListener("abort", interrupt, { once: true, signal: watch.signal });
  const timedOut: Ended = { kind: "timeout", detail: `The agent's time limit is ${timeoutS} s` };
  clock.limit(timeoutS * 1000, watch.signal).then(() => stop(timedOut), () => {});
  return {
    signal: control.signal,
    ended: () => ended,
    race: (work) => raceWith(work, control.signal, () => ended),
    close: () => watch.abort(OVER),
  };
}

async function raceWith<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  ended: () => Ended | null,
): Promise<Value | Ended> {
  const done = new AbortController();
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: done.signal });
  });
  // A model may fail after the run has stopped: nobody waits for that any more.
  work.catch(() => {});
  try {
    const first = await Promise.race([work, stopped.then(() => null)]);
    return ended() ?? (first === null ? await work : first);
  } finally {
    done.abort(OVER);
  }
}
