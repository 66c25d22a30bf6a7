/**
 * What time is it inside a run? Milliseconds since its start: measured in a live run, virtual in a
 * replay, where they follow from what happened alone, so that two replays are the same.
 */
import type { Clock } from "../model/ports.ts";

/** The time of one run; make one for each. */
export interface RunClock {
  /** Whole milliseconds since the start. */
  nowMs(): number;
  /** Virtual time moves by `ms`; real time moves by itself. */
  pass(ms: number): void;
  /** Resolves after `ms` of real time, rejects when the signal fires first; virtual time never resolves. */
  limit(ms: number, signal: AbortSignal): Promise<void>;
}

/** Time that moves only by what happens in the run. */
export function virtualClock(): RunClock {
  let nowMs = 0;
  return {
    nowMs: () => Math.round(nowMs),
    pass: (ms) => {
      nowMs += ms;
    },
    limit: () => new Promise(() => {}),
  };
}

/** Time as the outside has it, from now on. */
export function realClock(clock: Clock): RunClock {
  const startMs = clock.monotonicMs();
  return {
    nowMs: () => Math.round(clock.monotonicMs() - startMs),
    pass: () => {},
    limit: (ms, signal) => clock.sleep(ms, signal),
  };
}

/** Virtual time for the replay of a real program: what happens is dated by itself, limits are real. */
export function replayClock(clock: Clock): RunClock {
  return { ...virtualClock(), limit: (ms, signal) => clock.sleep(ms, signal) };
}
