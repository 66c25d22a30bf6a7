/**
 * What may the outside do for us? The types of the effects; `io` implements them, `cli` hands them
 * on, tests of pure stages never need them.
 */
import type { AgentProcesses } from "./agent_process.ts";
import type { Evidence } from "./gate.ts";
import type { HistoryFigure, HistoryPoint, HistoryRun, Outcome } from "./history.ts";
import type { Json, JsonObject } from "./json.ts";
import type { Usage } from "./run.ts";
import type { Servers } from "./serving.ts";
import type { Upstream } from "./upstream.ts";
import type { TreeEntry } from "./workspace.ts";

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

/** Folders as a whole: what agents work in. Paths are absolute; failures throw an Error that names the path. */
export interface Trees {
  /**
   * Every file and link below a folder but those of its own `.git`, sorted by path; links are not
   * followed. Throws where there are more than so many.
   */
  read(folder: string, filesMax: number): Promise<readonly TreeEntry[]>;
  /**
   * Copies every file and link below a folder but its own `.git` to `at` in another (absent: that
   * itself). What lies there is replaced, links in the place of folders too.
   */
  copy(from: string, to: string, at?: string): Promise<void>;
  /** Writes a file with its mode, and makes its folder. */
  write(path: string, bytes: Uint8Array, mode: number): Promise<void>;
  /** Removes every file and folder below a folder but its own `.git`. */
  clear(folder: string): Promise<void>;
  /** Makes a folder and those above it; one that is there is fine. */
  make(folder: string): Promise<void>;
  /** A new empty folder of this process alone, below the system's temporary folder. */
  temporaryFolder(): Promise<string>;
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
    /** What it thought before it spoke, where that is known. */
    readonly thinking?: string;
    /** Why it ended, where that is known: `end`, `calls`, `length` or `refused`. */
    readonly stop?: string;
  }
  | { readonly kind: "failed"; readonly why: string; readonly timedOut: boolean }
  | { readonly kind: "stale"; readonly why: string };

/** A model behind a port: a recording in-process, or an HTTP interface. */
export interface Model {
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Null, or why a run that ended `completed` is stale all the same: turns were left over. */
  leftOver(messages: readonly ModelMessage[]): string | null;
  /** True where it takes any words of the user: who knows what the user said must look. */
  readonly takesAnyUser?: boolean;
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
  /** Columns of the terminal on `out`; absent or null where there is none. */
  readonly width?: () => number | null;
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

/** What became of one call. Only `sent` is delivered; `why` never holds a secret. */
export type SendOutcome =
  /** Accepted; `messageId` is null where the place gives messages no number. */
  | { readonly kind: "sent"; readonly messageId: number | null }
  /** Surely not accepted; may be asked again after so long. */
  | { readonly kind: "busy"; readonly retryAfterS: number }
  /** Surely not accepted: the interface was not reached. */
  | { readonly kind: "unreached"; readonly why: string }
  /** Perhaps accepted: the answer did not come, was cut short, or said that something broke. */
  | { readonly kind: "unsure"; readonly why: string }
  /** Surely not accepted, and asking the same again does not help; `markup`: as plain text it may. */
  | { readonly kind: "refused"; readonly why: string; readonly markup: boolean };

/** How long one call may take, and what ends it before. */
export interface SendOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A chat that messages are sent to and read from, one call each; never throws. */
export interface Chat {
  send(address: ChatAddress, part: Sendable, options: SendOptions): Promise<SendOutcome>;
  /** What was written to the bot since; waits up to `waitS` seconds for the first. */
  updates(
    address: ChatAddress,
    since: { readonly offset: number | null; readonly waitS: number },
    options: SendOptions,
  ): Promise<UpdatesOutcome>;
}

/** One thing that happened to the bot; `message` is null for all but a person's message. */
export interface ChatUpdate {
  readonly id: number;
  readonly message: ChatMessage | null;
}

/** A message as the bot got it. */
export interface ChatMessage {
  readonly chat: string;
  /** Between the bot and one person, not in a group. */
  readonly isPrivate: boolean;
  /** Null for a picture, a voice and the like. */
  readonly text: string | null;
  /** When it was written, ISO 8601. */
  readonly at: string;
}

/** What came of asking for updates; `conflict`: somebody else asks with the same token. */
export type UpdatesOutcome =
  | { readonly kind: "updates"; readonly updates: readonly ChatUpdate[] }
  | { readonly kind: "conflict" }
  | Exclude<SendOutcome, { readonly kind: "sent" }>;

/** Places that take a message as JSON; never throws, no outcome holds the address or a header. */
export interface Webhook {
  post(
    request: {
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Json;
    },
    options: SendOptions,
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
  /** True where `env` is all that it gets of an environment. */
  readonly bare?: boolean;
  /** Written to its standard input, which then ends; without it that stays open and empty. */
  readonly input?: string;
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

/** Summaries of runs in one file, which may be lost: it is made again from the reports. */
export interface HistoryFile {
  /** Why the file that lay there was put aside and a new one made; null where it was not. */
  readonly renewed: "damaged" | "older" | null;
  /** Folders of the runs that it holds, and of those that it was told to pass over. */
  folders(): ReadonlySet<string>;
  /** Keeps all or none; a run of the same folder and time is replaced. */
  put(runs: readonly HistoryRun[], passedOver?: readonly string[]): void;
  /** Runs of a kind with one figure each, oldest first. */
  points(evidence: Evidence, figure: HistoryFigure): HistoryPoint[];
  /** The scenarios of the last so many runs of a kind, oldest first. */
  outcomes(evidence: Evidence, runsMax: number): Outcome[];
  /** How many runs of each kind it holds. */
  counts(): Readonly<Record<Evidence, number>>;
  close(): void;
}

/** Where histories are opened; throws where that cannot be done. */
export interface Histories {
  /** `checked`: the whole file is looked through for damage, which takes longer the more it holds. */
  open(path: string, checked: boolean): Promise<HistoryFile>;
}

/** All effects, as `main.ts` hands them to `cli`. */
export interface Io {
  readonly files: Files;
  readonly trees: Trees;
  readonly clock: Clock;
  readonly terminal: Terminal;
  readonly git: Git;
  readonly lock: Lock;
  readonly http: Http;
  readonly scripts: Scripts;
  readonly chat: Chat;
  readonly webhook: Webhook;
  readonly picture: Picture;
  readonly cron: Cron;
  readonly children: Children;
  readonly agents: AgentProcesses;
  readonly histories: Histories;
  readonly servers: Servers;
  readonly upstream: Upstream;
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
