/**
 * Where do the lines of a byte stream end? At LF, with one CR before it dropped; the last line needs
 * no end, and an end at the very end makes no further line. A line is joined once, however many
 * pieces it came in, so that one of 64 MB costs no more than its bytes.
 */

const LF = 10;
const CR = 13;

/** The lines of a stream, as bytes without their ends; a line may be empty. */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let pieces: Uint8Array[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      pieces.push(chunk.subarray(start, end));
      yield withoutReturn(joined(pieces));
      pieces = [];
      start = end + 1;
    }
    if (start < chunk.length) pieces.push(chunk.subarray(start));
  }
  if (pieces.length > 0) yield withoutReturn(joined(pieces));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first] = pieces;
  if (pieces.length === 1 && first !== undefined) return first;
  const line = new Uint8Array(pieces.reduce((total, piece) => total + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    line.set(piece, at);
    at += piece.length;
  }
  return line;
}

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}
