/**
 * What does a program write, on the disk and line by line? Reads a stream in bounded memory: each
 * line as it may lie on the disk goes to a file, as it came to a reader. Where processes that left
 * their group hold the stream open, it is read no longer than is told.
 */
import { type Hold, LINE_MAX } from "../model/agent_process.ts";
import { CappedLines } from "./capped_lines.ts";

/** Silence after which a stream that others hold open is given up, once its program is gone. */
const IDLE_MS = 500;

/** Time for all of it: a flood by whoever holds it open must not keep a run from ending. */
const DRAIN_MS: Readonly<Record<Hold | "ended", number>> = {
  // The kernel closes the stream with the last process.
  sandbox: 10_000,
  namespace: 10_000,
  group: 3_000,
  ended: 700,
};

/** Text that waits to be written to the disk. */
const WRITE_LENGTH = 64 * 1024;

/** What was read of a stream. */
export interface Log {
  readonly bytes: number;
  readonly cutLines: number;
  /** What kept it from being written, null where all of it was. */
  readonly failed: unknown;
}

/** A stream that is being read. */
export interface LogReading {
  readonly done: Promise<Log>;
  /** Bytes so far. */
  read(): number;
  cancel(): void;
}

/** The file of a log; what is there stays. */
export async function openLog(path: string): Promise<Deno.FsFile> {
  return await Deno.open(path, { create: true, append: true });
}

/** Begins to read a stream, to its end or until it is cancelled. */
export function readLog(
  stream: ReadableStream<Uint8Array>,
  file: Deno.FsFile,
  { keep, line }: {
    readonly keep: (line: string) => string;
    readonly line: (text: string) => void;
  },
): LogReading {
  const reader = stream.getReader();
  const lines = new CappedLines(LINE_MAX);
  const encoder = new TextEncoder();
  let bytes = 0;
  let cutLines = 0;
  let waiting = "";
  const flush = async () => {
    const text = encoder.encode(waiting);
    waiting = "";
    for (let at = 0; at < text.length;) at += await file.write(text.subarray(at));
  };
  const take = ({ text, cutBytes }: { readonly text: string; readonly cutBytes: number }) => {
    if (cutBytes > 0) cutLines++;
    const mark = cutBytes === 0 ? "" : ` [${cutBytes} more bytes in this line]`;
    waiting += `${keep(text)}${mark}\n`;
    line(text);
  };
  const next = () => reader.read().then(({ value }) => value, () => undefined);
  const read = async () => {
    for (let piece = await next(); piece !== undefined; piece = await next()) {
      bytes += piece.length;
      for (const each of lines.take(piece)) {
        take(each);
        if (waiting.length > WRITE_LENGTH) await flush();
      }
    }
    const rest = lines.rest();
    if (rest !== null) take(rest);
    await flush();
  };
  const cancel = () => void reader.cancel().catch(() => undefined);
  const done = read().then(() => null, (cause) => {
    cancel();
    return cause;
  }).then((failed): Log => {
    file.close();
    return { bytes, cutLines, failed };
  });
  return { done, read: () => bytes, cancel };
}

/** What was read of both streams, once their program is gone; `hold` null where it was ended by us. */
export async function drained(
  reading: readonly [LogReading, LogReading],
  hold: Hold | null,
): Promise<readonly [Log, Log]> {
  const cancel = () => reading.forEach((each) => each.cancel());
  const total = () => reading.reduce((sum, each) => sum + each.read(), 0);
  const late = setTimeout(cancel, DRAIN_MS[hold ?? "ended"]);
  let before = -1;
  const idle = setInterval(() => {
    if (hold === "group" && total() === before) cancel();
    before = total();
  }, IDLE_MS);
  const logs = await Promise.all([reading[0].done, reading[1].done]);
  clearTimeout(late);
  clearInterval(idle);
  return logs;
}
