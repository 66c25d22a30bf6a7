/**
 * What may stand between braces in an agent's entry? The places and addresses of one run, filled in
 * before its program starts. A text is filled in once: what comes in is not looked at again.
 */

/** The words, each with what it becomes. */
export const PLACEHOLDERS = {
  workspace: "the folder that the program works in",
  home: "its home folder",
  tmp: "its folder for temporary files",
  response: "a file for its last answer",
  prompt: "a file with what the user said",
  prompt_text: "what the user said",
  session: "the session that its output named, for a later turn",
  mcp_config: "a JSON file that names the tool server",
  mcp_url: "the tool server's address",
  model_url: "the model server's address, without /v1",
  model_name: "the model's name",
} as const;

/** A word of `PLACEHOLDERS`. */
export type Placeholder = keyof typeof PLACEHOLDERS;

/** The words that are known before the program starts, whatever the user says. */
export type FixedPlaceholder = Exclude<Placeholder, "prompt" | "prompt_text" | "session">;

const BRACES = /\{+([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** One `{word}` of a text; `doubled` where it follows a second brace, which is no placeholder. */
export interface Braces {
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly doubled: boolean;
}

/** Everything between braces that could be a placeholder. */
export function bracesIn(text: string): Braces[] {
  return [...text.matchAll(BRACES)].map((match) => ({
    word: match[1] ?? "",
    start: match.index,
    end: match.index + match[0].length,
    doubled: match[0].startsWith("{{"),
  }));
}

/** True for a text that uses one of the words. */
export function uses(text: string, words: readonly Placeholder[]): boolean {
  return bracesIn(text).some(({ word, doubled }) =>
    !doubled && (words as readonly string[]).includes(word)
  );
}

/** The text with the words that have a value filled in; all others stay as they are. */
export function fillPlaceholders(
  text: string,
  values: Readonly<Partial<Record<Placeholder, string>>>,
): string {
  return text.replace(BRACES, (whole, word: string) => {
    if (whole.startsWith("{{") || !Object.hasOwn(values, word)) return whole;
    return values[word as Placeholder] ?? whole;
  });
}
