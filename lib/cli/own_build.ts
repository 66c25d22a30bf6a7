/**
 * Which program is this, to the letter? A hash of the code that reads and checks files, with the
 * packages that it uses: what one build found sound is worth nothing to another. Null where the
 * code does not lie on this machine's disk as files.
 */
import { createHash } from "node:crypto";
import type { Files, Io } from "../model/ports.ts";

/** The folders whose code decides what a file says and whether it is sound. */
const JUDGING = ["lib/load", "lib/expression", "lib/model"];

/** What else decides: how it is kept, and the versions of the packages. */
const BESIDES = ["lib/cli/remembered.ts", "lib/cli/asked_files.ts", "deno.lock"];

let known: Promise<string | null> | null = null;

/** The hash of this program, made once a process. */
export function ownBuild(io: Pick<Io, "files" | "denoVersion">): Promise<string | null> {
  known ??= buildOf(io.files, import.meta.url).then(
    (sum) => sum === null ? null : `${io.denoVersion}-${sum}`,
    () => null,
  );
  return known;
}

async function buildOf(files: Files, url: string): Promise<string | null> {
  if (!url.startsWith("file:///")) return null;
  const own = decodeURIComponent(new URL(url).pathname);
  const source = /^(.*)\/lib\/cli\/own_build\.ts$/.exec(own);
  const paths = source === null
    ? await codeIn(files, own.slice(0, own.lastIndexOf("/")))
    : await sourcesIn(files, source[1] ?? "");
  const contents = await Promise.all(paths.map((path) => files.readBytes(path)));
  const sum = createHash("sha256");
  contents.forEach((bytes, index) =>
    sum.update(`${paths[index]}\n${bytes.length}\n`).update(bytes)
  );
  return sum.digest("hex");
}

/** Of the program as its source: the folders that read and check, and what else decides. */
async function sourcesIn(files: Files, root: string): Promise<string[]> {
  const folders = await Promise.all(
    JUDGING.map((folder) => codeIn(files, `${root}/${folder}`)),
  );
  const paths = folders.flat().filter((path) => !path.endsWith("_test.ts"));
  return [...paths, ...BESIDES.map((file) => `${root}/${file}`)];
}

/** Of a bundle: it and its chunks, which lie in one folder. */
async function codeIn(files: Files, folder: string): Promise<string[]> {
  const names = (await files.list(folder)).map(({ name }) => name);
  return names.filter((name) => /\.(?:js|ts)$/.test(name)).map((name) => `${folder}/${name}`);
}
