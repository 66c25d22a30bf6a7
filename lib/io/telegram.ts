/**
 * How does one message reach a Telegram chat? One call of the Bot API, within a time limit, and what
 * became of it: texts go through telegraf, pictures and documents as a form of the platform's own,
 * since telegraf's uploads never end here. Never throws; no outcome holds the token.
 */
import process from "node:process";
import type { Telegram } from "telegraf";
import type { Chat, ChatAddress, Sendable, SendOutcome } from "../model/ports.ts";
import { cleanText } from "../model/clean.ts";

/** What the Bot API answers; everything else is no answer of it. */
interface Answer {
  readonly status: number;
  readonly description: string;
  readonly messageId: number | null;
  readonly retryAfterS: number | null;
}

/** Where the API names no time after a 429. */
const RETRY_AFTER_S = 30;

/** Longest reason kept, in UTF-16 units. */
const WHY_MAX = 200;

/** The chats of the Bot API. */
export function realChat(): Chat {
  return {
    send: async (address, part, { timeoutMs, signal }) => {
      // Loaded first: that time is not the interface's.
      if (part.kind === "text") await loadTelegraf();
      const limit = AbortSignal.timeout(timeoutMs);
      const either = AbortSignal.any([limit, signal]);
      try {
        const answer = part.kind === "text"
          ? await sendText(address, part, either)
          : await sendFile(address, part, either);
        return outcomeOf(answer, address);
      } catch (cause) {
        if (limit.aborted) return { kind: "unsure", why: `no answer within ${timeoutMs / 1000} s` };
        if (signal.aborted) return { kind: "unsure", why: "interrupted" };
        return broken(cause);
      }
    },
  };
}

type Text = Extract<Sendable, { kind: "text" }>;
type Upload = Exclude<Sendable, { kind: "text" }>;

async function sendText(
  address: ChatAddress,
  { text, html, quiet }: Text,
  signal: AbortSignal,
): Promise<Answer> {
  const client = await telegramOf(address.token, address.apiRoot);
  const payload = {
    chat_id: address.chat,
    text,
    disable_notification: quiet,
    link_preview_options: { is_disabled: true },
    ...(html ? { parse_mode: "HTML" as const } : {}),
  };
  try {
    // telegraf knows this signal by the type of a package that imitates it.
    const message = await client.callApi("sendMessage", payload, { signal: signal as never });
    return readAnswer(200, { ok: true, result: message });
  } catch (cause) {
    // Under https its client asks the system for certificates: a task without that right sent nothing.
    if (/requires sys access/i.test(messagesOf(cause))) {
      const headers = { "content-type": "application/json" };
      return await post(address, "sendMessage", { headers, body: JSON.stringify(payload), signal });
    }
    const response = field(cause, "response");
    const status = field(response, "error_code");
    if (typeof status !== "number") throw cause;
    return readAnswer(status, response);
  }
}

async function telegramOf(token: string, apiRoot: string): Promise<Telegram> {
  const { Telegram } = await loadTelegraf();
  return new Telegram(token, { apiRoot, webhookReply: false });
}

async function loadTelegraf() {
  // Its HTTP client loads a module that Node gave up, and Node says so on standard error.
  Object.assign(process, { noDeprecation: true });
  const loaded = await import("telegraf");
  Object.assign(process, { noDeprecation: false });
  // Bundled, a CommonJS package has no names of its own.
  return "Telegram" in loaded ? loaded : (loaded as { readonly default: typeof loaded }).default;
}

async function sendFile(
  address: ChatAddress,
  { kind, name, bytes, caption }: Upload,
  signal: AbortSignal,
): Promise<Answer> {
  const body = new FormData();
  body.set("chat_id", address.chat);
  body.set("disable_notification", "true");
  if (caption !== "") body.set("caption", caption);
  body.set(kind, new File([new Uint8Array(bytes)], name), name);
  return await post(address, kind === "photo" ? "sendPhoto" : "sendDocument", { body, signal });
}

/** One call by the platform's own means. */
async function post(
  { token, apiRoot }: ChatAddress,
  method: string,
  request: Pick<RequestInit, "headers" | "body" | "signal">,
): Promise<Answer> {
  const url = `${apiRoot.replace(/\/+$/, "")}/bot${token}/${method}`;
  const response = await fetch(url, { method: "POST", redirect: "manual", ...request });
  const text = await response.text();
  if (response.status >= 500) return readAnswer(response.status, null);
  return readAnswer(response.status, JSON.parse(text));
}

function readAnswer(status: number, body: unknown): Answer {
  const messageId = field(field(body, "result"), "message_id");
  const retryAfterS = field(field(body, "parameters"), "retry_after");
  const description = field(body, "description");
  return {
    status: field(body, "ok") === true ? 200 : status,
    description: typeof description === "string" ? description : "",
    messageId: Number.isSafeInteger(messageId) ? messageId as number : null,
    retryAfterS: typeof retryAfterS === "number" && retryAfterS >= 0 ? retryAfterS : null,
  };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

function outcomeOf(answer: Answer, { token }: ChatAddress): SendOutcome {
  const { status, messageId, retryAfterS } = answer;
  if (status === 200) {
    return messageId === null
      ? { kind: "unsure", why: "the answer names no message" }
      : { kind: "sent", messageId };
  }
  const said = withoutToken(answer.description, token);
  if (status === 429) return { kind: "busy", retryAfterS: retryAfterS ?? RETRY_AFTER_S };
  const why = said === "" ? `answer ${status}` : `answer ${status}: ${said}`;
  if (status >= 500) return { kind: "unsure", why };
  return { kind: "refused", why, markup: /can't parse (entities|caption)/i.test(said) };
}

function withoutToken(text: string, token: string): string {
  const hidden = [token, encodeURIComponent(token)].reduce(
    (shown, form) => form === "" ? shown : shown.replaceAll(form, "[token]"),
    text,
  );
  return cleanText(hidden).slice(0, WHY_MAX);
}

/** Why no answer came, in our own words: those of the platform hold the address and so the token. */
function broken(cause: unknown): SendOutcome {
  const said = messagesOf(cause);
  if (/requires net access|getaddrinfo EPERM/i.test(said)) {
    return {
      kind: "refused",
      why: 'this task may not reach it: use "deno task notify"',
      markup: false,
    };
  }
  if (/refused/i.test(said)) return { kind: "unreached", why: "the connection was refused" };
  if (/dns|lookup|resolve|ENOTFOUND|EAI_AGAIN/i.test(said)) {
    return { kind: "unreached", why: "the host is not known" };
  }
  if (/unreachable|ENETDOWN|ENETUNREACH|EHOSTUNREACH/i.test(said)) {
    return { kind: "unreached", why: "the network is not there" };
  }
  if (/invalid url/i.test(said)) {
    return { kind: "refused", why: "`api_root` is not an address", markup: false };
  }
  if (/json/i.test(said)) return { kind: "unsure", why: "the answer is none of the Bot API" };
  return { kind: "unsure", why: "the connection broke" };
}

function messagesOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  const own = `${cause.name} ${cause.message} ${code}`;
  return cause.cause === undefined ? own : `${own} ${messagesOf(cause.cause)}`;
}
