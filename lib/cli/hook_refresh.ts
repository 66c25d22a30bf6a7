/**
 * Does the shim still know what triggers? Where the index has another collaudo.yaml than the shim was
 * written for, on any branch, the shim is written anew. One that cannot be read leaves it as it is:
 * the next commit asks again.
 */
import { readConfigText } from "../load/history.ts";
import type { Io } from "../model/ports.ts";
import { gitIn, type HookCall } from "./hook_call.ts";
import { writeShim } from "./hook_install.ts";

/** Writes the shim for the configuration of the call. */
export async function refreshShim(io: Io, { repository, config, all }: HookCall): Promise<void> {
  const { code, out } = await gitIn(io, repository, ["cat-file", "blob", config ?? ""]);
  const read = code === 0 ? readConfigText(out) : null;
  if (read !== null) await writeShim(io, repository, { config: read, blob: config, all });
}
