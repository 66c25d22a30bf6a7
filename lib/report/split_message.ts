/**
 * How does a message of Telegram's HTML mode stay within its limit, and how does it read without
 * markup? Every line opens and closes its own tags, so that parting at line ends breaks none.
 */

/** What the interface takes in one message; counted in UTF-16 units with the markup. */
export const MESSAGE_MAX = 4096;

/** The parts of a message, in order, each at most `most` units; a single line that is longer is cut. */
export function splitMessage(html: string, most = MESSAGE_MAX): string[] {
  const parts: string[] = [];
  let part: string | null = null;
  for (const line of html.split("\n").map((each) => fitted(each, most))) {
    const longer: string = part === null ? line : `${part}\n${line}`;
    if (longer.length <= most) part = longer;
    else {
      if (part !== null) parts.push(part);
      part = line;
    }
  }
  const all = part === null ? parts : [...parts, part];
  return all.map((each) => each.replace(/^\n+|\n+$/g, "")).filter((each) => each.trim() !== "");
}

/** A line that is too long loses its markup and its end; no entity and no character is halved. */
function fitted(line: string, most: number): string {
  if (line.length <= most) return line;
  const plain = line.replace(TAG, "");
  if (plain.length <= most) return plain;
  return `${plain.slice(0, most - 1).replace(/&[a-z]{0,4}$/, "").replace(/[\ud800-\udbff]$/, "")}…`;
}

const TAG = /<\/?(?:b|i|code)>/g;

const SIGNS: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&amp;": "&" };

/** The message as plain text: tags gone, `&`, `<` and `>` as they are. */
export function plainMessage(html: string): string {
  return html.replace(TAG, "").replace(/&(?:lt|gt|amp);/g, (sign) => SIGNS[sign] ?? sign);
}

/** The message with words at the end of its first line. */
export function markFirstLine(text: string, mark: string): string {
  const [first = "", ...rest] = text.split("\n");
  return [`${first} ${mark}`, ...rest].join("\n");
}
