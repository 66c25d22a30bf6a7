/**
 * Do clients of the Model Context Protocol get along with our tool server? The SDK's own client, over
 * HTTP and through the bridge, with scenarios of the suites; the protocol by hand; and messages that
 * are none.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import fc from "fast-check";
import assert from "node:assert/strict";
import { join } from "node:path";
import { diffStates } from "../judge/diff.ts";
import { findProject } from "../load/project.ts";
import { loadScenarios } from "../load/scenarios.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Run, RunEvent } from "../model/run.ts";
import type { HeardRequest, ToolHandler, ToolReply } from "../model/serving.ts";
import { nextTurn } from "../run/conversation.ts";
import { Episode } from "../run/episode.ts";
import { replayModel } from "../run/replay_model.ts";
import { virtualClock } from "../run/run_clock.ts";
import { runScenario } from "../run/run_scenario.ts";
import { watchStop } from "../run/stop.ts";
import { toolService } from "../run/tool_service.ts";
import { mcpHandler } from "./mcp.ts";
import { createIo } from "./real.ts";

const ROOT = join(import.meta.dirname ?? ".", "../..");
const SCENARIOS = [
  "cambio-indirizzo-spedizione-017",
  "c05-credit-note-not-stored",
  "c02-refund-denied",
  "d06-inbox-triage-large",
  "d07-ok-do-it",
  "d08-lock-the-door",
  "d18-hub-half-json",
];
const io = createIo(ROOT);
const never = new AbortController().signal;

async function load(): Promise<readonly LoadedScenario[]> {
  const { project } = await findProject(io.files, ROOT);
  assert.ok(project !== null);
  const paths = SCENARIOS.map((id) =>
    `scenarios/${id.startsWith("d") ? "home" : "crm"}/${id}.yaml`
  );
  const { scenarios } = await loadScenarios(io.files, project, { paths, only: [] });
  assert.deepEqual(scenarios.map(({ scenario }) => scenario.id).sort(), [...SCENARIOS].sort());
  return scenarios;
}

/** What the loop makes of the scenario's recording. */
async function loopRun(loaded: LoadedScenario): Promise<Run> {
  const recording = loaded.recordings.find(({ name }) => name === "pass");
  assert.ok(recording !== undefined);
  const run = await runScenario(loaded, {
    mode: "replay",
    agentName: "loop",
    agent: { calls_max: 50, timeout_s: 60, system: null },
    model: replayModel(recording, loaded),
    modelName: null,
    trial: 1,
    recording: "pass",
    clock: virtualClock(),
    signal: never,
    startedAt: null,
    difference: diffStates,
  });
  assert.equal(run.ended.kind, "completed", loaded.scenario.id);
  return run;
}

/** The same calls by a client of our server; the user's turns and the agent's words as they were. */
async function servedRun(
  loaded: LoadedScenario,
  run: Run,
  connect: (url: string) => Transport,
): Promise<{ episode: Episode; listed: string[] }> {
  const clock = virtualClock();
  const episode = new Episode(loaded, clock, diffStates);
  const stop = watchStop(clock, 60, never);
  const service = toolService(episode, { stop, callsMax: 50 });
  const server = await io.servers.serveTools(service.handler);
  const client = new Client({ name: "test", version: "1.0.0" });
  try {
    await client.connect(connect(server.url));
    const { tools } = await client.listTools() as { tools: { name: string }[] };
    const listed = tools.map(({ name }) => name);
    for (const event of run.events) await follow(episode, client, event);
    assert.deepEqual(service.seen().initialize, 1);
    assert.equal(service.over(), null);
    return { episode, listed };
  } finally {
    await client.close();
    await service.close();
    await server.close();
    stop.close();
  }
}

async function follow(episode: Episode, client: Client, event: RunEvent): Promise<void> {
  if (event.kind === "message" && event.role === "assistant") {
    const { role, text, kind } = event;
    episode.record({ kind, role, text });
  }
  if (event.kind === "message" && event.role === "user" && (event.turn ?? 0) > episode.turn) {
    const turn = await nextTurn(episode);
    assert.ok(turn.kind === "said");
    turn.notices.forEach((notice) => episode.notice(notice));
    episode.hear(turn.text);
  }
  if (event.kind === "notice" && !event.text.startsWith("User turn not said")) {
    episode.notice(event.text);
  }
  if (event.kind !== "call") return;
  const reply = await client.callTool({ name: event.tool, arguments: event.args });
  assert.equal(reply.isError === true, event.status !== "ok");
  const [content] = reply.content as { type: string; text: string }[];
  const answer = event.error === undefined ? event.result : { error: event.error };
  const text = typeof answer === "string" ? answer : JSON.stringify(answer);
  assert.ok(content?.text.startsWith(text), content?.text);
}

function timeless(events: readonly RunEvent[]): Json {
  return events.map((event) => {
    const { atMs: _, ...rest } = event;
    return "endMs" in rest ? { ...rest, endMs: 0 } : rest;
  }) as unknown as Json;
}

function byStdio(url: string): Transport {
  const [command = "", ...args] = io.servers.stdioBridge(url);
  return new StdioClientTransport({ command, args, stderr: "inherit" });
}

Deno.test("the SDK's client makes the calls of a run: the same record and world as in the loop", async () => {
  for (const loaded of await load()) {
    const run = await loopRun(loaded);
    const ways: ((url: string) => Transport)[] = [
      (url) => new StreamableHTTPClientTransport(new URL(url)),
    ];
    if (loaded.scenario.id === SCENARIOS[0] || loaded.scenario.id === SCENARIOS[4]) {
      ways.push(byStdio);
    }
    for (const connect of ways) {
      const { episode, listed } = await servedRun(loaded, run, connect);
      assert.deepEqual(timeless(episode.events), timeless(run.events), loaded.scenario.id);
      assert.deepEqual(episode.world.state, run.state.after);
      assert.deepEqual(listed, loaded.scenario.setup.available_tools);
    }
  }
});

/** Tools that tell what they were asked, and wait where they are told to. */
function heardTools(): { tools: ToolHandler; heard: Json[]; open: AbortSignal[]; go(): void } {
  const heard: Json[] = [];
  const open: AbortSignal[] = [];
  const waiting = Promise.withResolvers<void>();
  const call = async (tool: string, args: Json, { signal }: { signal: AbortSignal }) => {
    heard.push([tool, args]);
    if (tool === "throws") throw new Error("broken");
    if (tool === "refuses") return { kind: "protocol_error", code: -32602, message: "no" } as const;
    if (tool === "waits") {
      open.push(signal);
      await waiting.promise;
    }
    return { kind: "answer", text: `${tool} done`, isError: tool === "fails" } satisfies ToolReply;
  };
  const list = () => [{ name: "find", description: "Finds", input: { type: "object" } }];
  const tools = { list, call, saw: (method: string) => void heard.push(method) };
  return { tools, heard, open, go: waiting.resolve };
}

function post(body: Json | string, more: Partial<HeardRequest> = {}): HeardRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { method: "POST", path: "/", headers: {}, body: text, signal: never, ...more };
}

function ask(method: string, params?: Json, id: Json = 1): JsonObject {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

const done = (tool: string, id: Json = 1) => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text: `${tool} done` }] },
});
const refused = (code: number, id: Json = 1) => ({ jsonrpc: "2.0", id, error: { code } });
const told = (result: Json, id: Json = 1) => ({ jsonrpc: "2.0", id, result });
const began = (protocolVersion: string) =>
  told({
    protocolVersion,
    capabilities: { tools: { listChanged: false } },
    serverInfo: { name: "tools", version: "1.0.0" },
  });

const exchanges: readonly [string, HeardRequest, number, Json][] = [
  ["a stream of the server's own", post("", { method: "GET" }), 405, "Expected POST\n"],
  ["another method", post("", { method: "PUT" }), 405, "Expected POST\n"],
  ["another path", post(ask("ping"), { path: "/mcp" }), 404, "Not found\n"],
  ["a query", post(ask("ping"), { path: "/?a=1" }), 200, told({})],
  ["the end of no session", post("", { method: "DELETE" }), 200, ""],
  [
    "a session that it did not give",
    post(ask("ping"), { headers: { "mcp-session-id": "x" } }),
    404,
    refused(-32001, null),
  ],
  [
    "a version that it speaks",
    post(ask("initialize", { protocolVersion: "2025-03-26" })),
    200,
    began("2025-03-26"),
  ],
  [
    "a version that it does not speak",
    post(ask("initialize", { protocolVersion: "2031-01-01" })),
    200,
    began("2025-11-25"),
  ],
  ["no version", post(ask("initialize")), 200, began("2025-11-25")],
  ["a notification", post({ jsonrpc: "2.0", method: "notifications/initialized" }), 202, ""],
  ["an unknown notification", post({ jsonrpc: "2.0", method: "x", params: [1] }), 202, ""],
  ["an answer to nothing", post({ jsonrpc: "2.0", id: 1, result: {} }), 202, ""],
  ["a ping", post(ask("ping", {}, "a")), 200, told({}, "a")],
  ["resources", post(ask("resources/list")), 200, told({ resources: [] })],
  ["templates", post(ask("resources/templates/list")), 200, told({ resourceTemplates: [] })],
  ["prompts", post(ask("prompts/list")), 200, told({ prompts: [] })],
  [
    "tools",
    post(ask("tools/list", { cursor: "" })),
    200,
    told({ tools: [{ name: "find", description: "Finds", inputSchema: { type: "object" } }] }),
  ],
  ["an unknown method", post(ask("tools/lst")), 200, refused(-32601)],
  ["a method that every object has", post(ask("constructor")), 200, refused(-32601)],
  ["parameters that are no object", post(ask("ping", [1])), 200, refused(-32602)],
  [
    "a call",
    post(ask("tools/call", { name: "find", arguments: { a: 1 }, _meta: { progressToken: 0 } })),
    200,
    done("find"),
  ],
  ["a call with 0 as its id", post(ask("tools/call", { name: "find" }, 0)), 200, done("find", 0)],
  [
    "a call that fails",
    post(ask("tools/call", { name: "fails" })),
    200,
    told({ content: [{ type: "text", text: "fails done" }], isError: true }),
  ],
  [
    "a call that is an error of the protocol",
    post(ask("tools/call", { name: "refuses" })),
    200,
    refused(-32602),
  ],
  [
    "a call that breaks the server",
    post(ask("tools/call", { name: "throws" })),
    200,
    refused(-32603),
  ],
  ["no JSON", post("{"), 400, refused(-32700, null)],
  ["no object", post("7"), 400, refused(-32600, null)],
  ["another version of JSON-RPC", post({ id: 1, method: "ping" }), 400, refused(-32600, null)],
  ["no method", post({ jsonrpc: "2.0", id: 1 }), 400, refused(-32600)],
  ["an id that is none", post(ask("ping", {}, {})), 400, refused(-32600, null)],
  ["an empty list", post([]), 400, refused(-32600, null)],
  [
    "a list of notifications",
    post([{ jsonrpc: "2.0", method: "a" }, { jsonrpc: "2.0", method: "b" }]),
    202,
    "",
  ],
  [
    "a list",
    post([
      ask("tools/call", { name: "b" }, 2),
      { jsonrpc: "2.0", method: "n" },
      7,
      ask("tools/call", { name: "a" }, 1),
    ]),
    200,
    [done("b", 2), refused(-32600, null), done("a")],
  ],
];

Deno.test("mcpHandler() keeps to the protocol", async () => {
  const handle = mcpHandler(heardTools().tools);
  for (const [name, request, status, body] of exchanges) {
    const answer = await handle(request);
    assert.equal(answer.status, status, name);
    assert.equal("mcp-session-id" in answer.headers, request.body.includes('"initialize"'), name);
    const text = answer.body;
    assert.ok(typeof text === "string");
    if (typeof body === "string") assert.equal(text, body, name);
    else assert.deepEqual(withoutMessages(JSON.parse(text)), body, name);
  }
});

/** Errors by their code alone. */
function withoutMessages(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutMessages);
  if (typeof value !== "object" || value === null || !("error" in value)) return value;
  const { error, ...rest } = value;
  const { code = null, message } = error as JsonObject;
  assert.ok(typeof message === "string" && message !== "");
  return { ...rest, error: { code } };
}

Deno.test("mcpHandler() hands the tools whatever was called, names and arguments that are none too", async () => {
  const { tools, heard } = heardTools();
  const handle = mcpHandler(tools);
  const params: (Json | undefined)[] = [
    { name: "find", arguments: { a: 1 } },
    { name: "find" },
    { name: "find", arguments: [1] },
    { name: "find", arguments: null },
    { name: 7, arguments: {} },
    { arguments: "x" },
    ["find"],
    undefined,
  ];
  for (const one of params) await handle(post(ask("tools/call", one)));
  assert.deepEqual(heard.filter((one) => one !== "tools/call"), [
    ["find", { a: 1 }],
    ["find", {}],
    ["find", [1]],
    ["find", null],
    ["", {}],
    ["", "x"],
    ["", {}],
    ["", {}],
  ]);
  assert.equal(heard.filter((one) => one === "tools/call").length, params.length);
});

Deno.test("mcpHandler() tells a tool that its caller gave up: taken back, or gone", async () => {
  const { tools, open, go } = heardTools();
  const handle = mcpHandler(tools);
  const begin = async () => (await handle(post(ask("initialize")))).headers["mcp-session-id"] ?? "";
  const [first, second] = [await begin(), await begin()];
  assert.ok(first !== "" && first !== second);
  const inSession = (session: string, body: Json, more: Partial<HeardRequest> = {}) =>
    handle(post(body, { headers: { "mcp-session-id": session }, ...more }));
  const gone = new AbortController();
  const wait = ask("tools/call", { name: "waits" });
  const calls = [
    inSession(first, wait),
    inSession(second, wait),
    inSession(first, ask("tools/call", { name: "waits" }, "1"), { signal: gone.signal }),
  ];
  const back = (requestId: Json) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId, reason: "x" },
  });
  const aborted = () => open.map((signal) => signal.aborted);
  for (const unknown of [2, null, "2", {}]) await inSession(first, back(unknown));
  assert.deepEqual(aborted(), [false, false, false]);
  assert.equal((await inSession(second, back(1))).status, 202);
  assert.deepEqual(aborted(), [false, true, false]);
  gone.abort();
  assert.deepEqual(aborted(), [false, true, true]);
  go();
  for (const answer of await Promise.all(calls)) assert.equal(answer.status, 200);
  await inSession(first, back(1));
  assert.equal((await inSession(second, ask("ping"), { method: "DELETE" })).status, 200);
  assert.equal((await inSession(second, ask("ping"))).status, 404);
  assert.equal((await inSession(first, ask("ping"))).status, 200);
});

Deno.test("a connection that is dropped is told to the tool, and 50 clients' calls are all made", async () => {
  const { tools, heard, open, go } = heardTools();
  const server = await io.servers.serveTools(tools);
  const dropped = new AbortController();
  const body = JSON.stringify(ask("tools/call", { name: "waits" }));
  const lost = fetch(server.url, { method: "POST", body, signal: dropped.signal });
  while (open.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  dropped.abort();
  await assert.rejects(lost);
  const [signal] = open;
  if (signal?.aborted === false) {
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
  }
  go();
  const answers = await Promise.all(Array.from({ length: 50 }, async (_, n) => {
    const call = ask("tools/call", { name: "find", arguments: { n } }, n);
    const answer = await fetch(server.url, { method: "POST", body: JSON.stringify(call) });
    return await answer.json();
  }));
  assert.deepEqual(answers, Array.from({ length: 50 }, (_, n) => done("find", n)));
  assert.equal(heard.filter((one) => Array.isArray(one) && one[0] === "find").length, 50);
  await server.close();
});

Deno.test("the bridge says what it cannot reach, and ends with its input", async () => {
  const { tools } = heardTools();
  const server = await io.servers.serveTools(tools);
  const talk = async (url: string, lines: string) => {
    const [program = "", ...args] = io.servers.stdioBridge(url);
    const child = new Deno.Command(program, { args, stdin: "piped", stdout: "piped" }).spawn();
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(lines));
    await writer.close();
    const { code, stdout } = await child.output();
    assert.equal(code, 0);
    return new TextDecoder().decode(stdout).trim().split("\n").map((line) =>
      withoutMessages(JSON.parse(line))
    );
  };
  const lines = [ask("tools/call", { name: "b" }, 2), ask("tools/call", { name: "a" }, 1)]
    .map((one) => `${JSON.stringify(one)}\r\n`).join("\n");
  assert.deepEqual(await talk(server.url, lines), [done("b", 2), done("a", 1)]);
  const wrong = await talk(`${server.url}x`, `{nonsense\n${JSON.stringify(ask("ping"))}`);
  assert.deepEqual(wrong, [refused(-32000)]);
  assert.deepEqual(await talk(server.url, "{"), [refused(-32700, null)]);
  await server.close();
  assert.deepEqual(await talk(server.url, JSON.stringify(ask("ping"))), [refused(-32000)]);
});

Deno.test("mcpHandler() answers whatever comes, and never throws", async () => {
  const handle = mcpHandler(heardTools().tools);
  const method = fc.constantFrom("initialize", "tools/call", "tools/list", "ping", "__proto__", "");
  const message = fc.record({
    jsonrpc: fc.oneof({ weight: 5, arbitrary: fc.constant("2.0") }, {
      weight: 1,
      arbitrary: fc.jsonValue(),
    }),
    id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
    method: fc.oneof({ weight: 5, arbitrary: method }, { weight: 1, arbitrary: fc.jsonValue() }),
    params: fc.oneof(
      fc.record({ name: fc.jsonValue(), arguments: fc.jsonValue() }, { requiredKeys: [] }),
      fc.jsonValue(),
    ),
  }, { requiredKeys: [] });
  const cut = (text: string, at: number) => text.slice(0, Math.floor(text.length * at));
  const body = fc.oneof(
    message.map((one) => JSON.stringify(one)),
    fc.array(message, { maxLength: 4 }).map((list) => JSON.stringify(list)),
    fc.tuple(message, fc.double({ min: 0, max: 1, noNaN: true })).map(([one, at]) =>
      cut(JSON.stringify(one), at)
    ),
    fc.string({ unit: "binary" }),
    fc.nat(100_000).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
    fc.nat(20_000).map((depth) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":${
        "[".repeat(depth)
      }${"]".repeat(depth)}}}`
    ),
  );
  await fc.assert(
    fc.asyncProperty(body, async (text) => {
      const { status, body } = await handle(post(text));
      assert.ok(typeof body === "string");
      if (status === 202) return assert.equal(body, "");
      assert.ok(status === 200 || status === 400);
      const value: Json = JSON.parse(body);
      for (const one of Array.isArray(value) ? value : [value]) {
        assert.ok(typeof one === "object" && one !== null && "id" in one);
        assert.ok("result" in one !== "error" in one);
      }
    }),
    { seed: 11, numRuns: 500 },
  );
});
