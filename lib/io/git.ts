/**
 * What does git say? One question, one answer, in an environment without the caller's repository and
 * within a time limit that ends git and what it started. Null where git is absent, the folder is no
 * repository, the command failed or took too long: the caller says what that means to it.
 */
import type { Git } from "../model/ports.ts";
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
  return {
    ask: async (folder, args) => {
      const child = spawnGit(folder, args);
      return child === null ? null : await answerOf(child, limitMs);
    },
  };
}

function spawnGit(folder: string, args: readonly string[]): Deno.ChildProcess | null {
  try {
    return new Deno.Command("git", {
      args: ["-c", "core.fsmonitor=false", ...args],
      cwd: folder,
      env: { ...childEnvironment(), ...QUIET },
      clearEnv: true,
      detached: true,
      stdin: "null",
      stdout: "piped",
      stderr: "null",
    }).spawn();
  } catch {
    return null;
  }
}

async function answerOf(child: Deno.ChildProcess, limitMs: number): Promise<string | null> {
  const reader = child.stdout.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    endGroup(child);
    // A grandchild may hold the pipe open after git itself is gone.
    reader.cancel().catch(() => undefined);
  }, limitMs);
  try {
    const text = await textOf(reader);
    const { success } = await child.status;
    return success && !late ? text : null;
  } finally {
    clearTimeout(timer);
  }
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
