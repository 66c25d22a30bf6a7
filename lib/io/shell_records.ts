/**
 * Which commands did the shells of a sandbox record? Reads their files: the time of the start, the
 * shell's arguments each ended by a zero byte, and, where the command ended by itself, the time of
 * the end and the exit code. A file that is none of these is passed over.
 */
import { join } from "node:path";
import type { ShellRecord } from "../model/agent_process.ts";

/** A record of a command that printed itself for megabytes is none. */
const BYTES_MAX = 4 * 1024 * 1024;

/** The records of a folder in the order in which they began, times since `startedAt` (epoch, ms). */
export async function readRecords(folder: string, startedAt: number): Promise<ShellRecord[]> {
  const records: ShellRecord[] = [];
  for await (const { name, isFile } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (!isFile || name.startsWith(".") || (await Deno.lstat(path)).size > BYTES_MAX) continue;
    const record = parseRecord(await Deno.readTextFile(path), startedAt);
    if (record !== null) records.push(record);
    await Deno.remove(path);
  }
  return records.sort((a, b) => a.startMs - b.startMs);
}

/** One record, null where the text is none. */
export function parseRecord(text: string, startedAt: number): ShellRecord | null {
  const cut = text.indexOf("\n");
  const startMs = millisecondsOf(text.slice(0, cut), startedAt);
  const args = text.slice(cut + 1).split("\0");
  const [end = "", code = ""] = (args.pop() ?? "").split("\n");
  if (cut === -1 || startMs === null || args.length === 0) return null;
  const endMs = millisecondsOf(end, startedAt);
  const ended = endMs !== null && /^\d{1,3}$/.test(code);
  return { args, startMs, endMs: ended ? endMs : null, exitCode: ended ? Number(code) : null };
}

/** Nanoseconds since the epoch as milliseconds since the start; null where the text is no number. */
function millisecondsOf(text: string, startedAt: number): number | null {
  return /^\d{16,20}$/.test(text) ? Math.max(0, Number(text.slice(0, -6)) - startedAt) : null;
}
