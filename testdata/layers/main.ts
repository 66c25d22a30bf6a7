// main.ts
import { cli } from "./lib/cli/cli.ts";
import { createIo } from "./lib/io/real.ts";
import { realFiles } from "./lib/io/files.ts";
import { judgeRun } from "./lib/judge/judge_run.ts";
Deno.exit(await cli(Deno.args, createIo("/")));
fetch("http://127.0.0.1");
