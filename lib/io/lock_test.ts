import assert from "node:assert/strict";
import { join } from "node:path";
import { realLock } from "./lock.ts";

const MODULE = new URL("./lock.ts", import.meta.url).href;
const never = new AbortController().signal;

function holder(path: string): Deno.ChildProcess {
  const script = `
    const { realLock } = await import(${JSON.stringify(MODULE)});
    const held = await realLock(new AbortController().signal).acquire(${
    JSON.stringify(path)
  }, false);
    console.log(held === null ? "refused" : "held");
    setInterval(() => {}, 1000);`;
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `data:text/javascript,${encodeURIComponent(script)}`],
    stdout: "piped",
  }).spawn();
}

async function firstText(child: Deno.ChildProcess): Promise<string> {
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  await reader.cancel();
  return new TextDecoder().decode(value).trim();
}

Deno.test("acquire() is refused while another process holds the lock, and had once that is killed", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "reports/.lock");
  const child = holder(path);
  assert.equal(await firstText(child), "held");
  const lock = realLock(never);
  assert.equal(await lock.acquire(path, false), null);
  const waiting = lock.acquire(path, true);
  child.kill("SIGKILL");
  await child.status;
  const held = await waiting;
  assert.notEqual(held, null);
  assert.equal(await lock.acquire(path, false), null);
  held?.release();
  const again = await lock.acquire(path, false);
  assert.notEqual(again, null);
  again?.release();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("acquire() stops waiting when interrupted", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, ".lock");
  const held = await realLock(never).acquire(path, false);
  const controller = new AbortController();
  const waiting = realLock(controller.signal).acquire(path, true);
  controller.abort();
  assert.equal(await waiting, null);
  held?.release();
  await assert.rejects(
    realLock(never).acquire(join(path, "x"), false),
    /^Error: Cannot lock ".*": a/,
  );
  await Deno.remove(folder, { recursive: true });
});
