/**
 * How are files read and written? Paths are absolute. Text is UTF-8 or refused; links are followed
 * in reading and never in `stat`. Writing is all or nothing: a temporary file beside the target
 * (`.<random>.tmp`), then a rename. Every failure names the path and the cause.
 */
import { dirname, join } from "node:path";
import type { Files } from "../model/ports.ts";
import { failure, isAbsent } from "./failure.ts";
import { linesOf } from "./lines.ts";

type Kind = "file" | "folder" | "link";

const CHUNK_BYTES = 256 * 1024;
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The files of this machine. */
export function realFiles(): Files {
  return {
    readText,
    readBytes,
    readLines,
    stat,
    realPath: (path) => attempt("Cannot resolve", path, () => Deno.realPath(path)),
    list,
    writeText,
    remove,
    readSqlite: async (path) => {
      const bytes = await readBytes(path);
      const { readDatabase, unfinishedBeside } = await import("./sqlite.ts");
      const unfinished = await unfinishedBeside(path, stat);
      return attempt("Cannot read", path, () => readDatabase(bytes, unfinished));
    },
  };
}

async function attempt<T>(action: string, path: string, effect: () => Promise<T> | T): Promise<T> {
  try {
    return await effect();
  } catch (cause) {
    throw failure(action, path, cause);
  }
}

function readBytes(path: string): Promise<Uint8Array> {
  return attempt("Cannot read", path, () => Deno.readFile(path));
}

async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path);
  return attempt("Cannot read", path, () => decode(bytes));
}

function decode(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch (cause) {
    throw new Error("it is not UTF-8 text", { cause });
  }
}

async function* readLines(path: string): AsyncIterable<string> {
  const file = await attempt("Cannot read", path, () => Deno.open(path));
  try {
    for await (const line of linesOf(chunksOf(file))) yield decode(line);
  } catch (cause) {
    throw failure("Cannot read", path, cause);
  } finally {
    file.close();
  }
}

/** Pieces of a file, each in memory of its own; larger than a stream's, which cost half as much again. */
async function* chunksOf(file: Deno.FsFile): AsyncIterable<Uint8Array> {
  for (;;) {
    const chunk = new Uint8Array(CHUNK_BYTES);
    const count = await file.read(chunk);
    if (count === null) return;
    yield chunk.subarray(0, count);
  }
}

async function stat(path: string): Promise<{ kind: Kind; size: number } | null> {
  try {
    const found = await Deno.lstat(path);
    const kind = kindOf(found);
    if (kind === null) throw new Error("it is a special file: expected a file, a folder or a link");
    return { kind, size: found.size };
  } catch (cause) {
    if (isAbsent(cause)) return null;
    throw failure("Cannot look at", path, cause);
  }
}

async function list(folder: string): Promise<{ name: string; kind: Kind }[]> {
  const entries: { name: string; kind: Kind }[] = [];
  try {
    for await (const entry of Deno.readDir(folder)) {
      const kind = kindOf(entry);
      if (kind !== null) entries.push({ name: entry.name, kind });
    }
  } catch (cause) {
    if (cause instanceof Deno.errors.NotFound) return [];
    throw failure("Cannot list", folder, cause);
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1);
}

/** Null for pipes, sockets and devices: they are no part of a project. */
function kindOf(entry: { isFile: boolean; isDirectory: boolean; isSymlink: boolean }): Kind | null {
  if (entry.isSymlink) return "link";
  if (entry.isDirectory) return "folder";
  return entry.isFile ? "file" : null;
}

async function writeText(path: string, text: string): Promise<void> {
  const folder = dirname(path);
  const beside = join(folder, `.${crypto.randomUUID()}.tmp`);
  await attempt("Cannot write", path, async () => {
    await Deno.mkdir(folder, { recursive: true });
    try {
      await Deno.writeTextFile(beside, text, { createNew: true });
      await Deno.rename(beside, path);
    } catch (cause) {
      await Deno.remove(beside).catch(() => undefined);
      throw cause;
    }
  });
}

/** Removes a file, a link, or a folder with all that is in it; nothing there is fine. */
async function remove(path: string): Promise<void> {
  try {
    await Deno.remove(path, { recursive: true }).catch(async (cause) => {
      if (!(cause instanceof Deno.errors.PermissionDenied)) throw cause;
      // Caches of packages are folders in which nothing may be written.
      await openFolders(path);
      await Deno.remove(path, { recursive: true });
    });
  } catch (cause) {
    if (!isAbsent(cause)) throw failure("Cannot remove", path, cause);
  }
}

/** Lets their owner write into a folder and those below it, links not followed. */
async function openFolders(path: string): Promise<void> {
  if (!(await Deno.lstat(path)).isDirectory) return;
  await Deno.chmod(path, 0o700);
  for await (const entry of Deno.readDir(path)) {
    if (entry.isDirectory) await openFolders(join(path, entry.name));
  }
}
