import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import type { AgentEnd, AgentStart } from "../model/agent_process.ts";
import { realAgentProcesses } from "./agent_process.ts";
import { CappedLines } from "./capped_lines.ts";
import { type HoldTool, programHolder } from "./process_hold.ts";
import { parseRecord, watchRecords } from "./shell_records.ts";

const AGENTS = join(import.meta.dirname ?? ".", "../../testdata/agents");
const PATH = "/usr/local/bin:/usr/bin:/bin";
const never = new AbortController().signal;

interface Heard {
  readonly start: AgentStart;
  readonly lines: string[];
  readonly folder: string;
}

async function withFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "collaudo-test-" });
  try {
    await work(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function given(folder: string, more: Partial<AgentStart>): Heard {
  const lines: string[] = [];
  const start: AgentStart = {
    argv: ["sh", "-c", "true"],
    cwd: folder,
    env: { PATH },
    input: null,
    limitMs: 30_000,
    signal: never,
    outFile: join(folder, "out.log"),
    errFile: join(folder, "err.log"),
    keep: (_, line) => line,
    line: (text) => lines.push(text),
    sandbox: null,
    ...more,
  };
  return { start, lines, folder };
}

async function beats(file: string): Promise<string> {
  return await Deno.readTextFile(file).catch(() => "");
}

async function until(holds: () => Promise<boolean>): Promise<boolean> {
  for (let n = 0; n < 400; n++) {
    if (await holds()) return true;
    await new Promise((done) => setTimeout(done, 25));
  }
  return false;
}

const agents = realAgentProcesses();

Deno.test("start() gives a program its arguments, input and nothing but its own environment", async () => {
  await withFolder(async (folder) => {
    Deno.env.set("COLLAUDO_TEST_KEY", "not for agents");
    const script = 'cat; printf "%s|" "$@"; echo; env | cut -d= -f1 | sort; echo bad >&2; exit 3';
    const { start, lines } = given(folder, {
      argv: ["sh", "-c", script, "sh", "a b", "$HOME", "; ls"],
      env: { PATH, GIVEN: "1" },
      input: "the prompt\n",
      keep: (stream, line) => `${stream}: ${line}`,
    });
    const ended = await agents.start(start);
    Deno.env.delete("COLLAUDO_TEST_KEY");
    assert.deepEqual(ended.end, { kind: "exited", code: 3 });
    assert.deepEqual(lines.slice(0, 2), ["the prompt", "a b|$HOME|; ls|"]);
    const names = lines.slice(2).filter((name) => !["PWD", "OLDPWD", "SHLVL", "_"].includes(name));
    assert.deepEqual(names, ["GIVEN", "PATH"]);
    assert.match(await Deno.readTextFile(start.outFile), /^out: the prompt\nout: a b\|/);
    assert.equal(await Deno.readTextFile(start.errFile), "err: bad\n");
    assert.ok(ended.outBytes > 20 && ended.errBytes === 4 && ended.durationMs > 0);
  });
});

Deno.test("start() says why nothing was started", async () => {
  await withFolder(async (folder) => {
    const end = async (more: Partial<AgentStart>) =>
      (await agents.start(given(folder, more).start)).end;
    const absent = await end({ argv: ["no-such-agent"] });
    assert.ok(absent.kind === "not_started" && absent.why.includes('no program "no-such-agent"'));
    await Deno.writeTextFile(join(folder, "plain"), "no program");
    assert.equal((await end({ argv: [join(folder, "plain")] })).kind, "not_started");
    assert.equal((await end({ argv: ["sh"], cwd: join(folder, "gone") })).kind, "not_started");
    assert.deepEqual(await end({ signal: AbortSignal.abort() }), { kind: "interrupted" });
  });
});

/** Every way of holding processes that this machine has; the group alone cannot hold all. */
const WAYS: readonly (readonly HoldTool[])[] = [["bwrap"], ["unshare"], []];

for (const tools of WAYS) {
  const holder = programHolder(tools);
  const { hold } = await holder.hold(["/bin/true"]);
  const isMissing = tools.length > 0 && hold === "group";
  Deno.test({
    name: `start() ends all of a stubborn agent within 2 s of its limit, held by ${
      tools[0] ?? "its group"
    }`,
    ignore: isMissing,
    fn: async () => {
      await withFolder(async (folder) => {
        const beat = join(folder, "beat");
        const { start, lines } = given(folder, {
          argv: [join(AGENTS, "stubborn.sh"), folder],
          limitMs: 1_500,
        });
        const began = performance.now();
        const ended = await realAgentProcesses(holder).start(start);
        const took = performance.now() - began;
        assert.equal(ended.end.kind, "timeout");
        assert.equal(ended.hold, hold);
        assert.ok(took < 1_500 + 2_000, `it took ${took} ms`);
        assert.ok(await beats(beat) !== "", "the child never lived");
        const last = await beats(beat);
        await new Promise((done) => setTimeout(done, 400));
        assert.equal(await beats(beat), last, "the child lives on");
        assert.equal(lines[0], "started");
        assert.equal(lines[1], '{"type":"flood"}');
        assert.ok((await Deno.stat(start.outFile)).size > 100_000, "no partial output");
      });
    },
  });

  Deno.test({
    name: `start() leaves nothing running after a normal end, held by ${tools[0] ?? "its group"}`,
    ignore: isMissing,
    fn: async () => {
      await withFolder(async (folder) => {
        const beat = join(folder, "beat");
        // A group cannot hold a session of its own: that is what its warning is about.
        const away = tools.length > 0 ? "setsid " : "";
        const loop = `${away}sh -c 'while :; do date +%s%N >>"$1"; sleep 0.05; done' sh "$1"`;
        const script = `${loop} & while [ ! -s "$1" ]; do sleep 0.02; done; echo done`;
        const { start, lines } = given(folder, { argv: ["sh", "-c", script, "sh", beat] });
        const ended = await realAgentProcesses(holder).start(start);
        assert.deepEqual(ended.end, { kind: "exited", code: 0 });
        assert.deepEqual(lines, ["done"]);
        const last = await beats(beat);
        await new Promise((done) => setTimeout(done, 300));
        assert.equal(await beats(beat), last, "the child lives on");
      });
    },
  });
}

Deno.test("start() gives SIGTERM first: an agent may say its last words", async () => {
  await withFolder(async (folder) => {
    const stop = new AbortController();
    const script = "trap 'echo last words; exit 0' TERM; echo ready; while :; do sleep 0.05; done";
    const { start, lines } = given(folder, { argv: ["sh", "-c", script], signal: stop.signal });
    const ending = agents.start(start);
    assert.ok(await until(() => Promise.resolve(lines.includes("ready"))));
    stop.abort();
    assert.equal((await ending).end.kind, "interrupted");
    assert.deepEqual(lines, ["ready", "last words"]);
  });
});

Deno.test("start() streams 200 MB to the disk without holding it, and cuts an endless line", async () => {
  await withFolder(async (folder) => {
    let count = 0;
    const script = "yes \"$1\" | head -c 200000000; printf '\\n'; head -c 30000000 /dev/zero";
    const { start } = given(folder, {
      argv: ["sh", "-c", script, "sh", `{"text":"${"word ".repeat(80)}"}`],
      limitMs: 120_000,
      line: () => count++,
    });
    const before = Deno.memoryUsage().rss;
    let peak = 0;
    const watch = setInterval(() => peak = Math.max(peak, Deno.memoryUsage().rss), 20);
    const ended = await agents.start(start);
    clearInterval(watch);
    assert.deepEqual(ended.end, { kind: "exited", code: 0 });
    assert.equal(ended.outBytes, 230_000_001);
    assert.equal(ended.cutLines, 1);
    assert.ok(count > 480_000, `${count} lines`);
    const size = (await Deno.stat(start.outFile)).size;
    assert.ok(size > 208_000_000 && size < 210_000_000, `${size} bytes`);
    const grown = (Math.max(peak, before) - before) / 1e6;
    assert.ok(grown < 190, `memory grew by ${grown} MB`);
  });
});

Deno.test("CappedLines cuts lines wherever the pieces do", () => {
  const read = (pieces: readonly string[], max = 100) => {
    const lines = new CappedLines(max);
    const found = pieces.flatMap((piece) => [...lines.take(new TextEncoder().encode(piece))]);
    const rest = lines.rest();
    return [...found, ...(rest === null ? [] : [rest])].map(({ text, cutBytes }) =>
      cutBytes === 0 ? text : `${text}+${cutBytes}`
    );
  };
  const text = "one\r\n\ntwo\nthree";
  for (let cut = 0; cut <= text.length; cut++) {
    assert.deepEqual(read([text.slice(0, cut), text.slice(cut)]), ["one", "", "two", "three"]);
  }
  assert.deepEqual(read(["12345678", "9\nab\n"], 4), ["1234+5", "ab"]);
  assert.deepEqual(read(["123456789"], 4), ["1234+5"]);
  assert.deepEqual(read([]), []);
});

const noSandbox = await agents.sandboxMissing();
if (noSandbox !== null) console.log(`sandbox tests are skipped: ${noSandbox}`);

async function inSandbox(
  folder: string,
  { script, ports = [] }: { readonly script: string; readonly ports?: readonly number[] },
): Promise<{ readonly ended: AgentEnd; readonly lines: string[]; readonly err: string }> {
  const work = join(folder, "work");
  await Deno.mkdir(work, { recursive: true });
  const program = join(folder, "program/agent.sh");
  await Deno.mkdir(dirname(program), { recursive: true });
  await Deno.writeTextFile(program, `#!/bin/sh\n${script}\n`);
  await Deno.chmod(program, 0o755);
  await Deno.mkdir(join(folder, "sandbox"), { recursive: true });
  const { start, lines } = given(folder, {
    argv: [program],
    cwd: work,
    sandbox: {
      writable: [work],
      readable: [dirname(program)],
      ports,
      folder: join(folder, "sandbox"),
    },
  });
  const ended = await agents.start(start);
  return { ended, lines, err: await Deno.readTextFile(start.errFile) };
}

Deno.test({
  name: "a sandbox shows its own folders, no keys and no network but the ports that it is given",
  ignore: noSandbox !== null,
  fn: async () => {
    await withFolder(async (folder) => {
      await Deno.writeTextFile(join(folder, "key"), "of the owner");
      const open = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        async (request) => new Response(`heard ${(await request.text()).length}\n`),
      );
      const shut = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        () => new Response("must not be reached"),
      );
      const ask = (port: number) =>
        `bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && printf "POST / HTTP/1.0\\r\\n` +
        `Content-Length: 5\\r\\n\\r\\nhello" >&3 && tail -n 1 <&3' || echo "no ${port}"`;
      const script = [
        "echo mine >mine && cat mine",
        `ls ${folder} | tr '\\n' ' '; echo`,
        `cat ${folder}/key 2>&1 | grep -c 'No such'`,
        "ls /root /home 2>&1 | grep -c 'No such'",
        "cat /etc/shadow >/dev/null 2>&1 || echo hidden",
        "echo x >/usr/x || echo read-only",
        "echo x >/x || echo read-only",
        ask(open.addr.port),
        ask(shut.addr.port),
      ].join("\n");
      const { ended, lines } = await inSandbox(folder, { script, ports: [open.addr.port] });
      await Promise.all([open.shutdown(), shut.shutdown()]);
      assert.deepEqual(ended.end, { kind: "exited", code: 0 });
      assert.equal(ended.hold, "sandbox");
      assert.deepEqual(lines, [
        "mine",
        "program work ",
        "1",
        "2",
        "hidden",
        "read-only",
        "read-only",
        "heard 5",
        `no ${shut.addr.port}`,
      ]);
    });
  },
});

Deno.test({
  name: "a sandbox records each command of every shell with its exit code, and not what it starts",
  ignore: noSandbox !== null,
  fn: async () => {
    await withFolder(async (folder) => {
      const script = [
        "/bin/bash -lc 'echo one; (exit 3)'; echo $?",
        "/bin/sh -c 'bash -c \"exit 2\"' || true",
        'printf "a\\nb" | bash -c \'read x; echo "got $x $1"\' name "two words"',
        "bash -c 'kill -9 $PPID' ; true",
        "bash ./script.sh",
      ].join("\n");
      const { ended, lines } = await inSandbox(folder, { script });
      assert.deepEqual(ended.end, { kind: "exited", code: 127 });
      assert.deepEqual(lines, ["one", "3", "got a two words"]);
      assert.deepEqual(ended.commands.map(({ args, exitCode }) => ({ args, exitCode })), [
        { args: ["-lc", "echo one; (exit 3)"], exitCode: 3 },
        { args: ["-c", 'bash -c "exit 2"'], exitCode: 2 },
        { args: ["-c", 'read x; echo "got $x $1"', "name", "two words"], exitCode: 0 },
        { args: ["-c", "kill -9 $PPID"], exitCode: null },
      ]);
      for (const { startMs, endMs } of ended.commands) {
        assert.ok(endMs === null || endMs >= startMs);
      }
    });
  },
});

Deno.test({
  name: "a sandbox ends with its time limit, whatever its program does",
  ignore: noSandbox !== null,
  fn: async () => {
    await withFolder(async (folder) => {
      const program = await Deno.readTextFile(join(AGENTS, "stubborn.sh"));
      await Deno.mkdir(join(folder, "work"));
      await Deno.mkdir(join(folder, "sandbox"));
      await Deno.writeTextFile(join(folder, "work/stubborn.sh"), program, { mode: 0o755 });
      const { start, lines } = given(folder, {
        argv: [join(folder, "work/stubborn.sh"), join(folder, "work")],
        cwd: join(folder, "work"),
        limitMs: 1_500,
        sandbox: {
          writable: [join(folder, "work")],
          readable: [],
          ports: [],
          folder: join(folder, "sandbox"),
        },
      });
      const ended = await agents.start(start);
      assert.equal(ended.end.kind, "timeout");
      assert.ok(ended.durationMs < 1_500 + 2_000, `it took ${ended.durationMs} ms`);
      assert.equal(lines[0], "started");
      const last = await beats(join(folder, "work/beat"));
      assert.ok(last !== "", "the child never lived");
      await new Promise((done) => setTimeout(done, 300));
      assert.equal(await beats(join(folder, "work/beat")), last);
    });
  },
});

Deno.test("watchRecords() keeps what was whole, whatever is done to the file afterwards", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const ns = (ms: number) => `${1_764_460_800_000 + ms}000000`;
    const write = (name: string, text: string) => Deno.writeTextFile(`${folder}/${name}`, text);
    const watch = watchRecords(folder);
    await write("removed", `${ns(1)}\n-c\0one\0${ns(2)}\n3\n`);
    await write("rewritten", `${ns(3)}\n-c\0two\0${ns(4)}\n3\n`);
    await write("open", `${ns(5)}\n-c\0three\0`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await Deno.remove(`${folder}/removed`);
    await write("rewritten", `${ns(3)}\n-c\0two\0${ns(4)}\n0\n`);
    const found = await watch.end(1_764_460_800_000);
    assert.deepEqual(found.map(({ args, exitCode }) => [args[1], exitCode]), [
      ["one", 3],
      ["two", null],
      ["three", null],
    ]);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(folder)), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("parseRecord() reads whole and broken records, and nothing else", () => {
  const at = 1_764_460_800_000;
  const ns = (ms: number) => `${at + ms}000000`;
  assert.deepEqual(parseRecord(`${ns(5)}\n-c\0ls\nx\0${ns(9)}\n2\n`, at), {
    args: ["-c", "ls\nx"],
    startMs: 5,
    endMs: 9,
    exitCode: 2,
  });
  const cut = { args: ["-c", "ls"], startMs: 5, endMs: null, exitCode: null };
  for (const rest of ["", ns(9), `${ns(9)}\n`, `${ns(9)}\nno\n`]) {
    assert.deepEqual(parseRecord(`${ns(5)}\n-c\0ls\0${rest}`, at), cut, rest);
  }
  const twice = `${ns(9)}\n0\n`;
  assert.equal(parseRecord(`${ns(5)}\n-c\0ls\0${twice}${twice}`, at)?.exitCode, null);
  for (const none of ["", "words", "\n", `${ns(5)}\n`]) assert.equal(parseRecord(none, at), null);
});
