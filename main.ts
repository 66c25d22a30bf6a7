/**
 * The program: runs the command line with the real effects and hands its exit code to the system.
 * The only exit.
 */
import { cli } from "./lib/cli/cli.ts";
import { createIo } from "./lib/io/real.ts";

Deno.exit(await cli(Deno.args, createIo(import.meta.dirname)));
