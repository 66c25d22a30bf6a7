/**
 * What did a child process cost? User and system CPU time as bash's `time` reports it (of the
 * process and all its threads, 1 ms), and the peak of resident memory as the kernel keeps it
 * (VmHWM, read while the process lives). Linux only.
 */

/** A command, where it is run, and the exit codes that are not a failure. */
export interface Command {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly exits: readonly number[];
}

/** CPU milliseconds (user + system) of one run; throws where it exits otherwise than allowed. */
export async function cpuOf(command: Command): Promise<number> {
  const script = 'TIMEFORMAT="cpu %3U %3S"; time "$@"';
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", script, "bash", ...command.argv],
    cwd: command.cwd,
    env: { NO_COLOR: "1", LC_ALL: "C" },
  }).output();
  const text = new TextDecoder().decode(stderr);
  const times = /cpu (\d+\.\d+) (\d+\.\d+)\s*$/.exec(text);
  if (!command.exits.includes(code) || times === null) {
    throw new Error(
      `"${command.argv.join(" ")}" exited ${code}\n${new TextDecoder().decode(stdout)}${text}`,
    );
  }
  return Math.round((Number(times[1]) + Number(times[2])) * 1000);
}

/** Peak resident memory of one run in MiB. */
export async function peakOf(command: Command): Promise<number> {
  const [program = "", ...args] = command.argv;
  const child = new Deno.Command(program, {
    args,
    cwd: command.cwd,
    stdout: "null",
    stderr: "null",
  }).spawn();
  let peakKb = 0;
  let ended = false;
  const watch = (async () => {
    while (!ended) {
      peakKb = Math.max(peakKb, readPeakKb(child.pid));
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  const { code } = await child.status;
  ended = true;
  await watch;
  if (!command.exits.includes(code)) throw new Error(`"${command.argv.join(" ")}" exited ${code}`);
  return peakKb / 1024;
}

function readPeakKb(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The middle value; of an even number of values the lower of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}
