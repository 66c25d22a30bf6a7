/**
 * What lies below a folder? Reads a whole tree as an agent left it (contents or their hashes, modes,
 * links not followed) and copies one. The folder's own `.git` is left out: it is asked by git.
 */
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { hashText } from "../model/hash.ts";
import { FILE_TEXT_MAX, type TreeEntry } from "../model/workspace.ts";
import { failure } from "./failure.ts";

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What is read or copied of one folder, in bytes: a file with holes claims any size. */
const TREE_BYTES_MAX = 2 * 1024 ** 3;

/** Every file and link below the folder, sorted by path. */
export async function readTree(folder: string, filesMax: number): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const weigh = scale("read", folder);
  for await (const place of placesBelow(folder)) {
    if (entries.length === filesMax) {
      throw new Error(`Cannot read "${folder}": it holds more than ${filesMax} files`);
    }
    await weigh(place);
    entries.push(await readPlace(place));
  }
  return entries.sort((a, b) => a.path < b.path ? -1 : 1);
}

/**
 * Copies every file below a folder to `at` in another; a link stays a link, a special file is refused
 * by an error. What stands in the way is replaced: nothing is written through a link.
 */
export async function copyTree(from: string, to: string, at = ""): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  const ready = new Set<string>();
  const weigh = scale("copy", from);
  for await (const place of placesBelow(from)) {
    const { path, absolute, kind } = place;
    await weigh(place);
    const target = join(to, at, path);
    await clearWay(to, dirname(join(at, path)), ready);
    // What lies there may be a file that may not be written, or a folder.
    await Deno.remove(target, { recursive: true }).catch(() => undefined);
    if (kind === "file") await Deno.copyFile(absolute, target);
    else if (kind === "link") await Deno.symlink(await Deno.readLink(absolute), target);
    else throw new Error(`Cannot copy "${absolute}": it is a ${kind}`);
  }
}

/** Makes the folders of a path below another; a file or a link in the place of one goes. */
async function clearWay(below: string, path: string, ready: Set<string>): Promise<void> {
  if (ready.has(path)) return;
  let folder = below;
  for (const step of path.split("/")) {
    folder = join(folder, step);
    const found = await Deno.lstat(folder).catch(() => null);
    if (found !== null && !found.isDirectory) await Deno.remove(folder);
    if (found === null || !found.isDirectory) await Deno.mkdir(folder);
  }
  ready.add(path);
}

/** Sums up files, and refuses by an error what is too much. */
function scale(action: string, folder: string): (place: Place) => Promise<void> {
  let bytes = 0;
  return async ({ absolute, kind }) => {
    if (kind !== "file") return;
    bytes += (await Deno.lstat(absolute)).size;
    if (bytes <= TREE_BYTES_MAX) return;
    throw new Error(
      `Cannot ${action} "${folder}": its files are larger than ${TREE_BYTES_MAX / 1024 ** 3} GiB`,
    );
  };
}

/** Writes a file with its mode; what lies there is replaced. */
export async function writeFile(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true });
    await Deno.remove(path).catch(() => undefined);
    await Deno.writeFile(path, bytes, { createNew: true });
    await Deno.chmod(path, mode);
  } catch (cause) {
    throw failure("Cannot write", path, cause);
  }
}

/** Removes everything below the folder but its own `.git`. */
export async function clearTree(folder: string): Promise<void> {
  for await (const { name } of listed(folder)) {
    if (name !== ".git") await Deno.remove(join(folder, name), { recursive: true });
  }
}

/** Makes a folder and those above it. */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await Deno.mkdir(folder, { recursive: true });
  } catch (cause) {
    throw failure("Cannot make", folder, cause);
  }
}

/** A new empty folder below the system's temporary folder. */
export async function temporaryFolder(): Promise<string> {
  try {
    return await Deno.makeTempDir({ prefix: "collaudo-" });
  } catch (cause) {
    throw failure("Cannot make", "a temporary folder", cause);
  }
}

interface Place {
  readonly path: string;
  readonly absolute: string;
  readonly kind: "file" | "link" | "special file";
}

async function* placesBelow(folder: string): AsyncIterable<Place> {
  const open = [""];
  for (let below = open.pop(); below !== undefined; below = open.pop()) {
    for await (const entry of listed(join(folder, below))) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (path === ".git") continue;
      const absolute = join(folder, path);
      if (entry.isSymlink) yield { path, absolute, kind: "link" };
      else if (entry.isDirectory) open.push(path);
      else yield { path, absolute, kind: entry.isFile ? "file" : "special file" };
    }
  }
}

async function* listed(folder: string): AsyncIterable<Deno.DirEntry> {
  try {
    yield* Deno.readDir(folder);
  } catch (cause) {
    throw failure("Cannot list", folder, cause);
  }
}

async function readPlace({ path, absolute, kind }: Place): Promise<TreeEntry> {
  try {
    if (kind === "link") return { path, value: await Deno.readLink(absolute), mode: "link" };
    const { mode, size } = await Deno.lstat(absolute);
    if (kind === "special file") return { path, value: kind, mode: modeOf(mode) };
    const value = size > FILE_TEXT_MAX
      ? await hashFile(absolute)
      : valueOf(await Deno.readFile(absolute));
    return { path, value, mode: modeOf(mode) };
  } catch (cause) {
    throw failure("Cannot read", absolute, cause);
  }
}

/** The hash of a file's bytes, piece by piece. */
async function hashFile(path: string): Promise<string> {
  const sum = createHash("sha256");
  for await (const piece of (await Deno.open(path)).readable) sum.update(piece);
  return `sha256:${sum.digest("hex")}`;
}

function valueOf(bytes: Uint8Array): string {
  if (bytes.length > FILE_TEXT_MAX) return hashText(bytes);
  try {
    return UTF8.decode(bytes);
  } catch {
    return hashText(bytes);
  }
}

/** As git tells them apart, but what git does not know (setuid, unreadable) as it is. */
function modeOf(mode: number | null): string {
  const bits = (mode ?? 0o644) & 0o7777;
  if (bits > 0o777 || (bits & 0o400) === 0) return bits.toString(8);
  return (bits & 0o100) === 0 ? "644" : "755";
}
