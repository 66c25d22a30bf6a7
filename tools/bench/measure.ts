/**
 * What did a child process cost? User and system CPU time as bash's `time` reports it (of the
 * process and all its threads, 1 ms), and the peak of resident memory as the kernel keeps it
 * (VmHWM). Linux with bash only.
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

const WATCH = `"$@" >/dev/null 2>&1 & pid=$!; peak=0
while kill -0 $pid 2>/dev/null; do
  while read -r key value _; do
    if [ "$key" = VmHWM: ]; then peak=$value; fi
  done 2>/dev/null < /proc/$pid/status
  sleep 0.02
done
wait $pid; code=$?; echo "peak $peak"; exit $code`;

/** Peak resident memory of one run in MiB, looked at every 20 ms; bash reads what Deno may not. */
export async function peakOf(command: Command): Promise<number> {
  const { code, stdout } = await new Deno.Command("bash", {
    args: ["-c", WATCH, "bash", ...command.argv],
    cwd: command.cwd,
    stderr: "null",
  }).output();
  const peakKb = Number(/peak (\d+)/.exec(new TextDecoder().decode(stdout))?.[1] ?? 0);
  if (!command.exits.includes(code) || peakKb === 0) {
    throw new Error(`"${command.argv.join(" ")}" exited ${code}, peak ${peakKb} kB`);
  }
  return peakKb / 1024;
}

/** The middle value; of an even number of values the lower of the two. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[(sorted.length - 1) >> 1] ?? 0;
}
