/**
 * What is kept of a block that a person let pass? Its report, with the override in the decision, in
 * git's shared folder under its own hash: the trailer of the commit names it.
 */
import { hashText } from "../model/hash.ts";
import type { Decision } from "../model/gate.ts";
import type { Io } from "../model/ports.ts";
import { type Report, reportFile } from "../model/report.ts";
import { renderJunit } from "../report/junit.ts";
import { renderMarkdown } from "../report/markdown.ts";
import type { View } from "../report/voice.ts";

/** Writes the report; its hash, or null where none was made. */
export async function keepOverridden(
  io: Io,
  { folder, home, decision, view }: {
    readonly folder: string | null;
    readonly home: string;
    readonly view: View;
    readonly decision: Decision;
  },
): Promise<string | null> {
  const path = `${folder}/report.json`;
  if (folder === null || await io.files.stat(path) === null) return null;
  const read = reportFile.safeParse(JSON.parse(await io.files.readText(path)));
  if (!read.success) return null;
  const report: Report = { ...read.data, decision };
  const text = `${JSON.stringify(report, null, 1)}\n`;
  const hash = hashText(text);
  const kept = `${home}/overridden/${hash.slice("sha256:".length)}`;
  await io.files.writeText(`${kept}/junit.xml`, renderJunit(report));
  await io.files.writeText(`${kept}/report.md`, renderMarkdown(report, view));
  await io.files.writeText(`${kept}/report.json`, text);
  return hash;
}
