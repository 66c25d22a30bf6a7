/**
 * How does a model behind Chat Completions answer? Sends a request over the Http port, tries again
 * after 429, 5xx and broken connections with growing pauses, and gives up within limits. What went
 * wrong is in the answer; the key is in no word of it.
 */
import type { ModelConfig } from "../model/config.ts";
import { costOf } from "../model/cost.ts";
import type { Clock, Http, Model, ModelAnswer, ModelRequest } from "../model/ports.ts";
import { CHAT_PATH, chatRequest, readChatAnswer, readChatError } from "./chat.ts";

/** What the model is reached through. */
export interface ModelAccess {
  readonly http: Http;
  readonly clock: Clock;
  /** Null where the interface wants none. */
  readonly key: string | null;
  /** Such as `https://api.example.test/v1`. */
  readonly baseUrl: string;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

type Attempt =
  | { readonly kind: "final"; readonly answer: ModelAnswer }
  | { readonly kind: "again"; readonly why: string; readonly waitMs: number | null };

/**
 * A model that answers over HTTP: at most `retries_max` retries, `timeout_s` for each request and
 * for each wait that the server asks for; `latencyMs` covers all attempts and pauses.
 */
export function chatModel(config: ModelConfig, access: ModelAccess): Model {
  return {
    complete: async (request, signal) =>
      withoutKey(await complete({ config, access, request, signal }), access.key),
    leftOver: () => null,
  };
}

interface Exchange {
  readonly config: ModelConfig;
  readonly access: ModelAccess;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

async function complete(exchange: Exchange): Promise<ModelAnswer> {
  const { config: { retries_max, timeout_s, name }, access: { clock }, signal } = exchange;
  const startMs = clock.monotonicMs();
  for (let tried = 1;; tried++) {
    const attempt = await tryOnce(exchange, startMs);
    if (attempt.kind === "final") return attempt.answer;
    const why = `Model "${name}" failed ${tried} times, last: ${attempt.why}`;
    if (tried > retries_max) return failed(why);
    const pauseMs = attempt.waitMs ??
      Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), LONGEST_PAUSE_MS);
    if (pauseMs > timeout_s * 1000) {
      return failed(`${why}; it asks to wait ${pauseMs / 1000} s, the limit is ${timeout_s} s`);
    }
    const waited = await clock.sleep(pauseMs, signal).then(() => true, () => false);
    if (!waited) return failed(`${why}; the wait was interrupted`);
  }
}

async function tryOnce(exchange: Exchange, startMs: number): Promise<Attempt> {
  const { config, access: { http, key, baseUrl }, request, signal } = exchange;
  const url = baseUrl.replace(/\/+$/, "") + CHAT_PATH;
  const headers: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  try {
    const received = await http.post(url, { headers, body: chatRequest(request, config) }, {
      timeoutMs: config.timeout_s * 1000,
      signal,
    });
    // Before anything is shortened: half a key would not be found any more.
    const answer = { ...received, text: maskKey(received.text, key) };
    if (answer.status === 429 || answer.status >= 500) return again(exchange, answer);
    return { kind: "final", answer: readAnswer(exchange, answer, startMs) };
  } catch (error) {
    return notAnswered(exchange, error);
  }
}

type HttpAnswer = Awaited<ReturnType<Http["post"]>>;

function again({ access }: Exchange, { status, headers, text }: HttpAnswer): Attempt {
  const asked = headers["retry-after"];
  const waitMs = asked === undefined ? null : retryAfterMs(asked, access.clock.now());
  return { kind: "again", why: `status ${status}: ${readChatError(text)}`, waitMs };
}

/** Seconds, or a date; null where it is neither, 0 where it is past. */
function retryAfterMs(asked: string, now: string): number | null {
  if (/^\d+(\.\d+)?$/.test(asked.trim())) return Number(asked) * 1000;
  const waitMs = Date.parse(asked) - Date.parse(now);
  return Number.isNaN(waitMs) ? null : Math.max(0, waitMs);
}

function readAnswer({ config, access }: Exchange, http: HttpAnswer, startMs: number): ModelAnswer {
  const { name, price, billing } = config;
  if (http.status < 200 || http.status > 299) {
    return failed(
      `Model "${name}" refused with status ${http.status}: ${readChatError(http.text)}`,
    );
  }
  const read = readChatAnswer(http.text);
  if (read.kind === "unreadable") {
    return failed(`Model "${name}" gave an answer that cannot be read: ${read.why}`);
  }
  const cost = read.usage === null ? null : costOf(read.usage, price, billing);
  return {
    ...read,
    usage: read.usage === null ? null : { ...read.usage, cost },
    latencyMs: Math.round(access.clock.monotonicMs() - startMs),
    notices: [],
  };
}

function notAnswered({ config, signal }: Exchange, error: unknown): Attempt {
  const why = error instanceof Error ? error.message : String(error);
  const { name, timeout_s } = config;
  if (signal.aborted) {
    return { kind: "final", answer: failed(`Model "${name}" was interrupted`) };
  }
  if (error instanceof Error && error.name === "TimeoutError") {
    const late = `Model "${name}" gave no answer within ${timeout_s} s`;
    return { kind: "final", answer: { ...failed(late), timedOut: true } };
  }
  // Without the permission to connect, another try would not be answered either.
  const cause = error instanceof Error ? error.cause : undefined;
  if (cause instanceof Error && cause.name === "NotCapable") {
    return { kind: "final", answer: failed(why) };
  }
  return { kind: "again", why, waitMs: null };
}

type Failed = ModelAnswer & { readonly kind: "failed" };

function failed(why: string): Failed {
  return { kind: "failed", why, timedOut: false };
}

function withoutKey(answer: ModelAnswer, key: string | null): ModelAnswer {
  return answer.kind === "failed" ? { ...answer, why: maskKey(answer.why, key) } : answer;
}

function maskKey(text: string, key: string | null): string {
  return key === null || key === "" ? text : text.replaceAll(key, "[key]");
}
