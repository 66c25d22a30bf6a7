/**
 * What does the world hold before the run? The state's file, and the workspace and single files
 * laid into `files`. Reads JSON, YAML and SQLite; refuses what is no collection of records.
 */
import { FILES, isObject, type Json, type JsonObject, put, type State } from "../model/json.ts";
import { hashText } from "../model/hash.ts";
import { hasErrors, type Problem } from "../model/problem.ts";
import type { Setup } from "../model/scenario.ts";
import { shown } from "./issue_words.ts";
import { oddNumbersOfState } from "./issues.ts";
import {
  decodeUtf8,
  isLocated,
  LINK_OUTSIDE,
  type Located,
  type ProjectFiles,
  unreadable,
} from "./project_files.ts";
import { problemAt, problemOfFile, type SourceFile } from "./source.ts";

/** Files beyond this are held by their hash alone, in bytes. */
const TEXT_MAX = 64 * 1024;

/** Files of a workspace beyond which it is refused: it would be copied into every run. */
const WORKSPACE_FILES_MAX = 5_000;

/** A value, null where it could not be read. */
export interface Loaded<T> {
  readonly value: T | null;
  readonly problems: readonly Problem[];
}

/** Reads worlds; a state that several scenarios share is read and hashed once. */
export class WorldReader {
  readonly #states = new Map<string, Promise<Loaded<State>>>();
  readonly #workspaces = new Map<string, Promise<Loaded<JsonObject>>>();

  constructor(readonly reader: ProjectFiles) {}

  /** The world of a scenario; null where it names none, or none could be read. */
  async world(
    source: SourceFile,
    setup: Setup | undefined,
  ): Promise<{ state: State | null; problems: Problem[] }> {
    const problems: Problem[] = [];
    const take = <T>(loaded: Loaded<T>): T | null => {
      problems.push(...loaded.problems);
      return loaded.value;
    };
    const state = setup?.state === undefined ? null : take(await this.#state(source, setup.state));
    const laid: JsonObject = {};
    if (setup?.workspace !== undefined) {
      Object.assign(laid, take(await this.#workspace(source, setup.workspace)) ?? {});
    }
    problems.push(...await this.#layFixtures(source, setup?.fixtures ?? [], laid));
    const named = setup?.workspace !== undefined || (setup?.fixtures ?? []).length > 0;
    if (!named) return { state, problems };
    if (setup?.state !== undefined && state === null) return { state: null, problems };
    const before = state?.[FILES];
    return {
      state: { ...state, [FILES]: { ...(isObject(before) ? before : {}), ...laid } },
      problems,
    };
  }

  async #state(source: SourceFile, name: string): Promise<Loaded<State>> {
    const found = await this.reader.locate(name, "file", { source, path: ["setup", "state"] });
    if (!isLocated(found)) return { value: null, problems: [found] };
    const kind = stateKind(found.file);
    if (kind === null) {
      return {
        value: null,
        problems: [problemAt(source, ["setup", "state"], {
          code: "unknown-state-kind",
          what: `"${name}" is no state: expected a .json, .yaml, .sqlite or .db file`,
          fix: "name a JSON, YAML or SQLite file",
        })],
      };
    }
    const known = this.#states.get(found.file);
    if (known !== undefined) return await known;
    const state = readState(this.reader, found, kind);
    this.#states.set(found.file, state);
    return await state;
  }

  async #workspace(source: SourceFile, name: string): Promise<Loaded<JsonObject>> {
    const reference = { source, path: ["setup", "workspace"] };
    const found = await this.reader.locate(name, "folder", reference);
    if (!isLocated(found)) return { value: null, problems: [found] };
    const known = this.#workspaces.get(found.file);
    if (known !== undefined) return await known;
    const files = this.folder(found);
    this.#workspaces.set(found.file, files);
    return await files;
  }

  /** The files below a folder by their path in it, as a world holds them. */
  async folder(folder: Located): Promise<Loaded<JsonObject>> {
    const laid: JsonObject = {};
    const problems: Problem[] = [];
    const open = [""];
    let count = 0;
    for (let below = open.pop(); below !== undefined; below = open.pop()) {
      const at = below === "" ? folder.absolute : `${folder.absolute}/${below}`;
      for (const entry of await this.reader.files.list(at)) {
        const path = below === "" ? entry.name : `${below}/${entry.name}`;
        const file = `${folder.file}/${path}`;
        if (entry.kind === "link" && !await this.reader.isInside(`${folder.absolute}/${path}`)) {
          problems.push(problemOfFile(file, LINK_OUTSIDE));
        } else if (entry.kind === "folder") open.push(path);
        else if (entry.kind === "file") put(laid, path, await this.#content(file, problems));
        else problems.push(problemOfFile(file, LINK));
        if (++count > WORKSPACE_FILES_MAX) {
          problems.push(problemOfFile(folder.file, TOO_MANY));
          return { value: null, problems };
        }
      }
    }
    return { value: laid, problems };
  }

  async #layFixtures(
    source: SourceFile,
    fixtures: NonNullable<Setup["fixtures"]>,
    laid: JsonObject,
  ): Promise<Problem[]> {
    const problems: Problem[] = [];
    const seen = new Set<string>();
    for (const [index, fixture] of fixtures.entries()) {
      const path = ["setup", "fixtures", index, "content_fixture"];
      if (seen.has(fixture.path)) {
        problems.push(problemAt(source, ["setup", "fixtures", index, "path"], {
          code: "duplicate-entry",
          what: `The file "${fixture.path}" is laid twice`,
          fix: "keep one of the two",
        }));
      }
      seen.add(fixture.path);
      const found = await this.reader.locate(fixture.content_fixture, "file", { source, path });
      if (!isLocated(found)) problems.push(found);
      else put(laid, fixture.path, await this.#content(found.file, problems));
    }
    return problems;
  }

  /** A file's value in the world: its text, or its hash where it is not UTF-8 or too large. */
  async #content(file: string, problems: Problem[]): Promise<string> {
    try {
      const bytes = await this.reader.files.readBytes(this.reader.absolute(file));
      const text = bytes.length > TEXT_MAX ? null : decodeUtf8(bytes);
      return text ?? hashText(bytes);
    } catch (error) {
      problems.push(unreadable(file, error));
      return "";
    }
  }
}

const LINK = {
  code: "link-in-workspace",
  what: "A workspace cannot hold links: they would not be copied",
  fix: "replace the link by a copy of the file",
};
const TOO_MANY = {
  code: "workspace-too-large",
  what: `The workspace holds more than ${WORKSPACE_FILES_MAX} files`,
  fix: "keep only the files that the scenario needs",
};

type StateKind = "json" | "yaml" | "sqlite";

function stateKind(file: string): StateKind | null {
  if (/\.json$/i.test(file)) return "json";
  if (/\.ya?ml$/i.test(file)) return "yaml";
  return /\.(sqlite3?|db)$/i.test(file) ? "sqlite" : null;
}

async function readState(
  reader: ProjectFiles,
  found: Located,
  kind: StateKind,
): Promise<Loaded<State>> {
  if (kind === "sqlite") return await readSqliteState(reader, found);
  const parsed = kind === "json" ? await reader.json(found.file) : await reader.yaml(found.file);
  const { source } = parsed;
  if (source === null) return { value: null, problems: parsed.problems };
  const problems = [...parsed.problems, ...oddNumbersOfState(source), ...stateProblems(source)];
  const { value } = source;
  return { value: hasErrors(problems) || !isObject(value) ? null : value, problems };
}

async function readSqliteState(reader: ProjectFiles, found: Located): Promise<Loaded<State>> {
  try {
    return { value: await reader.files.readSqlite(found.absolute), problems: [] };
  } catch (error) {
    return {
      value: null,
      problems: [problemOfFile(found.file, {
        code: "sqlite-unreadable",
        what: `The database cannot be read: ${
          error instanceof Error ? error.message : String(error)
        }`,
        fix: "check that it is a SQLite file, or use a JSON or YAML state",
      })],
    };
  }
}

/** A state is collections of records by id; the outbox is a list of messages. */
function stateProblems(source: SourceFile): Problem[] {
  const { value } = source;
  if (!isObject(value)) {
    return [problemAt(source, [], {
      code: "not-a-state",
      what: `The state is ${shown(value)}: expected collections of records by id`,
      fix: 'write it as {"customers": {"C-1": {"name": "…"}}}',
    })];
  }
  return Object.entries(value).flatMap(([name, records]) =>
    collectionProblems(source, name, records)
  );
}

function collectionProblems(source: SourceFile, name: string, records: Json): Problem[] {
  if (name === "outbox") {
    if (Array.isArray(records) && records.every(isObject)) return [];
    return [problemAt(source, [name], {
      code: "not-a-state",
      aim: "key",
      what: `"outbox" is ${shown(records)}: expected a list of messages`,
      fix: "write a list, or leave it out",
    })];
  }
  if (isObject(records)) return [];
  return [problemAt(source, [name], {
    code: "not-a-state",
    aim: "key",
    what: `Collection "${name}" is ${shown(records)}: expected records by their id`,
    fix: `write each record under its id: {"${name}": {"1": {…}}}`,
  })];
}
