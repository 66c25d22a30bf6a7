/**
 * Was the run interrupted? A signal that fires on the first SIGINT or SIGTERM; a second one ends the
 * process at once, as the system does by default.
 */

/** Fires once, with the name of the system's signal in its reason. */
export function interruption(): AbortSignal {
  const controller = new AbortController();
  const signals: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM"];
  const handlers = signals.map((name) => ({ name, handle: () => stop(name) }));
  const stop = (name: Deno.Signal) => {
    for (const handler of handlers) Deno.removeSignalListener(handler.name, handler.handle);
    controller.abort(new Error(`Interrupted by ${name}`));
  };
  for (const handler of handlers) Deno.addSignalListener(handler.name, handler.handle);
  return controller.signal;
}
