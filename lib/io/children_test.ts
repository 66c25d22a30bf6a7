import assert from "node:assert/strict";
import { join } from "node:path";
import type { ChildStart } from "../model/ports.ts";
import { realChildren } from "./children.ts";

const never = new AbortController().signal;

function shell(
  script: string,
  more: Partial<ChildStart> = {},
): ChildStart & { readonly heard: string[] } {
  const heard: string[] = [];
  return {
    program: "sh",
    args: ["-c", script],
    cwd: Deno.cwd(),
    env: {},
    limitMs: 20_000,
    signal: never,
    said: (stream, text) => heard.push(`${stream} ${text}`),
    heard,
    ...more,
  };
}

/** False when the process is gone. */
function lives(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return Deno.readTextFileSync(`/proc/${pid}/stat`).split(") ")[1]?.startsWith("Z") === false;
  } catch {
    return false;
  }
}

async function gone(pid: number): Promise<boolean> {
  for (let n = 0; n < 50 && lives(pid); n++) await new Promise((done) => setTimeout(done, 20));
  return !lives(pid);
}

async function pidIn(file: string): Promise<number> {
  for (let n = 0; n < 250; n++) {
    const text = await Deno.readTextFile(file).catch(() => "");
    if (text.endsWith("\n")) return Number(text);
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`${file} was not written`);
}

Deno.test("start() tells how a program ended and what it said, in a cleaned environment", async () => {
  const children = realChildren();
  const said = shell('echo "$SEEN $GIT_DIR."; echo no >&2; exit 7', { env: { SEEN: "yes" } });
  Deno.env.set("GIT_DIR", "/elsewhere");
  const end = await children.start(said);
  Deno.env.delete("GIT_DIR");
  assert.deepEqual(end, { kind: "exited", code: 7 });
  assert.deepEqual(said.heard.sort(), ["err no\n", "out yes .\n"]);
  assert.deepEqual(await children.start(shell("kill -9 $$")), {
    kind: "killed",
    signal: "SIGKILL",
  });
  const absent = await children.start(shell("", { program: "/nowhere/at-all" }));
  assert.equal(absent.kind, "not_started");
  const ended = AbortSignal.abort();
  assert.deepEqual(await children.start(shell("exit 1", { signal: ended })), {
    kind: "interrupted",
  });
});

Deno.test("start() ends a program that hangs with its whole group, SIGTERM heeded or not", async () => {
  const folder = await Deno.makeTempDir();
  for (const [name, deaf] of [["polite", ""], ["deaf", "trap '' TERM;"]] as const) {
    const file = join(folder, name);
    const script = `${deaf} sleep 300 & echo $! > ${file}; wait; sleep 300`;
    const startedMs = performance.now();
    const end = await realChildren(300).start(shell(script, { limitMs: 400 }));
    assert.deepEqual(end, { kind: "timeout" }, name);
    assert.ok(performance.now() - startedMs < 5_000, name);
    assert.ok(await gone(await pidIn(file)), `${name}: its own child is left`);
  }
  const controller = new AbortController();
  const file = join(folder, "stopped");
  const running = realChildren(300).start(
    shell(`sleep 300 & echo $! > ${file}; wait`, { signal: controller.signal }),
  );
  const pid = await pidIn(file);
  controller.abort();
  assert.deepEqual(await running, { kind: "interrupted" });
  assert.ok(await gone(pid));
  await Deno.remove(folder, { recursive: true });
});

Deno.test("start() waits for nothing that a program leaves behind in its group, and ends it", async () => {
  const folder = await Deno.makeTempDir();
  const file = join(folder, "left");
  const startedMs = performance.now();
  const end = await realChildren().start(shell(`sleep 300 & echo $! > ${file}; exit 0`));
  assert.deepEqual(end, { kind: "exited", code: 0 });
  assert.ok(performance.now() - startedMs < 5_000);
  assert.ok(await gone(await pidIn(file)));
  await Deno.remove(folder, { recursive: true });
});

Deno.test("ask() gives a program its input and tells its answer; null where it is absent", async () => {
  const children = realChildren();
  assert.deepEqual(await children.ask("sh", ["-c", "cat; exit 4"], "a\nb\n"), {
    code: 4,
    out: "a\nb\n",
    err: "",
  });
  assert.equal((await children.ask("sh", ["-c", "exit 0"], "x".repeat(1_000_000))).code, 0);
  assert.equal((await children.ask("no-such-program", [])).code, null);
});
