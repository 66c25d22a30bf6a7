import assert from "node:assert/strict";
import { join } from "node:path";

const ROOT = join(import.meta.dirname ?? ".", "..");

function hasNode(): boolean {
  try {
    return new Deno.Command("node", { args: ["--version"] }).outputSync().success;
  } catch {
    return false;
  }
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

/** The package where npm would put it, beside a `deno` package that names the running Deno. */
async function install(folder: string): Promise<string> {
  const built = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--cached-only", join(ROOT, "tools/build.ts"), "--to", folder],
  }).output();
  assert.ok(built.success, new TextDecoder().decode(built.stderr));
  const home = join(folder, "own/node_modules");
  await copyFolder(join(folder, "pack"), join(home, "collaudo"));
  await Deno.mkdir(join(home, "deno"));
  await Deno.writeTextFile(
    join(home, "deno/install_api.cjs"),
    `exports.runInstall = () => process.env.TEST_DENO ?? ${JSON.stringify(Deno.execPath())};`,
  );
  await copyFolder(join(ROOT, "testdata/own"), join(folder, "own"));
  return join(folder, "own");
}

function launch(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  return new Deno.Command("node", {
    args: [join(folder, "node_modules/collaudo/bin/collaudo.mjs"), ...args],
    cwd: folder,
    env: { NO_COLOR: "1", INIT_CWD: "", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

async function ended(child: Deno.ChildProcess): Promise<{ code: number; said: string }> {
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, said: decoder.decode(stdout) + decoder.decode(stderr) };
}

async function passesCodes(folder: string): Promise<void> {
  const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
    [["--version"], 0, /^\d+\.\d+\.\d+$/m],
    [[], 0, /decision: pass/],
    [["--recording", "wrong"], 1, /decision: block/],
    [["--no-such-option"], 2, /unknown option/],
    [["--out", join(folder, "../elsewhere")], 3, /choose a path there/],
  ];
  for (const [args, code, said] of cases) {
    const actual = await ended(launch(folder, args));
    assert.equal(actual.code, code, `${args.join(" ")}: ${actual.said}`);
    assert.match(actual.said, said, args.join(" "));
  }
}

async function failsClosed(folder: string): Promise<void> {
  const absent = await ended(launch(folder, [], { TEST_DENO: "/none/deno" }));
  assert.equal(absent.code, 3);
  assert.match(absent.said, /^error: Cannot start Deno: /);
  const start = join(folder, "node_modules/collaudo/dist/start.js");
  const text = await Deno.readTextFile(start);
  await Deno.writeTextFile(start, 'import "./gone.js";');
  assert.equal((await ended(launch(folder, []))).code, 3);
  await Deno.writeTextFile(start, text);
}

async function passesSignals(folder: string): Promise<void> {
  const asked = Promise.withResolvers<void>();
  const stop = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: stop.signal },
    () => {
      asked.resolve();
      return new Promise<Response>(() => {});
    },
  );
  const base = `http://127.0.0.1:${server.addr.port}/v1`;
  const child = launch(folder, ["--mode", "live"], { LLM_BASE_URL: base, LLM_API_KEY: "none" });
  const output = ended(child);
  await Promise.race([asked.promise, output]);
  child.kill("SIGTERM");
  const { code, said } = await output;
  stop.abort();
  assert.equal(code, 130, said);
}

Deno.test({
  name: "the package runs a project elsewhere and passes exit codes and signals through",
  ignore: !hasNode(),
  fn: async (t) => {
    const folder = await Deno.realPath(await Deno.makeTempDir());
    const own = await install(folder);
    await t.step("exit codes", () => passesCodes(own));
    await t.step("a Deno that cannot start is 3, not 1", () => failsClosed(own));
    await t.step("SIGTERM interrupts", () => passesSignals(own));
    await Deno.remove(folder, { recursive: true });
  },
});
