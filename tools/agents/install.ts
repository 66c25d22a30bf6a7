/**
 * Are the programs there, each in the version that is pinned? Installs what is missing from the npm
 * registry into a folder for caches, all at once, and reads every version back: an older npm takes
 * another version in silence. No script of a package runs with the environment of this machine.
 */
import { join } from "node:path";
import { run, runWell } from "./command.ts";
import { NODE, type Pinned, type Program, PROGRAMS } from "./programs.ts";

/** What is installed: folders of `PATH`, by the program's name. */
export interface Installed {
  readonly node: string;
  readonly programs: ReadonlyMap<string, string>;
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

/** Installs what is missing and reads all versions back. */
export async function installAll(cache: string): Promise<Installed> {
  if (Deno.build.os !== "linux" || Deno.build.arch !== "x86_64") {
    throw new Error(`The pinned Node is for linux on x86_64, this is ${Deno.build.target}`);
  }
  await Deno.mkdir(cache, { recursive: true });
  const pinned = [NODE, ...PROGRAMS];
  const folders = await Promise.all(pinned.map((each) => install(cache, each)));
  const [node = "", ...others] = folders;
  return {
    node: join(node, "node_modules", NODE.package, "bin"),
    programs: new Map(PROGRAMS.map(({ name }, index) => {
      return [name, join(others[index] ?? "", "node_modules/.bin")];
    })),
  };
}

async function install(cache: string, pinned: Pinned): Promise<string> {
  const name = `${pinned.package.replaceAll(/[^a-z0-9-]/g, "_")}-${pinned.version}`;
  const folder = join(cache, name);
  if (await versionIn(folder, pinned) === pinned.version) return folder;
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
    return folder;
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
  { name }: Program,
  { env, home }: { readonly env: Readonly<Record<string, string>>; readonly home: string },
): Promise<string> {
  const place = (env["PATH"] ?? "").split(":").map((each) => join(each, name));
  for (const path of place) {
    const ended = await run([path, "--version"], { cwd: home, env, limitMs: 60_000 });
    if (ended !== null) return ended.out + ended.err;
  }
  throw new Error(`No program "${name}" on its PATH`);
}
