/**
 * How is the program of an agent started, and how did it end? The port that runs one process of an
 * agent: without a shell, with an environment built from nothing, everything that it starts held
 * together so that nothing of it outlives the run.
 */
import type { ChildEnd } from "./ports.ts";

/** What keeps a program from everything but its own folders and our two ports. */
export interface Sandbox {
  /** Folders of the run that the program may write, absolute; seen inside at the same places. */
  readonly writable: readonly string[];
  /** What it needs besides the system's own folders, absolute; read-only. */
  readonly readable: readonly string[];
  /** Ports of 127.0.0.1 that lead out; nothing else does. */
  readonly ports: readonly number[];
  /** An empty folder that is the sandbox's own, outside of what the program may write. */
  readonly folder: string;
}

/** One process to run. */
export interface AgentStart {
  /** Program and arguments; the program is an absolute path or a name to be found in `env.PATH`. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Text for its standard input; null: it is empty. */
  readonly input: string | null;
  readonly limitMs: number;
  /** Ends all of it when it fires. */
  readonly signal: AbortSignal;
  /** Files that its output and its errors are appended to as they come, absolute. */
  readonly outFile: string;
  readonly errFile: string;
  /** A line as it may lie on the disk. */
  keep(stream: "out" | "err", line: string): string;
  /** Each line of its output, without its end; the rest of a line beyond `LINE_MAX` is missing. */
  line(text: string): void;
  readonly sandbox: Sandbox | null;
}

/** Characters of a line that are read and kept: what is longer is no event of any agent. */
export const LINE_MAX = 8 * 1024 * 1024;

/** What kept the processes together: a sandbox, a namespace of process ids, or only their group. */
export type Hold = "sandbox" | "namespace" | "group";

/** A command that the sandbox's shell recorded. */
export interface ShellRecord {
  /** The shell's arguments: `-c`, `ls`, … */
  readonly args: readonly string[];
  /** Since the start of the process. */
  readonly startMs: number;
  /** Null where it did not end by itself. */
  readonly endMs: number | null;
  readonly exitCode: number | null;
}

/** How a process ended, and what was seen of it. */
export interface AgentEnd {
  /** The file that was started, absolute; null where none was. */
  readonly program: string | null;
  readonly end: ChildEnd;
  readonly hold: Hold;
  readonly durationMs: number;
  readonly outBytes: number;
  readonly errBytes: number;
  /** Lines of its output that were cut. */
  readonly cutLines: number;
  /** In the order in which they began; empty without a sandbox. */
  readonly commands: readonly ShellRecord[];
}

/** Programs of agents. */
export interface AgentProcesses {
  /** Runs one process to its end; never throws for what the program does. */
  start(start: AgentStart): Promise<AgentEnd>;
  /** Null where sandboxes can be made here, else why not. */
  sandboxMissing(): Promise<string | null>;
}
