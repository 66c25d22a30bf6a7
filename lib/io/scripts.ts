/**
 * How are files written that the system starts, and may it start one? A script is written beside its
 * place, made executable, then renamed, so that git never meets half of a hook.
 */
import { dirname, join } from "node:path";
import type { Scripts } from "../model/ports.ts";
import { failure } from "./failure.ts";

/** Scripts of this machine. */
export function realScripts(): Scripts {
  return { write, isExecutable };
}

async function write(path: string, text: string): Promise<void> {
  const beside = join(dirname(path), `.${crypto.randomUUID()}.tmp`);
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.writeTextFile(beside, text, { createNew: true, mode: 0o755 });
    await Deno.rename(beside, path);
  } catch (cause) {
    await Deno.remove(beside).catch(() => undefined);
    throw failure("Cannot write", path, cause);
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    const { isFile, mode } = await Deno.stat(path);
    return isFile && (mode === null || (mode & 0o111) !== 0);
  } catch {
    return false;
  }
}
