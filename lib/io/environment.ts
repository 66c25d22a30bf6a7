/**
 * What may a child process know? The environment without git's own variables, which would point a
 * git command at the caller's repository from inside a hook, and without the loader's, which Deno
 * refuses to hand on. Where the task may not read the environment, it counts as empty.
 */

/** Git's variables that say how git is set up, not which repository is meant. */
const KEPT: ReadonlySet<string> = new Set([
  "GIT_CONFIG_GLOBAL",
  "GIT_CONFIG_SYSTEM",
  "GIT_CONFIG_NOSYSTEM",
  "GIT_CEILING_DIRECTORIES",
]);

/** Set to `1` in jobs of the schedule, and in nothing that they start. */
export const SCHEDULED = "COLLAUDO_SCHEDULED";

/** An environment variable, undefined where it is not set or may not be read. */
export function readVariable(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) return undefined;
    throw cause;
  }
}

/** The whole environment for a child process, cleaned. */
export function childEnvironment(): Record<string, string> {
  const all = readAll();
  return Object.fromEntries(Object.entries(all).filter(([name]) => mayPass(name)));
}

function mayPass(name: string): boolean {
  if (KEPT.has(name)) return true;
  if (name === SCHEDULED) return false;
  return !/^(GIT_|LD_|DYLD_)/i.test(name);
}

function readAll(): Record<string, string> {
  try {
    return Deno.env.toObject();
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) return {};
    throw cause;
  }
}
