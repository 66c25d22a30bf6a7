// A small agent that asks its model over the interface that API names (chat, responses, messages or
// gemini), as events where STREAM is set, and uses the tools of an MCP server over HTTP. It prints its
// last words and nothing else.
import type { JsonObject } from "../../lib/model/json.ts";
import type { ModelApiName } from "../../lib/model/model_api.ts";
import { answerOf, requestOf, type Told } from "../../lib/wire/api/test_client.ts";

const api = Deno.env.get("API") as ModelApiName;
const stream = Deno.env.get("STREAM") === "1";
const config = JSON.parse(await Deno.readTextFile(Deno.env.get("MCP_CONFIG") ?? ""));
const url: string = config.mcpServers.tools.url;
let session: string | null = null;
let requests = 0;

interface Result {
  readonly tools: readonly { name: string; description: string; inputSchema: JsonObject }[];
  readonly content: readonly { text: string }[];
  readonly isError?: boolean;
}

async function rpc(method: string, params: JsonObject): Promise<Result> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(session === null ? {} : { "mcp-session-id": session }),
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: ++requests, method, params });
  const answer = await fetch(url, { method: "POST", headers, body });
  session ??= answer.headers.get("mcp-session-id");
  const text = await answer.text();
  return JSON.parse(text.startsWith("{") ? text : /^data: (.*)$/m.exec(text)?.[1] ?? "").result;
}

await rpc("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "agent", version: "1" },
});
const tools = (await rpc("tools/list", {})).tools.map(({ name, description, inputSchema }) => ({
  name: `mcp__tools__${name}`,
  description,
  input: inputSchema,
}));
const told: Told[] = [{ user: (await new Response(Deno.stdin.readable).text()).trim() }];
for (;;) {
  const { path, headers, body } = requestOf(api, told, { system: "You help", tools, stream });
  const answer = await fetch(Deno.env.get("MODEL_URL") + path, { method: "POST", headers, body });
  const text = await answer.text();
  const read = answerOf(api, text, stream);
  if (!answer.ok || read.kind !== "answer") throw new Error(`${answer.status} ${text}`);
  const calls = read.issued.map(({ id, native }) => ({ id, ...native }));
  told.push({ assistant: read.text, calls });
  if (calls.length === 0) {
    console.log(read.text);
    break;
  }
  for (const { id, tool, args } of calls) {
    const name = tool.replace(/^mcp__tools__/, "");
    const { content, isError } = await rpc("tools/call", { name, arguments: JSON.parse(args) });
    told.push({ result: content[0]?.text ?? "", id, tool, isError: isError === true });
  }
}
