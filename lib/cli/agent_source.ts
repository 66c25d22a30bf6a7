/**
 * Did an agent change what it is evaluated by? The files and folders under `source` of its entry
 * (a skill, prompts) and their copies that were laid for it: hashed before, compared at the end.
 */
import { fillPlaceholders, type FixedPlaceholder } from "../model/agent_placeholders.ts";
import type { CommandAgentConfig } from "../model/config.ts";
import { hashText } from "../model/hash.ts";
import { WORKSPACE_FILES_MAX } from "../model/workspace.ts";
import { join, type Session } from "./session.ts";

/** One file that is evaluated: how it is shown, and the hash of its bytes. */
export type SourceHashes = Readonly<Record<string, string>>;

/** One file that is not as it was. */
export interface SourceChange {
  readonly path: string;
  readonly change: "added" | "modified" | "deleted";
}

/** What was evaluated, and what became of it. */
export interface SourceReport {
  readonly files: SourceHashes;
  readonly changes: readonly SourceChange[];
  /** The difference as text, as git shows it. */
  readonly diff: string;
}

/** A snapshot that is compared when the run is over. */
export interface Snapshot {
  compare(): Promise<SourceReport>;
}

interface Watched {
  /** As people know it: a path of the project, or a place such as `{home}/skills`. */
  readonly name: string;
  readonly path: string;
}

/** Takes the snapshot; null where the entry names no source. `kept`: a folder for copies. */
export async function takeSnapshot(
  session: Pick<Session, "io" | "project">,
  agent: CommandAgentConfig,
  { values, kept }: {
    readonly values: Readonly<Record<FixedPlaceholder, string>>;
    readonly kept: string;
  },
): Promise<Snapshot | null> {
  if (agent.source === undefined) return null;
  const { io } = session;
  const watched = watchedOf(session, agent, values);
  const before = join(kept, "before");
  const files = await copyAll(io, watched, before);
  return {
    compare: async () => {
      const after = join(kept, "after");
      const now = await copyAll(io, watched, after);
      const changes = changesBetween(files, now);
      const diff = changes.length === 0 ? "" : await differenceOf(io, kept);
      return { files, changes, diff };
    },
  };
}

function watchedOf(
  { project }: Pick<Session, "project">,
  { source = [], files = {} }: CommandAgentConfig,
  values: Readonly<Record<FixedPlaceholder, string>>,
): Watched[] {
  const places = source.map((name) => join(project.root, name));
  const laid = Object.entries(files).filter(([, file]) => {
    const from = join(project.root, file);
    return places.some((place) =>
      from === place || from.startsWith(`${place}/`) || place.startsWith(`${from}/`)
    );
  });
  return [
    ...source.map((name, index) => ({ name, path: places[index] ?? "" })),
    ...laid.map(([place]) => ({ name: place, path: fillPlaceholders(place, values) })),
  ];
}

/** Copies everything that is watched into a folder, under its names; the hashes of all files. */
async function copyAll(
  io: Session["io"],
  watched: readonly Watched[],
  to: string,
): Promise<SourceHashes> {
  const hashes: Record<string, string> = {};
  await io.trees.make(to);
  for (const { name, path } of watched) {
    for (const [below, bytes] of await filesOf(io, path)) {
      const shown = below === "" ? name : `${name}/${below}`;
      hashes[shown] = hashText(bytes);
      await io.trees.write(join(to, shown), bytes, 0o644);
    }
  }
  return hashes;
}

/** The files of a path with their bytes; that of a file is called "". A link is what it leads to. */
async function filesOf(
  io: Session["io"],
  path: string,
): Promise<(readonly [string, Uint8Array])[]> {
  const found = await io.files.stat(path);
  if (found === null) return [];
  if (found.kind === "file") return [["", await io.files.readBytes(path)]];
  if (found.kind === "link") {
    const target = await io.files.realPath(path).catch(() => "nowhere");
    return [["", new TextEncoder().encode(`link: ${target}`)]];
  }
  const files: (readonly [string, Uint8Array])[] = [];
  for (const entry of await io.trees.read(path, WORKSPACE_FILES_MAX)) {
    const bytes = entry.mode === "link"
      ? new TextEncoder().encode(`link: ${entry.value}`)
      : await io.files.readBytes(join(path, entry.path));
    files.push([entry.path, bytes]);
  }
  return files;
}

function changesBetween(before: SourceHashes, after: SourceHashes): SourceChange[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path): SourceChange[] => {
    const [was, is] = [before[path], after[path]];
    if (was === is) return [];
    if (was === undefined) return [{ path, change: "added" }];
    return [{ path, change: is === undefined ? "deleted" : "modified" }];
  });
}

async function differenceOf(io: Session["io"], kept: string): Promise<string> {
  const args = ["diff", "--no-index", "--no-color", "--no-ext-diff", "before", "after"];
  const { out } = await io.git.run(kept, args);
  return out;
}
