/**
 * What does the whole project let through, compared with another version of it? Two sides of the
 * same files in (a commit, a tree, the folder as it is); the differences of gates, scenarios,
 * baselines, configuration and of what fixtures prove out. A file that has no readable form on one side counts as looser.
 */
import { diffConfigs } from "../gate/config_diff.ts";
import { change } from "../gate/differences.ts";
import { diffRecordings, diffTools } from "../gate/fixture_diff.ts";
import { diffGates } from "../gate/gate_diff.ts";
import { diffScenarios } from "../gate/scenario_diff.ts";
import {
  readConfigText,
  readGateText,
  readRecordingText,
  readScenarioText,
  readToolsText,
} from "../load/history.ts";
import type { GateChange } from "../model/gate.ts";
import { hashText } from "../model/hash.ts";
import type { Files } from "../model/ports.ts";
import { changedFiles, filesAt, PERIMETER, type Repository } from "./repository.ts";
import { join } from "./session.ts";

const SCENARIO = /^scenarios\/[^/]+\/([^/]+)\.yaml$/;
const RECORDING = /^fixtures\/recordings\/([^/]+)\/[^/]+\.yaml$/;
const TOOLS = /^fixtures\/(?!recordings\/)(?:.*\/)?[^/]*tools[^/]*\.yaml$/;

/** One version of the project's files; `revision` null: the folder as it is. */
export interface Side {
  readonly revision: string | null;
  /** The texts of files relative to the project, null where one is absent. */
  read(paths: readonly string[]): Promise<ReadonlyMap<string, string | null>>;
}

/** The project in a commit or tree. */
export function revisionSide(repository: Repository, revision: string): Side {
  return { revision, read: (paths) => filesAt(repository, revision, paths) };
}

/** The project as it lies in its folder. */
export function folderSide(files: Files, root: string): Side {
  const readOne = async (path: string) => {
    const stat = await files.stat(join(root, path));
    return stat === null || stat.kind === "folder" ? null : await files.readText(join(root, path));
  };
  return {
    revision: null,
    read: async (paths) =>
      new Map(await Promise.all(paths.map(async (path) => [path, await readOne(path)] as const))),
  };
}

/** Every difference of the perimeter from a revision to another side; null where git cannot compare. */
export async function diffTrees(
  repository: Repository,
  from: Side & { readonly revision: string },
  to: Side,
): Promise<GateChange[] | null> {
  const sides = { from: from.revision, to: to.revision, paths: PERIMETER };
  const changed = await changedFiles(repository, sides);
  return changed === null ? null : await diffChanged(repository, { from, to, changed });
}

/** The differences of the files of the perimeter that are known to have changed. */
export async function diffChanged(
  repository: Repository,
  { from, to, changed: named }: {
    readonly from: Side & { readonly revision: string };
    readonly to: Side;
    readonly changed: readonly string[];
  },
): Promise<GateChange[]> {
  const changed = named.toSorted();
  const proofs = await changedProofs(repository, from.revision, changed);
  const paths = changed.filter((path) => isCompared(path) || proofs.includes(path));
  if (paths.length === 0) return [];
  const [before, after] = [await from.read(paths), await to.read(paths)];
  const changes: GateChange[] = [];
  const moved = new Map<string, Pair>();
  const recordings: Pair[] = [];
  for (const path of paths) {
    const pair = { path, from: before.get(path) ?? null, to: after.get(path) ?? null };
    if (pair.from === pair.to) continue;
    const id = SCENARIO.exec(path)?.[1];
    if (id !== undefined) joinMoved(moved, id, pair);
    else if (RECORDING.test(path)) recordings.push(pair);
    else changes.push(...diffFile(pair));
  }
  for (const pair of moved.values()) changes.push(...diffFile(pair));
  // The recordings of a scenario that came or went say no more than it does.
  const whole = [...moved.values()].filter((pair) => pair.from === null || pair.to === null)
    .map(({ path }) => SCENARIO.exec(path)?.[1]);
  for (const pair of recordings) {
    if (!whole.includes(RECORDING.exec(pair.path)?.[1])) changes.push(...diffFile(pair));
  }
  const order = (path: string) => PERIMETER.findIndex((part) => path.startsWith(part));
  return changes.toSorted((a, b) => order(a.what) - order(b.what));
}

function isCompared(path: string): boolean {
  return !path.startsWith("fixtures/") || RECORDING.test(path) || TOOLS.test(path);
}

/** Changed fixtures that scenarios lay before they run a proof: who changes them changes the proof. */
async function changedProofs(
  { git, folder }: Repository,
  revision: string,
  changed: readonly string[],
): Promise<string[]> {
  const others = changed.filter((path) => !isCompared(path));
  if (others.length === 0) return [];
  const lay = `lay["']?: *["']?[^]"',} ]+`;
  // Whatever the user's settings add to a line, a colour or a number, would be read as a path.
  const plain = ["--no-color", "--no-line-number", "--no-column", "-hoE", "-e", lay];
  const said = await git.ask(folder, ["grep", ...plain, revision, "--", "scenarios"]);
  const laid = (said ?? "").split("\n").map((line) => /: *["']?(.+?)\/?$/.exec(line)?.[1] ?? "")
    .filter((path) => path !== "");
  return others.filter((path) =>
    laid.some((folder) => path === folder || path.startsWith(`${folder}/`))
  );
}

interface Pair {
  readonly path: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A scenario that only moved to another suite is the same scenario. */
function joinMoved(moved: Map<string, Pair>, id: string, pair: Pair): void {
  const known = moved.get(id);
  const joined = known !== undefined && (known.from === null) !== (pair.from === null) &&
    (known.to === null) !== (pair.to === null);
  if (!joined) moved.set(known === undefined ? id : pair.path, pair);
  else {
    moved.set(id, {
      path: pair.to === null ? known.path : pair.path,
      from: known.from ?? pair.from,
      to: known.to ?? pair.to,
    });
  }
}

function diffFile(pair: Pair): GateChange[] {
  if (/^gates\/[^/]+\.yaml$/.test(pair.path)) return diffText(pair, readGateText, diffGates);
  if (SCENARIO.test(pair.path)) return diffText(pair, readScenarioText, diffScenarios);
  if (RECORDING.test(pair.path)) return diffText(pair, readRecordingText, diffRecordings);
  if (TOOLS.test(pair.path)) return diffText(pair, readToolsText, diffTools);
  if (pair.path === "collaudo.yaml") return diffText(pair, readConfigText, diffConfigs);
  if (!/^(?:reports\/baselines\/[^/]+\.json$|fixtures\/)/.test(pair.path)) return [];
  return change(pair.path, hashes(pair), (from) => from === null ? "tighter" : "looser");
}

function diffText<T>(
  pair: Pair,
  read: (text: string) => T | null,
  diff: (from: T | null, to: T | null, file: string) => GateChange[],
): GateChange[] {
  const from = pair.from === null ? null : read(pair.from);
  const to = pair.to === null ? null : read(pair.to);
  const unreadable = (pair.from !== null && from === null) || (pair.to !== null && to === null);
  return unreadable ? change(pair.path, hashes(pair), "looser") : diff(from, to, pair.path);
}

function hashes({ from, to }: Pair): { from: string | undefined; to: string | undefined } {
  const short = (text: string | null) => text === null ? undefined : hashText(text).slice(0, 19);
  return { from: short(from), to: short(to) };
}
