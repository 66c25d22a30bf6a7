/**
 * What may the outside do for us? The types of the effects; `io` implements them, `cli` hands them
 * on, tests of pure stages never need them.
 */
import type { Json, JsonObject } from "./json.ts";
import type { Usage } from "./run.ts";
import type { Servers } from "./serving.ts";

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

/** Where a message goes. */
export interface ChatAddress {
  readonly token: string;
  readonly chat: string;
  /** Of the interface, such as `https://api.telegram.org`. */
  readonly apiRoot: string;
}

/** What one call of the interface sends: a text of at most 4096 characters, a picture, a document. */
export type Sendable =
  | {
    readonly kind: "text";
    readonly text: string;
    readonly html: boolean;
    readonly quiet: boolean;
  }
  | {
    readonly kind: "photo" | "document";
    readonly name: string;
    readonly bytes: Uint8Array;
    readonly caption: string;
  };

/** What became of one call. Only `sent` is delivered; `why` never holds the token. */
export type SendOutcome =
  | { readonly kind: "sent"; readonly messageId: number }
  /** Surely not accepted; may be asked again after so long. */
  | { readonly kind: "busy"; readonly retryAfterS: number }
  /** Surely not accepted: the interface was not reached. */
  | { readonly kind: "unreached"; readonly why: string }
  /** Perhaps accepted: the answer did not come, was cut short, or said that something broke. */
  | { readonly kind: "unsure"; readonly why: string }
  /** Surely not accepted, and asking the same again does not help; `markup`: as plain text it may. */
  | { readonly kind: "refused"; readonly why: string; readonly markup: boolean };

/** A chat that messages are sent to, one call each; never throws. */
export interface Chat {
  send(
    address: ChatAddress,
    part: Sendable,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<SendOutcome>;
}

/** Pictures from drawings. */
export interface Picture {
  /** The bytes of a PNG, as wide as the SVG says. Letters are DejaVu Sans. */
  png(svg: string): Promise<Uint8Array>;
}

/** A time of the schedule, as `collaudo.yaml` has it. */
export interface CronJob {
  readonly name: string;
  /** Five fields, or six with the second first; checked at load. */
  readonly cron: string;
  /** IANA name of the time zone. */
  readonly zone: string;
}

/** What the schedule is told while it waits; times are in UTC. */
export interface CronEvents {
  /** It is time; resolves when the job ended, and is not called again for it before. */
  due(job: string, at: string): Promise<void>;
  /** A time passed while the job was still going on. */
  overlap(job: string, at: string): void;
  /** Times may have been missed: the machine slept, its clock was set, or it was too busy. */
  missed(): void;
}

/** Times that come again and again. */
export interface Cron {
  /** The next `count` times after `from`, in UTC. */
  next(job: CronJob, from: string, count: number): Promise<readonly string[]>;
  /** The newest time at or before `at` and after `since`, null where there is none. */
  newest(job: CronJob, since: string, at: string): Promise<string | null>;
  /** Waits and tells, until the signal fires. */
  watch(jobs: readonly CronJob[], events: CronEvents, signal: AbortSignal): Promise<void>;
}

/** A program to start: in a process group of its own, which ends with it. */
export interface ChildStart {
  /** Absolute path, or a name to be found. */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Added to the cleaned environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly limitMs: number;
  /** Ends the group when it fires. */
  readonly signal: AbortSignal;
  /** Given what the program writes, as it comes. */
  said(stream: "out" | "err", text: string): void;
}

/** How a program ended. */
export type ChildEnd =
  | { readonly kind: "exited"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string }
  | { readonly kind: "timeout" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "not_started"; readonly why: string };

/** Programs besides git, for the tasks that may start any. */
export interface Children {
  /** False where the task may not start programs. */
  mayStart(): boolean;
  start(child: ChildStart): Promise<ChildEnd>;
  /** One question to a program, one answer; the code is null where it could not start or took too long. */
  ask(program: string, args: readonly string[], input?: string): Promise<GitAnswer>;
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
  readonly chat: Chat;
  readonly picture: Picture;
  readonly cron: Cron;
  readonly children: Children;
  readonly servers: Servers;
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
