/**
 * How is a program kept from everything but its own folders and our two ports? By bubblewrap: only
 * the system's folders are there, read-only and without its keys; no network; connections to our
 * ports go through sockets; every shell is one that records. Out: the command line, and what the
 * shells recorded. Refuses by an error where it cannot be made.
 */
import { basename, join } from "node:path";
import type { Sandbox, ShellRecord } from "../model/agent_process.ts";
import { findProgram } from "./find_program.ts";
import { findBwrap, type Held } from "./process_hold.ts";
import { FORWARDER, INSIDE, SHELL_SHIM } from "./sandbox_programs.ts";
import { watchRecords } from "./shell_records.ts";

/** What every program needs of the system. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt"];

/** Keys and passwords below those folders. */
const SECRET_FILES = ["shadow", "shadow-", "gshadow", "gshadow-", "sudoers", "krb5.keytab"];
const SECRET_FOLDERS = ["ssh", "ssl/private", "sudoers.d", "NetworkManager", "wireguard", "cron.d"];

const SHELLS = ["sh", "bash", "dash", "zsh", "ash", "ksh"];

const READY_MS = 15_000;

const DENO = ["run", "--no-config", "--no-lock", "--no-remote", "--no-npm", "--no-prompt", "-q"];
const DENO_MAY = ["--allow-net", "--allow-read", "--allow-write"];

/** A sandbox that is ready for one program. */
export interface OpenSandbox {
  readonly held: Held;
  /** Ends what serves it; the commands that were recorded since `startedAt` (epoch, ms). */
  close(startedAt: number): Promise<readonly ShellRecord[]>;
  /** False where the program was never started, as our ports could not be reached from inside. */
  wasReady(): Promise<boolean>;
}

/** Makes the sandbox's own files and opens its ports. */
export async function openSandbox(
  sandbox: Sandbox,
  { argv, cwd }: { readonly argv: readonly [string, ...string[]]; readonly cwd: string },
): Promise<OpenSandbox> {
  const bwrap = await findBwrap();
  if (bwrap === null) throw new Error("bubblewrap (bwrap) is not installed");
  await layFiles(sandbox.folder);
  const outside = sandbox.ports.length === 0 ? null : await openPorts(sandbox);
  const args = [...await view(sandbox), "--chdir", cwd, "--", ...firstInside(sandbox), ...argv];
  const log = join(sandbox.folder, "log");
  const records = watchRecords(log);
  return {
    held: { hold: "sandbox", program: bwrap, args },
    wasReady: async () => sandbox.ports.length === 0 || await exists(join(log, ".ready")),
    close: async (startedAt) => {
      if (outside !== null) await endPorts(outside);
      return await records.end(startedAt);
    },
  };
}

async function layFiles(folder: string): Promise<void> {
  for (const name of ["log", "sockets"]) await Deno.mkdir(join(folder, name), { recursive: true });
  // The log may be that of an earlier process of the same run.
  await Deno.remove(join(folder, "log/.ready")).catch(() => undefined);
  await Deno.writeTextFile(join(folder, "forward.js"), FORWARDER);
  await Deno.writeTextFile(join(folder, "shell"), SHELL_SHIM);
  await Deno.chmod(join(folder, "shell"), 0o755);
}

/** The forwarder on this side; it ends when its standard input does. */
async function openPorts({ folder, ports }: Sandbox): Promise<Deno.ChildProcess> {
  const ready = join(folder, "outside.ready");
  await Deno.remove(ready).catch(() => undefined);
  for (const port of ports) {
    await Deno.remove(join(folder, "sockets", String(port))).catch(() => undefined);
  }
  const pairs = ports.map((port) => `${port}=${join(folder, "sockets", String(port))}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: [...DENO, ...DENO_MAY, join(folder, "forward.js"), "outside", ready, ...pairs],
    env: { DENO_DIR: join(folder, "cache"), DENO_NO_UPDATE_CHECK: "1", PATH: "/usr/bin:/bin" },
    clearEnv: true,
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  for (const end = performance.now() + READY_MS; !await exists(ready);) {
    if (performance.now() > end) {
      await endPorts(child);
      throw new Error("the sandbox's ports could not be opened");
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return child;
}

async function endPorts(child: Deno.ChildProcess): Promise<void> {
  await child.stdin.close().catch(() => undefined);
  const late = setTimeout(() => child.kill("SIGKILL"), 1_000);
  await child.status;
  clearTimeout(late);
}

/** What the program sees of the machine. */
async function view(sandbox: Sandbox): Promise<string[]> {
  const { folder, writable, readable } = sandbox;
  const args = ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"];
  args.push("--die-with-parent");
  for (const place of SYSTEM) args.push(...await asItIs(place));
  args.push("--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", "/run");
  for (const name of SECRET_FILES) {
    if (await exists(`/etc/${name}`)) args.push("--ro-bind", "/dev/null", `/etc/${name}`);
  }
  for (const name of SECRET_FOLDERS) {
    if (await exists(`/etc/${name}`)) args.push("--tmpfs", `/etc/${name}`);
  }
  for (const place of readable) args.push("--ro-bind", place, place);
  for (const place of writable) args.push("--bind", place, place);
  args.push("--ro-bind", Deno.execPath(), `${INSIDE}/deno`);
  args.push("--ro-bind", join(folder, "forward.js"), `${INSIDE}/forward.js`);
  args.push("--ro-bind", join(folder, "sockets"), `${INSIDE}/sockets`);
  args.push("--bind", join(folder, "log"), `${INSIDE}/log`);
  return [...args, ...await shells(folder), "--remount-ro", "/"];
}

/** A folder of the system: a link as a link. */
async function asItIs(place: string): Promise<string[]> {
  try {
    const { isSymlink } = await Deno.lstat(place);
    return isSymlink
      ? ["--symlink", await Deno.readLink(place), place]
      : ["--ro-bind", place, place];
  } catch {
    return [];
  }
}

/** Ours in the place of each shell, the real ones beside. */
async function shells(folder: string): Promise<string[]> {
  const args: string[] = [];
  const replaced = new Set<string>();
  for (const name of SHELLS) {
    const found = await findProgram(name, "/usr/bin:/bin");
    if (found === null) continue;
    const real = await Deno.realPath(found);
    if (name === "sh") args.push("--ro-bind", real, `${INSIDE}/sh`);
    // One program that is a shell and much else cannot be replaced.
    if (!SHELLS.includes(basename(real))) continue;
    args.push("--ro-bind", real, `${INSIDE}/shells/${name}`);
    replaced.add(real);
  }
  return [...args, ...[...replaced].flatMap((real) => ["--ro-bind", join(folder, "shell"), real])];
}

/** The first process inside: it opens our ports, then starts the program. */
function firstInside({ ports }: Sandbox): string[] {
  const ready = `${INSIDE}/log/.ready`;
  const pairs = ports.map((port) => `${port}=${INSIDE}/sockets/${port}`).join(" ");
  const forward = [`${INSIDE}/deno`, ...DENO, ...DENO_MAY, `${INSIDE}/forward.js`].join(" ");
  const open = `DENO_DIR=/run/cache DENO_NO_UPDATE_CHECK=1 ${forward} inside ${ready} ${pairs} ` +
    ">/dev/null 2>&1 </dev/null &\n" +
    `tries=0\nwhile [ ! -e ${ready} ]; do tries=$((tries + 1)); ` +
    `[ $tries -gt ${READY_MS / 20} ] && exit 125; /bin/sleep 0.02; done\n`;
  return [`${INSIDE}/sh`, "-c", `${ports.length === 0 ? "" : open}"$@"; exit $?`, "sh"];
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}
