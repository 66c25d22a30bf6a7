/** What does the history need of a `report.json`? Reads that part alone, as it was written and masked. */
import { type ReportDigest, reportDigest } from "../model/history.ts";
import type { Files } from "../model/ports.ts";

/** The part of a report, by its absolute path; null where the file is no report or cannot be read. */
export async function loadDigest(files: Files, path: string): Promise<ReportDigest | null> {
  try {
    const parsed = reportDigest.safeParse(JSON.parse(await files.readText(path)));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
