/**
 * Do the fixtures still prove and tempt as before? Two versions of a recording or of a tools file in;
 * what proves less, or lets an agent do more unasked, out. What a recording's agent says and does is
 * not compared: that is what the gate judges.
 */
import type { Direction, GateChange } from "../model/gate.ts";
import type { Json } from "../model/json.ts";
import type { Recording } from "../model/recording.ts";
import type { ToolEffect, ToolSet } from "../model/tool.ts";
import { change, listChanges, ranked } from "./differences.ts";

/** Every difference in what a recording proves; null where it is absent. */
export function diffRecordings(
  from: Recording | null,
  to: Recording | null,
  file: string,
): GateChange[] {
  if (from === null || to === null) {
    const proves = (side: Recording | null) => side === null ? undefined : side.fails ?? "passes";
    return change(file, { from: proves(from), to: proves(to) }, gone);
  }
  const at = `${file} fails`;
  // Whether it must pass or fail: one proof went, another came.
  if ((from.fails === undefined) !== (to.fails === undefined)) {
    return change(at, { from: from.fails, to: to.fails }, "looser");
  }
  return listChanges(at, { from: from.fails ?? [], to: to.fails ?? [] }, "tighter");
}

/** From the gravest to the lightest: what a lighter one does is looked at less. */
const EFFECTS: readonly ToolEffect[] = [
  "irreversible",
  "message",
  "write",
  "hand_over",
  "ask",
  "read",
];

/** Every difference in how grave the simulated tools are; null where the file is absent. */
export function diffTools(from: ToolSet | null, to: ToolSet | null, file: string): GateChange[] {
  const names = [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])];
  return names.flatMap((name) => {
    const [before, after] = [from?.[name], to?.[name]];
    const at = `${file} tools/${name}`;
    // What nobody can call can do no harm, nor be forbidden.
    if (before === undefined || after === undefined) {
      return change(at, { from: before?.effect, to: after?.effect }, gone);
    }
    return [
      ...change(`${at}/effect`, { from: before.effect, to: after.effect }, ranked(EFFECTS)),
      ...change(
        `${at}/approval`,
        { from: before.approval, to: after.approval },
        ranked(["required", "none"]),
      ),
    ];
  });
}

function gone(from: Json): Direction {
  return from === null ? "tighter" : "looser";
}
