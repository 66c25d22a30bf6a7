/** Is a word on the command line a path, or a command that does not exist? */
import type { Io } from "../model/ports.ts";
import type { Refusal } from "./agents.ts";
import { join } from "./session.ts";

const COMMANDS = [
  "run",
  "validate",
  "grade",
  "record",
  "baseline",
  "schema",
  "explain",
  "init",
  "gate",
  "ledger",
  "hook",
  "ci",
  "schedule",
  "notify",
  "plan",
  "trend",
];

/** Null where every word may be a path; else what is wrong with the first that is neither path nor command. */
export async function unknownWord(io: Io, words: readonly string[]): Promise<Refusal | null> {
  for (const word of words) {
    if (/[/.*?[{]/.test(word)) continue;
    if (await io.files.stat(join(io.cwd, word)) !== null) continue;
    const near = COMMANDS.find((command) => isNear(command, word));
    return {
      what: `Unknown command "${word}": expected a path or one of ${COMMANDS.join(", ")}`,
      fix: near === undefined
        ? "see --help; scenarios are chosen with --only"
        : `did you mean "${near}"?`,
    };
  }
  return null;
}

/** True where one change, or two letters swapped, or a common beginning of three joins the words. */
function isNear(a: string, b: string): boolean {
  if (a.slice(0, 3) === b.slice(0, 3)) return true;
  if (Math.abs(a.length - b.length) > 1) return false;
  const letters = (word: string) => [...word].sort().join("");
  return letters(a) === letters(b) || [...a].filter((letter) => !b.includes(letter)).length <= 1;
}
