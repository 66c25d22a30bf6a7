import assert from "node:assert/strict";
import { realHttp } from "./http.ts";

const never = new AbortController().signal;

async function withServer(
  handle: (request: Request) => Response | Promise<Response>,
  use: (base: string) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
    signal: stop.signal,
  }, handle);
  try {
    await use(`http://127.0.0.1:${server.addr.port}`);
  } finally {
    stop.abort();
  }
}

Deno.test("post() sends JSON with its headers and gives status, headers and text", () =>
  withServer(
    async (request) => {
      const seen = `${request.method} ${request.headers.get("authorization")}`;
      const body = `${request.headers.get("content-type")} ${await request.text()}`;
      return new Response(`${seen} ${body} perché`, {
        status: 429,
        headers: { "Retry-After": "7" },
      });
    },
    async (base) => {
      const answer = await realHttp().post(
        `${base}/v1`,
        { headers: { authorization: "Bearer k" }, body: { a: [1] } },
        { timeoutMs: 5000, signal: never },
      );
      assert.equal(answer.status, 429);
      assert.equal(answer.headers["retry-after"], "7");
      assert.equal(answer.text, 'POST Bearer k application/json {"a":[1]} perché');
    },
  ));

Deno.test("post() ends a connection that hangs, before the answer or in the middle of it", () => {
  const hung = Promise.withResolvers<void>();
  const handle = async (request: Request) => {
    if (request.url.includes("/never")) await hung.promise;
    const half = async function* () {
      yield new Uint8Array([123]);
      await hung.promise;
    };
    return new Response(ReadableStream.from(half()));
  };
  return withServer(handle, async (base) => {
    for (const path of ["/never", "/half"]) {
      const late = realHttp().post(
        `${base}${path}?key=s3cret`,
        { headers: {}, body: {} },
        { timeoutMs: 150, signal: never },
      );
      await assert.rejects(late, {
        name: "TimeoutError",
        message: `No answer from "${base}${path}" within 0.15 s`,
      });
      const interrupted = realHttp().post(
        `${base}${path}`,
        { headers: {}, body: {} },
        { timeoutMs: 60_000, signal: AbortSignal.timeout(50) },
      );
      await assert.rejects(interrupted, {
        name: "TimeoutError",
        message: /aborted due to timeout$/,
      });
    }
  }).finally(hung.resolve);
});

Deno.test("post() takes a redirect as the answer, so that the key goes nowhere else", () =>
  withServer(
    () => new Response(null, { status: 307, headers: { location: "http://127.0.0.1:9/" } }),
    async (base) => {
      const answer = await realHttp().post(base, { headers: {}, body: {} }, {
        timeoutMs: 5000,
        signal: never,
      });
      assert.equal(answer.status, 307);
    },
  ));

Deno.test("post() says what it could not reach without query, user or password", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const options = { timeoutMs: 5000, signal: never };
  await assert.rejects(
    realHttp().post(`http://u:p@127.0.0.1:${port}/v1?key=k`, { headers: {}, body: {} }, options),
    { message: `Cannot reach "http://127.0.0.1:${port}/v1": the connection was refused` },
  );
  await assert.rejects(
    realHttp().post("not an address", { headers: {}, body: {} }, options),
    { message: 'Cannot reach "(not a URL)": it is not an address' },
  );
});
