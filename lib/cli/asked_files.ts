/**
 * What did a load ask of the disk, and would it be told the same today? Files in; the same files out,
 * which note every question with its answer, and a comparison of such notes with what lies there now.
 * What cannot be compared that way (a database, a stream, a failure, a write) makes the notes void.
 */
import { hashText } from "../model/hash.ts";
import type { Files } from "../model/ports.ts";

/** One question with its answer: of a content its hash, of anything else the answer as text. */
export type Asked = readonly [kind: keyof typeof ANSWERS, path: string, answer: string];

/** How a question is answered, in a form that can be compared. */
const ANSWERS = {
  content: async (files: Files, path: string) => hashText(await files.readBytes(path)),
  entry: async (files: Files, path: string) => entryText(await files.stat(path)),
  names: async (files: Files, path: string) => JSON.stringify(await files.list(path)),
  target: (files: Files, path: string) => files.realPath(path),
} as const;

/** A folder's size is no question that a load asks. */
function entryText(found: Awaited<ReturnType<Files["stat"]>>): string {
  return found === null ? "" : found.kind === "file" ? `file ${found.size}` : found.kind;
}

/** Files that note what is asked of them; `asked` is null where that cannot be compared later. */
export interface NotedFiles {
  readonly files: Files;
  asked(): readonly Asked[] | null;
}

/** Files that note what is asked of them. */
export function noted(files: Files): NotedFiles {
  const known = new Map<string, Asked>();
  let isVoid = false;
  const note = (kind: Asked[0], path: string, answer: string) => {
    const before = known.get(`${kind} ${path}`);
    if (before !== undefined && before[2] !== answer) isVoid = true;
    known.set(`${kind} ${path}`, [kind, path, answer]);
  };
  const or = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      isVoid = true;
      throw error;
    }
  };
  const never = <T>(answer: T): T => {
    isVoid = true;
    return answer;
  };
  return {
    asked: () => isVoid ? null : [...known.values()],
    files: {
      readBytes: async (path) => {
        const bytes = await or(files.readBytes(path));
        note("content", path, hashText(bytes));
        return bytes;
      },
      readText: async (path) => {
        const text = await or(files.readText(path));
        note("content", path, hashText(text));
        return text;
      },
      readLines: (path) => never(files.readLines(path)),
      stat: async (path) => {
        const found = await or(files.stat(path));
        note("entry", path, entryText(found));
        return found;
      },
      realPath: async (path) => {
        const target = await or(files.realPath(path));
        note("target", path, target);
        return target;
      },
      list: async (folder) => {
        const names = await or(files.list(folder));
        note("names", folder, JSON.stringify(names));
        return names;
      },
      writeText: (path, text) => never(files.writeText(path, text)),
      remove: (path) => never(files.remove(path)),
      readSqlite: (path) => never(files.readSqlite(path)),
    },
  };
}

/** True where every question has the answer that was noted. */
export async function isSame(files: Files, asked: readonly Asked[]): Promise<boolean> {
  try {
    const same = await Promise.all(
      asked.map(async ([kind, path, answer]) => await ANSWERS[kind](files, path) === answer),
    );
    return same.every((each) => each);
  } catch {
    return false;
  }
}
