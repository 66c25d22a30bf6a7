/**
 * How does the program leave home? Bundles it, npm packages included, to `dist/collaudo.js` and its
 * chunks, and lays an npm package into `pack/` that `npm pack` makes installable. `--to FOLDER` lays
 * both elsewhere. Fails when a bundle would hold a path of this machine.
 */
import { join, resolve } from "node:path";
import { VERSION } from "../lib/cli/version.ts";

const ROOT = join(import.meta.dirname ?? ".", "..");
const DENO = "2.9.6";

/** Entry points: the program, the program as the package starts it, the library, the tools' bridge. */
const ENTRIES: Readonly<Record<string, string>> = {
  "main.ts": "collaudo.js",
  "tools/pack/start.ts": "start.js",
  "lib/mod.ts": "mod.js",
  "lib/io/mcp_stdio.ts": "mcp_stdio.js",
};

const PACKAGE = {
  name: "collaudo",
  version: VERSION,
  description: "Acceptance tests and release gate for agents that act",
  license: "MIT",
  type: "module",
  bin: { collaudo: "bin/collaudo.mjs" },
  exports: { ".": "./dist/mod.js" },
  files: ["bin", "dist", "schemas"],
  engines: { node: ">=18" },
  dependencies: { deno: DENO },
};

async function bundle(folder: string): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => undefined);
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["bundle", "--quiet", "--minify", "--code-splitting", "--platform", "deno"],
      ...["--outdir", folder, ...Object.keys(ENTRIES)],
    ],
    cwd: ROOT,
  }).output();
  if (!success) throw new Error(`Cannot bundle: ${new TextDecoder().decode(stderr)}`);
  await flatten(folder);
}

/** The entry points leave their folders, so that every bundle lies beside its chunks. */
async function flatten(folder: string): Promise<void> {
  for (const [entry, name] of Object.entries(ENTRIES)) {
    const path = join(folder, entry.replace(/\.ts$/, ".js"));
    const text = await Deno.readTextFile(path);
    await Deno.remove(path);
    const beside = text.replaceAll(/"(?:\.\.\/)+(?=[\w-]+\.js")/g, '"./');
    await Deno.writeTextFile(join(folder, name), beside);
  }
  for (const emptied of ["tools", "lib"]) {
    await Deno.remove(join(folder, emptied), { recursive: true });
  }
  for (const { name } of Deno.readDirSync(folder)) await finish(join(folder, name));
}

/**
 * Two modules of Node that commander holds ready for programs in several files are loaded when they
 * are used, which is never: that is half of the time to start.
 */
async function finish(path: string): Promise<void> {
  const text = await Deno.readTextFile(path);
  const lazy = text.replaceAll(
    /(?<![\w$])([\w$]+)\("node:(fs|child_process)"\)/g,
    (_, load, name) => `new Proxy({},{get:(_,key)=>${load}("node:${name}")[key]})`,
  );
  const machine = /\/(?:\.cache\/|registry\.)/.exec(lazy);
  if (machine !== null) {
    const around = lazy.slice(Math.max(0, machine.index - 80), machine.index + 80);
    throw new Error(`"${path}" holds a path of this machine: "${around}"`);
  }
  await Deno.writeTextFile(path, lazy);
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for (const { name } of Deno.readDirSync(from)) {
    await Deno.copyFile(join(from, name), join(to, name));
  }
}

async function pack(folder: string, dist: string): Promise<void> {
  await Deno.remove(folder, { recursive: true }).catch(() => undefined);
  await copyFolder(dist, join(folder, "dist"));
  await copyFolder(join(ROOT, "schemas"), join(folder, "schemas"));
  await Deno.mkdir(join(folder, "bin"));
  await Deno.copyFile(join(ROOT, "tools/pack/collaudo.mjs"), join(folder, "bin/collaudo.mjs"));
  await Deno.chmod(join(folder, "bin/collaudo.mjs"), 0o755);
  await Deno.copyFile(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  await Deno.copyFile(join(ROOT, "tools/pack/README.md"), join(folder, "README.md"));
  await Deno.writeTextFile(join(folder, "package.json"), `${JSON.stringify(PACKAGE, null, 2)}\n`);
}

const to = Deno.args[0] === "--to" ? resolve(Deno.args[1] ?? ".") : ROOT;
const dist = join(to, "dist");
await bundle(dist);
await pack(join(to, "pack"), dist);
console.log("written: dist/collaudo.js, pack/");
