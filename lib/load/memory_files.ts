/**
 * Files that lie in memory: a project made of texts, for tests and for programs that hold their
 * scenarios themselves. Paths are absolute; a text `-> target` at `links` is a symbolic link.
 */
import type { JsonObject } from "../model/json.ts";
import type { Files } from "../model/ports.ts";

type Kind = "file" | "folder" | "link";

/** A file system of texts or bytes by absolute path; `links` are link paths with absolute targets. */
export function memoryFiles(
  texts: Readonly<Record<string, string | Uint8Array>>,
  links: Readonly<Record<string, string>> = {},
): Files {
  const files = new Map(Object.entries(texts));
  const real = (path: string): string => {
    for (const [link, target] of Object.entries(links)) {
      if (path === link || path.startsWith(`${link}/`)) {
        return real(target + path.slice(link.length));
      }
    }
    return path;
  };
  const kindOf = (path: string): Kind | null => {
    if (Object.hasOwn(links, path)) return "link";
    const at = real(path);
    if (files.has(at)) return "file";
    const below = at === "/" ? "/" : `${at}/`;
    const all = [...files.keys(), ...Object.keys(links)];
    return all.some((file) => file.startsWith(below)) ? "folder" : null;
  };
  const bytes = (path: string): Uint8Array => {
    const found = files.get(real(path));
    if (found === undefined) throw new Error(`Cannot read "${path}": file not found`);
    return typeof found === "string" ? new TextEncoder().encode(found) : found;
  };
  const text = (path: string): string => new TextDecoder().decode(bytes(path));
  return {
    readText: (path) => Promise.resolve().then(() => text(path)),
    readBytes: (path) => Promise.resolve().then(() => bytes(path)),
    async *readLines(path) {
      yield* text(path).replace(/\n$/, "").split("\n");
      await Promise.resolve();
    },
    stat(path) {
      const kind = kindOf(path);
      const size = kind === "file" ? bytes(path).length : 0;
      return Promise.resolve(kind === null ? null : { kind, size });
    },
    realPath: (path) =>
      Promise.resolve().then(() => {
        if (kindOf(real(path)) === null) throw new Error(`Cannot find "${path}"`);
        return real(path);
      }),
    list(folder) {
      const below = real(folder) === "/" ? "/" : `${real(folder)}/`;
      const names = new Set<string>();
      for (const path of [...files.keys(), ...Object.keys(links)]) {
        if (path.startsWith(below)) names.add(path.slice(below.length).split("/")[0] ?? "");
      }
      return Promise.resolve(
        [...names].sort().map((name) => ({ name, kind: kindOf(`${below}${name}`) ?? "file" })),
      );
    },
    writeText(path, written) {
      files.set(real(path), written);
      return Promise.resolve();
    },
    remove(path) {
      files.delete(real(path));
      return Promise.resolve();
    },
    readSqlite: (path) =>
      Promise.reject<JsonObject>(new Error(`Cannot read "${path}": no database here`)),
  };
}
