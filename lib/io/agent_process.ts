/**
 * What did the program of an agent write, and how did it end? Runs one process without a shell, in
 * an environment built from nothing, held together with all that it starts; output goes to the disk
 * and line by line to a reader as it comes, in bounded memory. At the time limit everything is gone:
 * SIGTERM to each process, a short grace, then SIGKILL to all.
 */
import {
  type AgentEnd,
  type AgentProcesses,
  type AgentStart,
  type Hold,
  type ShellRecord,
} from "../model/agent_process.ts";
import type { ChildEnd } from "../model/ports.ts";
import { whyFailed } from "./failure.ts";
import { findProgram } from "./find_program.ts";
import { type Held, type Holder, programHolder } from "./process_hold.ts";
import { drained, openLog, readLog } from "./process_log.ts";
import { descendants, signalAll } from "./process_tree.ts";
import { type OpenSandbox, openSandbox } from "./sandbox.ts";

/** Time for processes to end by themselves after SIGTERM. */
const GRACE_MS = 700;

/** The agents' programs of this machine. */
export function realAgentProcesses(holder: Holder = programHolder()): AgentProcesses {
  return {
    start: (options) => start(options, holder),
    sandboxMissing: () => holder.sandboxMissing(),
  };
}

async function start(options: AgentStart, holder: Holder): Promise<AgentEnd> {
  if (options.signal.aborted) return notStarted({ kind: "interrupted" });
  let sandbox: OpenSandbox | null = null;
  try {
    const program = await findProgram(options.argv[0] ?? "", options.env["PATH"] ?? "");
    if (program === null) return notStarted({ kind: "not_started", why: missing(options) });
    const argv = [program, ...options.argv.slice(1)] as const;
    if (options.sandbox !== null) {
      sandbox = await openSandbox(options.sandbox, { ...options, argv });
    }
    const held = sandbox?.held ?? await holder.hold(argv);
    return { program, ...await run(options, { held, sandbox }) };
  } catch (cause) {
    await sandbox?.close(0);
    return notStarted({ kind: "not_started", why: whyFailed(cause) });
  }
}

function missing({ argv: [name = ""] }: AgentStart): string {
  return name.includes("/")
    ? `no program "${name}": expected an executable file at an absolute path`
    : `no program "${name}": it lies in no folder of PATH`;
}

function notStarted(end: ChildEnd): AgentEnd {
  const nothing = { durationMs: 0, outBytes: 0, errBytes: 0, cutLines: 0, commands: [] };
  return { program: null, end, hold: "group", ...nothing };
}

async function run(
  options: AgentStart,
  { held, sandbox }: { readonly held: Held; readonly sandbox: OpenSandbox | null },
): Promise<Omit<AgentEnd, "program">> {
  const startedAt = Date.now();
  const startMs = performance.now();
  const [out, err] = [await openLog(options.outFile), await openLog(options.errFile)];
  let process: Deno.ChildProcess;
  try {
    process = spawn(held, options);
  } catch (cause) {
    out.close();
    err.close();
    throw cause;
  }
  const reading = [
    readLog(process.stdout, out, {
      keep: (line) => options.keep("out", line),
      line: (text) => options.line(text),
    }),
    readLog(process.stderr, err, { keep: (line) => options.keep("err", line), line: () => {} }),
  ] as const;
  if (options.input !== null) void feed(process.stdin, options.input);
  const ending = endEarly(process.pid, held.hold, options);
  const status = await process.status;
  await ending.settle();
  signalAll([-process.pid], "SIGKILL");
  const [outRead, errRead] = await drained(reading, ending.early() === null ? held.hold : null);
  const durationMs = Math.round(performance.now() - startMs);
  const ready = await sandbox?.wasReady() ?? true;
  const commands: readonly ShellRecord[] = await sandbox?.close(startedAt) ?? [];
  const unread = outRead.failed ?? errRead.failed;
  return {
    end: unread === null ? endOf(status, ending.early(), ready) : unreadable(unread),
    hold: held.hold,
    durationMs,
    outBytes: outRead.bytes,
    errBytes: errRead.bytes,
    cutLines: outRead.cutLines,
    commands,
  };
}

function spawn({ program, args }: Held, { cwd, env, input }: AgentStart): Deno.ChildProcess {
  return new Deno.Command(program, {
    args: [...args],
    cwd,
    env: { ...env },
    clearEnv: true,
    detached: true,
    stdin: input === null ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

function unreadable(cause: unknown): ChildEnd {
  return { kind: "not_started", why: `its output cannot be kept: ${whyFailed(cause)}` };
}

function endOf(
  { code, signal }: Deno.CommandStatus,
  early: "timeout" | "interrupted" | null,
  ready: boolean,
): ChildEnd {
  if (early !== null) return { kind: early };
  if (!ready) return { kind: "not_started", why: "our ports were not reached from the sandbox" };
  return signal === null ? { kind: "exited", code } : { kind: "killed", signal };
}

interface Ending {
  early(): "timeout" | "interrupted" | null;
  /** No signal is sent any more once this resolved. */
  settle(): Promise<void>;
}

/** Ends everything at the time limit, or when the signal fires. */
function endEarly(pid: number, hold: Hold, { limitMs, signal }: AgentStart): Ending {
  let early: "timeout" | "interrupted" | null = null;
  let grace: ReturnType<typeof setTimeout> | undefined;
  let asking: Promise<void> = Promise.resolve();
  let below: number[] = [];
  // Where a namespace holds them, its makers must live on: with them all others would end at once.
  const group = hold === "group" ? [-pid] : [];
  const kill = () => signalAll([-pid, ...(hold === "group" ? below : [])], "SIGKILL");
  const end = (why: "timeout" | "interrupted") => {
    if (early !== null) return;
    early = why;
    grace = setTimeout(kill, GRACE_MS);
    asking = descendants(pid).then((found) => {
      below = found;
      signalAll([...group, ...below], "SIGTERM");
    });
  };
  const interrupt = () => end("interrupted");
  signal.addEventListener("abort", interrupt, { once: true });
  const limit = setTimeout(() => end("timeout"), limitMs);
  return {
    early: () => early,
    settle: async () => {
      clearTimeout(limit);
      signal.removeEventListener("abort", interrupt);
      await asking;
      clearTimeout(grace);
      if (early !== null) kill();
    },
  };
}

/** A program that needs no more of it closes the pipe. */
async function feed(stdin: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => undefined);
  await writer.close().catch(() => undefined);
}
