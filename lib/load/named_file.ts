/**
 * What does a file that the command line names say? In: a path, absolute or relative to the
 * project; out: its text, or why it could not be read. Such files may lie outside the project.
 */
import type { Project } from "../model/loaded.ts";
import { wordList } from "../model/near_words.ts";
import type { Files } from "../model/ports.ts";
import type { Problem } from "../model/problem.ts";
import { decodeUtf8 } from "./project_files.ts";
import { problemOfFile } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** A file's text, null where it could not be read; `file` is how problems name it. */
export interface NamedFile {
  readonly file: string;
  readonly text: string | null;
  readonly problems: readonly Problem[];
  readonly sources: ReadonlyMap<string, string>;
}

/** How a path is shown: relative to the project where it lies in it. */
export function shownPath(project: Project, path: string): string {
  const root = project.root.replace(/\/$/, "");
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}

/** The absolute path of what the command line named. */
export function absolutePath(project: Project, path: string): string {
  return path.startsWith("/") ? path : `${project.root.replace(/\/$/, "")}/${path}`;
}

/** Reads a named file; `noun` is its kind, such as `gate`. */
export async function readNamed(
  files: Files,
  project: Project,
  { path, noun }: { readonly path: string; readonly noun: string },
): Promise<NamedFile> {
  const absolute = absolutePath(project, path);
  const file = shownPath(project, absolute);
  const none = (problem: Problem): NamedFile => ({
    file,
    text: null,
    problems: [problem],
    sources: new Map(),
  });
  if (await files.stat(absolute) === null) {
    return none(await absent(files, { absolute, file, noun }));
  }
  try {
    const text = decodeUtf8(await files.readBytes(absolute));
    if (text !== null) return { file, text, problems: [], sources: new Map([[file, text]]) };
    return none(problemOfFile(file, {
      code: "not-utf8",
      what: `The ${noun} is not UTF-8 text`,
      fix: 'save it with the encoding "UTF-8"',
    }));
  } catch (error) {
    return none(problemOfFile(file, {
      code: "unreadable-file",
      what: `The ${noun} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      fix: "check that it is a file and that you may read it",
    }));
  }
}

async function absent(
  files: Files,
  { absolute, file, noun }: { absolute: string; file: string; noun: string },
): Promise<Problem> {
  const folder = absolute.slice(0, absolute.lastIndexOf("/")) || "/";
  const names = (await files.list(folder)).map(({ name }) => name);
  return problemOfFile(file, {
    code: "file-not-found",
    what: `No ${noun} "${file}"; its folder holds ${wordList(names)}`,
    fix: didYouMean(absolute.slice(folder.length + 1), names, "create it, or correct the name"),
  });
}
