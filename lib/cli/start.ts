/**
 * Must anything be loaded at all? The version alone is told at once, a hook first looks for what is
 * known; everything else is for the command line.
 */
import { EXIT } from "../model/exit.ts";
import type { Io } from "../model/ports.ts";
import { VERSION } from "./version.ts";

/** Runs one command line; resolves to its exit code (0, 1, 2, 3 or 130) and never throws. */
export async function start(args: readonly string[], io: Io): Promise<number> {
  if (args.length === 1 && args[0] === "--version") {
    io.terminal.out(`${VERSION}\n`);
    return EXIT.ok;
  }
  if (args[0] === "hook" && args[1] === "run") {
    const { hookRun } = await import("./hook_run.ts");
    return await hookRun(io, args.slice(2));
  }
  const { cli } = await import("./cli.ts");
  return await cli(args, io);
}
