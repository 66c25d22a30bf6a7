import assert from "node:assert/strict";
import { join } from "node:path";
import { INCIDENT, newReport, newScenario } from "../../testdata/report/sample_report.ts";
import { type Bench, bench, channel, options } from "../../testdata/telegram/bench.ts";
import { createIo } from "../io/real.ts";
import { channelNeeds } from "./channel_needs.ts";
import { openSession } from "./session.ts";

const RED = await newReport([newScenario(), INCIDENT]);
const SECRET = "whsec-4f0b8c1d2e3f";
const REPORT = "2026-11-30T01-41-00Z-aaaaaaaa";
const MARK = "(forse già ricevuto)";

interface Posted {
  readonly body: Record<string, unknown>;
  readonly key: string | null;
}

/** An address that takes JSON; `answers` are given one after the other, then 200. */
async function withHook(
  use: (hook: {
    readonly url: string;
    readonly got: Posted[];
    readonly answers: (() => Response | Promise<Response>)[];
  }) => Promise<void>,
): Promise<void> {
  const got: Posted[] = [];
  const answers: (() => Response | Promise<Response>)[] = [];
  const stop = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: stop.signal,
    onListen: () => {},
  }, async (request) => {
    got.push({ body: await request.json(), key: request.headers.get("x-hook-key") });
    return await (answers.shift()?.() ?? new Response("ok"));
  });
  try {
    await use({ url: `http://127.0.0.1:${server.addr.port}/in/${SECRET}`, got, answers });
  } finally {
    stop.abort();
    await server.finished.catch(() => undefined);
  }
}

function webhook(body = ""): string {
  return `notify:\n  webhook: {url: {env: HOOK_URL}, headers: {X-Hook-Key: {env: HOOK_KEY}}${body}}\n`;
}

let minute = 0;

/** Sends once more, a minute later. */
async function again(b: Bench, ...args: string[]): Promise<number> {
  b.now = new Date(Date.parse(b.now) + 60_000 * ++minute).toISOString();
  return await b.eval(["notify", "--again", ...args]);
}

function assertHidden(b: Bench): void {
  const said = [...b.out, ...b.err].join("");
  assert.ok(!said.includes(SECRET) && !said.includes("/in/"), said);
}

Deno.test(
  "notify posts to a webhook what the template says, once, and keeps by the rules of the outbox",
  options,
  () =>
    bench((b) =>
      withHook(async ({ url, got, answers }) => {
        await b.report(REPORT, RED);
        b.env = { HOOK_URL: url, HOOK_KEY: SECRET };
        await b.config(webhook());
        assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
        assert.equal(await b.eval(["notify"]), 0);
        assert.equal(got.length, 1, "the same news once");
        const [first] = got;
        assert.equal(first?.key, SECRET);
        assert.deepEqual(Object.keys(first?.body ?? {}), ["text"]);
        const text = String(first?.body["text"]);
        assert.match(text, /^⛔ BLOCK · 1\/2 superati/);
        assert.doesNotMatch(text, /<\/?(b|code)>|&lt;/, "a place that is no chat gets plain text");
        assert.match(b.out.join(""), /consegnato: webhook\n.*già consegnato/);
        assert.ok((await b.outbox()).every(({ parts }) => parts.length === 1), "no picture");

        const body = ', body: \'{"content": first, "v": verdict, "again": repeat, "id": id}\'';
        await b.config(webhook(body));
        answers.push(
          () => new Response("", { status: 429, headers: { "retry-after": "7" } }),
          () => new Response("", { status: 502 }),
        );
        b.slept.length = 0;
        assert.equal(await again(b), 0, b.err.join(""));
        assert.deepEqual(b.slept.slice(0, 2), [7000, 6000], "the pause that was named is kept");
        const sent = got.slice(1).map(({ body }) => body);
        assert.deepEqual(sent.map(({ v }) => v), sent.map(() => "BLOCK"));
        assert.deepEqual(sent.slice(0, 3).map(({ again }) => again), [false, false, true]);
        assert.equal(new Set(sent.map(({ id }) => id)).size, 1);
        assert.ok(String(sent.at(-1)?.["content"]).endsWith(MARK));

        answers.push(() => new Response("no such hook", { status: 404 }));
        assert.equal(await again(b), 3);
        assert.match(b.err.join(""), /non consegnato \(webhook\): answer 404\n/);
        answers.push(() => new Response("", { status: 301, headers: { location: url } }));
        assert.equal(await again(b), 3);
        await b.config(webhook(", body: '$number(text)'"));
        assert.equal(await again(b), 3);
        assert.match(b.err.join(""), /the template of `body` gives no JSON/);
        b.env = { HOOK_URL: url };
        assert.equal(await b.eval(["notify"]), 2);
        assert.match(b.err.join(""), /"HOOK_KEY" is not set/);
        const free = Deno.listen({ hostname: "127.0.0.1", port: 0 });
        const nobody = `http://127.0.0.1:${free.addr.port}/in/x`;
        free.close();
        b.env = { HOOK_URL: `ftp://example.test/in/${SECRET}`, HOOK_KEY: SECRET };
        await b.config(webhook());
        assert.equal(await again(b), 3);
        assert.match(b.err.join(""), /`url` is not an address/);
        b.env = { HOOK_URL: nobody, HOOK_KEY: SECRET };
        await b.config(webhook());
        assert.equal(await again(b), 3);
        assert.match(b.err.join(""), /the connection was refused/);
        assertHidden(b);
        for (const { name } of Deno.readDirSync(join(b.folder, "reports/outbox"))) {
          const lies = await Deno.readTextFile(join(b.folder, "reports/outbox", name));
          assert.ok(!lies.includes(SECRET) && !lies.includes("/in/"), name);
        }
      })
    ),
);

Deno.test(
  "notify gives a program the message and little else, and ends it with all that it started",
  options,
  () =>
    bench(async (b) => {
      await b.report(REPORT, RED);
      b.env = { PATH: Deno.env.get("PATH") ?? "", KEY: SECRET, OTHER: "not for it", HOME: "/h" };
      const command = (script: string, more = "") =>
        b.config(
          `notify: {command: {argv: [sh, -c, ${
            JSON.stringify(script)
          }], env: {MAIL_KEY: {env: KEY}}${more}}}\n`,
        );
      await command("cat > got.txt; env > env.txt");
      assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
      assert.match(
        await Deno.readTextFile(join(b.folder, "got.txt")),
        /^⛔ BLOCK · 1\/2 superati[^]*\n$/,
      );
      const env = await Deno.readTextFile(join(b.folder, "env.txt"));
      const names = env.split("\n").map((line) => line.split("=")[0]).filter((name) =>
        !["", "PWD", "OLDPWD", "SHLVL", "_"].includes(name ?? "")
      );
      assert.deepEqual(names.sort(), ["HOME", "MAIL_KEY", "PATH"]);
      assert.match(env, new RegExp(`MAIL_KEY=${SECRET}`));
      await Deno.remove(join(b.folder, "env.txt"));

      await command(
        '[ -e tried ] && cat > second.txt || { touch tried; echo "no: $MAIL_KEY" >&2; exit 75; }',
      );
      assert.equal(await again(b), 0, b.err.join(""));
      assert.match(b.err.join(""), /^ {2}no: /m, "what a failing program says is shown, masked");
      const second = await Deno.readTextFile(join(b.folder, "second.txt"));
      assert.ok(second.split("\n")[0]?.endsWith(MARK), "one that failed may have sent it");

      await command("sleep 300 & echo $! > pid.txt; wait", ", timeout_s: 0.3");
      const started = performance.now();
      assert.equal(await again(b), 3);
      assert.ok(performance.now() - started < 30_000);
      const pid = Number(await Deno.readTextFile(join(b.folder, "pid.txt")));
      const state = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => ") Z");
      assert.match(state.split(") ")[1] ?? "", /^[ZX]/, "nothing of its group is left");
      assert.match(
        b.err.join(""),
        /non consegnato \(command\): the program took longer than 0.3 s/,
      );

      await b.config("notify: {command: {argv: [no-such-program-here]}}\n");
      assert.equal(await again(b), 3);
      assert.match(b.err.join(""), /the program could not be started/);
      assert.equal(
        await b.eval(["notify"], (io) => ({ children: { ...io.children, mayStart: () => false } })),
        2,
      );
      assert.match(b.err.join(""), /use `deno task notify:any`/);
      assertHidden(b);
    }),
);

Deno.test(
  "notify goes to every channel, to the one that --to names, or to a file",
  options,
  () =>
    bench((b) =>
      withHook(async ({ url, got }) => {
        await b.report(REPORT, RED);
        b.env = { ...b.env, HOOK_URL: url };
        const both = `${
          channel(b.api.root).trimEnd().slice(0, -1)
        }, webhook: {url: {env: HOOK_URL}}}\n`;
        await b.config(both);
        assert.equal(await b.eval(["notify"]), 0, b.err.join(""));
        assert.deepEqual([b.api.accepted.length, got.length], [1, 1]);
        assert.equal(await again(b, "--to", "webhook"), 0);
        assert.deepEqual([b.api.accepted.length, got.length], [1, 2]);
        assert.equal(await again(b, "--to", "-5551"), 0, b.err.join(""));
        assert.equal(b.api.accepted.at(-1)?.chat, "-5551");
        delete b.env["HOOK_URL"];
        assert.equal(await again(b), 2, "one that is not to be reached");
        assert.equal(b.api.accepted.length, 3, "keeps no other from its message");
        assert.equal(await b.eval(["notify", "--to", "command"]), 2);
        assert.equal(await b.eval(["notify", "--to", "anna@example.test"]), 2);
        assert.equal(await b.eval(["notify", "--to", "file:"]), 2);

        b.env = {};
        assert.equal(await b.eval(["notify", "--to", "file:out/message.txt"]), 0, b.err.join(""));
        const plain = await Deno.readTextFile(join(b.folder, "out/message.txt"));
        assert.match(plain, /^⛔ BLOCK · 1\/2 superati/);
        assert.equal(await b.eval(["notify", "--to", "file:m.html"]), 0);
        assert.match(await Deno.readTextFile(join(b.folder, "m.html")), /^<b>⛔ BLOCK<\/b>/);
        assert.equal(b.api.accepted.length, 3);
      })
    ),
);

Deno.test("notify --digest tells of the week, once a day", options, () =>
  bench(async (b) => {
    await b.report(REPORT, RED);
    await b.report("2026-11-20T01-41-00Z-bbbbbbbb", { ...RED, time: "2026-11-20T02:41:00+01:00" });
    await b.report("2026-10-20T01-41-00Z-cccccccc", { ...RED, time: "2026-10-20T02:41:00+02:00" });
    assert.equal(await b.eval(["notify", "--digest"]), 0, b.err.join(""));
    assert.equal(await b.eval(["notify", "--digest"]), 0);
    const texts = b.api.accepted.filter(({ method }) => method === "sendMessage");
    assert.equal(texts.length, 1);
    assert.match(
      texts[0]?.text ?? "",
      /^<b>📅 SETTIMANA 24 nov – 30 nov<\/b> · 1 prova · ultima BLOCK/,
    );
    assert.equal(b.api.accepted.at(-1)?.method, "sendPhoto");
    assert.equal(await b.eval(["notify", "--digest", "reports/x"]), 2);
    const ledger = join(b.folder, "regressions.md");
    await Deno.writeTextFile(ledger, "# Nothing of ours\n");
    const broken = join(b.folder, "reports/runs/2026-11-29T01-41-00Z-dddddddd");
    await Deno.mkdir(broken);
    await Deno.writeTextFile(join(broken, "report.json"), "{");
    assert.equal(await b.eval(["notify", "--digest", "--dry-run"]), 0);
    assert.match(
      b.out.at(-1) ?? "",
      /1 rapporto di questi giorni non si legge[^]*regressions.md non è utilizzabile/,
    );
    await Deno.remove(ledger);
    await Deno.remove(broken, { recursive: true });
    b.now = "2026-12-20T18:00:00+01:00";
    assert.equal(await b.eval(["notify", "--digest", "--dry-run"]), 0);
    assert.match(b.out.at(-1) ?? "", /^<b>⚠️ SETTIMANA .* NESSUNA PROVA/);
  }));

Deno.test("a job that sends may reach its channels and no more", options, () =>
  bench(async (b) => {
    const needs = async (env: Record<string, string>) => {
      const io = { ...createIo(undefined), cwd: b.folder, env: (name: string) => env[name] };
      const session = await openSession(io);
      assert.ok(typeof session !== "number");
      return channelNeeds(session);
    };
    const local = new URL(b.api.root).host;
    assert.deepEqual(await needs({}), { hosts: [local], programs: false });
    await b.config("notify: {webhook: {url: {env: HOOK_URL}}, command: {argv: [mail]}}\n");
    assert.deepEqual(await needs({ HOOK_URL: "https://hook.example.test/in/x" }), {
      hosts: ["hook.example.test"],
      programs: true,
    });
    assert.deepEqual(await needs({ HOOK_URL: "nonsense" }), { hosts: null, programs: true });
    await b.config(
      "notify: {telegram: {token: {env: T}, chat: {env: C}}}\n",
    );
    assert.deepEqual((await needs({})).hosts, ["api.telegram.org"]);
  }));
