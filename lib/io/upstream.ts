/**
 * How is a request handed on and its answer brought back as it comes? One exchange of HTTP within a
 * time limit that covers the answer's body. A redirect is an answer, not followed: the key goes to
 * nobody else. Errors name neither the query nor the key.
 */
import type { Upstream, UpstreamRequest, UpstreamResponse } from "../model/upstream.ts";
import { lateError, unreachedError } from "./http.ts";

/** The network that the task may reach. */
export function realUpstream(): Upstream {
  return { send };
}

/** Headers of one connection, and of a body that was decoded on its way. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"],
  ...["set-cookie", "upgrade", "trailer"],
]);

async function send(url: string, request: UpstreamRequest): Promise<UpstreamResponse> {
  const { method, headers, body, timeoutMs, signal } = request;
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const failed = (cause: unknown) => {
    if (signal.aborted) return signal.reason;
    return limit.signal.aborted ? lateError(url, timeoutMs) : unreachedError(url, cause);
  };
  try {
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.any([limit.signal, signal]),
    });
    const kept = [...response.headers].filter(([name]) => !OF_CONNECTION.has(name));
    const pieces = piecesOf(response, { failed, done: () => clearTimeout(timer) });
    return { status: response.status, headers: Object.fromEntries(kept), body: pieces };
  } catch (cause) {
    clearTimeout(timer);
    throw failed(cause);
  }
}

async function* piecesOf(
  response: Response,
  { failed, done }: { readonly failed: (cause: unknown) => unknown; readonly done: () => void },
): AsyncIterable<Uint8Array> {
  try {
    for await (const piece of response.body ?? []) yield piece;
  } catch (cause) {
    throw failed(cause);
  } finally {
    done();
  }
}
