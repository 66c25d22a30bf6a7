#!/usr/bin/env node
/**
 * How does the npm package start? Finds the Deno of its dependency and runs the bundle with the
 * least permissions: writes in the project (the nearest folder upwards with a collaudo.yaml) and its
 * repository, this machine's own network unless the command is a live one, git the only program
 * unless it is `schedule`, whose jobs get permissions of their own, `notify`, which may have a program
 * to send by, or the first word is `agents`: then the command may start any program and do what the
 * caller may, as agents that are programs need it.
 * Arguments, streams and signals pass through; the exit code is 0, 1, 2, 3 or 130.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, homedir } from "node:os";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const UNDECIDED = 3;
const INTERRUPTED = 130;
const LOOPBACK = "--allow-net=127.0.0.1,[::1],localhost";
const LIVE_COMMANDS = new Set(["record", "notify"]);

/** They start jobs, and the program of a channel, which end with all that they started. */
const PROGRAM_COMMANDS = new Set(["schedule", "notify"]);

/** Before a command: its agents are programs, which may do whatever the caller may. */
const AGENTS = "agents";

/** The folder where the caller stands: npm enters the package's folder and leaves it in INIT_CWD. */
function callersFolder() {
  const named = process.env.INIT_CWD;
  if (!named) return process.cwd();
  const way = relative(process.cwd(), named);
  return isAbsolute(way) || way.startsWith("..") ? process.cwd() : resolve(named);
}

/** The nearest folder upwards that holds `name`, or null. */
function nearest(folder, name) {
  if (existsSync(join(folder, name))) return folder;
  const above = dirname(folder);
  return above === folder ? null : nearest(above, name);
}

/** Git's folder that all work trees share: `.git` itself, or where the file of that name leads. */
function commonGitFolder(repository) {
  const git = join(repository, ".git");
  if (!existsSync(git) || statSync(git).isDirectory()) return git;
  const named = /^gitdir: (.*)$/m.exec(readFileSync(git, "utf8"))?.[1];
  if (named === undefined) return git;
  const folder = resolve(repository, named);
  const common = join(folder, "commondir");
  return existsSync(common) ? resolve(folder, readFileSync(common, "utf8").trim()) : folder;
}

function isLive(args) {
  const mode = args.findLast((arg, n) => args[n - 1] === "--mode" || arg.startsWith("--mode="));
  return mode === "live" || mode === "--mode=live" || LIVE_COMMANDS.has(args[0]);
}

function permissions(args, folder) {
  if (args[0] === AGENTS) {
    return ["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net"];
  }
  const project = nearest(folder, "collaudo.yaml") ?? folder;
  const repository = nearest(project, ".git") ?? project;
  const timers = args[0] === "schedule" ? [join(homedir(), ".config/systemd/user")] : [];
  const writable = [project, repository, commonGitFolder(repository), ...timers].map((path) =>
    path.includes(",") ? relative(folder, path) || "." : path
  );
  // Deno's lists know no way to write a comma.
  const listed = writable.every((path) => !path.includes(","));
  return [
    "--allow-read",
    listed ? `--allow-write=${writable.join(",")}` : "--allow-write",
    "--allow-env",
    ...(PROGRAM_COMMANDS.has(args[0]) ? ["--allow-run"] : ["--allow-run=git"]),
    isLive(args) || args.includes("--bot") ? "--allow-net" : LOOPBACK,
  ];
}

function exitCode(code, signal) {
  if (signal !== null) {
    return ["SIGINT", "SIGTERM", "SIGHUP"].includes(signal) ? INTERRUPTED : UNDECIDED;
  }
  if (code === 101) return 1;
  return [0, 2, UNDECIDED, INTERRUPTED].includes(code) ? code : UNDECIDED;
}

/** A terminal sends Ctrl-C to the program too: passed on, it would count as the second one. */
function passSignals(child) {
  process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
  for (const signal of ["SIGTERM", "SIGHUP"]) {
    if (signal in constants.signals) process.on(signal, () => child.kill(signal));
  }
}

function fail(error) {
  process.stderr.write(`error: Cannot start Deno: ${error.message}\n`);
  process.exitCode = UNDECIDED;
}

function start(args) {
  const deno = createRequire(import.meta.url)("deno/install_api.cjs").runInstall();
  const program = fileURLToPath(new URL("../dist/start.js", import.meta.url));
  const folder = callersFolder();
  // A request of a tool or a model counts as dropped only where its other side has gone.
  const servers = "--unstable-no-legacy-abort";
  const alone = [
    "--no-prompt",
    "--no-config",
    "--no-lock",
    "--no-remote",
    "--cached-only",
    servers,
  ];
  const words = args[0] === AGENTS ? args.slice(1) : args;
  const child = spawn(deno, ["run", ...alone, ...permissions(args, folder), program, ...words], {
    cwd: folder,
    stdio: "inherit",
    env: {
      ...process.env,
      COLLAUDO_PROGRAM: "npx collaudo",
      INIT_CWD: folder,
      DENO_NO_UPDATE_CHECK: "1",
      DENO_NO_PACKAGE_JSON: "1",
    },
  });
  passSignals(child);
  child.on("error", fail);
  child.on("close", (code, signal) => process.exitCode = exitCode(code, signal));
}

try {
  start(process.argv.slice(2));
} catch (error) {
  fail(error);
}
