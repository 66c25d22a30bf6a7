/**
 * What keeps a program and all that it starts together? A namespace of process ids where this
 * machine makes one (by bubblewrap, else by unshare): when its first process ends, the kernel ends
 * all others. Else only its process group, which a child can leave.
 */
import type { Hold } from "../model/agent_process.ts";
import { readVariable } from "./environment.ts";
import { findProgram } from "./find_program.ts";

/** How a program is to be started so that it is held. */
export interface Held {
  readonly hold: Hold;
  readonly program: string;
  readonly args: readonly string[];
}

/** The ways to make a namespace, best first. */
export type HoldTool = "bwrap" | "unshare";

/** Finds out once what this machine can do. */
export interface Holder {
  /** Holds a program as well as this machine can; the program is an absolute path. */
  hold(argv: readonly [string, ...string[]]): Promise<Held>;
  /** Null where bubblewrap makes a sandbox without a network here, else why it does not. */
  sandboxMissing(): Promise<string | null>;
}

const PROBE_MS = 5_000;
const SYSTEM_PATH = "/usr/bin:/bin";

/** The first process of a namespace: it starts the program, waits and reaps what others leave. */
const FIRST = ["/bin/sh", "-c", '"$@"; exit $?', "sh"];

const BWRAP = ["--dev-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--die-with-parent"];
const UNSHARE = ["--kill-child", "--pid", "--fork", "--mount-proc"];

interface Way {
  readonly program: string;
  readonly args: readonly string[];
}

/** A holder that may use these tools. */
export function programHolder(tools: readonly HoldTool[] = ["bwrap", "unshare"]): Holder {
  let way: Promise<Way | null> | null = null;
  let missing: Promise<string | null> | null = null;
  return {
    hold: async (argv) => {
      const found = await (way ??= findWay(tools));
      if (found === null) return { hold: "group", program: argv[0], args: argv.slice(1) };
      return { hold: "namespace", program: found.program, args: [...found.args, ...argv] };
    },
    sandboxMissing: () => missing ??= probeSandbox(tools),
  };
}

/** Where bubblewrap lies, null where it is not installed. */
export function findBwrap(): Promise<string | null> {
  return findProgram("bwrap", readVariable("PATH") ?? SYSTEM_PATH);
}

async function probeSandbox(tools: readonly HoldTool[]): Promise<string | null> {
  const bwrap = tools.includes("bwrap") ? await findBwrap() : null;
  if (bwrap === null) return "bubblewrap (bwrap) is not installed";
  const works = await succeeds(bwrap, [...BWRAP, "--unshare-net", "--unshare-ipc", "/bin/true"]);
  return works ? null : "bubblewrap (bwrap) is installed, but may make no namespaces here";
}

async function findWay(tools: readonly HoldTool[]): Promise<Way | null> {
  const bwrap = tools.includes("bwrap") ? await findBwrap() : null;
  if (bwrap !== null && await succeeds(bwrap, [...BWRAP, "/bin/true"])) {
    return { program: bwrap, args: [...BWRAP, "--"] };
  }
  const unshare = tools.includes("unshare")
    ? await findProgram("unshare", readVariable("PATH") ?? SYSTEM_PATH)
    : null;
  if (unshare === null) return null;
  for (const args of [UNSHARE, [...UNSHARE, "--user", "--map-current-user"]]) {
    if (await succeeds(unshare, [...args, "--", "/bin/true"])) {
      return { program: unshare, args: [...args, "--", ...FIRST] };
    }
  }
  return null;
}

async function succeeds(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, {
      args: [...args],
      env: { PATH: SYSTEM_PATH },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
      signal: AbortSignal.timeout(PROBE_MS),
    }).output();
    return success;
  } catch {
    return false;
  }
}
