/**
 * The program: runs the command line with the real effects and hands its exit code to the system.
 * The only exit.
 */
import { start } from "./lib/cli/start.ts";
import { createIo } from "./lib/io/real.ts";

Deno.exit(await start(Deno.args, createIo(import.meta.dirname)));
