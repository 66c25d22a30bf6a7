/**
 * What does the whole project let through, compared with another version of it? Two sides of the
 * same files in (a commit, a tree, the folder as it is); the differences of gates, scenarios,
 * baselines and configuration out. A file that has no readable form on one side counts as looser.
 */
import { diffConfigs } from "../gate/config_diff.ts";
import { change } from "../gate/differences.ts";
import { diffGates } from "../gate/gate_diff.ts";
import { diffScenarios } from "../gate/scenario_diff.ts";
import { readConfigText, readGateText, readScenarioText } from "../load/history.ts";
import type { GateChange } from "../model/gate.ts";
import { hashText } from "../model/hash.ts";
import type { Files } from "../model/ports.ts";
import { changedFiles, fileAt, type Repository } from "./repository.ts";
import { join } from "./session.ts";

/** The paths of a project that the gate rests on. */
export const PERIMETER = ["gates", "scenarios", "reports/baselines", "collaudo.yaml"] as const;

/** One version of the project's files; `revision` null: the folder as it is. */
export interface Side {
  readonly revision: string | null;
  /** The text of a file relative to the project, null where it is absent. */
  read(path: string): Promise<string | null>;
}

/** The project in a commit or tree. */
export function revisionSide(repository: Repository, revision: string): Side {
  return { revision, read: (path) => fileAt(repository, revision, path) };
}

/** The project as it lies in its folder. */
export function folderSide(files: Files, root: string): Side {
  return {
    revision: null,
    read: async (path) => {
      const at = join(root, path);
      return (await files.stat(at))?.kind === "folder" || await files.stat(at) === null
        ? null
        : await files.readText(at);
    },
  };
}

/** Every difference of the perimeter from a revision to another side; null where git cannot compare. */
export async function diffTrees(
  repository: Repository,
  from: Side & { readonly revision: string },
  to: Side,
): Promise<GateChange[] | null> {
  const paths = await changedFiles(repository, {
    from: from.revision,
    to: to.revision,
    paths: PERIMETER,
  });
  if (paths === null) return null;
  const changes: GateChange[] = [];
  const moved = new Map<string, Pair>();
  for (const path of paths.toSorted()) {
    const pair = { path, from: await from.read(path), to: await to.read(path) };
    if (pair.from === pair.to) continue;
    const id = /^scenarios\/[^/]+\/([^/]+)\.yaml$/.exec(path)?.[1];
    if (id === undefined) changes.push(...diffFile(pair));
    else joinMoved(moved, id, pair);
  }
  for (const pair of moved.values()) changes.push(...diffFile(pair));
  const order = (path: string) => PERIMETER.findIndex((part) => path.startsWith(part));
  return changes.toSorted((a, b) => order(a.what) - order(b.what));
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
  if (/^scenarios\/[^/]+\/[^/]+\.yaml$/.test(pair.path)) {
    return diffText(pair, readScenarioText, diffScenarios);
  }
  if (pair.path === "collaudo.yaml") return diffText(pair, readConfigText, diffConfigs);
  if (!/^reports\/baselines\/[^/]+\.json$/.test(pair.path)) return [];
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
