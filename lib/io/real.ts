/**
 * What are the real effects? Everything of the outside that `cli` is handed, light to make: SQLite,
 * git, HTTP and the lock are loaded when they are first used.
 */
import { isAbsolute, relative, resolve } from "node:path";
import type { AgentProcesses } from "../model/agent_process.ts";
import type { Io } from "../model/ports.ts";
import { realClock } from "./clock.ts";
import { readVariable } from "./environment.ts";
import { realFiles } from "./files.ts";
import { interruption } from "./interrupt.ts";
import { realTerminal } from "./terminal.ts";

/**
 * The effects of this process.
 * @param root the folder of the program, where `deno task` stands whatever the caller's folder
 */
export function createIo(root: string | undefined): Io {
  const interrupted = interruption();
  return {
    files: realFiles(),
    trees: {
      read: async (folder, filesMax) => (await import("./trees.ts")).readTree(folder, filesMax),
      copy: async (from, to, at) => await (await import("./trees.ts")).copyTree(from, to, at),
      write: async (path, bytes, mode) =>
        await (await import("./trees.ts")).writeFile(path, bytes, mode),
      clear: async (folder) => await (await import("./trees.ts")).clearTree(folder),
      make: async (folder) => await (await import("./trees.ts")).makeFolder(folder),
      temporaryFolder: async () => await (await import("./trees.ts")).temporaryFolder(),
    },
    clock: realClock(),
    terminal: realTerminal(),
    git: {
      ask: async (folder, args) => (await import("./git.ts")).realGit().ask(folder, args),
      run: async (folder, args, options) =>
        (await import("./git.ts")).realGit().run(folder, args, options),
    },
    lock: {
      acquire: async (path, wait) =>
        (await import("./lock.ts")).realLock(interrupted).acquire(path, wait),
    },
    http: {
      post: async (url, request, options) =>
        (await import("./http.ts")).realHttp().post(url, request, options),
    },
    scripts: {
      write: async (path, text) => (await import("./scripts.ts")).realScripts().write(path, text),
      isExecutable: async (path) => (await import("./scripts.ts")).realScripts().isExecutable(path),
    },
    chat: {
      send: async (address, part, options) =>
        (await import("./telegram.ts")).realChat().send(address, part, options),
      updates: async (address, since, options) =>
        (await import("./telegram.ts")).realChat().updates(address, since, options),
    },
    webhook: {
      post: async (request, options) =>
        (await import("./webhook.ts")).realWebhook().post(request, options),
    },
    picture: { png: async (svg) => await (await import("./picture.ts")).drawPng(svg) },
    cron: {
      next: async (job, from, count) =>
        (await import("./cron.ts")).realCron().next(job, from, count),
      newest: async (job, since, at) =>
        (await import("./cron.ts")).realCron().newest(job, since, at),
      watch: async (jobs, events, signal) =>
        (await import("./cron.ts")).realCron().watch(jobs, events, signal),
    },
    children: {
      mayStart: () => Deno.permissions.querySync({ name: "run" }).state === "granted",
      start: async (child) => (await import("./children.ts")).realChildren().start(child),
      ask: async (program, args, input) =>
        (await import("./children.ts")).realChildren().ask(program, args, input),
    },
    agents: realAgents(),
    upstream: {
      send: async (url, request) =>
        await (await import("./upstream.ts")).realUpstream().send(url, request),
    },
    servers: {
      serve: async (handle, place) =>
        await (await import("./http_server.ts")).serveHttp(handle, place),
      serveTools: async (tools, place) => {
        const [{ serveHttp }, { mcpHandler }] = await Promise.all([
          import("./http_server.ts"),
          import("./mcp.ts"),
        ]);
        return await serveHttp(mcpHandler(tools), place);
      },
      stdioBridge: (url) => [
        Deno.execPath(),
        ...["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--cached-only"],
        "--allow-net=127.0.0.1",
        fromFileUrl(new URL(bridgeFile(), import.meta.url).href),
        url,
      ],
    },
    histories: {
      open: async (path, checked) =>
        (await import("./history.ts")).realHistories(interrupted).open(path, checked),
    },
    started: () => ({ deno: Deno.execPath(), program: fromFileUrl(Deno.mainModule) }),
    env: readVariable,
    cwd: callersFolder(Deno.cwd(), root),
    interrupted,
    denoVersion: Deno.version.deno,
  };
}

/** Beside this file, in a bundle too. */
function bridgeFile(): string {
  return import.meta.url.endsWith(".ts") ? "./mcp_stdio.ts" : "./mcp_stdio.js";
}

/** Loaded when first used; one for all runs, which share what was found out about the machine. */
function realAgents(): AgentProcesses {
  let loaded: Promise<AgentProcesses> | null = null;
  const load = () =>
    loaded ??= import("./agent_process.ts").then((found) => found.realAgentProcesses());
  return {
    start: async (start) => (await load()).start(start),
    sandboxMissing: async () => (await load()).sandboxMissing(),
  };
}

function fromFileUrl(url: string): string {
  return url.startsWith("file://") ? decodeURIComponent(new URL(url).pathname) : url;
}

/**
 * Where the caller stands. `deno task` enters the program's folder and leaves the caller's in
 * INIT_CWD; that variable is also inherited by programs that a task starts elsewhere, so it counts
 * only where this process stands in the program's folder or above the folder that it names.
 */
function callersFolder(cwd: string, root: string | undefined): string {
  const named = readVariable("INIT_CWD");
  if (named === undefined || named === "") return cwd;
  const folder = resolve(named);
  const way = relative(cwd, folder);
  const isBelow = !isAbsolute(way) && way.split(/[\\/]/)[0] !== "..";
  return cwd === root || isBelow ? folder : cwd;
}
