/**
 * Was this loaded and found sound before? What a load gave lies in `reports/.cache/`, with all that it
 * asked of the disk. It is given again only where this very program asked the same question and would
 * be told the same answers, byte for byte; else, and where anything about the entry is odd, the files
 * are loaded and checked as if there were no entry. Never keeps what had an error.
 */
import { hashText } from "../model/hash.ts";
import type { Json } from "../model/json.ts";
import type { Files, Io } from "../model/ports.ts";
import { hasErrors, type Problem } from "../model/problem.ts";
import { type Asked, isSame, noted } from "./asked_files.ts";
import { ownBuild } from "./own_build.ts";

/** Where loads are kept: a folder, and the program that may use what lies in it. */
export interface Memory {
  readonly files: Files;
  readonly folder: string;
  readonly build: string;
}

/** How a value of a load is written as JSON and read again. */
export interface Codec<T> {
  write(value: T): Json;
  read(json: Json): T;
}

/** Entries beyond which all are removed: those of older programs are never asked for again. */
const KEPT_MAX = 40;

/** A larger entry is not written, in characters. */
const SIZE_MAX = 16_000_000;

/** The memory of the project at `root`; null where this program cannot be told from another. */
export async function openMemory(
  io: Pick<Io, "files" | "denoVersion">,
  root: string,
): Promise<Memory | null> {
  const build = await ownBuild(io);
  const folder = `${root.replace(/\/$/, "")}/reports/.cache`;
  return build === null ? null : { files: io.files, folder, build };
}

/**
 * What `load` gives for a question, from memory where it holds. `question` is everything that decides
 * besides the files that `load` asks for; it must not ask the outside for anything else.
 */
export async function remembered<T extends { readonly problems: readonly Problem[] }>(
  memory: Memory,
  { question, codec, load }: {
    readonly question: Json;
    readonly codec: Codec<T>;
    readonly load: (files: Files) => Promise<T>;
  },
): Promise<T> {
  const key = hashText(JSON.stringify([memory.build, question])).slice("sha256:".length);
  const known = await recall(memory, key, codec);
  if (known !== null) return known;
  const { files, asked } = noted(memory.files);
  const value = await load(files);
  const answers = asked();
  if (answers !== null && !hasErrors(value.problems)) {
    await keep(memory, key, [answers, codec.write(value)]);
  }
  return value;
}

/** An entry is two lines: its seal, then what was asked and what came of it. */
async function recall<T>(
  { files, folder }: Memory,
  key: string,
  codec: Codec<T>,
): Promise<T | null> {
  try {
    const text = await files.readText(`${folder}/${key}.entry`);
    const cut = text.indexOf("\n");
    const rest = text.slice(cut + 1);
    if (text.slice(0, cut) !== seal(key, rest)) return null;
    const [asked, value] = JSON.parse(rest) as [Asked[], Json];
    return await isSame(files, asked) ? codec.read(value) : null;
  } catch {
    return null;
  }
}

/** Tells an entry that is cut, spoilt or lies under the name of another. */
function seal(key: string, rest: string): string {
  return hashText(`${key}\n${rest}`);
}

/** A folder that cannot be written, or a full disk, only means that nothing is remembered. */
async function keep({ files, folder }: Memory, key: string, entry: unknown): Promise<void> {
  const rest = plainText(entry);
  if (rest === null || rest.length > SIZE_MAX) return;
  try {
    const entries = (await files.list(folder)).filter(({ name }) => name.endsWith(".entry"));
    if (entries.length === 0) await files.writeText(`${folder}/.gitignore`, "*\n");
    if (entries.length >= KEPT_MAX) {
      for (const { name } of entries) await files.remove(`${folder}/${name}`);
    }
    await files.writeText(`${folder}/${key}.entry`, `${seal(key, rest)}\n${rest}`);
  } catch {
    return;
  }
}

/** The text of plain data, null where JSON would give back something else than went in. */
function plainText(value: unknown): string | null {
  return isPlain(value) ? JSON.stringify(value) : null;
}

function isPlain(value: unknown): boolean {
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value) && !Object.is(value, -0);
  if (Array.isArray(value)) return value.every(isPlain);
  if (typeof value !== "object" || Object.getPrototypeOf(value) !== Object.prototype) return false;
  return Object.entries(value).every(([key, item]) => key !== "__proto__" && isPlain(item));
}
