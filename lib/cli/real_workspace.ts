/**
 * Where does a replay work on real files? In a folder of its own, laid as the scenario says, with a
 * shell whose commands start there and nowhere else: no network where the machine can take it away,
 * an empty home, the scenario's clock for git. Only tasks that may start any program have it.
 */
import type { State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { ProofOutcome } from "../model/run.ts";
import { withWorkspace } from "../model/workspace.ts";
import type { RealWorkspace, ShellEnd } from "../run/real_workspace.ts";
import { bareEnvironment, runProofs } from "./proofs.ts";
import { join, type Session } from "./session.ts";
import { discard, layWorkspace, readWorkspace } from "./workspace.ts";

/** A folder laid for one run. */
export interface OpenWorkspace {
  readonly folder: string;
  /** The state before the run, as it lies in the folder. */
  readonly before: State;
  readonly workspace: RealWorkspace;
  /** Runs the scenario's proofs on what lies there now. */
  prove(): Promise<ProofOutcome[]>;
  close(): Promise<void>;
}

/** One command may take so long; the run's own limit ends it too. */
const COMMAND_MS = 60_000;
/** Characters of a command's output that are kept: its end. */
const OUTPUT_MAX = 64 * 1024;

/** Lays the scenario's workspace into a new folder. Throws where it cannot be laid. */
export async function openWorkspace(
  session: Pick<Session, "io" | "project">,
  loaded: LoadedScenario,
): Promise<OpenWorkspace> {
  const { io } = session;
  const place = await io.trees.temporaryFolder();
  const close = () => discard(io, place);
  try {
    const folder = join(place, "work");
    const home = join(place, "home");
    await io.trees.make(home);
    await layWorkspace(session, loaded, folder);
    const read = () => readWorkspace(io, folder);
    const before = withWorkspace(loaded.state ?? {}, await read());
    const { clock } = loaded.scenario.setup;
    return {
      folder,
      before,
      workspace: {
        shell: (command, signal) => shell(session, { command, folder, home, clock, signal }),
        put: (path, text) => put(session, { folder, path, text }),
        read,
      },
      prove: () => runProofs(session, loaded, folder),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Command {
  readonly command: string;
  readonly folder: string;
  readonly home: string;
  readonly clock: string;
  readonly signal: AbortSignal;
}

async function shell(session: Pick<Session, "io">, asked: Command): Promise<ShellEnd> {
  const { command, folder, home, clock, signal } = asked;
  let output = "";
  const end = await session.io.children.start({
    program: "/bin/bash",
    args: ["-c", command],
    cwd: folder,
    env: {
      ...bareEnvironment(session, home),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_DATE: clock,
      GIT_COMMITTER_DATE: clock,
    },
    bare: true,
    input: "",
    limitMs: COMMAND_MS,
    signal,
    said: (_stream, text) => {
      output = (output + text).slice(-OUTPUT_MAX);
    },
  });
  const shown = output.replaceAll(folder, "<workspace>").replaceAll(home, "<home>");
  if (end.kind === "exited") return { exitCode: end.code, output: shown, why: null };
  const why = end.kind === "not_started"
    ? `The shell did not start: ${end.why}`
    : `The command was ended: ${end.kind === "killed" ? end.signal : end.kind}`;
  return { exitCode: null, output: shown, why };
}

async function put(
  { io }: Pick<Session, "io">,
  { folder, path, text }: {
    readonly folder: string;
    readonly path: string;
    readonly text: string | null;
  },
): Promise<string | null> {
  const steps = path.split("/");
  if (path.startsWith("/") || steps.includes("..") || steps.includes(".git")) {
    return `"${path}" lies outside of the workspace`;
  }
  try {
    const at = join(folder, path);
    if (text === null) await io.files.remove(at);
    else await io.trees.write(at, new TextEncoder().encode(text), 0o644);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(folder, "<workspace>") : String(error);
  }
}
