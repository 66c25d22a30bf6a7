/**
 * How is a program started and heard to its end? With an environment that is given whole, or this
 * process's own where the program is a client of it. Out: exit code and what it said.
 */

/** A program that ended. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Starts `argv` and waits; null where there is no such program. */
export async function run(
  argv: readonly string[],
  { cwd, env, limitMs }: {
    readonly cwd?: string;
    /** The whole environment; absent: this process's. */
    readonly env?: Readonly<Record<string, string>>;
    readonly limitMs: number;
  },
): Promise<Ended | null> {
  const [program = "", ...args] = argv;
  try {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args,
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env, clearEnv: true }),
      signal: AbortSignal.timeout(limitMs),
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The same; anything but exit code 0 is an error that tells what it said. */
export async function runWell(...started: Parameters<typeof run>): Promise<Ended> {
  const ended = await run(...started);
  const [argv] = started;
  if (ended === null) throw new Error(`No program "${argv[0]}" on this machine`);
  if (ended.code === 0) return ended;
  throw new Error(`"${argv.join(" ")}" exits ${ended.code}: ${ended.out}${ended.err}`);
}
