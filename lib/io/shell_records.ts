/**
 * Which commands did the shells of a sandbox record? Reads their files: the time of the start, the
 * shell's arguments each ended by a zero byte, and, where the command ended by itself, the time of
 * the end and the exit code. A file that is none of these is passed over.
 */
import { join } from "node:path";
import type { ShellRecord } from "../model/agent_process.ts";

/** A record of a command that printed itself for megabytes is none. */
const BYTES_MAX = 4 * 1024 * 1024;

/** Records are looked for so often: what was seen whole cannot be taken back. */
const LOOK_MS = 20;

/** The records of one process, read while it runs: the program may write where its shells do. */
export interface RecordWatch {
  /** The last look; records in the order in which they began, times since `startedAt` (epoch, ms). */
  end(startedAt: number): Promise<readonly ShellRecord[]>;
}

/** Watches a folder of records, and empties it at the end. */
export function watchRecords(folder: string): RecordWatch {
  const whole = new Map<string, string>();
  let looking: Promise<unknown> = Promise.resolve();
  const look = async () => {
    for (const [name, text] of await textsIn(folder, whole)) {
      if (isWhole(text)) whole.set(name, text);
    }
  };
  const timer = setInterval(() => {
    looking = looking.then(look).catch(() => undefined);
  }, LOOK_MS);
  return {
    end: async (startedAt) => {
      clearInterval(timer);
      await looking;
      const last = await textsIn(folder);
      const records = [...new Map([...whole, ...last])].flatMap(([name, text]) => {
        const first = whole.get(name) ?? text;
        const record = parseRecord(first, startedAt);
        if (record === null) return [];
        // What was whole and is another now was not ended by our shell, or not by it alone.
        return [first === text ? record : { ...record, endMs: null, exitCode: null }];
      });
      for (const name of last.keys()) await Deno.remove(join(folder, name));
      return records.sort((a, b) => a.startMs - b.startMs);
    },
  };
}

/** The files of a folder that may be records, by their names; without those that are known. */
async function textsIn(
  folder: string,
  known: ReadonlyMap<string, string> = new Map(),
): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { name, isFile } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (!isFile || name.startsWith(".") || known.has(name)) continue;
    if ((await Deno.lstat(path)).size <= BYTES_MAX) texts.set(name, await Deno.readTextFile(path));
  }
  return texts;
}

function isWhole(text: string): boolean {
  const record = parseRecord(text, 0);
  return text.endsWith("\n") && record !== null && record.exitCode !== null;
}

/** One record, null where the text is none. */
export function parseRecord(text: string, startedAt: number): ShellRecord | null {
  const cut = text.indexOf("\n");
  const startMs = millisecondsOf(text.slice(0, cut), startedAt);
  const args = text.slice(cut + 1).split("\0");
  const [end = "", code = "", ...more] = (args.pop() ?? "").split("\n");
  if (cut === -1 || startMs === null || args.length === 0) return null;
  const endMs = millisecondsOf(end, startedAt);
  // Our shell writes one end: with more than that somebody else wrote there too.
  const ended = endMs !== null && /^\d{1,3}$/.test(code) && more.join("") === "";
  return { args, startMs, endMs: ended ? endMs : null, exitCode: ended ? Number(code) : null };
}

/** Nanoseconds since the epoch as milliseconds since the start; null where the text is no number. */
function millisecondsOf(text: string, startedAt: number): number | null {
  return /^\d{16,20}$/.test(text) ? Math.max(0, Number(text.slice(0, -6)) - startedAt) : null;
}
