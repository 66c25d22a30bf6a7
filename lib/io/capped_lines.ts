/**
 * Which lines does a program write, in bounded memory? Pieces of bytes in, lines without their ends
 * out; of a line beyond the cap only its beginning is held, whatever its length. Bytes that are no
 * UTF-8 become U+FFFD.
 */

const LF = 10;
const CR = 13;

/** One line. */
export interface CappedLine {
  readonly text: string;
  /** Bytes at its end that are missing. */
  readonly cutBytes: number;
}

/** Cuts pieces into lines; make one for each stream. */
export class CappedLines {
  #pieces: Uint8Array[] = [];
  #held = 0;
  #cut = 0;
  readonly #decoder = new TextDecoder();

  constructor(private readonly bytesMax: number) {}

  /** The lines that end in this piece. */
  *take(piece: Uint8Array): Iterable<CappedLine> {
    let start = 0;
    for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, start)) {
      this.#hold(piece.subarray(start, end));
      yield this.#line();
      start = end + 1;
    }
    if (start < piece.length) this.#hold(piece.subarray(start));
  }

  /** What is left when no more comes: a last line without an end, null where there is none. */
  rest(): CappedLine | null {
    return this.#held + this.#cut === 0 ? null : this.#line();
  }

  #hold(part: Uint8Array): void {
    const room = Math.min(part.length, this.bytesMax - this.#held);
    // A copy: the piece that it came in may be large, and is wanted again.
    if (room > 0) this.#pieces.push(part.slice(0, room));
    this.#held += room;
    this.#cut += part.length - room;
  }

  #line(): CappedLine {
    const line = new Uint8Array(this.#held);
    let at = 0;
    for (const piece of this.#pieces) {
      line.set(piece, at);
      at += piece.length;
    }
    const bytes = line.at(-1) === CR ? line.subarray(0, -1) : line;
    const text = this.#decoder.decode(bytes);
    const cutBytes = this.#cut;
    this.#pieces = [];
    this.#held = 0;
    this.#cut = 0;
    return { text, cutBytes };
  }
}
