/**
 * How does a shell write a text file exactly? Out: one command for a text of any characters, or the
 * patch of Codex for texts that a patch can hold: lines that end with a line feed.
 */

/** A command that makes the folder and writes the file; NUL cannot be written so and is left out. */
export function writeCommand(path: string, text: string): string {
  const slash = path.lastIndexOf("/");
  const folder = slash > 0 ? `mkdir -p ${quoted(path.slice(0, slash))} && ` : "";
  return `${folder}printf '%s' ${quoted(text.replaceAll("\0", ""))} > ${quoted(path)}`;
}

/** One word of a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The patch that adds the file, null where a patch cannot say it exactly. */
export function addingPatch(path: string, text: string): string | null {
  if (!text.endsWith("\n") || /[\0\r]/.test(text) || /[\n\r]|^\s|\s$/.test(path)) return null;
  const lines = text.slice(0, -1).split("\n").map((line) => `+${line}`).join("\n");
  return `*** Begin Patch\n*** Add File: ${path}\n${lines}\n*** End Patch\n`;
}

/** The command by which Codex takes a patch; each line of the text stands behind a `+`. */
export function patchCommand(patch: string): string {
  return `apply_patch <<'EOF'\n${patch}EOF\n`;
}
