/**
 * What do our servers on loopback take and give? The types of the model server and the tool server:
 * `io` listens and speaks HTTP, the handlers live in `run` and `wire`, `cli` joins them.
 */
import type { Json, JsonObject } from "./json.ts";
import type { ModelTool } from "./ports.ts";

/** One request that came in; the body is text. */
export interface HeardRequest {
  readonly method: string;
  /** With its query, without scheme and host. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Fires when the other side has gone. */
  readonly signal: AbortSignal;
}

/** One answer; a body that comes in pieces is sent as they come. */
export interface GivenAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string | Uint8Array>;
}

export type HttpHandler = (request: HeardRequest) => Promise<GivenAnswer>;

/** A server that listens on loopback, most often at a free port below a secret path. */
export interface Listening {
  /** Such as `http://127.0.0.1:<port>/<token>`, without a slash at its end. */
  readonly url: string;
  /** Ends open connections too. */
  close(): Promise<void>;
}

/** How a tool answers over MCP: an error of the tool is an answer, an error of the protocol is not. */
export type ToolReply =
  | { readonly kind: "answer"; readonly text: string; readonly isError: boolean }
  | { readonly kind: "protocol_error"; readonly code: number; readonly message: string };

/** The tools behind a tool server. */
export interface ToolHandler {
  list(): readonly ModelTool[];
  /**
   * Resolves when the tool has ended; the signal fires when the caller gave up, which undoes nothing.
   * `tool` is empty where the request names none; `args` is whatever stood there, `{}` for nothing.
   */
  call(
    tool: string,
    args: Json,
    about: { readonly signal: AbortSignal },
  ): Promise<ToolReply>;
  /** Told of each request before it is answered: `initialize`, `tools/list`, … */
  saw(method: string, params: JsonObject): void;
}

/** A place that who connects knows before: `http://127.0.0.1:<port>`, then `/<path>` where it is not empty. */
export interface FixedPlace {
  readonly port: number;
  readonly path: string;
}

/** Servers on loopback. */
export interface Servers {
  /**
   * Listens at a free port below a random token, or at the place given: other paths are answered
   * with 404. Throws where the port is taken.
   */
  serve(handle: HttpHandler, place?: FixedPlace): Promise<Listening>;
  /** The same for tools, over MCP's streamable HTTP, at the address that `url` names. */
  serveTools(tools: ToolHandler, place?: FixedPlace): Promise<Listening>;
  /** Program and arguments that speak to such a server over standard input and output. */
  stdioBridge(url: string): readonly string[];
}

/** Name of the tool server that agents see before the tools' names. */
export const TOOL_SERVER = "tools";
