/**
 * How does a report reach the disk? Run files and states first, then JUnit, Markdown, and
 * `report.json` last, each written whole or not at all: a folder without `report.json` is no result.
 * Everything is masked before it is written.
 */
import { diffStates } from "../judge/diff.ts";
import { hashState } from "../model/hash.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Report } from "../model/report.ts";
import { OUTBOX, outboxOf, type State } from "../model/json.ts";
import type { Change, Run } from "../model/run.ts";
import { renderJunit } from "../report/junit.ts";
import { renderMarkdown } from "../report/markdown.ts";
import type { Session } from "./session.ts";

/** The name of a run's file inside the report's folder. */
export function runFileName(scenario: string, trial: number): string {
  return `runs/${scenario}-${trial}.json`;
}

/** Where the artifacts of a program's run lie, inside the report's folder. */
export function runFolder(
  folder: string,
  { loaded, trial }: { readonly loaded: LoadedScenario; readonly trial: number },
): string {
  return `${folder}/runs/${loaded.scenario.id}-${trial}`;
}

/**
 * Writes one run, its before-state once for all runs that share it; masked first, then hashed, so
 * that what lies on the disk can be graded again.
 */
export async function writeRun(session: Session, folder: string, run: Run): Promise<string> {
  const { files } = session.io;
  const masked = session.masker.maskDeep(run);
  const { before, after } = masked.state;
  const hash = hashState(before);
  const stateFile = `${folder}/runs/states/${hash.slice("sha256:".length)}.json`;
  if (!isWritten(session, stateFile)) {
    await files.writeText(stateFile, jsonText({ schema: "collaudo/state@1", hash, state: before }));
  }
  const name = runFileName(run.scenario, run.trial);
  const changes = [...diffStates(before, after), ...sentChanges(before, after)];
  const delta = { changes, hash: hashState(after) };
  const text = jsonText({ ...masked, state: { before: { ref: hash }, after: delta } });
  await files.writeText(`${folder}/${name}`, text);
  return name;
}

const statesWritten = new WeakMap<Session, Set<string>>();

/** True from the second time on: a report's folder is empty when its first run is written. */
function isWritten(session: Session, path: string): boolean {
  const written = statesWritten.get(session) ?? new Set();
  statesWritten.set(session, written);
  return written.size === written.add(path).size;
}

/** The messages sent, as entries: the difference of two states leaves the outbox to the judges. */
function sentChanges(before: State, after: State): Change[] {
  const sent = outboxOf(after).slice(outboxOf(before).length);
  return sent.map((message, index) => ({
    path: `${OUTBOX}/${outboxOf(before).length + index}`,
    op: "added",
    after: message,
  }));
}

/** Writes `junit.xml`, `report.md` and `report.json` of a masked report; returns their paths. */
export async function writeReport(
  session: Session,
  folder: string,
  report: Report,
): Promise<string[]> {
  const { files } = session.io;
  const { locale, zone } = session.project.config;
  await files.writeText(`${folder}/junit.xml`, renderJunit(report));
  await files.writeText(`${folder}/report.md`, renderMarkdown(report, { locale, zone }));
  await files.writeText(`${folder}/report.json`, jsonText(report));
  return [`${folder}/report.md`, `${folder}/report.json`, `${folder}/junit.xml`];
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
