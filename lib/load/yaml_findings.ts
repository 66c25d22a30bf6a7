/** What is said of YAML that is broken, or that reads otherwise than it looks? Words only, no parsing. */
import type { Problem } from "../model/problem.ts";
import { type Finding, type KeyPath, placeOf, problemOfFile, problemOn } from "./source.ts";

/** Nesting beyond which a file is refused: no hand-written file is near. */
export const DEPTH_MAX = 100;

export const DIRECTIVE: Finding = {
  code: "yaml-directive",
  what: "A line that begins with % changes how YAML is read and is not allowed",
  fix: "remove the line: files are always YAML 1.2",
};

export const EMPTY: Finding = {
  code: "empty-file",
  what: "The file is empty: expected keys with values",
  fix: "write the file's keys, or remove the file",
};

export const SEVERAL: Finding = {
  code: "several-documents",
  what: "A second document begins here: expected one document in a file",
  fix: "move what follows the `---` into a file of its own",
};

/** One finding for each place: a broken bracket makes the parser complain many times. */
export function syntaxFindings(
  text: string,
  broken: readonly { code: string; message: string; pos: [number, number] }[],
): [number, Finding][] {
  if (broken.some((error) => error.code === "RESOURCE_EXHAUSTION")) {
    return [[0, {
      code: "nested-too-deep",
      what: "Brackets are nested so deep that the file cannot be read",
      fix: "write the values one level below another, on lines of their own",
    }]];
  }
  const lines = new Set<number>();
  return broken.flatMap((error): [number, Finding][] => {
    const { line } = placeOf(text, { start: error.pos[0], end: error.pos[1] });
    if (lines.has(line)) return [];
    lines.add(line);
    return [[error.pos[0], syntaxFinding(text, error)]];
  });
}

function syntaxFinding(
  text: string,
  error: { code: string; message: string; pos: [number, number] },
): Finding {
  switch (error.code) {
    case "TAB_AS_INDENT":
      return {
        code: "tab-indent",
        what: "The line is indented with a tab: expected spaces",
        fix: "replace each tab at the beginning of the line with two spaces",
      };
    case "TAG_RESOLVE_FAILED":
      return TAG;
    case "BLOCK_AS_IMPLICIT_KEY":
      return {
        code: "yaml-syntax",
        what: "A second `: ` stands in this line, so that it reads as a key inside a value",
        fix: "quote the whole value, for example 'Note: see below'",
      };
    case "BAD_SCALAR_START":
      return {
        code: "yaml-syntax",
        what: `A text cannot begin with \`${text[error.pos[0]] ?? ""}\` unless it is quoted`,
        fix: "quote it",
      };
    default:
      return {
        code: "yaml-syntax",
        what: `The YAML cannot be read here: ${plainWords(error.message)}`,
        fix: "check the quotes, brackets and indentation of this line and the one above",
      };
  }
}

function plainWords(message: string): string {
  const first = message.split("\n")[0] ?? message;
  return first.charAt(0).toLowerCase() + first.slice(1);
}

export const TAG: Finding = {
  code: "yaml-tag",
  what: "A tag (a word that begins with `!`) changes the type of a value and is not allowed",
  fix: "remove the tag; quote the value where it is a text",
};

export const ANCHOR: Finding = {
  code: "yaml-anchor",
  what: "An anchor (a word that begins with `&`) is not allowed",
  fix: "write the value where it is used; quote it where it is a text that begins with `&`",
};

export const DEEP: Finding = {
  code: "nested-too-deep",
  what: `Values are nested more than ${DEPTH_MAX} levels deep`,
  fix: "flatten the value",
};

export function aliasFinding(text: string, at: number): Finding {
  const word = /^\*[^\s,\]}]*/.exec(text.slice(at, at + 60))?.[0] ?? "*";
  return {
    code: "yaml-alias",
    what: `\`${word}\` reads as a reference to an anchor, and references are not allowed`,
    fix: `quote it: "${word}", or write the value out`,
  };
}

export const KEY_KIND: Finding = {
  code: "key-not-text",
  what: "A list or a group of keys stands where a key is expected",
  fix: "quote it where it is a text; a `<name>` or `{…}` in a key needs quotes",
};

export const EMPTY_KEY: Finding = {
  code: "empty-key",
  what: "The key is empty",
  fix: "write a name before the colon",
};

export const MERGE: Finding = {
  code: "yaml-merge",
  what: "`<<` (merging of keys) is not allowed",
  fix: "write the keys out",
};

/** Byte order mark and carriage returns: read, but said, for they change hashes of texts. */
export function signs(file: string, raw: string, text: string): Problem[] {
  const problems: Problem[] = [];
  if (raw !== text) {
    problems.push(problemOfFile(file, {
      code: "byte-order-mark",
      severity: "warning",
      what: "The file begins with an invisible byte order mark, which was passed over",
      fix: 'save the file as "UTF-8" without a byte order mark',
    }));
  }
  const carriage = text.indexOf("\r\n");
  if (carriage !== -1) {
    problems.push(problemOn({ file, text }, { start: carriage, end: carriage + 1 }, {
      code: "windows-line-ends",
      severity: "warning",
      what: "The lines end with CR LF, as on Windows; they were read as LF",
      fix: 'save the file with "LF" line ends, so that it is the same on every machine',
    }));
  }
  return problems;
}

/** `1.10` under a key that names a version would become 1.1. */
export function isVersion(text: string, path: KeyPath): boolean {
  return /^\d+\.\d*0$/.test(text) && /version|release/i.test(String(path.at(-1) ?? ""));
}
