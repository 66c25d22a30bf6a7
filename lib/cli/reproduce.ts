/** How is this program called here, and which command shows one scenario again? */
import type { Io } from "../model/ports.ts";
import type { RunMode } from "../model/run.ts";

/** The beginning of a command line in replay and live: a task of the source tree, or the package's. */
export interface Program {
  readonly replay: string;
  readonly live: string;
}

/** The package's launcher names itself in COLLAUDO_PROGRAM; without it this is the source tree. */
export function programOf(io: Pick<Io, "env">): Program {
  const named = io.env("COLLAUDO_PROGRAM") ?? "";
  return named === ""
    ? { replay: "deno task eval", live: "deno task eval:live --mode live" }
    : { replay: named, live: `${named} --mode live` };
}

/** The same where agents are programs, which only a task of its own may start. */
export function agentsProgram(io: Pick<Io, "env">): Program {
  const named = io.env("COLLAUDO_PROGRAM") ?? "";
  const call = named === "" ? "deno task eval:agents" : `${named} agents`;
  return { replay: call, live: `${call} --mode live` };
}

/**
 * How a command is called here whose task has its own permissions, such as `deno task schedule`. The
 * package has no tasks: `notify:any` is its `notify`.
 */
export function taskCall(io: Pick<Io, "env">, task: "schedule" | "notify" | "notify:any"): string {
  const named = io.env("COLLAUDO_PROGRAM") ?? "";
  return named === "" ? `deno task ${task}` : `${named} ${task.split(":")[0]}`;
}

/** The command that plays a scenario again; empty for runs recorded elsewhere. */
export function reproduceCommand(
  program: Program,
  run: { readonly scenario: string; readonly mode: RunMode; readonly recording: string | null },
): string {
  if (run.mode === "recorded") return "";
  const { recording } = run;
  const played = recording === null || recording === "pass" ? "" : ` --recording ${recording}`;
  return `${run.mode === "live" ? program.live : program.replay} --only ${run.scenario}${played}`;
}
