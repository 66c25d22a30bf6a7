/**
 * Are the programs there, each in the version that is pinned? Installs what is missing from the npm
 * registry into a folder for caches, all at once, and reads every version back: an older npm takes
 * another version in silence. No script of a package runs with the environment of this machine.
 */
import { join } from "node:path";
import { runWell } from "./command.ts";
import { NODE, type Pinned, type Program, PROGRAMS } from "./programs.ts";

/** What is being installed: the folders of `PATH` are known before they are there. */
export interface Installing {
  /** Of Node and of each program, by name. */
  readonly folders: ReadonlyMap<string, string>;
  /** Waits for Node and these programs; throws where one of them cannot be had. */
  ready(...names: readonly string[]): Promise<void>;
}

const INSTALL_MS = 240_000;
const FLAGS = ["--ignore-scripts", "--no-audit", "--no-fund", "--engine-strict=false"];

/** The folder for the programs: `COLLAUDO_AGENTS_CACHE`, else one below the user's folder for caches. */
export function cacheFolder(): string {
  const named = Deno.env.get("COLLAUDO_AGENTS_CACHE");
  if (named !== undefined && named !== "") return named;
  const caches = Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? ".", ".cache");
  return join(caches, "collaudo-agents");
}

/** Begins to install what is missing, all at once. */
export async function installAll(cache: string): Promise<Installing> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") {
    throw new Error(`The pinned Node is for linux on x86_64, this is ${Deno.build.target}`);
  }
  await Deno.mkdir(cache, { recursive: true });
  const wanted = [{ ...NODE, name: "node" }, ...PROGRAMS];
  const begun = new Map(wanted.map((each) => [each.name, install(cache, each)]));
  // Whoever needs a program hears of its failure; nobody else has to.
  for (const each of begun.values()) each.catch(() => undefined);
  return {
    folders: new Map(wanted.map((each) => [each.name, binaries(cache, each)])),
    ready: async (...names) => {
      for (const name of ["node", ...names]) await begun.get(name);
    },
  };
}

function folderOf(cache: string, pinned: Pinned): string {
  return join(cache, `${pinned.package.replaceAll(/[^a-z0-9-]/g, "_")}-${pinned.version}`);
}

function binaries(cache: string, pinned: Pinned): string {
  const modules = join(folderOf(cache, pinned), "node_modules");
  return pinned.package === NODE.package
    ? join(modules, NODE.package, "bin")
    : join(modules, ".bin");
}

async function install(cache: string, pinned: Pinned): Promise<void> {
  const folder = folderOf(cache, pinned);
  if (await versionIn(folder, pinned) === pinned.version) return;
  const making = await Deno.makeTempDir({ dir: cache, prefix: "making-" });
  try {
    await Deno.writeTextFile(join(making, "package.json"), '{"private": true}\n');
    const wanted = `${pinned.package}@${pinned.version}`;
    const npm = ["npm", "install", ...FLAGS, "--save-exact", "--loglevel=error", wanted];
    await runWell(npm, { cwd: making, limitMs: INSTALL_MS });
    const found = await versionIn(making, pinned);
    if (found !== pinned.version) throw new Error(`npm took "${found}", wanted is "${wanted}"`);
    if (pinned.after !== undefined) await runAfter(making, pinned, pinned.after);
    await Deno.remove(folder, { recursive: true }).catch(() => undefined);
    await Deno.rename(making, folder);
  } finally {
    await Deno.remove(making, { recursive: true }).catch(() => undefined);
  }
}

/** The script lays the program's own binary in its place; it needs nothing of this machine. */
async function runAfter(folder: string, pinned: Pinned, script: string): Promise<void> {
  const cwd = join(folder, "node_modules", pinned.package);
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: folder };
  await runWell(["node", script], { cwd, env, limitMs: INSTALL_MS });
}

async function versionIn(folder: string, { package: name }: Pinned): Promise<string | null> {
  const file = join(folder, "node_modules", name, "package.json");
  const text = await Deno.readTextFile(file).catch(() => null);
  if (text === null) return null;
  const { version } = JSON.parse(text);
  return typeof version === "string" ? version : null;
}

/** What a program itself says that it is, asked in an empty environment. */
export async function toldVersion(
  { folders }: Installing,
  { name }: Program,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const path = join(folders.get(name) ?? "", name);
  const { out, err } = await runWell([path, "--version"], { env, limitMs: 120_000 });
  return out + err;
}
