/**
 * Which file does a name mean, and what does it say? Names are relative to the project; nothing
 * outside it is read, not by `..`, not through a link. Each file is read and parsed once a load.
 */
import { wordList } from "../model/near_words.ts";
import type { Files } from "../model/ports.ts";
import type { Problem } from "../model/problem.ts";
import { parseJson } from "./json_text.ts";
import { type KeyPath, problemAt, problemOfFile, type SourceFile } from "./source.ts";
import { didYouMean } from "./suggest.ts";
import type { YamlFile } from "./yaml.ts";

/** The place in a file that names another file. */
export interface Reference {
  readonly source: SourceFile;
  readonly path: KeyPath;
}

/** A file or folder of the project that is there. */
export interface Located {
  /** Relative to the project, with `/`, as it is shown. */
  readonly file: string;
  readonly absolute: string;
  readonly kind: "file" | "folder";
}

/** A parsed file; `source` is null where it could not be read. */
export interface Parsed<S extends SourceFile = SourceFile> {
  readonly source: S | null;
  readonly problems: readonly Problem[];
}

type Parse = (file: string, text: string) => Parsed | Promise<Parsed>;

/** The files of one project, for the length of one load. */
export class ProjectFiles {
  /** The texts that were read, by file: what problems are shown with. */
  readonly sources = new Map<string, string>();
  readonly #parsed = new Map<string, Promise<Parsed>>();
  #realRoot: Promise<string> | null = null;

  constructor(readonly files: Files, readonly root: string) {}

  /** The absolute path of a file of the project. */
  absolute(file: string): string {
    return file === "" || file === "." ? this.root : `${this.root.replace(/\/$/, "")}/${file}`;
  }

  /** Finds what a name in a file means, or says why it cannot be used. */
  async locate(
    name: string,
    wanted: "file" | "folder",
    reference: Reference,
  ): Promise<Located | Problem> {
    const say = (code: string, what: string, fix: string) =>
      problemAt(reference.source, reference.path, { code, what, fix });
    const file = normalise(name);
    if (file === null) return say("outside-project", outside(name), OUTSIDE_FIX);
    const absolute = this.absolute(file);
    const stat = await this.files.stat(absolute);
    if (stat === null) {
      const known = await this.neighbours(file);
      return say(
        "file-not-found",
        `No ${wanted} "${name}" in the project; its folder holds ${wordList(known)}`,
        didYouMean(file, known, `create "${file}", or correct the name`),
      );
    }
    if (!await this.isInside(absolute)) {
      return say(
        "outside-project",
        `"${name}" is a link to a file outside the project`,
        OUTSIDE_FIX,
      );
    }
    const kind = stat.kind === "link" ? await this.#kindBehind(absolute) : stat.kind;
    if (kind !== wanted) {
      return say(
        "wrong-file-kind",
        `"${name}" is a ${kind}: expected a ${wanted}`,
        `name a ${wanted}`,
      );
    }
    return { file, absolute, kind };
  }

  /** True where the path, all links followed, lies in the project. */
  async isInside(absolute: string): Promise<boolean> {
    this.#realRoot ??= this.files.realPath(this.root);
    const root = await this.#realRoot;
    try {
      const real = await this.files.realPath(absolute);
      return real === root || real.startsWith(root === "/" ? root : `${root}/`);
    } catch {
      return false;
    }
  }

  async #kindBehind(absolute: string): Promise<"file" | "folder"> {
    const stat = await this.files.stat(await this.files.realPath(absolute));
    return stat?.kind === "folder" ? "folder" : "file";
  }

  /** The files and folders beside a path, relative to the project. */
  async neighbours(file: string): Promise<string[]> {
    const folder = file.includes("/") ? file.slice(0, file.lastIndexOf("/")) : "";
    const entries = await this.files.list(this.absolute(folder));
    return entries.map(({ name }) => folder === "" ? name : `${folder}/${name}`);
  }

  /** Parses a YAML file of the project, once; what reads no YAML never loads the parser. */
  yaml(file: string): Promise<Parsed<YamlFile>> {
    const parse: Parse = async (file, text) => (await import("./yaml.ts")).parseYaml(file, text);
    return this.#once(file, parse) as Promise<Parsed<YamlFile>>;
  }

  /** Parses a JSON file of the project, once. */
  json(file: string): Promise<Parsed> {
    return this.#once(file, parseJson);
  }

  #once(
    file: string,
    parse: Parse,
  ): Promise<Parsed> {
    const known = this.#parsed.get(file);
    if (known !== undefined) return known;
    const parsed = this.#read(file, parse);
    this.#parsed.set(file, parsed);
    return parsed;
  }

  async #read(
    file: string,
    parse: Parse,
  ): Promise<Parsed> {
    const text = await this.text(file);
    return typeof text === "string" ? await parse(file, text) : { source: null, problems: [text] };
  }

  /** The text of a file of the project, or why it could not be read. */
  async text(file: string): Promise<string | Problem> {
    let bytes: Uint8Array;
    try {
      bytes = await this.files.readBytes(this.absolute(file));
    } catch (error) {
      return unreadable(file, error);
    }
    const text = decodeUtf8(bytes);
    if (text === null) {
      return problemOfFile(file, {
        code: "not-utf8",
        what: "The file is not UTF-8 text",
        fix: 'save it with the encoding "UTF-8"',
      });
    }
    this.sources.set(file, text);
    return text;
  }
}

/** The text of UTF-8 bytes, null where they are something else; a byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** True for what `locate` found. */
export function isLocated(found: Located | Problem): found is Located {
  return "absolute" in found;
}

/** A relative path without `.` and `..`; null where it is absolute or leaves the project. */
export function normalise(path: string): string | null {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return null;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

function outside(name: string): string {
  return `"${name}" lies outside the project: only files below collaudo.yaml's folder can be named`;
}

const OUTSIDE_FIX = "copy the file into the project and name it relative to collaudo.yaml";

/** What is said of a link out of the project: it is never followed. */
export const LINK_OUTSIDE = {
  code: "outside-project",
  what: "This is a link to a place outside the project",
  fix: "replace the link by a copy",
};

/** What is said of a file that cannot be read, with the reason that the system gives. */
export function unreadable(file: string, error: unknown): Problem {
  return problemOfFile(file, {
    code: "unreadable-file",
    what: `The file cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    fix: "check that it exists and that you may read it",
  });
}
