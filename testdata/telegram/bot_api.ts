/**
 * The Bot API on this machine, as far as messages go, by its public contract: token in the path,
 * chat, 4096 characters of text and 1024 of caption, markup that must be well formed; messages to the
 * bot wait until a question with a higher offset confirms them, and a question waits for the first.
 * What it accepted is counted; faults are served in the order in which they are set, those of
 * questions apart.
 */

/** What happens to one call. `accept`: the message is taken before anything goes wrong. */
export type Fault =
  | { readonly kind: "busy"; readonly retryAfter: number }
  | { readonly kind: "status"; readonly status: number; readonly accept?: boolean }
  | { readonly kind: "hang"; readonly accept?: boolean }
  | { readonly kind: "cut"; readonly accept?: boolean }
  | { readonly kind: "refuse"; readonly description: string }
  | { readonly kind: "conflict" }
  | { readonly kind: "no_id" };

/** A message that the server took. */
export interface Accepted {
  readonly method: string;
  readonly chat: string;
  readonly text: string;
  readonly html: boolean;
  readonly bytes: Uint8Array | null;
  readonly name: string | null;
}

export interface BotApi {
  readonly root: string;
  readonly accepted: Accepted[];
  readonly faults: Fault[];
  readonly calls: { count: number };
  /** Served to questions, before their updates. */
  readonly pollFaults: Fault[];
  /** Of each question: the offset that it confirmed. */
  readonly polls: (number | null)[];
  /** Puts an update there; returns its number. */
  write(update: Record<string, unknown>): number;
  close(): Promise<void>;
}

export const TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

export function serveBotApi(faults: readonly Fault[] = []): BotApi {
  const stop = new AbortController();
  const api = {
    accepted: [] as Accepted[],
    faults: [...faults],
    calls: { count: 0 },
    pollFaults: [] as Fault[],
    polls: [] as (number | null)[],
    waiting: [] as { readonly update_id: number }[],
    wake: () => {},
  };
  let written = 700;
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    signal: stop.signal,
    onListen: () => {},
    onError: () => new Response("", { status: 500 }),
  }, (request) => answer(request, api, stop.signal));
  const { port } = server.addr;
  return {
    ...api,
    root: `http://127.0.0.1:${port}`,
    write: (update) => {
      api.waiting.push({ update_id: ++written, ...update });
      api.wake();
      return written;
    },
    close: async () => {
      stop.abort();
      await server.finished.catch(() => undefined);
    },
  };
}

interface State extends Pick<BotApi, "accepted" | "faults" | "calls" | "pollFaults" | "polls"> {
  readonly waiting: { readonly update_id: number }[];
  wake(): void;
}

async function answer(request: Request, api: State, stopped: AbortSignal): Promise<Response> {
  const [, bot = "", method = ""] = new URL(request.url).pathname.split("/");
  if (method === "getUpdates") return await updates(request, { api, bot, stopped });
  api.calls.count++;
  const sent = await read(request, method);
  if (bot !== `bot${TOKEN}`) return refused(401, "Unauthorized");
  const fault = api.faults.shift();
  if (fault === undefined) return accept(sent, api);
  return await serveFault(fault, stopped, () => accept(sent, api));
}

/** Updates that are not confirmed, as soon as there is one or the time is over. */
async function updates(
  request: Request,
  { api, bot, stopped }: {
    readonly api: State;
    readonly bot: string;
    readonly stopped: AbortSignal;
  },
): Promise<Response> {
  const { offset = null, timeout = 0, limit = 100 } = await request.json();
  api.polls.push(offset);
  if (bot !== `bot${TOKEN}`) return refused(401, "Unauthorized");
  const fault = api.pollFaults.shift();
  if (fault !== undefined) return await serveFault(fault, stopped, () => undefined);
  while (offset !== null && (api.waiting[0]?.update_id ?? offset) < offset) api.waiting.shift();
  if (api.waiting.length === 0) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeout * 1000);
      api.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      stopped.addEventListener("abort", api.wake, { once: true });
      request.signal.addEventListener("abort", api.wake, { once: true });
    });
  }
  return json(200, { ok: true, result: api.waiting.slice(0, limit) });
}

async function serveFault(
  fault: Fault,
  stopped: AbortSignal,
  take: () => unknown,
): Promise<Response> {
  if (fault.kind === "busy") {
    return json(429, {
      ok: false,
      error_code: 429,
      description: `Too Many Requests: retry after ${fault.retryAfter}`,
      parameters: { retry_after: fault.retryAfter },
    });
  }
  if (fault.kind === "conflict") {
    return refused(409, "Conflict: terminated by other getUpdates request");
  }
  if (fault.kind === "refuse") return refused(400, fault.description);
  if (fault.kind === "no_id") return json(200, { ok: true, result: true });
  if (fault.accept === true) take();
  if (fault.kind === "status") {
    return new Response("<html><h1>Bad Gateway</h1></html>", { status: fault.status });
  }
  if (fault.kind === "cut") {
    const body = new ReadableStream({
      start: (controller) => {
        controller.enqueue(new TextEncoder().encode('{"ok":true,"result":{"mess'));
        setTimeout(() => controller.error(new Error("cut")), 20);
      },
    });
    return new Response(body, { headers: { "content-type": "application/json" } });
  }
  await new Promise((resolve) => stopped.addEventListener("abort", resolve, { once: true }));
  return new Response("", { status: 500 });
}

async function read(request: Request, method: string): Promise<Accepted> {
  if (method === "sendMessage") {
    const body = await request.json();
    return {
      method,
      chat: String(body.chat_id),
      text: String(body.text),
      html: body.parse_mode === "HTML",
      bytes: null,
      name: null,
    };
  }
  const form = await request.formData();
  const file = form.get(method === "sendPhoto" ? "photo" : "document");
  const isFile = file instanceof File;
  return {
    method,
    chat: String(form.get("chat_id")),
    text: String(form.get("caption") ?? ""),
    html: false,
    bytes: isFile ? new Uint8Array(await file.arrayBuffer()) : null,
    name: isFile ? file.name : null,
  };
}

function accept(sent: Accepted, api: State): Response {
  const isText = sent.method === "sendMessage";
  if (isText && sent.text.trim() === "") return refused(400, "Bad Request: message text is empty");
  if (sent.text.length > (isText ? 4096 : 1024)) {
    return refused(400, "Bad Request: message is too long");
  }
  if (sent.html && !isWellFormed(sent.text)) {
    return refused(400, "Bad Request: can't parse entities: Unexpected end tag at byte offset 7");
  }
  if (!isText && (sent.bytes === null || sent.bytes.length === 0)) {
    return refused(400, "Bad Request: there is no file in the request");
  }
  api.accepted.push(sent);
  return json(200, { ok: true, result: { message_id: 40 + api.accepted.length, date: 0 } });
}

/** Telegram's HTML: known tags, closed in order; `<`, `>` and `&` otherwise only as entities. */
export function isWellFormed(text: string): boolean {
  const open: string[] = [];
  for (const [, close, tag] of text.matchAll(/<(\/?)(b|i|code)>/g)) {
    if (close === "") open.push(tag ?? "");
    else if (open.pop() !== tag) return false;
  }
  const rest = text.replace(/<\/?(b|i|code)>/g, "").replace(/&(lt|gt|amp|quot);/g, "");
  return open.length === 0 && !/[<>&]/.test(rest);
}

function refused(status: number, description: string): Response {
  return json(status, { ok: false, error_code: status, description });
}

function json(status: number, body: unknown): Response {
  return Response.json(body, { status });
}
