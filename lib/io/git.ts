/**
 * What does git say? One question, one answer, in an environment without the caller's repository and
 * within a time limit that ends git and what it started. Null where git is absent, the folder is no
 * repository, the command failed or took too long: the caller says what that means to it.
 */
import type { Git, GitAnswer, GitOptions } from "../model/ports.ts";
import { childEnvironment } from "./environment.ts";

/** No question that is asked here takes longer on a healthy repository. */
const LIMIT_MS = 30_000;

/** Settings that keep git from paging, asking, watching and taking locks. */
const QUIET: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  LC_ALL: "C",
};

/** Git as it is installed; `limitMs` bounds each question. */
export function realGit(limitMs = LIMIT_MS): Git {
  let environment: Readonly<Record<string, string>> | undefined;
  const run: Git["run"] = async (folder, args, options = {}) => {
    environment ??= childEnvironment();
    const child = spawnGit(folder, args, {
      ...options,
      env: { ...environment, ...QUIET, ...options.env },
    });
    return child === null ? ABSENT : await answerOf(child, options.input, limitMs);
  };
  return {
    run,
    ask: async (folder, args) => {
      const { code, out } = await run(folder, args);
      return code === 0 ? out : null;
    },
  };
}

const ABSENT: GitAnswer = { code: null, out: "", err: "" };

function spawnGit(
  folder: string,
  args: readonly string[],
  { input, env = {} }: GitOptions,
): Deno.ChildProcess | null {
  try {
    return new Deno.Command("git", {
      args: ["-c", "core.fsmonitor=false", ...args],
      cwd: folder,
      env,
      clearEnv: true,
      detached: true,
      stdin: input === undefined ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
  } catch {
    return null;
  }
}

async function answerOf(
  child: Deno.ChildProcess,
  input: string | undefined,
  limitMs: number,
): Promise<GitAnswer> {
  const readers = [child.stdout.getReader(), child.stderr.getReader()] as const;
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(child);
    // A grandchild may hold the pipes open after git itself is gone.
    for (const reader of readers) reader.cancel().catch(() => undefined);
  }, limitMs);
  try {
    const [out, err] = await Promise.all([
      textOf(readers[0]),
      textOf(readers[1]),
      input === undefined ? null : feed(child.stdin, input),
    ]);
    const { code } = await child.status;
    return { code: late ? null : code, out, err };
  } finally {
    clearTimeout(timer);
  }
}

/** A git that needs no more of it closes the pipe: its exit code tells whether that was well. */
async function feed(stdin: WritableStream<Uint8Array>, input: string): Promise<void> {
  const writer = stdin.getWriter();
  await writer.write(new TextEncoder().encode(input)).catch(() => undefined);
  await writer.close().catch(() => undefined);
}

async function textOf(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
  }
}

/** Ends the whole group where the task may signal it, else git alone. */
function endGroup(child: Deno.ChildProcess): void {
  try {
    Deno.kill(-child.pid, "SIGKILL");
  } catch {
    try {
      child.kill("SIGKILL");
    } catch {
      // It ended by itself in the meantime.
    }
  }
}
