/**
 * What may the outside do for us? The types of the effects; `io` implements them, `cli` hands them
 * on, tests of pure stages never need them.
 */
import type { Json, JsonObject } from "./json.ts";
import type { Usage } from "./run.ts";

/** Reading and writing files; paths are absolute. Failures throw an Error that names the path. */
export interface Files {
  readText(path: string): Promise<string>;
  readBytes(path: string): Promise<Uint8Array>;
  /** Lines of a text file, without their ends, streamed. */
  readLines(path: string): AsyncIterable<string>;
  /** Null where nothing lies there; links are not followed. */
  stat(path: string): Promise<{ kind: "file" | "folder" | "link"; size: number } | null>;
  /** The path with every link resolved. */
  realPath(path: string): Promise<string>;
  /** Names in a folder, sorted; empty where it is absent. */
  list(folder: string): Promise<readonly { name: string; kind: "file" | "folder" | "link" }[]>;
  /** Writes to a temporary file beside, then renames: all or nothing. Makes the folder. */
  writeText(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Tables of a SQLite file as collections of records. */
  readSqlite(path: string): Promise<JsonObject>;
}

/** Time, as the outside has it. */
export interface Clock {
  /** ISO 8601 with offset. */
  now(): string;
  /** Monotonic milliseconds. */
  monotonicMs(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** What a model is told and may call, in the terms of no particular interface. */
export type ModelMessage =
  | { readonly role: "system" | "user"; readonly text: string }
  | { readonly role: "assistant"; readonly text: string; readonly calls: readonly ModelCall[] }
  | {
    readonly role: "tool";
    readonly call: string;
    readonly tool: string;
    readonly text: string;
    readonly status: "ok" | "error" | "denied";
  };

/** One call that a model asks for; `args` null where its text was not a JSON object. */
export interface ModelCall {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject | null;
  /** The arguments as the model wrote them. */
  readonly argsText: string;
}

/** A tool as a model sees it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonObject;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ModelTool[];
}

/** What came back. A model that could not answer is `failed`, one whose recording does not fit is `stale`. */
export type ModelAnswer =
  | {
    readonly kind: "answer";
    readonly text: string;
    readonly calls: readonly ModelCall[];
    readonly usage: Usage | null;
    readonly latencyMs: number | null;
    readonly model: string | null;
    /** Notices of the program that stood before this answer. */
    readonly notices: readonly string[];
  }
  | { readonly kind: "failed"; readonly why: string; readonly timedOut: boolean }
  | { readonly kind: "stale"; readonly why: string };

/** A model behind a port: a recording in-process, or an HTTP interface. */
export interface Model {
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Null, or why a run that ended `completed` is stale all the same: turns were left over. */
  leftOver(messages: readonly ModelMessage[]): string | null;
}

/** One HTTP exchange; the body is text. Throws where no answer came. */
export interface Http {
  post(
    url: string,
    request: { readonly headers: Readonly<Record<string, string>>; readonly body: Json },
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<
    {
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly text: string;
    }
  >;
}

/** The terminal: results on `out`, progress and diagnostics on `err`. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
}

/** Git, asked with a cleaned environment; null where this is no repository or git is not there. */
export interface Git {
  /** Standard output of `git <args>` run in `folder`, or null where it failed. */
  ask(folder: string, args: readonly string[]): Promise<string | null>;
  /**
   * The same with more in and more out: texts for standard input, variables for this one command (an
   * index of its own), the exit code and what was said. A git that cannot start has the code null.
   */
  run(folder: string, args: readonly string[], options?: GitOptions): Promise<GitAnswer>;
}

/** What one git command is given besides its arguments. */
export interface GitOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** How one git command ended; `code` is null where it could not start or took too long. */
export interface GitAnswer {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Files that the system may start. */
export interface Scripts {
  /** Writes a script whole or not at all, and makes it executable. */
  write(path: string, text: string): Promise<void>;
  /** False too where nothing lies there. */
  isExecutable(path: string): Promise<boolean>;
}

/** How this program was started, for scripts that start it again. */
export interface Started {
  /** Absolute path of the Deno executable. */
  readonly deno: string;
  /** Absolute path of the program's first file. */
  readonly program: string;
}

/** A lock on the project that survives no process: `null` where another holds it. */
export interface Lock {
  acquire(path: string, wait: boolean): Promise<{ release(): void } | null>;
}

/** All effects, as `main.ts` hands them to `cli`. */
export interface Io {
  readonly files: Files;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly git: Git;
  readonly lock: Lock;
  readonly http: Http;
  readonly scripts: Scripts;
  /** Asked only by what writes hooks. */
  started(): Started;
  /** Environment variable, undefined where it is not set. */
  env(name: string): string | undefined;
  /** Where the caller stands. */
  readonly cwd: string;
  /** Fires on SIGINT and SIGTERM. */
  readonly interrupted: AbortSignal;
  /** Version of the runtime, such as `2.9.6`. */
  readonly denoVersion: string;
}
