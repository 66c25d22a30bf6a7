/**
 * Is a command line one program with its words, and which? In: the text that a shell gets. Out: its
 * words where the exit code of the line is that of this one program for certain; else why not. Lists,
 * pipelines, redirections, background runs, subshells, expansions and comments are `compound`: what
 * stands inside is not proved by the line's exit code.
 */

/** One command line taken apart. */
export type ShellLine =
  | { readonly kind: "simple"; readonly words: readonly string[] }
  | { readonly kind: "compound"; readonly why: string };

const OPERATORS: Readonly<Record<string, string>> = {
  "\n": "more than one line",
  ";": "a list (;)",
  "&": "a list or a background run (&)",
  "|": "a pipeline or a list (|)",
  "(": "a subshell",
  ")": "a subshell",
  "<": "a redirection",
  ">": "a redirection",
  "`": "a substitution (`)",
};

/** Words with a meaning of their own where a command begins. */
const RESERVED: ReadonlySet<string> = new Set([
  ..."! { } [[ case coproc do done elif else esac fi for function if in select then until while"
    .split(" "),
]);

const EXPANDS = /[\w{(@*#?!$'"-]/;
const SHELL = /^(?:.*\/)?(?:ba|da|k|z)?sh$/;
const RUNS_TEXT = /^-[a-z]*c$/;
const WRAPPED_MAX = 3;

interface Scan {
  readonly text: string;
  at: number;
  word: string | null;
  readonly words: string[];
}

/** Takes a command line apart. */
export function readShell(text: string): ShellLine {
  const scan: Scan = { text: text.trim(), at: 0, word: null, words: [] };
  while (scan.at < scan.text.length) {
    const why = step(scan);
    if (why !== null) return { kind: "compound", why };
  }
  endWord(scan);
  const [first] = scan.words;
  if (first === undefined) return { kind: "compound", why: "no command" };
  if (RESERVED.has(first)) return { kind: "compound", why: `the word "${first}"` };
  return { kind: "simple", words: scan.words };
}

function endWord(scan: Scan): void {
  if (scan.word !== null) scan.words.push(scan.word);
  scan.word = null;
}

function add(scan: Scan, text: string, length: number): null {
  scan.word = (scan.word ?? "") + text;
  scan.at += length;
  return null;
}

/** Reads on; a text says why the line is no single program. */
function step(scan: Scan): string | null {
  const { text, at } = scan;
  const char = text.charAt(at);
  if (char === " " || char === "\t") {
    endWord(scan);
    scan.at++;
    return null;
  }
  if (char === "\\") return escaped(scan);
  if (char === "'") return singleQuoted(scan);
  if (char === '"') return doubleQuoted(scan);
  if (char === "#" && scan.word === null) return "a comment";
  if (char === "$" && EXPANDS.test(text.charAt(at + 1))) return "an expansion ($)";
  if (char === "\r" && text.charAt(at + 1) === "\n") return OPERATORS["\n"] ?? null;
  if (Object.hasOwn(OPERATORS, char)) return OPERATORS[char] ?? null;
  return add(scan, char, 1);
}

function escaped(scan: Scan): string | null {
  const next = scan.text.charAt(scan.at + 1);
  if (next === "") return "an unfinished line";
  if (next !== "\n") return add(scan, next, 2);
  scan.at += 2;
  return null;
}

function singleQuoted(scan: Scan): string | null {
  const end = scan.text.indexOf("'", scan.at + 1);
  if (end < 0) return "an open quote";
  return add(scan, scan.text.slice(scan.at + 1, end), end + 1 - scan.at);
}

function doubleQuoted(scan: Scan): string | null {
  const { text } = scan;
  let inside = "";
  for (let i = scan.at + 1; i < text.length; i++) {
    const char = text.charAt(i);
    const next = text.charAt(i + 1);
    if (char === '"') return add(scan, inside, i + 1 - scan.at);
    if (char === "`") return "a substitution (`)";
    if (char === "$" && next !== '"' && EXPANDS.test(next)) return "an expansion ($)";
    if (char === "\\" && '$`"\\\n'.includes(next) && next !== "") {
      if (next !== "\n") inside += next;
      i++;
    } else inside += char;
  }
  return "an open quote";
}

/** The command inside `bash -lc '…'` and the like, as a text or as its words; else the text itself. */
export function innerCommand(command: string | readonly string[]): string {
  const words = typeof command === "string" ? wordsOf(command) : command;
  const [shell, flag, inner, ...rest] = words;
  if (shell !== undefined && flag !== undefined && inner !== undefined && rest.length === 0) {
    if (SHELL.test(shell) && RUNS_TEXT.test(flag)) return inner;
  }
  return typeof command === "string" ? command : command.join(" ");
}

function wordsOf(text: string): readonly string[] {
  const line = readShell(text);
  return line.kind === "simple" ? line.words : [];
}

/** The command whose exit code the line's is: shells around it taken off; null for a compound one. */
export function provenCommand(text: string): string | null {
  let command = text.trim();
  for (let i = 0; i < WRAPPED_MAX; i++) {
    const inner = innerCommand(command).trim();
    if (inner === command) break;
    command = inner;
  }
  return readShell(command).kind === "simple" ? command : null;
}
