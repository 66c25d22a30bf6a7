/** What time is it outside? The machine's clock, in UTC, and waits that a signal can end. */
import type { Clock } from "../model/ports.ts";

/** The machine's clock. `sleep` rejects with the signal's reason when that fires first. */
export function realClock(): Clock {
  return {
    now: () => new Date().toISOString(),
    monotonicMs: () => performance.now(),
    sleep,
  };
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
