/**
 * How does one HTTP exchange go? A POST with a JSON body, the whole answer as text, within a time
 * limit that covers the body too. A redirect is an answer, not followed: the key goes to nobody else.
 * Throws where no answer came: `TimeoutError` after the limit, the signal's reason when it fired.
 */
import type { Http } from "../model/ports.ts";
import { failure } from "./failure.ts";

/** A longer answer is no answer of a model. */
const BYTES_MAX = 64 * 1024 * 1024;

/** HTTP over the network that the task may reach. */
export function realHttp(): Http {
  return {
    post: async (url, request, { timeoutMs, signal }) => {
      const limit = new AbortController();
      const timer = setTimeout(() => limit.abort(), timeoutMs);
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", ...request.headers },
          body: JSON.stringify(request.body),
          redirect: "manual",
          signal: AbortSignal.any([limit.signal, signal]),
        });
        const text = await textOf(response);
        return { status: response.status, headers: Object.fromEntries(response.headers), text };
      } catch (cause) {
        if (signal.aborted) throw signal.reason;
        throw limit.signal.aborted ? lateError(url, timeoutMs) : unreachedError(url, cause);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}

async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new Error("the answer is longer than 64 MiB");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The error of an answer that did not come in time. */
export function lateError(url: string, timeoutMs: number): Error {
  const error = new Error(`No answer from "${shown(url)}" within ${timeoutMs / 1000} s`);
  error.name = "TimeoutError";
  return error;
}

/** The error of an exchange that broke; it names no more of the address than its path. */
export function unreachedError(url: string, cause: unknown): Error {
  if (cause instanceof Deno.errors.NotCapable) return failure("Cannot reach", shown(url), cause);
  return failure("Cannot reach", shown(url), whyUnreached(cause));
}

/** Deno's own text names the whole address, which may hold a key: only its last part is kept. */
function whyUnreached(cause: unknown): string {
  const message = messagesOf(cause);
  if (/refused/i.test(message)) return "the connection was refused";
  if (/dns|lookup|resolve/i.test(message)) return "the host is not known";
  if (/invalid url/i.test(message)) return "it is not an address";
  if (/longer than/.test(message)) return "the answer is longer than 64 MiB";
  return "the connection broke";
}

function messagesOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause === undefined ? cause.message : `${cause.message}: ${messagesOf(cause.cause)}`;
}

/** Scheme, host and path: user, password and query may hold secrets. */
function shown(url: string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
