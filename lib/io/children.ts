/**
 * How did another program end? Starts one in a process group of its own, with a cleaned environment
 * and a time limit; what it leaves running in the group ends with it. Its standard input is the text
 * that it is given, or stays open and empty for as long as this process lives: a child that watches
 * it knows when we are gone.
 */
import type { ChildEnd, Children, ChildStart, GitAnswer } from "../model/ports.ts";
import { childEnvironment } from "./environment.ts";
import { whyFailed } from "./failure.ts";

/** Time for a group to end by itself after SIGTERM, before SIGKILL. */
const GRACE_MS = 5_000;

/** Time to read what a program wrote, once it is gone: its descendants may hold the pipes open. */
const DRAIN_MS = 1_000;

const ASK_LIMIT_MS = 30_000;

/** The programs of this machine. */
export function realChildren(graceMs = GRACE_MS): Children {
  return {
    mayStart,
    start: (child) => start(child, graceMs),
    ask,
  };
}

/** True where the task may start any program: no less ends a whole group. */
export function mayStart(): boolean {
  return Deno.permissions.querySync({ name: "run" }).state === "granted";
}

async function start(child: ChildStart, graceMs: number): Promise<ChildEnd> {
  if (child.signal.aborted) return { kind: "interrupted" };
  let process: Deno.ChildProcess;
  try {
    process = spawn(child.program, child.args, child);
  } catch (cause) {
    return { kind: "not_started", why: whyFailed(cause) };
  }
  const reading = [
    readAll(process.stdout, (text) => child.said("out", text)),
    readAll(process.stderr, (text) => child.said("err", text)),
  ];
  const ending = endsEarly(process, child, graceMs);
  // Not awaited: a program that reads nothing must not keep its time limit from ending it.
  if (child.input !== undefined) void feed(process.stdin, child.input);
  const status = await process.status;
  const early = ending.settle();
  endGroup(process.pid, "SIGKILL");
  await drain(reading);
  if (child.input === undefined) await process.stdin.close().catch(() => undefined);
  if (early !== null) return { kind: early };
  if (status.signal !== null) return { kind: "killed", signal: status.signal };
  return { kind: "exited", code: status.code };
}

function spawn(
  program: string,
  args: readonly string[],
  { cwd, env, bare }: Pick<ChildStart, "env" | "bare"> & { readonly cwd?: string },
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args: [...args],
    ...(cwd === undefined ? {} : { cwd }),
    env: bare === true ? { ...env } : { ...childEnvironment(), ...env },
    clearEnv: true,
    detached: true,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Ends the group at the time limit or when the signal fires; tells which of them it was. */
function endsEarly(
  { pid }: Deno.ChildProcess,
  { limitMs, signal }: Pick<ChildStart, "limitMs" | "signal">,
  graceMs: number,
): { settle(): "timeout" | "interrupted" | null } {
  let early: "timeout" | "interrupted" | null = null;
  let grace: ReturnType<typeof setTimeout> | undefined;
  const end = (why: "timeout" | "interrupted") => {
    if (early !== null) return;
    early = why;
    endGroup(pid, "SIGTERM");
    grace = setTimeout(() => endGroup(pid, "SIGKILL"), graceMs);
  };
  const interrupt = () => end("interrupted");
  signal.addEventListener("abort", interrupt, { once: true });
  const limit = setTimeout(() => end("timeout"), limitMs);
  return {
    settle: () => {
      clearTimeout(limit);
      clearTimeout(grace);
      signal.removeEventListener("abort", interrupt);
      return early;
    },
  };
}

function endGroup(pid: number, signal: Deno.Signal): void {
  try {
    Deno.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}

interface Reading {
  readonly done: Promise<void>;
  cancel(): void;
}

function readAll(stream: ReadableStream<Uint8Array>, said: (text: string) => void): Reading {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  const read = async () => {
    for (;;) {
      const { done, value } = await reader.read();
      const text = decoder.decode(value, { stream: !done });
      if (text !== "") said(text);
      if (done) return;
    }
  };
  return { done: read().catch(() => undefined), cancel: () => void reader.cancel().catch(ignore) };
}

function ignore(): void {}

async function drain(reading: readonly Reading[]): Promise<void> {
  const timer = setTimeout(() => reading.forEach((each) => each.cancel()), DRAIN_MS);
  await Promise.all(reading.map((each) => each.done));
  clearTimeout(timer);
}

async function ask(program: string, args: readonly string[], input = ""): Promise<GitAnswer> {
  let process: Deno.ChildProcess;
  try {
    process = spawn(program, args, { env: { LC_ALL: "C" } });
  } catch (cause) {
    if (cause instanceof Deno.errors.NotCapable) throw cause;
    return { code: null, out: "", err: whyFailed(cause) };
  }
  const said = { out: "", err: "" };
  const reading = [
    readAll(process.stdout, (text) => said.out += text),
    readAll(process.stderr, (text) => said.err += text),
  ];
  const never = new AbortController().signal;
  const ending = endsEarly(process, { limitMs: ASK_LIMIT_MS, signal: never }, 0);
  await feed(process.stdin, input);
  const { code } = await process.status;
  const early = ending.settle();
  await drain(reading);
  return { code: early === null ? code : null, ...said };
}

/** A program that needs no more of it closes the pipe: its exit code tells whether that was well. */
async function feed(stdin: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => undefined);
  await writer.close().catch(() => undefined);
}
