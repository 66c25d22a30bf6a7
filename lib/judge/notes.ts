/**
 * What could not be seen in this run, and why? In: facts. Out: sentences for people; they change no
 * verdict.
 */
import type { Facts } from "./facts.ts";
import { isWriting } from "./calls.ts";

/** The notes that a run calls for. */
export function notesOf(facts: Facts): string[] {
  const { run, usage } = facts;
  const notes: string[] = [];
  if (facts.plan.protected.length > 0 && lacksWrites(facts)) {
    notes.push(
      "Only the net difference was judged: the run keeps no record of what each call wrote, so a " +
        "protected place that was changed and put back is not seen",
    );
  }
  if (run.mode !== "recorded") return notes;
  if (run.scenarioHash === undefined) {
    notes.push("The run names no scenario hash: it was judged against the scenario as it is now");
  }
  if (run.usage === undefined) {
    notes.push("The run states no usage: tokens and cost are not measured");
  }
  if (usage.latencyMs === null) notes.push("The run states no times: latency is not measured");
  return notes;
}

function lacksWrites({ run, seen, loaded }: Facts): boolean {
  return run.events.some(({ kind }) => kind === "command" || kind === "file") ||
    seen.calls.some(({ event }) =>
      event.wrote === undefined && event.status === "ok" && isWriting(event, loaded.tools)
    );
}
