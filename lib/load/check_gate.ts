/** Can the rules of a gate do what they seem to? */
import type { Gate } from "../model/gate.ts";
import type { Problem } from "../model/problem.ts";
import type { SourceFile } from "./source.ts";

/** Problems of a gate beyond its shape. */
export function checkGate(_source: SourceFile, _gate: Gate): Problem[] {
  return [];
}
