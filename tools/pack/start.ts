/**
 * The program as the npm package starts it. A decided block leaves as 101, since Deno itself exits
 * with 1 when it cannot start: the launcher turns 101 into 1 and Deno's 1 into 3.
 */
import { start } from "../../lib/cli/start.ts";
import { createIo } from "../../lib/io/real.ts";

const code = await start(Deno.args, createIo(undefined));
Deno.exit(code === 1 ? 101 : code);
