/** Files that lie in memory over those of a disk: what an example would be if it stood in the project. */
import { memoryFiles } from "../../lib/load/memory_files.ts";
import type { Files } from "../../lib/model/ports.ts";

/** `below` with `texts` (by absolute path) added or in place of what is there; nothing is written to it. */
export function overlayFiles(below: Files, texts: Readonly<Record<string, string>>): Files {
  const above = memoryFiles(texts);
  const isAbove = async (path: string) => (await above.stat(path))?.kind === "file";
  const at = async (path: string) => await isAbove(path) ? above : below;
  return {
    ...above,
    readText: async (path) => await (await at(path)).readText(path),
    readBytes: async (path) => await (await at(path)).readBytes(path),
    async *readLines(path) {
      yield* (await at(path)).readLines(path);
    },
    stat: async (path) => await isAbove(path) ? await above.stat(path) : await below.stat(path),
    realPath: async (path) => await isAbove(path) ? path : await below.realPath(path),
    list: async (folder) => {
      const names = new Map((await below.list(folder)).map((entry) => [entry.name, entry]));
      for (const entry of await above.list(folder)) names.set(entry.name, entry);
      return [...names.values()].sort((a, b) => a.name < b.name ? -1 : 1);
    },
    readSqlite: (path) => below.readSqlite(path),
  };
}
