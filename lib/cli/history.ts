/**
 * How does a run get into the history, and how is the history asked? Each run adds its summary when
 * its report is written; whoever asks first takes in what lies in `reports/runs` and is not in it.
 * A run whose folder was deleted stays. Never the reason why a run fails.
 */
import { summarise } from "../measure/history.ts";
import type { HistoryRun } from "../model/history.ts";
import type { HistoryFile } from "../model/ports.ts";
import type { Report } from "../model/report.ts";
import { historyWordsOf } from "../report/words_history.ts";
import { fromRoot, join, type Session } from "./session.ts";

/** Git passes over the folder by a file of its own in it: nobody has to tell it to. */
const FOLDER = "reports/history";
const FILE = `${FOLDER}/runs.sqlite`;
const RUNS = "reports/runs";

/** Reports that are taken in together: what was read so far is not lost when it is stopped. */
const TOGETHER = 50;

/** Adds one run; `report` is masked already. A history that cannot be written is told of, no more. */
export async function keepInHistory(
  session: Session,
  report: Report,
  folder: string,
): Promise<void> {
  try {
    const { project } = session;
    const file = await openHistory(session, false);
    try {
      if (file.renewed !== null) await takeIn(session, file);
      file.put([summarise(report, fromRoot(project.root, folder))]);
    } finally {
      file.close();
    }
  } catch (error) {
    tellUnusable(session, error);
  }
}

/**
 * Asks the history, with everything taken in that `reports/runs` holds. What cannot be answered is
 * asked again of a file that was looked through: damage may lie deep in it.
 */
export async function askHistory<Answer>(
  session: Session,
  ask: (file: HistoryFile) => Answer,
): Promise<Answer> {
  try {
    return await askOnce(session, ask, false);
  } catch {
    return await askOnce(session, ask, true);
  }
}

async function askOnce<Answer>(
  session: Session,
  ask: (file: HistoryFile) => Answer,
  checked: boolean,
): Promise<Answer> {
  const file = await openHistory(session, checked);
  try {
    await takeIn(session, file);
    return ask(file);
  } finally {
    file.close();
  }
}

async function openHistory({ io, project }: Session, checked: boolean): Promise<HistoryFile> {
  const ignored = join(project.root, `${FOLDER}/.gitignore`);
  if (await io.files.stat(ignored) === null) await io.files.writeText(ignored, "*\n");
  return await io.histories.open(join(project.root, FILE), checked);
}

/** Says that the history could not be used, and why. */
export function tellUnusable({ io, project }: Session, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  io.terminal.err(`${historyWordsOf(project.config.locale).unusable(why)}\n`);
}

async function takeIn(session: Session, file: HistoryFile): Promise<void> {
  const { io, project } = session;
  const known = file.folders();
  const names = (await io.files.list(join(project.root, RUNS)))
    .filter(({ kind }) => kind === "folder")
    .map(({ name }) => `${RUNS}/${name}`)
    .filter((folder) => !known.has(folder));
  const { loadDigest } = await import("../load/digest.ts");
  let [runs, unreadable]: [HistoryRun[], string[]] = [[], []];
  let [taken, passedOver] = [0, 0];
  const keep = () => {
    if (runs.length + unreadable.length > 0) file.put(runs, unreadable);
    [taken, passedOver] = [taken + runs.length, passedOver + unreadable.length];
    [runs, unreadable] = [[], []];
  };
  for (const folder of names) {
    if (io.interrupted.aborted) break;
    const path = join(project.root, `${folder}/report.json`);
    // A folder without a report is a run that is going on, or one that was killed.
    if (await io.files.stat(path) === null) continue;
    const digest = await loadDigest(io.files, path);
    if (digest === null) unreadable.push(folder);
    else runs.push(summarise(digest, folder));
    if (runs.length + unreadable.length >= TOGETHER) keep();
  }
  keep();
  tellTaken(session, { renewed: file.renewed, taken, passedOver });
}

function tellTaken(
  { io, project }: Session,
  { renewed, taken, passedOver }: {
    readonly renewed: HistoryFile["renewed"];
    readonly taken: number;
    readonly passedOver: number;
  },
): void {
  const words = historyWordsOf(project.config.locale);
  if (renewed !== null) {
    io.terminal.err(`${words.renewed[renewed](taken)}\n`);
  }
  if (passedOver > 0) io.terminal.err(`${words.passedOver(passedOver)}\n`);
}
