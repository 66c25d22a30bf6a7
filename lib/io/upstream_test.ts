/** Is a model's request handed on, and its answer brought back, as they come? Over real connections. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { GivenAnswer } from "../model/serving.ts";
import { modelService } from "../run/model_service.ts";
import { replayModel } from "../run/replay_model.ts";
import { recordingOf, shopScenario } from "../run/test_scenario.ts";
import { MODEL_APIS } from "../wire/api/apis.ts";
import { writeCommand } from "../wire/api/file_writing.ts";
import { realClock } from "./clock.ts";
import { serveHttp } from "./http_server.ts";
import { realUpstream } from "./upstream.ts";

const REQUEST = { method: "POST", headers: {}, body: "{}", timeoutMs: 20_000 };

function never(): AbortSignal {
  return new AbortController().signal;
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) text += decoder.decode(piece, { stream: true });
  return text;
}

Deno.test("realUpstream() passes pieces on before the answer is whole", async () => {
  const second = Promise.withResolvers<void>();
  async function* pieces() {
    yield "data: 1\n\n";
    await second.promise;
    yield "data: 2\n\n";
  }
  const server = await serveHttp(({ headers, body, method, path }) => {
    const answer: GivenAnswer = {
      status: 201,
      headers: { "content-type": "text/event-stream", "x-heard": headers["x-key"] ?? "", path },
      body: pieces(),
    };
    assert.deepEqual([method, body], ["POST", '{"a": 1}']);
    return Promise.resolve(answer);
  });
  const given = await realUpstream().send(`${server.url}/v1/x?alt=sse`, {
    ...REQUEST,
    body: '{"a": 1}',
    headers: { "x-key": "k" },
    signal: never(),
  });
  assert.deepEqual([given.status, given.headers["x-heard"]], [201, "k"]);
  assert.equal(given.headers.path, "/v1/x?alt=sse");
  assert.equal(given.headers["transfer-encoding"], undefined);
  const iterator = given.body[Symbol.asyncIterator]();
  const first = await iterator.next();
  assert.equal(new TextDecoder().decode(first.value), "data: 1\n\n");
  second.resolve();
  const rest = await iterator.next();
  assert.equal(new TextDecoder().decode(rest.value), "data: 2\n\n");
  assert.equal((await iterator.next()).done, true);
  await server.close();
});

Deno.test("realUpstream() says late, interrupted and unreached, without the query", async () => {
  const server = await serveHttp(({ path }) => {
    if (path.startsWith("/hang")) return new Promise(() => {});
    async function* half() {
      yield "x";
      await new Promise(() => {});
    }
    return Promise.resolve({ status: 200, headers: {}, body: half() });
  });
  const send = (path: string, more: Partial<typeof REQUEST & { signal: AbortSignal }>) =>
    realUpstream().send(`${server.url}${path}?key=s3cret`, {
      ...REQUEST,
      signal: never(),
      ...more,
    });
  await assert.rejects(send("/hang", { timeoutMs: 100 }), (error: Error) => {
    return error.name === "TimeoutError" && !error.message.includes("s3cret");
  });
  const stop = new AbortController();
  setTimeout(() => stop.abort(new Error("stopped")), 50);
  await assert.rejects(send("/hang", { signal: stop.signal }), /stopped/);
  const half = await send("/half", { timeoutMs: 300 });
  await assert.rejects(textOf(half.body), { name: "TimeoutError" });
  await server.close();
  await assert.rejects(send("/x", {}), (error: Error) => {
    return error.message.includes("the connection was refused") &&
      !error.message.includes("s3cret");
  });
});

Deno.test("a model served over HTTP plays 50 runs at once, directly and handed on", async () => {
  const plays = Array.from({ length: 50 }, async (_, i) => {
    const model = replayModel(recordingOf([{ say: `Fatto ${i}` }]), shopScenario());
    const run = { apis: MODEL_APIS, workspace: "/run/a/work", home: "/run/a/home" };
    const said = () => ["Ciao"];
    const service = modelService({ ...run, model, said });
    const server = await serveHttp(service.handle);
    const live = modelService({
      ...run,
      said,
      model: {
        upstream: realUpstream(),
        clock: realClock(),
        config: { api: "chat", name: "m", timeout_s: 20 },
        baseUrl: `${server.url}/v1`,
        key: null,
      },
    });
    const outer = await serveHttp(live.handle);
    for (const url of [server.url, outer.url]) {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        body: JSON.stringify({
          stream: true,
          messages: [{ role: "user", content: "Ciao" }],
          tools: [{ type: "function", function: { name: "bash" } }],
        }),
      });
      const text = await response.text();
      assert.ok(text.includes(`"content":"Fatto ${i}"`), text);
      assert.ok(text.endsWith("data: [DONE]\n\n"));
    }
    assert.deepEqual([service.seen().turns, live.seen().turns], [2, 1]);
    await outer.close();
    await server.close();
  });
  await Promise.all(plays);
});

Deno.test("writeCommand() writes any text exactly", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const texts = ["", "no end", "two\nlines\n", 'it\'s $HOME `x` \\ "q" %s\n', "\r\n\t\u{1F600}"];
    for (const [i, text] of texts.entries()) {
      const path = `${folder}/a b/it's ${i}`;
      await promisify(execFile)("/bin/sh", ["-c", writeCommand(path, text)]);
      assert.equal(await Deno.readTextFile(path), text);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
