/**
 * How does a call of the loop agent reach real files? The folder behind a scenario's `workspace`: its
 * shell runs there, files that tools write are written there, and after each command the state is
 * what the folder holds. In: a port that `cli` gives. Nothing here starts a process by itself.
 */
import { FILES, type Json, type State } from "../model/json.ts";
import { parsePath } from "../model/state_path.ts";
import { valueAt } from "../expression/paths.ts";
import { withWorkspace, type WorkspaceState } from "../model/workspace.ts";
import type { World } from "./world.ts";

/** How one command of the workspace's shell ended. */
export interface ShellEnd {
  /** Null where it did not start or was ended from outside. */
  readonly exitCode: number | null;
  /** What it wrote, both streams, its end where it is long. */
  readonly output: string;
  /** Why there is no exit code. */
  readonly why: string | null;
}

/** A folder of its own for one run. */
export interface RealWorkspace {
  shell(command: string, signal: AbortSignal): Promise<ShellEnd>;
  /** Writes a file, or removes it where the text is null; why it may not be written, or null. */
  put(path: string, text: string | null): Promise<string | null>;
  /** Throws where the folder cannot be read whole. */
  read(): Promise<WorkspaceState>;
}

/** The world with what the folder holds now. */
export async function readInto(world: World, workspace: RealWorkspace): Promise<World> {
  return { ...world, state: withWorkspace(world.state, await workspace.read()) };
}

/** Brings files that a call wrote in the state into the folder; why that failed, or null. */
export async function bringFiles(
  workspace: RealWorkspace,
  wrote: readonly string[],
  state: State,
): Promise<string | null> {
  for (const path of wrote) {
    const parts = parsePath(path);
    const [collection, file] = parts;
    if (collection !== FILES || file === undefined) continue;
    const value: Json | undefined = valueAt(state, parts);
    const text = value === undefined
      ? null
      : typeof value === "string"
      ? value
      : JSON.stringify(value);
    const why = await workspace.put(file, text);
    if (why !== null) return why;
  }
  return null;
}
