/** How does a Markdown table look? Cells that are escaped already in, lines out; no rows, no table. */

/** A table with a head; empty where it has no rows. Every row has as many cells as the head. */
export function markdownTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return "";
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
