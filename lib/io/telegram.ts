/**
 * How does one message reach a Telegram chat, and what was written there? One call of the Bot API,
 * within a time limit, and what became of it: texts and questions go through telegraf, pictures and
 * documents as a form of the platform's own, since telegraf's uploads never end here. Never throws;
 * no outcome holds the token.
 */
import process from "node:process";
import type { Telegram } from "telegraf";
import type {
  Chat,
  ChatAddress,
  Sendable,
  SendOptions,
  SendOutcome,
  UpdatesOutcome,
} from "../model/ports.ts";
import { cleanText } from "../model/clean.ts";
import { messagesOf, outcomeOfFailure } from "./send_failure.ts";
import { field, readUpdates } from "./telegram_updates.ts";

/** What the Bot API answers; everything else is no answer of it. */
interface Answer {
  readonly status: number;
  readonly description: string;
  readonly result: unknown;
  readonly retryAfterS: number | null;
}

/** Where the API names no time after a 429. */
const RETRY_AFTER_S = 30;

/** Longest reason kept, in UTF-16 units. */
const WHY_MAX = 200;

/** What an error says that ended a redirect. */
const ELSEWHERE = "redirected elsewhere";

const WORDS = {
  denied: 'this task may not reach it: use "deno task notify"',
  noAddress: "`api_root` is not an address",
  noAnswer: "the answer is none of the Bot API",
};

/** The chats of the Bot API. */
export function realChat(): Chat {
  return {
    send: async (address, part, options) => {
      // Loaded first: that time is not the interface's.
      if (part.kind === "text") await loadTelegraf();
      const answer = await within(
        options,
        (signal) =>
          part.kind === "text" ? sendText(address, part, signal) : sendFile(address, part, signal),
      );
      if ("kind" in answer) return answer;
      const failed = failureOf(answer, address);
      if (failed !== null) return failed;
      const messageId = field(answer.result, "message_id");
      return Number.isSafeInteger(messageId)
        ? { kind: "sent", messageId: messageId as number }
        : { kind: "unsure", why: "the answer names no message" };
    },
    updates: async (address, since, options) => {
      await loadTelegraf();
      const answer = await within(options, (signal) => askUpdates(address, since, signal));
      return "kind" in answer ? answer : updatesOf(answer, address);
    },
  };
}

/** The answer of a call, or what became of it where none came. */
async function within(
  { timeoutMs, signal }: SendOptions,
  call: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | Exclude<SendOutcome, { kind: "sent" | "busy" }>> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    return await call(AbortSignal.any([limit, signal]));
  } catch (cause) {
    return outcomeOfFailure(cause, { limit, timeoutMs, signal, words: WORDS });
  }
}

type Text = Extract<Sendable, { kind: "text" }>;
type Upload = Exclude<Sendable, { kind: "text" }>;

async function sendText(
  address: ChatAddress,
  { text, html, quiet }: Text,
  signal: AbortSignal,
): Promise<Answer> {
  return await call(address, "sendMessage", {
    chat_id: address.chat,
    text,
    disable_notification: quiet,
    link_preview_options: { is_disabled: true },
    ...(html ? { parse_mode: "HTML" as const } : {}),
  }, signal);
}

/** Only messages are asked for: what was edited, or tapped elsewhere, commands nothing. */
async function askUpdates(
  address: ChatAddress,
  { offset, waitS }: Parameters<Chat["updates"]>[1],
  signal: AbortSignal,
): Promise<Answer> {
  return await call(address, "getUpdates", {
    timeout: waitS,
    limit: 20,
    allowed_updates: ["message"] as const,
    ...(offset === null ? {} : { offset }),
  }, signal);
}

/** One call with a JSON body, by telegraf. */
async function call(
  address: ChatAddress,
  method: "sendMessage" | "getUpdates",
  payload: object,
  signal: AbortSignal,
): Promise<Answer> {
  const client = await telegramOf(address.token, address.apiRoot);
  try {
    // telegraf knows this signal by the type of a package that imitates it.
    const result = await client.callApi(method, payload as never, { signal: signal as never });
    return readAnswer(200, { ok: true, result });
  } catch (cause) {
    // Under https its client asks the system for certificates: a task without that right sent nothing.
    if (/requires sys access/i.test(messagesOf(cause))) {
      const headers = { "content-type": "application/json" };
      return await post(address, method, { headers, body: JSON.stringify(payload), signal });
    }
    if (messagesOf(cause).includes(ELSEWHERE)) return readAnswer(302, null);
    const response = field(cause, "response");
    const status = field(response, "error_code");
    if (typeof status !== "number") throw cause;
    return readAnswer(status, response);
  }
}

async function telegramOf(token: string, apiRoot: string): Promise<Telegram> {
  const { Telegram } = await loadTelegraf();
  const client = new Telegram(token, { apiRoot, webhookReply: false });
  // A connection that is used again sends a call once more, unasked, where the call is cut short.
  const { Agent } = apiRoot.startsWith("http://")
    ? await import("node:http")
    : await import("node:https");
  const agent = new Agent({ keepAlive: false });
  const { origin } = new URL(apiRoot);
  // Its client follows redirects, with the message, to whoever is named: only here it may go.
  const onlyHere = (url: { readonly protocol: string; readonly host: string }) => {
    if (`${url.protocol}//${url.host}` === origin) return agent;
    throw new Error(ELSEWHERE);
  };
  client.options.agent = onlyHere as unknown as typeof agent;
  return client;
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
  const { status } = response;
  if (status >= 500 || isRedirect(status)) return readAnswer(status, null);
  return readAnswer(status, JSON.parse(text));
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}

function readAnswer(status: number, body: unknown): Answer {
  const retryAfterS = field(field(body, "parameters"), "retry_after");
  const description = field(body, "description");
  return {
    status: field(body, "ok") === true ? 200 : status,
    description: typeof description === "string" ? description : "",
    result: field(body, "result"),
    retryAfterS: typeof retryAfterS === "number" && retryAfterS >= 0 ? retryAfterS : null,
  };
}

/** What became of a call that the API did not do; null where it did. */
function failureOf(
  { status, retryAfterS, description }: Answer,
  { token }: ChatAddress,
): Exclude<SendOutcome, { kind: "sent" }> | null {
  if (status === 200) return null;
  const said = withoutToken(description, token);
  if (status === 429) return { kind: "busy", retryAfterS: retryAfterS ?? RETRY_AFTER_S };
  const why = said === "" ? `answer ${status}` : `answer ${status}: ${said}`;
  if (status >= 500) return { kind: "unsure", why };
  if (isRedirect(status)) return { kind: "unreached", why: "it names another address" };
  const markup = /can't parse (entities|caption)/i.test(said);
  return { kind: "refused", why: `${why}${hint(status, said)}`, markup };
}

/** What most often is wrong where a first message is refused. */
function hint(status: number, said: string): string {
  if (status === 401 || status === 404) return " (is it the token that BotFather gave?)";
  if (status === 403 || /chat not found/i.test(said)) {
    return " (is it the number of the chat, and was the bot written to first?)";
  }
  return "";
}

function updatesOf(answer: Answer, address: ChatAddress): UpdatesOutcome {
  if (answer.status === 409) return { kind: "conflict" };
  const failed = failureOf(answer, address);
  if (failed !== null) return failed;
  const updates = readUpdates(answer.result);
  return updates === null
    ? { kind: "unsure", why: "the answer is none of the Bot API" }
    : { kind: "updates", updates };
}

function withoutToken(text: string, token: string): string {
  const hidden = [token, encodeURIComponent(token)].reduce(
    (shown, form) => form === "" ? shown : shown.replaceAll(form, "[token]"),
    text,
  );
  return cleanText(hidden).slice(0, WHY_MAX);
}
