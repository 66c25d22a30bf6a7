/**
 * What does a client of a tool server say, and what is it told? The Model Context Protocol as JSON-RPC,
 * without what carries it. In: a body's text. Out: its messages; the answers to all requests but calls
 * of tools, which need the tools themselves. Refuses, with the protocol's own codes, what is no message.
 */
import { isObject, type Json, type JsonObject, own } from "../model/json.ts";
import type { ModelTool } from "../model/ports.ts";
import { TOOL_SERVER, type ToolReply } from "../model/serving.ts";

/** What names a request and its answer. */
export type McpId = string | number;

/** One message of a client; `invalid` holds the answer to what is none. */
export type McpMessage =
  | {
    readonly kind: "request";
    readonly id: McpId;
    readonly method: string;
    /** Null where they are no object. */
    readonly params: JsonObject | null;
  }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  /** The answer to a request of a server: we make none. */
  | { readonly kind: "response" }
  | { readonly kind: "invalid"; readonly answer: JsonObject };

/** A body's messages; `batch` where they came as a list and are answered as one. */
export interface McpBody {
  readonly messages: readonly McpMessage[];
  readonly batch: boolean;
}

/** The newest version first: what a client is offered that asks for one that is not here. */
const VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;

/** Reads a body; never throws. */
export function readMcp(text: string): McpBody {
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    const answer = mcpError(null, PARSE_ERROR, "Expected JSON");
    return { messages: [{ kind: "invalid", answer }], batch: false };
  }
  if (!Array.isArray(value)) return { messages: [messageOf(value)], batch: false };
  if (value.length > 0) return { messages: value.map(messageOf), batch: true };
  const answer = mcpError(null, INVALID_REQUEST, "Expected at least one message in the list");
  return { messages: [{ kind: "invalid", answer }], batch: false };
}

function messageOf(value: Json): McpMessage {
  if (!isObject(value) || own(value, "jsonrpc") !== "2.0") {
    return invalid(null, 'Expected an object with `jsonrpc: "2.0"`');
  }
  const [id, method, params] = [own(value, "id"), own(value, "method"), own(value, "params")];
  if (method === undefined && (Object.hasOwn(value, "result") || Object.hasOwn(value, "error"))) {
    return { kind: "response" };
  }
  const known = typeof id === "string" || typeof id === "number" ? id : null;
  if (typeof method !== "string") return invalid(known, "Expected a text as `method`");
  const given = params === undefined ? {} : isObject(params) ? params : null;
  if (id === undefined) return { kind: "notification", method, params: given ?? {} };
  if (known === null) return invalid(null, "Expected a text or a number as `id`");
  return { kind: "request", id: known, method, params: given };
}

function invalid(id: McpId | null, message: string): McpMessage {
  return { kind: "invalid", answer: mcpError(id, INVALID_REQUEST, message) };
}

/** A call of a tool as it stands in a request: an empty name where there is none, `{}` for no arguments. */
export function toolCallOf(params: JsonObject | null): { tool: string; args: Json } {
  const name = params === null ? undefined : own(params, "name");
  const args = params === null ? undefined : own(params, "arguments");
  return { tool: typeof name === "string" ? name : "", args: args === undefined ? {} : args };
}

/** The request that a notification takes back, null where it takes back none. */
export function cancelledId(method: string, params: JsonObject): McpId | null {
  if (method !== "notifications/cancelled") return null;
  const id = own(params, "requestId");
  return typeof id === "string" || typeof id === "number" ? id : null;
}

/** The answer to any request but a call of a tool. */
export function answerMcp(
  { id, method, params }: McpMessage & { readonly kind: "request" },
  tools: () => readonly ModelTool[],
): JsonObject {
  if (params === null) return mcpError(id, INVALID_PARAMS, "Expected an object as `params`");
  const told = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : undefined;
  if (told !== undefined) return mcpResult(id, told(params));
  if (method === "tools/list") return mcpResult(id, { tools: tools().map(listed) });
  return mcpError(id, METHOD_NOT_FOUND, `Unknown method ${JSON.stringify(method.slice(0, 200))}`);
}

const ANSWERS: Readonly<Record<string, (params: JsonObject) => JsonObject>> = {
  initialize: (params) => ({
    protocolVersion: VERSIONS.find((version) => version === params.protocolVersion) ?? VERSIONS[0],
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: TOOL_SERVER, version: "1.0.0" },
  }),
  ping: () => ({}),
  "logging/setLevel": () => ({}),
  "resources/list": () => ({ resources: [] }),
  "resources/templates/list": () => ({ resourceTemplates: [] }),
  "prompts/list": () => ({ prompts: [] }),
};

function listed({ name, description, input }: ModelTool): JsonObject {
  return { name, description, inputSchema: { ...input, type: "object" } };
}

/** The answer to a call of a tool. */
export function callAnswer(id: McpId, reply: ToolReply): JsonObject {
  if (reply.kind === "protocol_error") return mcpError(id, reply.code, reply.message);
  const content = [{ type: "text", text: reply.text }];
  return mcpResult(id, reply.isError ? { content, isError: true } : { content });
}

/** The answer where the server itself broke. */
export function brokenAnswer(id: McpId, why: string): JsonObject {
  return mcpError(id, INTERNAL_ERROR, why);
}

/** An error of the protocol; `id` is null where the request could not be read. */
export function mcpError(id: McpId | null, code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function mcpResult(id: McpId, result: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id, result };
}
