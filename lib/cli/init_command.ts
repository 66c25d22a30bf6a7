/**
 * `init`: a new project in a folder. Writes the starting files in the chosen language; where any of
 * them is there already it writes none and lists them.
 */
import { EXIT } from "../model/exit.ts";
import type { Io } from "../model/ports.ts";
import { escapeTerminal } from "../report/escape.ts";
import type { Locale } from "../report/words.ts";
import { initFiles } from "./init_files.ts";
import { join } from "./session.ts";

/** Runs the command; resolves to its exit code. */
export async function initCommand(
  io: Io,
  folder: string | null,
  options: { readonly locale?: Locale },
): Promise<number> {
  const root = join(io.cwd, folder ?? ".");
  const locale = options.locale ?? localeOf(io);
  const files = Object.entries(initFiles(locale));
  const present = await presentIn(io, root, files.map(([path]) => path));
  if (present.length > 0) {
    const list = present.map((path) => `  ${path}\n`).join("");
    io.terminal.err(`error: These are there already, and nothing is overwritten:\n${list}`);
    io.terminal.err("  fix: name an empty folder\n");
    return EXIT.usage;
  }
  for (const [path, text] of files) await io.files.writeText(join(root, path), text);
  const { written, next } = WORDS[locale];
  const list = files.map(([path]) => `  ${path}\n`).join("");
  const page = folder === null ? "README.md" : `${folder}/README.md`;
  io.terminal.out(`${written}:\n${list}${next} ${escapeTerminal(page)}\n`);
  return EXIT.ok;
}

const WORDS: Readonly<Record<Locale, { readonly written: string; readonly next: string }>> = {
  en: { written: "Written", next: "Next: read" },
  it: { written: "Scritti", next: "Ora: leggere" },
};

/** Files of the list that are there, and a parent of theirs that is no folder. */
async function presentIn(io: Io, root: string, paths: readonly string[]): Promise<string[]> {
  const present = new Set<string>();
  for (const path of paths) {
    const parts = path.split("/");
    for (let length = 1; length <= parts.length; length++) {
      const part = parts.slice(0, length).join("/");
      const found = await io.files.stat(join(root, part));
      if (found === null) break;
      if (length === parts.length || found.kind !== "folder") present.add(part);
    }
  }
  return [...present].sort();
}

/** Italian where the surroundings speak it, else English. */
function localeOf(io: Io): Locale {
  const language = io.env("LC_ALL") || io.env("LC_MESSAGES") || io.env("LANG") || "";
  return /^it([_.@]|$)/i.test(language) ? "it" : "en";
}
