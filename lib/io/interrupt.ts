/**
 * Was the run interrupted? A signal that fires on the first SIGINT or SIGTERM; a second one ends the
 * process at once, as the system does by default. A job of the schedule is interrupted too when the
 * schedule is gone, however that ended: its standard input then closes.
 */
import { readVariable, SCHEDULED } from "./environment.ts";

/** Fires once, with the name of the system's signal in its reason. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM"];
  const handlers = signals.map((name) => ({ name, handle: () => stop(name) }));
  const stop = (name: string) => {
    if (controller.signal.aborted) return;
    for (const handler of handlers) Deno.removeSignalListener(handler.name, handler.handle);
    controller.abort(new Error(`Interrupted by ${name}`));
  };
  for (const handler of handlers) Deno.addSignalListener(handler.name, handler.handle);
  if (readVariable(SCHEDULED) === "1") onInputClosed(() => stop("the end of the schedule"));
  return controller.signal;
}

async function onInputClosed(closed: () => void): Promise<void> {
  const buffer = new Uint8Array(64);
  try {
    while (await Deno.stdin.read(buffer) !== null);
  } catch {
    // A pipe that broke is closed too.
  }
  closed();
}
