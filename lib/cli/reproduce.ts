/** Which command shows one scenario again? */
import type { RunMode } from "../model/run.ts";

/** The command that replays a scenario, or runs it live again; empty for runs recorded elsewhere. */
export function reproduceCommand(id: string, mode: RunMode, recording: string | null): string {
  if (mode === "recorded") return "";
  const task = mode === "live" ? "eval:live --mode live" : "eval";
  const played = recording === null || recording === "pass" ? "" : ` --recording ${recording}`;
  return `deno task ${task} --only ${id}${played}`;
}
