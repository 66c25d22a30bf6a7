/**
 * Which runs does a file hold? JSONL (run lines and `collaudo/state@1` lines, which later lines
 * refer to) or one JSON run, streamed: one run at a time is in memory, and the states that were
 * stored once. A run that cannot be read whole is a problem, never skipped.
 */
import { applyChanges } from "../model/changes.ts";
import { hashState } from "../model/hash.ts";
import { FILES, isObject, type Json, type State } from "../model/json.ts";
import type { Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import type { Problem } from "../model/problem.ts";
import { type Change, type Run, type RunFile, runFile, stateFile } from "../model/run.ts";
import { shape } from "./issues.ts";
import { parseJson } from "./json_text.ts";
import { absolutePath, readNamed, shownPath } from "./named_file.ts";
import { problemOfFile } from "./source.ts";

/** One run of a file, or what is wrong with its line; `changes` where the file stores them. */
export type ReadRun =
  | { readonly line: number; readonly run: Run; readonly changes?: readonly Change[] }
  | { readonly line: number; readonly problem: Problem };

/** Streams the runs of a file; `path` is absolute or relative to the project. */
export async function* readRuns(
  files: Files,
  project: Project,
  path: string,
): AsyncGenerator<ReadRun> {
  const absolute = absolutePath(project, path);
  const file = shownPath(project, absolute);
  const stat = await files.stat(absolute);
  if (stat === null || stat.kind === "folder" || /\.json$/i.test(path)) {
    yield* readWhole(files, project, path);
    return;
  }
  const lines = new RunLines(file, storedStates(files, absolute));
  let line = 0;
  try {
    for await (const text of files.readLines(absolute)) {
      line++;
      if (text.trim() === "") continue;
      yield* lines.read(line === 1 && text.startsWith("\uFEFF") ? text.slice(1) : text, line);
    }
  } catch (error) {
    yield { line: line + 1, problem: unreadable(file, line + 1, error) };
    return;
  }
  if (!lines.any) yield { line: 1, problem: problemOfFile(file, NO_RUNS) };
}

const NO_RUNS = {
  code: "no-runs",
  what: "The file holds no run: nothing would be graded",
  fix: "name a file with one run a line",
};

function unreadable(file: string, line: number, error: unknown): Problem {
  const why = error instanceof Error ? error.message : String(error);
  return {
    ...problemOfFile(file, {
      code: "unreadable-file",
      what: `The file cannot be read: ${why}`,
      fix: "check that it is UTF-8 text and that you may read it",
    }),
    line,
  };
}

async function* readWhole(files: Files, project: Project, path: string): AsyncGenerator<ReadRun> {
  const named = await readNamed(files, project, { path, noun: "run file" });
  if (named.text === null) {
    for (const problem of named.problems) yield { line: 1, problem };
    return;
  }
  const lines = new RunLines(named.file, storedStates(files, absolutePath(project, path)));
  yield* lines.read(named.text, 1);
  if (!lines.any) yield { line: 1, problem: problemOfFile(named.file, NO_RUNS) };
}

/** Finds a state by its hash, undefined where it is not stored. */
type FindState = (hash: string) => Promise<Json | undefined>;

/** States that lie beside a file, as reports store them: `states/<hex>.json`. */
function storedStates(files: Files, absolute: string): FindState {
  const folder = absolute.slice(0, absolute.lastIndexOf("/"));
  return async (hash) => {
    const path = `${folder}/states/${hash.slice("sha256:".length)}.json`;
    if ((await files.stat(path))?.kind !== "file") return undefined;
    return parseLine(await files.readText(path));
  };
}

/** Reads lines in order, keeping the states that later lines refer to. */
class RunLines {
  /** True once a run, or a broken line, was seen. */
  any = false;
  readonly #states = new Map<string, State>();
  readonly #stored: FindState;

  constructor(readonly file: string, stored: FindState) {
    this.#stored = stored;
  }

  async *read(text: string, line: number): AsyncGenerator<ReadRun> {
    const value = parseLine(text);
    if (isObject(value) && value["schema"] === "collaudo/state@1") {
      const problem = this.#keep(value, text, line);
      if (problem !== null) yield this.#fail(line, [problem]);
      return;
    }
    this.any = true;
    const parsed = value === undefined ? null : runFile.safeParse(value);
    if (parsed === null || !parsed.success) {
      yield this.#fail(line, this.#explain(text, line, "run"));
      return;
    }
    const written = unreadableWrite(parsed.data);
    if (written !== null) {
      yield this.#fail(line, [this.#problem(line, badWrite(written))]);
      return;
    }
    const { before } = parsed.data.state;
    if (isRef(before) && !this.#states.has(before.ref)) await this.#fetch(before.ref);
    yield this.#resolve(parsed.data, line);
  }

  /** Takes a state from beside the file, where it has the hash that it is named by. */
  async #fetch(hash: string): Promise<void> {
    const parsed = stateFile.safeParse(await this.#stored(hash));
    if (parsed.success && hashState(parsed.data.state) === hash) {
      this.#states.set(hash, parsed.data.state);
    }
  }

  #fail(line: number, problems: readonly Problem[]): ReadRun {
    this.any = true;
    const [first] = problems;
    return { line, problem: first ?? this.#problem(line, UNKNOWN) };
  }

  /** Parses the line again, slowly, to say where it is wrong. */
  #explain(text: string, line: number, kind: "run" | "state"): Problem[] {
    const parsed = parseJson(this.file, text);
    const shaped = parsed.source === null
      ? []
      : shape(parsed.source, kind === "run" ? runFile : stateFile, `the ${kind}`).problems;
    return [...parsed.problems, ...shaped]
      .map((problem) => ({ ...problem, line: problem.line + line - 1 }));
  }

  #keep(value: Json, text: string, line: number): Problem | null {
    const parsed = stateFile.safeParse(value);
    if (!parsed.success) {
      return this.#explain(text, line, "state")[0] ?? this.#problem(line, UNKNOWN);
    }
    const { hash, state } = parsed.data;
    const actual = hashState(state);
    if (actual !== hash) return this.#problem(line, wrongHash("The state", hash, actual));
    this.#states.set(hash, state);
    return null;
  }

  #resolve(run: RunFile, line: number): ReadRun {
    const before = this.#before(run);
    if (before === null) return this.#fail(line, [this.#problem(line, unknownRef(run))]);
    const { after } = run.state;
    if (!isDelta(after)) {
      return { line, run: { ...run, state: { before, after: after as State } } };
    }
    const applied = tryChanges(before, after.changes);
    if (typeof applied === "string") {
      return this.#fail(line, [this.#problem(line, badChange(applied))]);
    }
    const actual = hashState(applied);
    if (actual !== after.hash) {
      const finding = wrongHash("The state after these changes", after.hash, actual);
      return this.#fail(line, [this.#problem(line, finding)]);
    }
    return { line, run: { ...run, state: { before, after: applied } }, changes: after.changes };
  }

  #before(run: RunFile): State | null {
    const { before } = run.state;
    return isRef(before) ? this.#states.get(before.ref) ?? null : before as State;
  }

  #problem(line: number, finding: { code: string; what: string; fix: string }): Problem {
    return { ...problemOfFile(this.file, finding), line };
  }
}

const UNKNOWN = {
  code: "json-syntax",
  what: "The line is no run",
  fix: "write one run a line, as JSON",
};

function parseLine(text: string): Json | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function tryChanges(before: State, changes: readonly Change[]): State | string {
  try {
    return applyChanges(before, changes);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The first written path that is none: no protected place would ever be found in it. */
function unreadableWrite({ events }: RunFile): string | null {
  for (const event of events) {
    if (event.kind !== "call" || event.wrote === undefined) continue;
    for (const path of event.wrote) if (!isPath(path)) return path;
  }
  return null;
}

function isPath(path: string): boolean {
  if (path.startsWith(`${FILES}/`)) return path.length > FILES.length + 1;
  return path !== "" && !path.split("/").includes("");
}

function badWrite(path: string) {
  return {
    code: "bad-path",
    what: `A call wrote "${path}", which is no path: expected such as customers/C-1/name`,
    fix: "write paths without a leading, doubled or trailing `/`",
  };
}

function isRef(state: RunFile["state"]["before"]): state is { ref: string } {
  return typeof state["ref"] === "string";
}

function isDelta(
  state: RunFile["state"]["after"],
): state is { changes: Change[]; hash: string } {
  return Array.isArray(state["changes"]) && typeof state["hash"] === "string";
}

function unknownRef(run: RunFile) {
  const { before } = run.state;
  return {
    code: "unknown-state-ref",
    what:
      `Run of "${run.scenario}" begins in a state that no line before it and no file beside it holds: ${
        isRef(before) ? before.ref : ""
      }`,
    fix: 'put its {"schema":"collaudo/state@1", …} line before the run',
  };
}

function wrongHash(what: string, claimed: string, actual: string) {
  return {
    code: "state-hash-differs",
    what: `${what} has the hash ${actual}, the line says ${claimed}`,
    fix: "write the file anew: it was changed or cut",
  };
}

function badChange(why: string) {
  return {
    code: "change-does-not-apply",
    what: `A change does not fit the state before: ${why}`,
    fix: "write the file anew: it was changed or cut",
  };
}
