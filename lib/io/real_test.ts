import assert from "node:assert/strict";
import { join } from "node:path";
import { realClock } from "./clock.ts";

const HERE = import.meta.dirname ?? "";
const REAL = new URL("./real.ts", import.meta.url).href;

function start(script: string, options: Deno.CommandOptions = {}): Deno.ChildProcess {
  const code = `const { createIo } = await import(${JSON.stringify(REAL)});\n${script}`;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `data:text/javascript,${encodeURIComponent(code)}`],
    stdout: "piped",
    stderr: "piped",
    ...options,
  }).spawn();
}

async function outputOf(child: Deno.ChildProcess): Promise<{ code: number; text: string }> {
  const { code, stdout } = await child.output();
  return { code, text: new TextDecoder().decode(stdout).trim() };
}

Deno.test("createIo() stands where the caller of a task stood, unless that is inherited from elsewhere", async () => {
  const print = (root: string) => `console.log(createIo(${JSON.stringify(root)}).cwd)`;
  const elsewhere = await Deno.realPath(await Deno.makeTempDir());
  const cases = [
    { cwd: join(HERE, ".."), named: HERE, root: "/none", stands: HERE },
    { cwd: HERE, named: elsewhere, root: HERE, stands: elsewhere },
    { cwd: elsewhere, named: HERE, root: HERE, stands: elsewhere },
    { cwd: elsewhere, named: `${elsewhere}-sister`, root: HERE, stands: elsewhere },
    { cwd: elsewhere, named: "", root: HERE, stands: elsewhere },
  ];
  for (const { cwd, named, root, stands } of cases) {
    const child = start(print(root), { cwd, env: { INIT_CWD: named } });
    assert.equal((await outputOf(child)).text, stands, JSON.stringify({ cwd, named, root }));
  }
  await Deno.remove(elsewhere);
});

Deno.test("createIo() fires `interrupted` on SIGINT and SIGTERM; a second one ends the process", async () => {
  const script = `
    const io = createIo("/");
    io.interrupted.addEventListener("abort", () => io.terminal.out(io.interrupted.reason.message));
    io.terminal.out("ready ");
    setInterval(() => {}, 1000);`;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    const child = start(script);
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await reader.read()).value, "ready ");
    child.kill(signal);
    assert.equal((await reader.read()).value, `Interrupted by ${signal}`);
    child.kill(signal);
    assert.equal((await child.status).signal, signal);
    await reader.cancel();
    await child.stderr.cancel();
  }
});

Deno.test("terminal.out() survives a closed pipe; a full disk is an error", async () => {
  const loud = `
    const io = createIo("/");
    for (let n = 0; n < 200; n++) io.terminal.out("x".repeat(10_000));
    io.terminal.err("done");
    Deno.exit(7);`;
  const child = start(loud);
  await child.stdout.cancel();
  const text = await new Response(child.stderr).text();
  assert.deepEqual([text, (await child.status).code], ["done", 7]);
  const full = start(`
    const io = createIo("/");
    Deno.stdout.writeSync = (bytes) => {
      const file = Deno.openSync("/dev/full", { write: true });
      return file.writeSync(bytes);
    };
    try { io.terminal.out("x"); } catch (error) { console.error(error.message); }`);
  const { stderr } = await full.output();
  const message = 'Cannot write "standard output": no space left on the disk';
  assert.equal(new TextDecoder().decode(stderr).trim(), message);
});

Deno.test("sleep() ends with the signal's reason when that fires first", async () => {
  const clock = realClock();
  await clock.sleep(1);
  const controller = new AbortController();
  const sleeping = clock.sleep(60_000, controller.signal);
  controller.abort(new Error("stop"));
  await assert.rejects(sleeping, /^Error: stop$/);
  await assert.rejects(clock.sleep(1, controller.signal), /^Error: stop$/);
  assert.match(clock.now(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});
