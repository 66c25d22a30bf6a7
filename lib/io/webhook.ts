/**
 * How does one message reach an address that takes JSON? One POST within a time limit, and what
 * became of it: 2xx is delivered, 429 asks for a pause, 5xx and no answer may have been delivered,
 * everything else was not. A redirect is not followed: the message goes to nobody else. Never
 * throws; no outcome holds the address, a header, or what the other side said.
 */
import type { SendOutcome, Webhook } from "../model/ports.ts";
import { outcomeOfFailure } from "./send_failure.ts";

const WORDS = {
  denied: 'this task may not reach it: use "deno task notify:any"',
  noAddress: "`url` is not an address",
  noAnswer: "the answer is none of HTTP",
};

/** Where the other side names no time after a 429. */
const RETRY_AFTER_S = 30;

/** Addresses of any host that the task may reach. */
export function realWebhook(): Webhook {
  return {
    post: async ({ url, headers, body }, { timeoutMs, signal }) => {
      if (!/^https?:/i.test(url)) {
        return { kind: "refused", why: WORDS.noAddress, markup: false };
      }
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        const response = await fetch(url, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
          redirect: "manual",
          signal: AbortSignal.any([limit, signal]),
        });
        await response.body?.cancel();
        return outcomeOf(response);
      } catch (cause) {
        return outcomeOfFailure(cause, { limit, timeoutMs, signal, words: WORDS });
      }
    },
  };
}

function outcomeOf({ status, headers }: Response): SendOutcome {
  if (status >= 200 && status < 300) return { kind: "sent", messageId: null };
  if (status === 429) return { kind: "busy", retryAfterS: retryAfter(headers.get("retry-after")) };
  const why = `answer ${status}`;
  return status >= 500 ? { kind: "unsure", why } : { kind: "refused", why, markup: false };
}

/** Seconds, or a moment; anything else is no time. */
function retryAfter(text: string | null): number {
  if (text === null) return RETRY_AFTER_S;
  if (/^\d{1,6}$/.test(text.trim())) return Number(text);
  const seconds = Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isFinite(seconds) ? Math.max(0, seconds) : RETRY_AFTER_S;
}
