/**
 * Which scenarios are meant? Paths and globs over files, and words (`--only`) over id, suite,
 * category, task and tags. A word or path that names nothing is a problem, never an empty run.
 */
import { identifier } from "../model/common.ts";
import { wordList } from "../model/near_words.ts";
import type { Problem } from "../model/problem.ts";
import { LINK_OUTSIDE, normalise, type ProjectFiles } from "./project_files.ts";
import { problemOfFile } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** What the caller asks for; both empty: the whole suite. */
export interface Selection {
  /** Files, folders and globs, absolute or relative to the project. */
  readonly paths: readonly string[];
  /** Id, suite, category, task or tag; globs. */
  readonly only: readonly string[];
  /** Names of the recordings that are read; absent: all of them. */
  readonly recordings?: readonly string[];
  /** True for scenario and tools files, relative to the project, that are known to be sound. */
  readonly sound?: (file: string) => boolean;
}

/** A scenario's file, before it is read. */
export interface ScenarioPath {
  readonly file: string;
  readonly suite: string;
  readonly id: string;
}

export const SCENARIOS = "scenarios";

/** All scenario files of the project, in the order of their paths, and what lies there wrongly. */
export async function listScenarios(
  reader: ProjectFiles,
): Promise<{ all: ScenarioPath[]; problems: Problem[] }> {
  const all: ScenarioPath[] = [];
  const problems: Problem[] = [];
  const suites = await reader.files.list(reader.absolute(SCENARIOS));
  for (const suite of suites) {
    const folder = `${SCENARIOS}/${suite.name}`;
    if (suite.kind === "file") problems.push(...strayProblems(folder));
    if (suite.kind === "file" || suite.name.startsWith(".")) continue;
    if (!await reader.isInside(reader.absolute(folder))) {
      problems.push(problemOfFile(folder, LINK_OUTSIDE));
      continue;
    }
    if (!identifier.safeParse(suite.name).success) {
      problems.push(problemOfFile(folder, badSuiteName(suite.name)));
    }
    const found = await listSuite(reader, suite.name, problems);
    if (found.length === 0) problems.push(problemOfFile(folder, emptySuite(suite.name)));
    all.push(...found);
  }
  if (all.length === 0) problems.push(problemOfFile(SCENARIOS, NONE));
  return { all, problems: [...problems, ...repeatedIds(all)] };
}

async function listSuite(
  reader: ProjectFiles,
  suite: string,
  problems: Problem[],
): Promise<ScenarioPath[]> {
  const found: ScenarioPath[] = [];
  for (const entry of await reader.files.list(reader.absolute(`${SCENARIOS}/${suite}`))) {
    const file = `${SCENARIOS}/${suite}/${entry.name}`;
    if (entry.name.startsWith(".")) continue;
    if (entry.kind === "folder") problems.push(...await nestedProblems(reader, file));
    else if (!entry.name.endsWith(".yaml")) {
      if (/\.(ya?ml|json)$/i.test(entry.name)) problems.push(problemOfFile(file, EXTENSION));
    } else if (entry.kind === "link" && !await reader.isInside(reader.absolute(file))) {
      problems.push(problemOfFile(file, LINK_OUTSIDE));
    } else found.push({ file, suite, id: entry.name.slice(0, -".yaml".length) });
  }
  return found;
}

function strayProblems(file: string): Problem[] {
  return /\.(ya?ml|json)$/i.test(file) ? [problemOfFile(file, NO_SUITE)] : [];
}

async function nestedProblems(reader: ProjectFiles, folder: string): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const { name, kind } of await reader.files.list(reader.absolute(folder))) {
    const file = `${folder}/${name}`;
    if (kind === "folder") problems.push(...await nestedProblems(reader, file));
    else problems.push(...strayProblems(file));
  }
  return problems;
}

function repeatedIds(all: readonly ScenarioPath[]): Problem[] {
  const first = new Map<string, string>();
  return all.flatMap(({ id, file }) => {
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, file);
    return earlier === undefined ? [] : [problemOfFile(file, {
      code: "duplicate-id",
      what: `Scenario "${id}" is there twice: also as ${earlier}`,
      fix: "rename one of the two files, and its id",
    })];
  });
}

const NO_SUITE = {
  code: "no-suite",
  what: "A scenario lies here outside a suite: expected scenarios/<suite>/<id>.yaml",
  fix: "move the file into a folder directly below scenarios/",
};
const EXTENSION = {
  code: "wrong-extension",
  what: "A scenario's file must end in .yaml, or it is never run",
  fix: "rename the file to end in .yaml",
};
const NONE = {
  code: "no-scenarios",
  what: "The project has no scenario: nothing would be judged",
  fix: "write the first one as scenarios/<suite>/<id>.yaml",
};

function badSuiteName(name: string) {
  return {
    code: "bad-suite-name",
    what:
      `A suite cannot be called "${name}": expected lower-case letters, digits, \`_\` and \`-\` only`,
    fix: "rename the folder",
  };
}

function emptySuite(name: string) {
  return {
    code: "empty-suite",
    what: `Suite "${name}" holds no scenario`,
    fix: "add a scenario to it, or remove the folder",
  };
}

/** The scenarios that the paths name; each path that names none is a problem. */
export function selectPaths(
  reader: ProjectFiles,
  all: readonly ScenarioPath[],
  paths: readonly string[],
): { chosen: ScenarioPath[]; problems: Problem[] } {
  if (paths.length === 0) return { chosen: [...all], problems: [] };
  const problems: Problem[] = [];
  const chosen = new Set<string>();
  for (const path of paths) {
    const below = relativeTo(reader.root, path);
    const found = below === null ? [] : all.filter(({ file }) => matchesFile(below, file));
    found.forEach(({ file }) => chosen.add(file));
    if (below === null) problems.push(outsideSelection(path));
    else if (found.length === 0) problems.push(noMatch(below, all));
  }
  return { chosen: all.filter(({ file }) => chosen.has(file)), problems };
}

function relativeTo(root: string, path: string): string | null {
  if (!path.startsWith("/")) return normalise(path);
  const base = root.replace(/\/$/, "");
  if (path === base || path === `${base}/`) return "";
  return path.startsWith(`${base}/`) ? normalise(path.slice(base.length + 1)) : null;
}

function matchesFile(pattern: string, file: string): boolean {
  if (pattern === "" || pattern === file) return true;
  if (!/[*?]/.test(pattern)) return file.startsWith(`${pattern.replace(/\/$/, "")}/`);
  const regex = globRegex(pattern);
  return regex.test(file) ||
    file.split("/").some((_, depth, parts) =>
      depth > 0 && regex.test(parts.slice(0, depth).join("/"))
    );
}

/** `*` and `?` within a part, `**` over parts. */
export function globRegex(glob: string): RegExp {
  const body = glob.replace(/\*\*\/|\*\*|\*|\?|[\\^$.|+()[\]{}]/g, (found) => {
    if (found === "**/") return "(?:[^/]*/)*";
    if (found === "**") return ".*";
    if (found === "*") return "[^/]*";
    return found === "?" ? "[^/]" : `\\${found}`;
  });
  return new RegExp(`^${body}$`);
}

function outsideSelection(path: string): Problem {
  return problemOfFile(path, {
    code: "outside-project",
    what: `"${path}" lies outside the project`,
    fix: "go to its own project, or copy it into this one",
  });
}

function noMatch(path: string, all: readonly ScenarioPath[]): Problem {
  const suites = [...new Set(all.map(({ suite }) => `${SCENARIOS}/${suite}`))];
  const known = [...suites, ...all.map(({ file }) => file)];
  return problemOfFile(path, {
    code: "nothing-matched",
    what: `No scenario matches "${path}"; there are ${
      wordList(suites)
    } with ${all.length} scenario${all.length === 1 ? "" : "s"}`,
    fix: didYouMean(
      literalPart(path),
      known,
      "name a file, a folder or a pattern such as scenarios/crm/*.yaml",
    ),
  });
}

/** What stands before the first wildcard of a pattern. */
function literalPart(path: string): string {
  return path.replace(/\/?[^/]*[*?].*$/, "");
}

/** The words by which `--only` finds a scenario. */
export interface Named extends ScenarioPath {
  /** Category, task and tags; empty where the file could not be read. */
  readonly words: readonly string[];
}

/** The scenarios that the words name; each word that names none is a problem. */
export function selectOnly<T extends Named>(
  candidates: readonly T[],
  only: readonly string[],
): { chosen: T[]; problems: Problem[] } {
  if (only.length === 0) return { chosen: [...candidates], problems: [] };
  const problems: Problem[] = [];
  const chosen = new Set<string>();
  for (const word of only) {
    const regex = globRegex(word);
    const found = candidates.filter(({ id, suite, words }) =>
      [id, suite, ...words].some((name) => regex.test(name))
    );
    found.forEach(({ file }) => chosen.add(file));
    if (found.length === 0) problems.push(noWord(word, candidates));
  }
  return { chosen: candidates.filter(({ file }) => chosen.has(file)), problems };
}

function noWord(word: string, candidates: readonly Named[]): Problem {
  const ids = candidates.map(({ id }) => id);
  const groups = new Set(candidates.flatMap(({ suite, words }) => [suite, ...words]));
  return problemOfFile(SCENARIOS, {
    code: "only-nothing",
    what: `--only "${word}" names no scenario; groups are ${wordList(groups)}, ids are ${
      wordList(ids)
    }`,
    fix: didYouMean(word, [...ids, ...groups], "use an id, suite, category, task or tag"),
  });
}
