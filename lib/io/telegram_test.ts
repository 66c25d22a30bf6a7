import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { serveBotApi, TOKEN } from "../../testdata/telegram/bot_api.ts";
import type { Sendable, SendOutcome } from "../model/ports.ts";
import { realChat } from "./telegram.ts";

const CHAT = "987654321";
const text = (content: string, html = true): Sendable => ({
  kind: "text",
  text: content,
  html,
  quiet: false,
});
const photo: Sendable = {
  kind: "photo",
  name: "trend.png",
  bytes: new Uint8Array(200_000).fill(7),
  caption: "Già 3 prove",
};

async function send(
  root: string,
  part: Sendable,
  { token = TOKEN, timeoutMs = 5_000, signal = new AbortController().signal } = {},
): Promise<SendOutcome> {
  const address = { token, chat: CHAT, apiRoot: root };
  return await realChat().send(address, part, { timeoutMs, signal });
}

// telegraf keeps its connections open for the next call.
const options = { sanitizeOps: false, sanitizeResources: false } as const;

Deno.test("chat.send() delivers texts, pictures and documents", options, async () => {
  const api = serveBotApi();
  assert.deepEqual(await send(api.root, text("<b>È</b> &lt;5")), { kind: "sent", messageId: 41 });
  assert.deepEqual(await send(api.root, text("a < b & c", false)), {
    kind: "sent",
    messageId: 42,
  });
  assert.deepEqual(await send(`${api.root}/`, photo), { kind: "sent", messageId: 43 });
  assert.deepEqual(await send(api.root, { ...photo, kind: "document", name: "report.md" }), {
    kind: "sent",
    messageId: 44,
  });
  const [first, second, third, fourth] = api.accepted;
  assert.deepEqual([first?.text, first?.html, first?.chat], ["<b>È</b> &lt;5", true, CHAT]);
  assert.deepEqual([second?.text, second?.html], ["a < b & c", false]);
  assert.deepEqual([third?.method, third?.text, third?.bytes?.length, third?.name], [
    "sendPhoto",
    "Già 3 prove",
    200_000,
    "trend.png",
  ]);
  assert.equal(fourth?.method, "sendDocument");
  await api.close();
});

Deno.test(
  "chat.send() says what became of a call that went wrong, for texts and pictures",
  options,
  async () => {
    const api = serveBotApi();
    const rows: readonly (readonly [Parameters<typeof api.faults.push>[0], SendOutcome])[] = [
      [{ kind: "busy", retryAfter: 7 }, { kind: "busy", retryAfterS: 7 }],
      [{ kind: "status", status: 502 }, { kind: "unsure", why: "answer 502" }],
      [{ kind: "hang" }, { kind: "unsure", why: "no answer within 0.4 s" }],
      [{ kind: "no_id" }, { kind: "unsure", why: "the answer names no message" }],
      [{ kind: "refuse", description: "Bad Request: can't parse entities: x" }, {
        kind: "refused",
        why: "answer 400: Bad Request: can't parse entities: x",
        markup: true,
      }],
      [{ kind: "refuse", description: `Bad Request: chat of ${TOKEN} not found` }, {
        kind: "refused",
        why: "answer 400: Bad Request: chat of [token] not found",
        markup: false,
      }],
      [{ kind: "refuse", description: "Bad Request: chat not found" }, {
        kind: "refused",
        why: "answer 400: Bad Request: chat not found " +
          "(is it the number of the chat, and was the bot written to first?)",
        markup: false,
      }],
    ];
    for (const part of [text("x"), photo]) {
      for (const [fault, wanted] of rows) {
        api.faults.push(fault);
        const found = await send(api.root, part, {
          timeoutMs: fault.kind === "hang" ? 400 : 5_000,
        });
        const worded = found.kind === "unsure" && fault.kind === "status"
          ? { ...found, why: found.why.slice(0, 10) }
          : found;
        assert.deepEqual(worded, wanted, `${part.kind} ${fault.kind}`);
      }
      api.faults.push({ kind: "cut" });
      assert.equal((await send(api.root, part)).kind, "unsure", `${part.kind} cut`);
    }
    assert.equal(api.accepted.length, 0);
    await api.close();
  },
);

Deno.test("no message follows a redirect to another server", options, async () => {
  const other = serveBotApi();
  const portal = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    ({ url }) =>
      new Response("<html>", {
        status: 307,
        headers: { location: `${other.root}${new URL(url).pathname}` },
      }),
  );
  const root = `http://127.0.0.1:${portal.addr.port}`;
  for (const part of [text("x"), photo]) {
    const found = await send(root, part);
    assert.deepEqual(found, { kind: "unreached", why: "it names another address" }, part.kind);
  }
  assert.deepEqual([other.calls.count, other.accepted.length], [0, 0]);
  await portal.shutdown();
  await other.close();
});

Deno.test(
  "a call that is cut short is made once, also over a connection that was used",
  options,
  async () => {
    const api = serveBotApi();
    for (const part of [text("x"), photo]) {
      await send(api.root, part);
      const before = api.accepted.length;
      api.faults.push({ kind: "hang", accept: true });
      const cut = await send(api.root, part, { timeoutMs: 400 });
      assert.equal(cut.kind, "unsure");
      await new Promise((done) => setTimeout(done, 300));
      assert.equal(api.accepted.length, before + 1, part.kind);
    }
    await api.close();
  },
);

Deno.test(
  "chat.send() knows a server that is not there, a wrong token, an interruption; no outcome holds the token",
  options,
  async () => {
    const api = serveBotApi();
    const { root } = api;
    const wrong = await send(root, text("x"), { token: "1:wrong-token" });
    assert.deepEqual(wrong, {
      kind: "refused",
      why: "answer 401: Unauthorized (is it the token that BotFather gave?)",
      markup: false,
    });
    const stop = new AbortController();
    api.faults.push({ kind: "hang" });
    setTimeout(() => stop.abort(new Error("Interrupted")), 100);
    const cut = await send(root, text("x"), { signal: stop.signal });
    assert.deepEqual(cut, { kind: "unsure", why: "interrupted" });
    await api.close();
    const outcomes: SendOutcome[] = [wrong, cut];
    for (const part of [text("x"), photo]) {
      const refused = await send(root, part);
      assert.deepEqual(
        refused,
        { kind: "unreached", why: "the connection was refused" },
        part.kind,
      );
      const nowhere = await send("http://no-such-host.invalid", part);
      assert.notEqual(nowhere.kind, "sent");
      const nonsense = await send("not an address", part);
      assert.equal(nonsense.kind, "refused", part.kind);
      outcomes.push(refused, nowhere, nonsense);
    }
    assert.doesNotMatch(JSON.stringify(outcomes), /AAHdqTcv|wrong-token|987654321/);
  },
);

Deno.test(
  "chat.updates() reads what was written, confirms it, and says what went wrong",
  options,
  async () => {
    const api = serveBotApi();
    const address = { token: TOKEN, chat: CHAT, apiRoot: api.root };
    const ask = (offset: number | null, over = {}, timeoutMs = 5_000) =>
      realChat().updates({ ...address, ...over }, { offset, waitS: 0 }, {
        timeoutMs,
        signal: new AbortController().signal,
      });
    const message = { chat: { id: 5, type: "private" }, date: 1_764_484_200, text: "/status" };
    const first = api.write({ message });
    api.write({ message: { ...message, chat: { id: -7, type: "group" }, text: undefined } });
    api.write({ message: { ...message, chat: "5" } });
    api.write({ callback_query: { data: "/run" } });
    const at = "2025-11-30T06:30:00.000Z";
    const found = await ask(null);
    assert.deepEqual(found, {
      kind: "updates",
      updates: [
        { id: first, message: { chat: "5", isPrivate: true, text: "/status", at } },
        { id: first + 1, message: { chat: "-7", isPrivate: false, text: null, at } },
        { id: first + 2, message: null },
        { id: first + 3, message: null },
      ],
    });
    assert.deepEqual(await ask(first + 4), { kind: "updates", updates: [] });
    api.pollFaults.push({ kind: "conflict" }, { kind: "busy", retryAfter: 7 });
    assert.deepEqual(await ask(null), { kind: "conflict" });
    assert.deepEqual(await ask(null), { kind: "busy", retryAfterS: 7 });
    for (
      const fault of [{ kind: "status", status: 502 }, { kind: "cut" }, { kind: "no_id" }] as const
    ) {
      api.pollFaults.push(fault);
      assert.equal((await ask(null)).kind, "unsure", fault.kind);
    }
    api.pollFaults.push({ kind: "hang" });
    assert.deepEqual(await ask(null, {}, 300), { kind: "unsure", why: "no answer within 0.3 s" });
    const wrong = await ask(null, { token: "1:wrong-token" });
    assert.equal(
      wrong.kind === "refused" && wrong.why.startsWith("answer 401: Unauthorized"),
      true,
    );
    await api.close();
    assert.deepEqual(await ask(null), { kind: "unreached", why: "the connection was refused" });
  },
);

Deno.test("the Bot API is reached by https also where the task may ask the system nothing", async () => {
  const file = (name: string) =>
    fileURLToPath(new URL(`../../testdata/telegram/${name}`, import.meta.url));
  const [cert, key] = ["localhost.cert.pem", "localhost.key.pem"].map(file);
  const asked: string[] = [];
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: await Deno.readTextFile(cert ?? ""),
    key: await Deno.readTextFile(key ?? ""),
    onListen: () => {},
  }, async (request) => {
    asked.push(`${new URL(request.url).pathname} ${(await request.json()).text ?? ""}`);
    const isMessage = request.url.endsWith("sendMessage");
    return Response.json({ ok: true, result: isMessage ? { message_id: 41 } : [] });
  });
  const root = `https://localhost:${server.addr.port}`;
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--cached-only", "--no-check", "--cert", cert ?? ""],
      ...[
        "--allow-net=localhost",
        "--allow-env",
        "--allow-read",
        file("https_send.ts"),
        root,
        TOKEN,
      ],
    ],
  }).output();
  await server.shutdown();
  const said = new TextDecoder().decode(stdout);
  assert.notEqual(said, "", new TextDecoder().decode(stderr));
  assert.deepEqual(JSON.parse(said), {
    sys: "prompt",
    sent: { kind: "sent", messageId: 41 },
    updates: { kind: "updates", updates: [] },
  });
  assert.deepEqual(asked, [`/bot${TOKEN}/sendMessage <b>è</b>`, `/bot${TOKEN}/getUpdates `]);
});
