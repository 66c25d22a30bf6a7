/**
 * Which scenarios are to be run or judged, with everything that they name read, checked, merged and
 * hashed? Problems of all files are gathered; a scenario with an error is left out.
 */
import { hashJson, hashState } from "../model/hash.ts";
import type { Json, State } from "../model/json.ts";
import type { LoadedScenario, Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import { hasErrors, type Problem, sortProblems } from "../model/problem.ts";
import { type Scenario, type ScenarioFile, scenarioFile } from "../model/scenario.ts";
import type { ToolSet } from "../model/tool.ts";
import { excusedProblems } from "./check_lifecycle.ts";
import { checkScenario } from "./check_scenario.ts";
import { shapeParsed } from "./issues.ts";
import type { Gathered } from "./project.ts";
import { isLocated, ProjectFiles } from "./project_files.ts";
import { partialProblems } from "./partial_scenario.ts";
import { orphanProblems, readRecordings } from "./recordings.ts";
import { repositoryFiles } from "./repository_files.ts";
import { resolveScenario } from "./resolve.ts";
import {
  listScenarios,
  type Named,
  type ScenarioPath,
  type Selection,
  selectOnly,
  selectPaths,
} from "./selection.ts";
import type { SourceFile } from "./source.ts";
import { ToolsReader } from "./tools.ts";
import { WorldReader } from "./world.ts";

export type { Selection } from "./selection.ts";

/** What a load of scenarios gives; `all` are the ids of the whole suite. */
export interface LoadedScenarios extends Gathered {
  readonly scenarios: LoadedScenario[];
  readonly all: readonly { readonly id: string; readonly file: string }[];
}

/** A scenario's file, read and of the right shape, or not. */
interface Candidate extends Named {
  readonly source: SourceFile | null;
  readonly written: ScenarioFile | null;
  readonly problems: readonly Problem[];
}

interface Readers {
  readonly files: ProjectFiles;
  readonly tools: ToolsReader;
  readonly worlds: WorldReader;
  readonly project: Project;
  readonly recordings: readonly string[] | undefined;
  readonly sound: (file: string) => boolean;
}

/** Loads the selected scenarios of a project, in the order of their files. */
export async function loadScenarios(
  files: Files,
  project: Project,
  selection: Selection,
): Promise<LoadedScenarios> {
  const reader = new ProjectFiles(files, project.root);
  const sound = selection.sound ?? (() => false);
  const readers: Readers = {
    files: reader,
    tools: new ToolsReader(reader, sound),
    worlds: new WorldReader(reader),
    project,
    recordings: selection.recordings,
    sound,
  };
  const listed = await listScenarios(reader);
  const byPath = selectPaths(reader, listed.all, selection.paths);
  const { candidates, byWord } = await selectCandidates(reader, byPath.chosen, selection.only);
  const problems: Problem[] = [
    ...listed.problems,
    ...byPath.problems,
    ...(byPath.chosen.length > 0 ? byWord.problems : []),
    ...hidden(candidates, byWord.chosen),
  ];
  if (selection.paths.length === 0 && selection.only.length === 0) {
    problems.push(...await orphanProblems(reader, listed.all.map(({ id }) => id)));
    problems.push(...excusedProblems(candidates));
  }
  const scenarios: LoadedScenario[] = [];
  for (const candidate of byWord.chosen) {
    const completed = await complete(readers, candidate);
    problems.push(...completed.problems);
    if (completed.loaded !== null) scenarios.push(completed.loaded);
  }
  return {
    scenarios,
    all: listed.all.map(({ id, file }) => ({ id, file })),
    problems: sortProblems(problems),
    sources: reader.sources,
  };
}

/** Only files that a word may mean are parsed, unless a word means none: then all words are told. */
async function selectCandidates(
  reader: ProjectFiles,
  paths: readonly ScenarioPath[],
  only: readonly string[],
) {
  const read = await Promise.all(
    paths.map(async (path) =>
      await mayBeMeant(reader, path, only)
        ? await readCandidate(reader, path)
        : { ...path, source: null, written: null, words: [], problems: [] }
    ),
  );
  const byWord = selectOnly(read, only);
  if (byWord.problems.length === 0) return { candidates: read, byWord };
  const candidates = await Promise.all(paths.map((path) => readCandidate(reader, path)));
  return { candidates, byWord: selectOnly(candidates, only) };
}

/** A category, task or tag stands in the file's text as it is, where the text escapes nothing. */
async function mayBeMeant(
  reader: ProjectFiles,
  { file, suite, id }: ScenarioPath,
  only: readonly string[],
): Promise<boolean> {
  if (only.length === 0 || !only.every((word) => /^[\w.-]+$/.test(word))) return true;
  if (only.includes(id) || only.includes(suite)) return true;
  const text = await reader.text(file);
  return typeof text !== "string" || text.includes("\\") ||
    only.some((word) => text.includes(word));
}

/** A file that cannot be read may be one that a word meant: its problems are not kept back. */
function hidden(candidates: readonly Candidate[], chosen: readonly Candidate[]): Problem[] {
  return candidates.filter((each) => each.written === null && !chosen.includes(each))
    .flatMap((each) => each.problems);
}

async function readCandidate(reader: ProjectFiles, path: ScenarioPath): Promise<Candidate> {
  const parsed = await reader.yaml(path.file);
  const { source } = parsed;
  if (source === null) {
    return { ...path, source, written: null, words: [], problems: parsed.problems };
  }
  const shaped = shapeParsed(parsed, source, { schema: scenarioFile, noun: "the scenario" });
  const written = shaped.value;
  const words = written === null
    ? []
    : [written.category, written.task ?? path.suite, ...written.tags];
  return { ...path, source, written, words, problems: [...parsed.problems, ...shaped.problems] };
}

async function complete(
  readers: Readers,
  candidate: Candidate,
): Promise<{ loaded: LoadedScenario | null; problems: Problem[] }> {
  const { source, written, suite } = candidate;
  const problems = [...candidate.problems];
  if (source === null || written === null) {
    const { problems: ofRecordings } = await readRecordings(
      readers.files,
      candidate.id,
      readers.recordings,
    );
    const around = { ...readers, config: readers.project.config };
    const told = new Set(problems.map(({ file, line }) => `${file}:${line}`));
    const more = await partialProblems(around, candidate);
    problems.push(...more.filter(({ file, line }) => !told.has(`${file}:${line}`)));
    problems.push(...ofRecordings);
    return { loaded: null, problems };
  }
  const tools = await readers.tools.tools(source, suite, written.setup?.tools);
  const world = await readers.worlds.world(source, written.setup);
  const proofs = await proofFolders(readers, source, written);
  const repository = await repositoryFiles({ ...readers, source }, written, world.state);
  const { recordings, problems: ofRecordings } = await readRecordings(
    readers.files,
    candidate.id,
    readers.recordings,
  );
  const resolved = resolveScenario(written, {
    source,
    suite,
    clock: readers.project.config.clock,
    toolsFiles: tools.files,
    toolNames: Object.keys(tools.tools),
  });
  problems.push(...tools.problems, ...world.problems, ...proofs.problems, ...repository.problems);
  problems.push(...ofRecordings);
  problems.push(...resolved.problems);
  const { scenario } = resolved;
  if (!readers.sound(candidate.file)) {
    problems.push(
      ...await checkScenario({
        source,
        suite,
        written,
        scenario,
        tools: tools.tools,
        toolsComplete: tools.complete,
        state: world.state,
        recordings,
        config: readers.project.config,
      }),
    );
  }
  if (hasErrors(problems)) return { loaded: null, problems };
  const loaded: LoadedScenario = {
    file: candidate.file,
    suite,
    scenario,
    hash: scenarioHash(scenario, {
      tools: tools.tools,
      state: world.state,
      proofs: proofs.hashes,
      repository: repository.hashes,
    }),
    tools: tools.tools,
    state: world.state,
    recordings: recordings.map(({ name, file, recording }) => ({ name, file, recording })),
    positions: resolved.positions,
  };
  return { loaded, problems };
}

/** The folders that proofs lay beside the agent's files: they must be there, and count in the hash. */
async function proofFolders(
  readers: Readers,
  source: SourceFile,
  written: ScenarioFile,
): Promise<{ hashes: Json[]; problems: Problem[] }> {
  const problems: Problem[] = [];
  const hashes: Json[] = [];
  for (const [index, proof] of (written.expected.proof ?? []).entries()) {
    if (proof.lay === undefined) continue;
    const path = ["expected", "proof", index, "lay"];
    const found = await readers.files.locate(proof.lay, "folder", { source, path });
    if (!isLocated(found)) {
      problems.push(found);
      continue;
    }
    const laid = await readers.worlds.folder(found);
    problems.push(...laid.problems);
    hashes.push(hashState({ files: laid.value ?? {} }));
  }
  return { hashes, problems };
}

/** Equal hashes mean: the same was asked in the same world. Words for people do not count. */
function scenarioHash(
  scenario: Scenario,
  world: {
    readonly tools: ToolSet;
    readonly state: State | null;
    readonly proofs: Json[];
    readonly repository: Json[];
  },
): string {
  const asked: Record<string, unknown> = { ...scenario };
  for (const words of WORDS) delete asked[words];
  const expected: Record<string, unknown> = { ...scenario.expected };
  delete expected["rubric"];
  const parts = {
    scenario: plain({ ...asked, expected }),
    tools: remembered(toolHashes, world.tools, (tools) => hashJson(plain(tools))),
    state: world.state === null ? null : remembered(stateHashes, world.state, hashState),
    ...(world.proofs.length > 0 ? { proofs: world.proofs } : {}),
    ...(world.repository.length > 0 ? { repository: world.repository } : {}),
  };
  return hashJson(parts);
}

/** What may be said otherwise without asking anything else. */
const WORDS = ["description", "tags", "labels", "lifecycle", "known_failing", "origin"];

const toolHashes = new WeakMap<ToolSet, string>();
const stateHashes = new WeakMap<State, string>();

function remembered<K extends object>(
  hashes: WeakMap<K, string>,
  key: K,
  make: (key: K) => string,
) {
  const known = hashes.get(key) ?? make(key);
  hashes.set(key, known);
  return known;
}

/** Without keys whose value is undefined. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}
