/**
 * Which processes does a program have below it, and how do they end? Asks the system for all
 * descendants, those in other groups and sessions too; signals go to each of them.
 */

/** Prints the process ids below the one that it is given. */
const COLLECT = 'walk() { for child in $(cat /proc/"$1"/task/*/children 2>/dev/null); do ' +
  'echo "$child"; (walk "$child"); done; }; walk "$1"';

/** The ids of all descendants; empty where the system does not tell them. */
export async function descendants(pid: number): Promise<number[]> {
  try {
    const { stdout } = await new Deno.Command("/bin/sh", {
      args: ["-c", COLLECT, "sh", String(pid)],
      env: { PATH: "/usr/bin:/bin" },
      clearEnv: true,
      stdin: "null",
      stderr: "null",
    }).output();
    return new TextDecoder().decode(stdout).split("\n").map(Number).filter((each) => each > 1);
  } catch {
    return [];
  }
}

/** Sends a signal to processes, or to groups where the id is negative; who is gone is passed over. */
export function signalAll(ids: readonly number[], signal: Deno.Signal): void {
  for (const id of ids) {
    try {
      Deno.kill(id, signal);
    } catch {
      // It has ended.
    }
  }
}
