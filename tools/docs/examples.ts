/**
 * What on a page can be made or checked by the program? Fences and marked tables, each with where
 * its inside lies in the text. In: Markdown. Out: examples in their order. A fence says what it is
 * in its info line, such as `yaml scenario crm`; one that says only its language is left alone.
 */

/** What an example is meant to show. */
export type Shows =
  /** Commands (`$ …`) with their whole output. */
  | { readonly kind: "console" }
  /** A file of the repository, by its path. */
  | { readonly kind: "file"; readonly path: string }
  /** The keys of a format: name of the schema, path into it. */
  | { readonly kind: "keys"; readonly schema: string; readonly path: readonly string[] }
  /** Text that must load; `words` are those of the info line. */
  | { readonly kind: "block"; readonly words: readonly string[] };

/** An example: where its inside begins and ends in the text, and the line where it begins. */
export interface Example {
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly shows: Shows;
}

const FENCE = /(?:^<!-- file: (\S+) -->\n)?^```([^\n`]*)\n([\s\S]*?)^```$/gm;
const TABLE = /^<!-- keys: (\S+)(?: (\S+))? -->\n([\s\S]*?)^<!-- end -->$/gm;

/** The examples of a page, in the order in which they stand. */
export function examplesIn(text: string): Example[] {
  const place = (inside: string, end: number, shows: Shows): Example => {
    const start = end - inside.length;
    return { start, end, line: text.slice(0, start).split("\n").length, shows };
  };
  const fences = [...text.matchAll(FENCE)].flatMap((match): Example[] => {
    const [whole, path, info = "", inside = ""] = match;
    const shows = fenceShows(path, info);
    return shows === null ? [] : [place(inside, match.index + whole.length - 3, shows)];
  });
  const tables = [...text.matchAll(TABLE)].map((match): Example => {
    const [whole, schema = "", path, inside = ""] = match;
    const end = match.index + whole.length - "<!-- end -->".length;
    return place(inside, end, { kind: "keys", schema, path: path?.split(".") ?? [] });
  });
  return [...fences, ...tables].sort((a, b) => a.start - b.start);
}

function fenceShows(path: string | undefined, info: string): Shows | null {
  if (path !== undefined) return { kind: "file", path };
  const words = info.trim().split(/\s+/);
  if (words[0] === "console") return { kind: "console" };
  return words[0] === "jsonata" || words.length > 1 ? { kind: "block", words } : null;
}
