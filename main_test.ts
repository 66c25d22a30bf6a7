import assert from "node:assert/strict";
import { join } from "node:path";

const ROOT = import.meta.dirname ?? ".";
const OWN = join(ROOT, "testdata/own");
const RUN = [
  "run",
  "--no-prompt",
  "--cached-only",
  "--allow-read",
  "--allow-write",
  "--allow-env",
  "--allow-run=git",
  "--allow-net=127.0.0.1",
  join(ROOT, "main.ts"),
];

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(join(from, name), join(to, name));
    else await Deno.copyFile(join(from, name), join(to, name));
  }
}

async function inProject(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await copyFolder(OWN, folder);
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function start(folder: string): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: RUN,
    cwd: folder,
    env: { NO_COLOR: "1", INIT_CWD: folder },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
}

/** A child that has just ended cannot be killed: then it is one of the whole runs. */
function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
  }
}

async function filesUnder(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) paths.push(...await filesUnder(path));
    else paths.push(path);
  }
  return paths.sort();
}

/** Every file that does not call itself temporary is whole, and a report has all its parts. */
async function assertWhole(folder: string): Promise<number> {
  const paths = (await filesUnder(join(folder, "reports"))).filter((path) =>
    !path.endsWith(".tmp")
  );
  for (const path of paths) {
    const text = await Deno.readTextFile(path);
    if (path.endsWith(".json")) assert.doesNotThrow(() => JSON.parse(text), path);
    if (path.endsWith(".xml")) assert.match(text, /<\/testsuites>\s*$/, path);
    if (path.endsWith(".md")) assert.match(text, /decision: pass[^]*\n$/, path);
  }
  const reports = paths.filter((path) => path.endsWith("/report.json"));
  for (const report of reports) {
    for (const part of ["report.md", "junit.xml", "runs/move-order-1.json"]) {
      assert.ok(paths.includes(report.replace("report.json", part)), `${report} lacks ${part}`);
    }
  }
  return reports.length;
}

/** Milliseconds of one whole run; the first one on a machine also fills caches. */
async function timeOf(folder: string): Promise<number> {
  const started = performance.now();
  assert.equal((await start(folder).status).code, 0);
  return performance.now() - started;
}

Deno.test("a run killed at any moment leaves no half report, and the next run works", () =>
  inProject(async (folder) => {
    const whole = Math.min(await timeOf(folder), await timeOf(folder), await timeOf(folder));
    let killed = 0;
    for (let n = 0; n < 50; n++) {
      const child = start(folder);
      const timer = setTimeout(() => kill(child), whole * (0.15 + n * 0.016));
      const { signal } = await child.status;
      clearTimeout(timer);
      if (signal === "SIGKILL") killed++;
      await assertWhole(folder);
    }
    assert.ok(killed >= 20, `only ${killed} runs were killed`);
    const before = await assertWhole(folder);
    assert.equal((await start(folder).status).code, 0);
    assert.ok(await assertWhole(folder) >= before);
  }));

/** Runs with `reports/` on a file system of its own, of so many bytes. */
async function runWithSpace(
  folder: string,
  bytes: number,
): Promise<{ code: number; said: string }> {
  const command = ["mkdir -p reports", `mount -t tmpfs -o size=${bytes} tmpfs reports`].join(
    " && ",
  );
  const check = "rc=$?; find reports -name report.json -size 0; exit $rc";
  const { code, stdout, stderr } = await new Deno.Command("unshare", {
    args: ["-rm", "sh", "-c", `${command} && "$@"; ${check}`, "sh", Deno.execPath(), ...RUN],
    cwd: folder,
    env: { NO_COLOR: "1", INIT_CWD: folder },
  }).output();
  const decoder = new TextDecoder();
  return { code, said: decoder.decode(stdout) + decoder.decode(stderr) };
}

async function mayMount(): Promise<boolean> {
  try {
    const mount = ["-rm", "sh", "-c", "mount -t tmpfs -o size=4096 tmpfs /mnt"];
    return (await new Deno.Command("unshare", { args: mount, stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "a full disk gives exit code 3, a clear message and no report",
  ignore: !await mayMount(),
  fn: () =>
    inProject(async (folder) => {
      const sizes = [4096, 8192, 12_288, 16_384, 20_480];
      for (const size of sizes) {
        const { code, said } = await runWithSpace(folder, size);
        assert.equal(code, 3, `${size}: ${said}`);
        assert.match(
          said,
          /error: Cannot write ".*reports\/.*": no space left on the disk/,
          `${size}`,
        );
        assert.doesNotMatch(said, /decision: pass/);
      }
      assert.equal((await runWithSpace(folder, 1_048_576)).code, 0);
    }),
});
