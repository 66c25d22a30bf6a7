/**
 * What does the program say in a project that a page shows file by file (`yaml project PATH`)? The
 * files lie in memory, the command line runs in this process; nothing of the machine is touched.
 */
import { cli } from "../../lib/cli/cli.ts";
import { createIo } from "../../lib/io/real.ts";
import { memoryFiles } from "../../lib/load/memory_files.ts";
import type { HistoryFile, Io } from "../../lib/model/ports.ts";

const ROOT = "/project";

/** A project in memory; its commands see what those before them wrote. */
export interface OwnProject {
  /** Runs `npx collaudo …`: everything printed, in order, and the exit code. */
  run(command: string): Promise<{ readonly text: string; readonly code: number }>;
}

/** No page shows what a project remembers of its runs. */
const NO_HISTORY: HistoryFile = {
  renewed: null,
  folders: () => new Set(),
  put: () => {},
  points: () => [],
  outcomes: () => [],
  counts: () => ({ live: 0, recorded: 0, self_test: 0 }),
  close: () => {},
};

/** What a page need not show. */
const USUAL: readonly (readonly [string, string])[] = [
  ["collaudo.yaml", "locale: en\n"],
  [
    "gates/release.yaml",
    "gate: release\nversion: 1\nreason: First version\nrules:\n" +
    "  - {id: no-critical, level: block, require: candidate.critical = 0}\n" +
    "  - {id: task-success, level: block, require: candidate.taskSuccess >= 0.95}\n",
  ],
];

/** The project of these files, by project-relative path; a configuration and a gate are added where none is shown. */
export function ownProject(texts: ReadonlyMap<string, string>): OwnProject {
  const all = new Map([...USUAL, ...texts]);
  const files = memoryFiles(
    Object.fromEntries([...all].map(([path, text]) => [`${ROOT}/${path}`, text])),
  );
  return {
    async run(command) {
      let text = "";
      const say = (said: string) => {
        text += said;
      };
      const terminal = { out: say, err: say, outIsTerminal: false, errIsTerminal: false };
      const real = createIo(undefined);
      const io: Io = {
        ...real,
        files,
        terminal,
        cwd: ROOT,
        env: (name) => name === "COLLAUDO_PROGRAM" ? "npx collaudo" : undefined,
        git: { ...real.git, ask: () => Promise.resolve(null) },
        histories: { open: () => Promise.resolve(NO_HISTORY) },
        lock: { acquire: () => Promise.resolve({ release: () => {} }) },
        http: { post: () => Promise.reject(new Error("the docs reach no network")) },
      };
      const code = await cli(wordsOf(command).slice(2), io);
      return { text, code };
    },
  };
}

/** The words of a command; quotes hold spaces together. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
    .map(([, double, single, bare]) => double ?? single ?? bare ?? "");
}
