/**
 * What do `run` and `grade` share? Their options, the gate and the baseline that they are judged
 * by, the versions that a report names, where it goes, and how a decision is told on the terminal.
 */
import type { Baseline } from "../model/baseline.ts";
import { EXIT } from "../model/exit.ts";
import type { Gate } from "../model/gate.ts";
import { hashJson } from "../model/hash.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import { hasErrors } from "../model/problem.ts";
import type { Report } from "../model/report.ts";
import { renderSummary } from "../report/terminal.ts";
import { writeReport } from "./report_files.ts";
import { programOf } from "./reproduce.ts";
import { loadBaselineAt, loadGateAt } from "./remembered_loads.ts";
import { fromRoot, join, printProblems, type Session, sourceOf } from "./session.ts";
import { findStanding, type Standing } from "./standing.ts";
import { VERSION } from "./version.ts";

/** The options that `run` and `grade` share, as commander gives them. */
export interface JudgingOptions {
  readonly only: string[];
  readonly gate?: string;
  readonly baseline?: string;
  readonly out?: string;
  readonly strict?: boolean;
  readonly note: string[];
  readonly json?: boolean;
  readonly wait?: boolean;
}

/** The gate file of a project where none is named. */
export const DEFAULT_GATE = "gates/release.yaml";

/** A gate and the baseline that it is compared with. */
export interface Judges {
  readonly gate: Gate;
  readonly gateFile: string;
  readonly gateHash: string;
  readonly baseline: Baseline | null;
  readonly standing?: Standing;
}

/**
 * Loads gate and baseline; a baseline that the command line names must exist, the gate's may not yet.
 * `alone`: nobody asks the repository what else has a say.
 */
export async function loadJudges(
  session: Session,
  options: { readonly gate?: string; readonly baseline?: string; readonly alone?: boolean },
): Promise<Judges | number> {
  const { io, project } = session;
  const gatePath = options.gate === undefined
    ? join(project.root, DEFAULT_GATE)
    : join(io.cwd, options.gate);
  const { gate, hash, problems } = await loadGateAt(sourceOf(session), gatePath);
  if (gate === null || hasErrors(problems)) {
    await printProblems(io, problems, project.root);
    return EXIT.usage;
  }
  const baseline = await findBaseline(session, gate, options.baseline);
  if (typeof baseline === "number") return baseline;
  const judges = { gate, gateFile: fromRoot(project.root, gatePath), gateHash: hash, baseline };
  if (options.alone === true) return judges;
  return { ...judges, standing: await findStanding(session, judges) };
}

async function findBaseline(
  session: Session,
  gate: Gate,
  wanted: string | undefined,
): Promise<Baseline | null | number> {
  const { io, project } = session;
  if (wanted === undefined) {
    if (gate.baseline === undefined) return null;
    if (await io.files.stat(baselinePath(session, gate.baseline)) === null) return null;
  }
  const path = wanted === undefined
    ? baselinePath(session, gate.baseline ?? "")
    : wanted.includes("/") ||
        wanted.endsWith(".json")
    ? join(io.cwd, wanted)
    : baselinePath(session, wanted);
  const { baseline, problems } = await loadBaselineAt(sourceOf(session), path);
  if (baseline === null || hasErrors(problems)) {
    await printProblems(io, problems, project.root);
    return EXIT.usage;
  }
  return baseline;
}

/** Where a baseline lies by its name. */
export function baselinePath(session: Session, name: string): string {
  return join(session.project.root, `reports/baselines/${name}.json`);
}

/**
 * Versions of all that the result rests on; notes of the command line last. The commit is asked for
 * where `extra` does not know it.
 */
export async function versionsOf(
  session: Session,
  scenarios: readonly LoadedScenario[],
  extra: Readonly<Record<string, string | null>>,
  notes: readonly string[],
): Promise<Report["versions"]> {
  const { io, project } = session;
  const known = extra["commit"];
  const [commit, dirty] = await Promise.all([
    known === undefined ? io.git.ask(project.root, ["rev-parse", "HEAD"]) : known,
    io.git.ask(project.root, ["status", "--porcelain", "--", "."]),
  ]);
  const own = Object.fromEntries(notes.map((note) => {
    const cut = note.indexOf("=");
    return [`note.${note.slice(0, cut)}`, note.slice(cut + 1)];
  }));
  return {
    commit: commit?.trim() ?? null,
    tree: dirty === null ? null : dirty.trim() === "" ? "clean" : "changed",
    collaudo: VERSION,
    deno: io.denoVersion,
    scenarios: hashJson(scenarios.map((loaded) => [loaded.scenario.id, loaded.hash])),
    ...extra,
    ...own,
  };
}

/** The commit that the judges were asked about, where they were. */
export function commitOf({ standing }: Judges): { readonly commit?: string | null } {
  return standing === undefined ? {} : { commit: standing.head };
}

/** The report's folder: `--out`, or a new one named by time and commit. Null where it is in use. */
export async function reportFolder(
  session: Session,
  out: string | undefined,
  report: { readonly time: string; readonly commit: string | null },
): Promise<string | null> {
  const { io, project } = session;
  const stamp = report.time.replace(/\.\d+/, "").replaceAll(":", "-");
  const commit = report.commit === null ? "nogit" : report.commit.slice(0, 8);
  if (out !== undefined) {
    const folder = join(io.cwd, out);
    return (await io.files.list(folder)).length === 0 ? folder : null;
  }
  const base = join(project.root, `reports/runs/${stamp}-${commit}`);
  for (let n = 1;; n++) {
    const folder = n === 1 ? base : `${base}-${n}`;
    if ((await io.files.list(folder)).length === 0) return folder;
  }
}

/** Writes the report and tells the decision; returns its exit code. */
export async function finish(
  session: Session,
  { report: unmasked, folder, json }: {
    readonly report: Report;
    readonly folder: string;
    readonly json: boolean;
  },
): Promise<number> {
  const { io, project } = session;
  const report = session.masker.maskDeep(unmasked);
  const written = await writeReport(session, folder, report);
  const { keepInHistory } = await import("./history.ts");
  await keepInHistory(session, report, folder);
  if (json) io.terminal.out(await io.files.readText(`${folder}/report.json`));
  const tell = json ? io.terminal.err : io.terminal.out;
  tell(renderSummary(report, {
    locale: project.config.locale,
    zone: project.config.zone,
    colour: colourOf(session, json),
    program: programOf(io),
    files: written.map((file) => fromRoot(io.cwd, file)),
  }));
  return io.interrupted.aborted ? EXIT.interrupted : report.decision.exitCode;
}

/** True where colour may be used: a terminal, and NO_COLOR not set. */
export function colourOf(session: Session, onErr: boolean): boolean {
  const { terminal } = session.io;
  const isTerminal = onErr ? terminal.errIsTerminal : terminal.outIsTerminal;
  return isTerminal && (session.io.env("NO_COLOR") ?? "") === "";
}

/** Runs `work` while holding the project's lock, so that two runs of one project never mix. */
export async function withLock(
  session: Session,
  wait: boolean,
  work: () => Promise<number>,
): Promise<number> {
  const path = join(session.project.root, "reports/.lock");
  const held = await session.io.lock.acquire(path, wait);
  if (held === null) {
    session.io.terminal.err(
      "error: Another run of this project is going on\n  fix: wait for it, or pass --wait\n",
    );
    return EXIT.undecided;
  }
  try {
    return await work();
  } finally {
    held.release();
  }
}
