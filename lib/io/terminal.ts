/**
 * How does text reach the caller? Results on standard output, the rest on standard error, at once
 * and unbuffered. A closed pipe (`| head`) ends the output and nothing else; any other failure of
 * standard output is an error, since a result that is lost must not look like success.
 */
import type { Terminal } from "../model/ports.ts";
import { failure } from "./failure.ts";

interface Sink {
  writeSync(bytes: Uint8Array): number;
}

/** The terminal, or the pipes and files in its place. */
export function realTerminal(): Terminal {
  return {
    out: writerTo(Deno.stdout, (cause) => {
      throw failure("Cannot write", "standard output", cause);
    }),
    err: writerTo(Deno.stderr, () => undefined),
    outIsTerminal: Deno.stdout.isTerminal(),
    errIsTerminal: Deno.stderr.isTerminal(),
    width: terminalWidth,
  };
}

/** Asked only where it matters: it is a call of the system. */
function terminalWidth(): number | null {
  try {
    return Deno.stdout.isTerminal() ? Deno.consoleSize().columns : null;
  } catch {
    return null;
  }
}

function writerTo(sink: Sink, onFailure: (cause: unknown) => void): (text: string) => void {
  const encoder = new TextEncoder();
  let open = true;
  return (text) => {
    if (!open) return;
    try {
      writeAll(sink, encoder.encode(text));
    } catch (cause) {
      open = false;
      if (!(cause instanceof Deno.errors.BrokenPipe)) onFailure(cause);
    }
  };
}

function writeAll(sink: Sink, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += sink.writeSync(bytes.subarray(at));
    } catch (cause) {
      // A pipe shared with another program may be set not to block: the reader is only slow.
      if (!(cause instanceof Deno.errors.WouldBlock)) throw cause;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
