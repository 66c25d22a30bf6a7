/**
 * Which exit code of a command is proved? Only that of one program on its own, from whose first word
 * on the pattern matches: an exit code of a list, a pipeline, a redirection or a background run is
 * that of something else, and a text that only holds the pattern's words ran nothing of it.
 */
import type { CommandEvent } from "../model/run.ts";
import { provenCommand } from "../model/shell.ts";
import { compileRe2 } from "./re2.ts";

/** What gives the proved exit code of a command that the pattern matches, null where it is unknown. */
export function exitProof(pattern: string): (command: CommandEvent) => number | null {
  const begins = compileRe2(`\\A(?:${pattern})`);
  return (event) => {
    const { exitCode, status } = event;
    const ended = exitCode === 0 ? status === "ok" : status === "ok" || status === "error";
    if (exitCode === null || !ended || begins.kind === "broken") return null;
    const command = provenCommand(event.command);
    return command !== null && begins.test(command) ? exitCode : null;
  };
}
