/** Tools over MCP's streamable HTTP. */
import type { HttpHandler, ToolHandler } from "../model/serving.ts";

/** The handler of one tool server. */
export function mcpHandler(_tools: ToolHandler): HttpHandler {
  throw new Error("Tools over MCP are not there yet");
}
