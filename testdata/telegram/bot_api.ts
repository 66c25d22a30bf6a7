/**
 * The Bot API on this machine, as far as messages go, by its public contract: token in the path,
 * chat, 4096 characters of text and 1024 of caption, markup that must be well formed. What it
 * accepted is counted; faults are served in the order in which they are set.
 */

/** What happens to one call. `accept`: the message is taken before anything goes wrong. */
export type Fault =
  | { readonly kind: "busy"; readonly retryAfter: number }
  | { readonly kind: "status"; readonly status: number; readonly accept?: boolean }
  | { readonly kind: "hang"; readonly accept?: boolean }
  | { readonly kind: "cut"; readonly accept?: boolean }
  | { readonly kind: "refuse"; readonly description: string }
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
  close(): Promise<void>;
}

export const TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";

export function serveBotApi(faults: readonly Fault[] = []): BotApi {
  const stop = new AbortController();
  const api = { accepted: [] as Accepted[], faults: [...faults], calls: { count: 0 } };
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
    close: async () => {
      stop.abort();
      await server.finished.catch(() => undefined);
    },
  };
}

type State = Pick<BotApi, "accepted" | "faults" | "calls">;

async function answer(request: Request, api: State, stopped: AbortSignal): Promise<Response> {
  api.calls.count++;
  const [, bot = "", method = ""] = new URL(request.url).pathname.split("/");
  const sent = await read(request, method);
  if (bot !== `bot${TOKEN}`) return refused(401, "Unauthorized");
  const fault = api.faults.shift();
  if (fault === undefined) return accept(sent, api);
  if (fault.kind === "busy") {
    return json(429, {
      ok: false,
      error_code: 429,
      description: `Too Many Requests: retry after ${fault.retryAfter}`,
      parameters: { retry_after: fault.retryAfter },
    });
  }
  if (fault.kind === "refuse") return refused(400, fault.description);
  if (fault.kind === "no_id") return json(200, { ok: true, result: true });
  if (fault.accept === true) accept(sent, api);
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
