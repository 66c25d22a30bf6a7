/** Which gate is it? Two gates of one hash let the same through. */
import type { Gate } from "../model/gate.ts";
import { hashJson } from "../model/hash.ts";

/** The hash of a gate without its words for people. */
export function gateHash(gate: Gate): string {
  const { reason: _, rules, ...rest } = gate;
  const judged = rules.map(({ because: _b, ...rule }) => rule);
  return hashJson(JSON.parse(JSON.stringify({ ...rest, rules: judged })));
}
