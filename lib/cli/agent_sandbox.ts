/**
 * What does an agent's program need of this machine inside a sandbox, besides the system's folders?
 * Its own folder, those of the programs that its arguments name, and those of PATH: no more, so that
 * no key of a home folder comes along.
 */
import type { Sandbox } from "../model/agent_process.ts";
import type { RunFolder } from "./agent_folder.ts";
import { join, type Session } from "./session.ts";

/** Folders that every sandbox has anyway. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];

/** Programs that a program such as node reads. */
const SCRIPT = /\.(?:[cm]?[jt]s|py|rb|pl|sh)$/;

const MODULES = "/node_modules/";

/** The sandbox of one process. */
export async function sandboxOf(
  io: Session["io"],
  { folder, argv, path, urls }: {
    readonly folder: RunFolder;
    /** The program by its absolute path, and its arguments. */
    readonly argv: readonly string[];
    readonly path: string;
    readonly urls: readonly string[];
  },
): Promise<Sandbox> {
  const needed = new Set<string>([folder.given]);
  const homes = ["/root", "/home", io.env("HOME") ?? "/root"];
  for (const [index, word] of [...argv, ...path.split(":")].entries()) {
    const whole = index === 0 || index >= argv.length || SCRIPT.test(word);
    for (const place of await needs(io, word, whole)) {
      // A folder above somebody's home would bring all their keys along.
      const isWide = [folder.root, ...homes].some((each) => isBelow(each, place));
      if (!isWide && !isBelow(place, folder.root)) needed.add(place);
    }
  }
  return {
    writable: [folder.work, folder.home, folder.tmp, folder.answer],
    readable: [...needed],
    ports: urls.map(portOf).filter((port) => port !== null),
    folder: folder.sandbox,
  };
}

/**
 * What lies behind an absolute path that is there, links followed; nothing for any other word. Of a
 * program the folder too (`whole`): it reads what lies beside it.
 */
async function needs(io: Session["io"], word: string, whole: boolean): Promise<string[]> {
  if (!word.startsWith("/") || word.includes("\n")) return [];
  const found = await io.files.stat(word).catch(() => null);
  if (found === null) return [];
  const real = await io.files.realPath(word).catch(() => word);
  const kind = (await io.files.stat(real).catch(() => null))?.kind;
  const places = [word, real];
  const folders = kind === "folder" || !whole ? places : places.map((each) => join(each, ".."));
  return folders.map(wholeModules).filter((each) =>
    !SYSTEM.some((system) => isBelow(each, system))
  );
}

/** Packages of npm need their neighbours: the topmost folder of packages above a path. */
function wholeModules(path: string): string {
  const at = `${path}/`.indexOf(MODULES);
  return at === -1 ? path : `${path}/`.slice(0, at + MODULES.length - 1);
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

/** The port of an address of this machine, null where it names none. */
function portOf(url: string): number | null {
  const port = /^https?:\/\/127\.0\.0\.1:(\d+)/.exec(url)?.[1];
  return port === undefined ? null : Number(port);
}
