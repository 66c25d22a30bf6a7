/**
 * Who calls our tools? Clients of the Model Context Protocol over its streamable HTTP: several
 * sessions at once, every answer as JSON, no stream of the server's own. In: the tools. Out: a handler
 * for the server on loopback. Refuses sessions that it did not give, and what is no message; a client
 * that takes a call back, or goes, is told to the tool, which undoes nothing.
 */
import type { JsonObject } from "../model/json.ts";
import type { GivenAnswer, HeardRequest, HttpHandler, ToolHandler } from "../model/serving.ts";
import {
  answerMcp,
  brokenAnswer,
  callAnswer,
  cancelledId,
  mcpError,
  type McpId,
  type McpMessage,
  readMcp,
  toolCallOf,
} from "../wire/mcp.ts";
import { whyFailed } from "./failure.ts";

const SESSION = "mcp-session-id";
const NO_SESSION = -32001;
const ALLOW = { allow: "POST, DELETE" };

/** The handler of one tool server; it answers at the path `/`, that is at the server's own address. */
export function mcpHandler(tools: ToolHandler): HttpHandler {
  const server = new McpServer(tools);
  return (request) => server.answer(request);
}

type Request = McpMessage & { readonly kind: "request" };

/** Where a message came from. */
interface Origin {
  /** Empty for a client that names none. */
  readonly session: string;
  readonly signal: AbortSignal;
}

class McpServer {
  readonly #tools: ToolHandler;
  readonly #sessions = new Set<string>();
  /** Calls that are being made, by session and id. */
  readonly #open = new Map<string, AbortController>();

  constructor(tools: ToolHandler) {
    this.#tools = tools;
  }

  async answer(request: HeardRequest): Promise<GivenAnswer> {
    const { method, path, headers } = request;
    if (path.split("?")[0] !== "/") return plain(404, "Not found\n");
    if (method !== "POST" && method !== "DELETE") return plain(405, "Expected POST\n", ALLOW);
    const session = headers[SESSION] ?? "";
    if (session !== "" && !this.#sessions.has(session)) {
      return json(404, mcpError(null, NO_SESSION, "There is no such session"));
    }
    if (method === "POST") return await this.#post(request, session);
    this.#sessions.delete(session);
    return plain(200, "");
  }

  async #post({ body, signal }: HeardRequest, session: string): Promise<GivenAnswer> {
    const { messages, batch } = readMcp(body);
    const pending = messages.map((message) => this.#hear(message, { session, signal }));
    const answers = (await Promise.all(pending)).filter((answer) => answer !== null);
    const [first] = answers;
    if (first === undefined) return plain(202, "");
    const status = messages.every(({ kind }) => kind === "invalid") ? 400 : 200;
    const given = json(status, batch ? answers : first);
    const begins = messages.some((one) => one.kind === "request" && one.method === "initialize");
    return begins ? { ...given, headers: { ...given.headers, [SESSION]: this.#begin() } } : given;
  }

  #begin(): string {
    const session = crypto.randomUUID();
    this.#sessions.add(session);
    return session;
  }

  async #hear(message: McpMessage, origin: Origin): Promise<JsonObject | null> {
    if (message.kind === "invalid") return message.answer;
    if (message.kind === "response") return null;
    if (message.kind === "notification") {
      const id = cancelledId(message.method, message.params);
      if (id !== null) this.#open.get(keyOf(origin, id))?.abort();
      return null;
    }
    try {
      this.#tools.saw(message.method, message.params ?? {});
      if (message.method === "tools/call") return await this.#call(message, origin);
      return answerMcp(message, () => this.#tools.list());
    } catch (cause) {
      return brokenAnswer(message.id, whyFailed(cause));
    }
  }

  async #call({ id, params }: Request, origin: Origin): Promise<JsonObject> {
    const key = keyOf(origin, id);
    const taken = new AbortController();
    this.#open.set(key, taken);
    try {
      const { tool, args } = toolCallOf(params);
      const signal = AbortSignal.any([origin.signal, taken.signal]);
      return callAnswer(id, await this.#tools.call(tool, args, { signal }));
    } finally {
      if (this.#open.get(key) === taken) this.#open.delete(key);
    }
  }
}

function keyOf({ session }: Origin, id: McpId): string {
  return JSON.stringify([session, id]);
}

function json(status: number, value: JsonObject | readonly JsonObject[]): GivenAnswer {
  const headers = { "content-type": "application/json" };
  return { status, headers, body: JSON.stringify(value) };
}

function plain(status: number, body: string, headers: Record<string, string> = {}): GivenAnswer {
  return { status, headers, body };
}
