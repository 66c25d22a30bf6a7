/**
 * What is there before an agent's program starts? The run's folder with the scenario's workspace, our
 * servers are not up yet. In: a trial. Out: the folder, the state that was read from it, and a way to
 * end it all. Throws where the workspace cannot be laid.
 */
import type { State } from "../model/json.ts";
import { FILES, isObject } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { ProofOutcome } from "../model/run.ts";
import { withWorkspace } from "../model/workspace.ts";
import type { RealWorkspace } from "../run/real_workspace.ts";
import { makeFolders, type RunFolder } from "./agent_folder.ts";
import { openWorkspace } from "./real_workspace.ts";
import type { Session } from "./session.ts";

/** A run's folder, laid. */
export interface Stage {
  readonly folder: RunFolder;
  /** True where the folder's files are the state's: a scenario without any says nothing of them. */
  readonly readsFiles: boolean;
  readonly before: State;
  readonly workspace: RealWorkspace;
  prove(): Promise<ProofOutcome[]>;
  close(): Promise<void>;
}

/** Lays the scenario's workspace into a new folder, with the other folders of a run beside it. */
export async function openStage(
  { session, loaded }: { readonly session: Session; readonly loaded: LoadedScenario },
): Promise<Stage> {
  const real = await openWorkspace(session, loaded);
  try {
    const folder = await makeFolders(session.io, real.folder);
    const { before, workspace } = real;
    const prove = () => real.prove();
    return {
      folder,
      readsFiles: hasFiles(loaded),
      before: hasFiles(loaded) ? before : loaded.state ?? {},
      workspace,
      prove,
      close: () => real.close(),
    };
  } catch (error) {
    await real.close();
    throw error;
  }
}

/** The state before with what lies in the folder now: the agent's own files are laid by then. */
export async function readBefore(stage: Stage, loaded: LoadedScenario): Promise<State> {
  if (!stage.readsFiles) return stage.before;
  return withWorkspace(loaded.state ?? {}, await stage.workspace.read());
}

function hasFiles({ scenario: { setup, expected }, state }: LoadedScenario): boolean {
  const files = state?.[FILES];
  return setup.workspace !== undefined || setup.git !== undefined ||
    (setup.fixtures ?? []).length > 0 || (expected.proof ?? []).length > 0 ||
    (isObject(files) && Object.keys(files).length > 0);
}
