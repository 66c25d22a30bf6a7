/**
 * How does what an agent writes lie on the disk? Line by line with its secrets masked; a private key
 * over several lines is masked as a whole. One masker of lines for each stream.
 */
import type { Masker } from "../report/mask.ts";

const KEY_BEGIN = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/;
const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY-----/;

/** A function that masks the lines of one stream in their order. */
export function lineMasker(masker: Masker): (line: string) => string {
  let inKey = false;
  return (line) => {
    if (inKey) {
      inKey = !KEY_END.test(line);
      return "[masked]";
    }
    inKey = beginsKey(line);
    return masker.mask(line);
  };
}

/** True for a line in which a private key begins and does not end. */
function beginsKey(line: string): boolean {
  if (!line.includes("-----BEGIN ")) return false;
  const begin = line.search(KEY_BEGIN);
  return begin !== -1 && !KEY_END.test(line.slice(begin));
}
