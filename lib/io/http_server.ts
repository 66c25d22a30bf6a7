/**
 * Who asks on loopback? A server on 127.0.0.1 at a free port, below a path that only its address
 * holds, or at a place that is given: whoever does not know it gets 404. In: a handler. Out: its
 * address, and a way to close it that ends open connections too.
 */
import type { FixedPlace, GivenAnswer, HttpHandler, Listening } from "../model/serving.ts";
import { whyFailed } from "./failure.ts";

/** A longer request is none of a model's or a tool's. */
const BYTES_MAX = 64 * 1024 * 1024;
/** How long open connections may take to end by themselves. */
const CLOSE_MS = 200;

/** Listens until it is closed; what a handler throws is answered with 500. */
export function serveHttp(handle: HttpHandler, place?: FixedPlace): Promise<Listening> {
  const { port, path } = place ?? { port: 0, path: crypto.randomUUID().replaceAll("-", "") };
  const prefix = path === "" ? "" : `/${path}`;
  const stop = new AbortController();
  try {
    const server = Deno.serve(
      { hostname: "127.0.0.1", port, signal: stop.signal, onListen: () => {} },
      (request) => answer(request, { handle, prefix }),
    );
    const url = `http://127.0.0.1:${server.addr.port}${prefix}`;
    return Promise.resolve({ url, close: () => close(server, stop) });
  } catch (cause) {
    const taken = cause instanceof Deno.errors.AddrInUse ? "the port is taken" : whyFailed(cause);
    return Promise.reject(new Error(`Cannot listen at "127.0.0.1:${port}": ${taken}`, { cause }));
  }
}

async function close(server: Deno.HttpServer, stop: AbortController): Promise<void> {
  stop.abort();
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, CLOSE_MS);
  await Promise.race([server.finished, late.promise]);
  clearTimeout(timer);
}

interface Behind {
  readonly handle: HttpHandler;
  readonly prefix: string;
}

async function answer(request: Request, { handle, prefix }: Behind): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (pathname !== prefix && !pathname.startsWith(`${prefix}/`)) {
    await request.body?.cancel();
    return new Response("Not found\n", { status: 404 });
  }
  try {
    const body = await bodyOf(request);
    if (body === null) return new Response("Longer than 64 MiB\n", { status: 413 });
    return responseOf(
      await handle({
        method: request.method,
        path: `${pathname.slice(prefix.length) || "/"}${search}`,
        headers: Object.fromEntries(request.headers),
        body,
        signal: request.signal,
      }),
    );
  } catch (cause) {
    return new Response(`${whyFailed(cause)}\n`, { status: 500 });
  }
}

async function bodyOf(request: Request): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function responseOf({ status, headers, body }: GivenAnswer): Response {
  if (typeof body === "string") {
    const none = status === 202 || status === 204 || status === 304;
    return new Response(none && body === "" ? null : body, { status, headers: { ...headers } });
  }
  return new Response(streamOf(body), { status, headers: { ...headers } });
}

function streamOf(pieces: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
