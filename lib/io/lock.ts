/**
 * Who may run in this project now? A lock of the operating system on a file, which ends with the
 * process that holds it, however that ends. The file itself stays: removing it would let two
 * processes hold two files of one name.
 */
import { dirname } from "node:path";
import type { Lock } from "../model/ports.ts";
import { failure } from "./failure.ts";

/** How long to wait between two tries. */
const RETRY_MS = 100;

/** Locks on files. Waiting ends when `interrupted` fires, with null. */
export function realLock(interrupted: AbortSignal): Lock {
  return {
    acquire: async (path, wait) => {
      const file = await openLock(path);
      while (!await file.tryLock(true)) {
        if (!wait || interrupted.aborted) {
          file.close();
          return null;
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
      return { release: () => file.close() };
    },
  };
}

async function openLock(path: string): Promise<Deno.FsFile> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    return await Deno.open(path, { create: true, write: true });
  } catch (cause) {
    throw failure("Cannot lock", path, cause);
  }
}
