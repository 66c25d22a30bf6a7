/**
 * Which command did Claude Code run in its shell? It packs each one: it reads a snapshot of the shell,
 * sets it up, evaluates the command as one quoted text and notes the folder where it ended. In: what
 * the shell got. Out: the command, whose exit code is that of the whole; any other text as it is.
 */

/** The first `eval` is the program's own: what the model wrote stands behind it, quoted where it is more than a word. */
const PACKED =
  /^source \S+\/shell-snapshots\/snapshot-\S+\.sh 2>\/dev\/null \|\| true && (?:(?!eval ).)*eval (?:'((?:[^']|'"'"'|'\\'')*)'|([\w./-]+))(?: < \/dev\/null)? && pwd -P >\| \S+$/s;

const QUOTES = /'"'"'|'\\''/g;

/** The command inside, or the text itself. */
export function unpackedCommand(text: string): string {
  const [, quoted, word = text] = PACKED.exec(text) ?? [];
  return quoted === undefined ? word : quoted.replaceAll(QUOTES, "'");
}
