/**
 * What does a run with an agent that listens prove? Small agents on loopback, talked to by the whole
 * path from the project's files to the verdict: what they say is testimony, the tools' record and the
 * world are evidence, and where neither is there nothing passes.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createIo } from "../io/real.ts";
import { loadScenarios } from "../load/scenarios.ts";
import type { HttpAgentConfig } from "../model/config.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Report } from "../model/report.ts";
import type { Run } from "../model/run.ts";
import { playHttp } from "./http_agent.ts";
import { judge } from "./pipeline.ts";
import { openSession, type Session } from "./session.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const KEY = "plain-words-that-open-the-door-9317";

/** A request as the agent heard it. */
interface Heard {
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** The agent: what it heard, its tools, and its model where that is ours. */
type Agent = (
  heard: Heard,
  tools: (name: string, args: JsonObject) => Promise<string>,
  model: (messages: Json[]) => Promise<Response>,
) => Promise<Response> | Response;

/** What one case has besides the agent. */
interface Case {
  readonly config?: Partial<HttpAgentConfig>;
  /** Written over the project's `light-on`. */
  readonly scenario?: string;
  readonly tools?: boolean;
  /** The text of a recording: then the run is a replay. */
  readonly recording?: string;
  readonly path?: string;
}

interface Played {
  readonly run: Run;
  readonly verdict: string;
  readonly failed: readonly string[];
  readonly heard: readonly Heard[];
}

function freePort(): number {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

async function project(scenario: string | undefined): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "collaudo http " });
  const from = join(ROOT, "testdata/cli/projects/lights");
  for (
    const name of [
      "fixtures/home/state.json",
      "fixtures/home/tools.yaml",
      "scenarios/home/light-on.yaml",
    ]
  ) {
    await Deno.mkdir(join(folder, name, ".."), { recursive: true });
    await Deno.copyFile(join(from, name), join(folder, name));
  }
  await Deno.writeTextFile(join(folder, "collaudo.yaml"), "locale: en\n");
  if (scenario !== undefined) {
    await Deno.writeTextFile(join(folder, "scenarios/home/light-on.yaml"), scenario);
  }
  return folder;
}

/** A client of the tool server: a new session for each conversation, as it must be. */
async function callTool(port: number, name: string, args: JsonObject): Promise<string> {
  const url = `http://127.0.0.1:${port}/mcp`;
  const ask = async (method: string, params: Json, session: string | null) => {
    const headers: Record<string, string> = session === null ? {} : { "mcp-session-id": session };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer = await fetch(url, { method: "POST", headers, body });
    return { session: answer.headers.get("mcp-session-id"), body: await answer.json() };
  };
  const { session } = await ask("initialize", { protocolVersion: "2025-06-18" }, null);
  await ask("tools/list", {}, session);
  const { body } = await ask("tools/call", { name, arguments: args }, session);
  return body.result.content[0].text;
}

async function askModel(port: number, messages: Json[]): Promise<Response> {
  const tools = ["list_lights", "set_light"].map((name) => ({
    type: "function",
    function: { name: `mcp__tools__${name}`, description: "x", parameters: { type: "object" } },
  }));
  return await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "any", messages, tools }),
  });
}

async function played(agent: Agent, one: Case = {}): Promise<Played> {
  const folder = await project(one.scenario);
  const [toolsPort, modelPort] = [freePort(), freePort()];
  if (one.recording !== undefined) {
    const recordings = join(folder, "fixtures/recordings/light-on");
    await Deno.mkdir(recordings, { recursive: true });
    await Deno.writeTextFile(join(recordings, "pass.yaml"), one.recording);
  }
  const heard: Heard[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (asked) => {
      const message = { headers: asked.headers, body: await asked.json() };
      heard.push({ ...message, body: { ...message.body, path: new URL(asked.url).pathname } });
      return await agent(
        message,
        (name, args) => callTool(toolsPort, name, args),
        (messages) => askModel(modelPort, messages),
      );
    },
  );
  try {
    const real = createIo(undefined);
    const env = (name: string) => name === "AGENT_KEY" ? KEY : undefined;
    const session = await openSession({ ...real, env, cwd: folder });
    ok(typeof session !== "number");
    const { scenarios } = await loadScenarios(real.files, session.project, { paths: [], only: [] });
    const [loaded] = scenarios;
    ok(loaded !== undefined);
    const config: HttpAgentConfig = {
      kind: "http",
      base_url: `http://127.0.0.1:${server.addr.port}${one.path ?? "/v1"}`,
      stream: false,
      calls_max: 10,
      timeout_s: 30,
      ...(one.tools === false ? {} : { tools_port: toolsPort }),
      ...(one.recording === undefined ? {} : { model_port: modelPort }),
      ...one.config,
    };
    const [recording = null] = loaded.recordings;
    const mode = one.recording === undefined ? "live" : "replay";
    const listening = { name: "house", config };
    const run = await playHttp({ session, loaded, agent: listening, mode, recording, trial: 1 });
    return { run, heard, ...await judged(session, loaded, run) };
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

async function judged(session: Session, loaded: Parameters<typeof judge>[0], run: Run) {
  const { verdict } = await judge(loaded, run, { config: session.project.config, place: null });
  const failed = verdict.conditions.filter((one) => one.verdict === "failed").map(({ id }) => id);
  return { verdict: verdict.verdict, failed };
}

function says(content: string, more: JsonObject = {}): Response {
  return Response.json({
    model: "house-2",
    choices: [{ message: { role: "assistant", content, ...more }, finish_reason: "stop" }],
    usage: { prompt_tokens: 7, completion_tokens: 3 },
  });
}

function streams(...pieces: (JsonObject | string)[]): Response {
  const text = pieces.map((piece) =>
    `data: ${typeof piece === "string" ? piece : JSON.stringify(piece)}\n\n`
  );
  return new Response(text.join(""), { headers: { "content-type": "text/event-stream" } });
}

const delta = (content: string, finish_reason: string | null = null) => ({
  model: "house-2",
  choices: [{ delta: { content }, finish_reason }],
});

const lightsUp: Agent = async (_, tools) => {
  await tools("list_lights", {});
  await tools("set_light", { light: "kitchen", on: true });
  return says("The kitchen light is on.");
};

Deno.test("playHttp() passes by what the tools recorded, and fails what was only said", async () => {
  const right = await played(lightsUp);
  deepEqual([right.verdict, right.failed], ["passed", []]);
  deepEqual(
    right.run.events.map((event) =>
      event.kind === "call" ? `${event.tool} ${event.status} ${event.source}` : event.kind
    ),
    ["message", "list_lights ok tools", "set_light ok tools", "message"],
  );
  equal(right.run.agent.model, "house-2");
  equal(right.run.usage?.inputTokens, 7);
  ok((right.run.usage?.latencyMs ?? -1) >= 0);
  const lied = await played(async (_, tools) => {
    await tools("list_lights", {});
    const call = {
      id: "x",
      function: { name: "set_light", arguments: '{"light":"kitchen","on":true}' },
    };
    return says("The kitchen light is on.", { tool_calls: [call] });
  });
  deepEqual([lied.verdict, lied.failed], ["failed", ["missing:lights/kitchen/on", "outcome"]]);
  const other = await played(async (_, tools) => {
    await tools("set_light", { light: "kitchen", on: true });
    await tools("set_light", { light: "study", on: true });
    return says("The kitchen light is on.");
  });
  deepEqual([other.verdict, other.failed], ["failed", [
    "protected:lights/study/on",
    "outcome",
    "checkpoint:looked_first",
  ]]);
  const told = await played(async (heard, tools, model) => {
    const call = {
      id: "x",
      function: { name: "set_light", arguments: '{"light":"kitchen","on":false}' },
    };
    await lightsUp(heard, tools, model);
    return says("Done", { tool_calls: [call] });
  });
  equal(told.verdict, "failed", "an attempt that it tells of counts as one");
  ok(told.failed.includes("forbidden:set_light"));
});

const PASS = await Deno.readTextFile(
  join(ROOT, "testdata/cli/projects/lights/fixtures/recordings/light-on/pass.yaml"),
);

/** A loop of a model and tools; it refuses what `refuses` names, without asking anybody. */
function loopAgent(refuses: string | null = null): Agent {
  return async ({ body }, tools, model) => {
    const said = (body.messages as JsonObject[]).filter(({ role }) => role !== "system");
    const messages: Json[] = [{ role: "system", content: "You run a house" }, ...said];
    for (;;) {
      const answer = await model(messages);
      if (!answer.ok) return new Response(await answer.text(), { status: 500 });
      const { choices: [{ message }] } = await answer.json();
      messages.push(message);
      if (message.tool_calls === undefined) return says(message.content);
      for (const { id, function: { name, arguments: args } } of message.tool_calls) {
        const tool = name.replace("mcp__tools__", "");
        const content = tool === refuses ? "Refused" : await tools(tool, JSON.parse(args));
        messages.push({ role: "tool", tool_call_id: id, content });
      }
    }
  };
}

Deno.test("playHttp() replays the model of an agent that asks it at a known port", async () => {
  const runs = [];
  for (let i = 0; i < 2; i++) {
    const right = await played(loopAgent(), { recording: PASS });
    deepEqual([right.verdict, right.run.ended], ["passed", { kind: "completed" }]);
    runs.push(JSON.stringify(right.run));
  }
  equal(runs[0], runs[1], "two replays are the same");
  const off =
    "turns: [{calls: [{tool: list_lights}, {tool: set_light, args: {light: study, on: false}}]}, {say: Fine}]";
  const refused = await played(loopAgent("set_light"), { recording: `origin: handmade\n${off}\n` });
  equal(refused.verdict, "failed");
  ok(refused.failed.includes("forbidden:set_light"), "an attempt that no tool of ours saw");
  deepEqual(
    refused.run.events.flatMap((one) =>
      one.kind === "call" ? [[one.tool, one.status, one.source]] : []
    ),
    [["list_lights", "ok", "tools"], ["set_light", "error", "model"]],
  );
  const missed = await played(loopAgent(), {
    recording: PASS.replace("turns:", 'turns:\n  - user: "Turn the kitchen light off"'),
  });
  deepEqual([missed.verdict, missed.run.ended.kind], ["stale", "stale"]);
  match(missed.run.ended.detail ?? "", /expects the user to say "Turn the kitchen light off"/);
  const over = await played(loopAgent(), { recording: `${PASS}  - say: And more\n` });
  deepEqual([over.verdict, /still expects/.test(over.run.ended.detail ?? "")], ["stale", true]);
  const own = await played(lightsUp, { recording: PASS });
  equal(own.verdict, "errored", "it asked a model of its own");
});

const TALK = `id: light-on
description: A question is answered without touching anything
category: happy_path
setup: {available_tools: [], autonomy: supervised}
conversation:
  - user: "Hello"
  - user: "What is your name?"
expected:
  outcome: no_change
  final_response: {contains_any: ["House"]}
  checkpoints: [{id: answers, required: true, check: "$says('House')"}]
`;

Deno.test("playHttp() needs something that shows what was done", async () => {
  let asked = 0;
  const blind: Agent = () => {
    asked++;
    return says("The kitchen light is on.");
  };
  const unseen = await played(blind, { tools: false });
  equal(unseen.verdict, "errored");
  match(unseen.run.ended.detail ?? "", /nothing shows what it did: expected `tools_port`/);
  equal(asked, 0, "an agent is not bothered with what cannot be judged");
  const unconnected = await played(blind);
  equal(unconnected.run.ended.kind, "environment_error");
  match(unconnected.run.ended.detail ?? "", /did not ask for its tools at "http:.*\/mcp"/);
  const replayed = await played(blind, { recording: PASS, config: { model_port: undefined } });
  equal(replayed.verdict, "stale");
  match(replayed.run.ended.detail ?? "", /expected `model_port`/);
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const busy = await played(blind, { config: { tools_port: taken.addr.port } });
  taken.close();
  match(busy.run.ended.detail ?? "", /^Cannot listen at "127.0.0.1:\d+": the port is taken$/);
  deepEqual([unconnected.verdict, busy.verdict], ["errored", "errored"]);
  const spoken = await played(() => says("I am House"), { scenario: TALK, tools: false });
  equal(spoken.verdict, "passed", "where nothing can be done, words can be judged");
});

Deno.test("playHttp() tells an OpenAI-compatible agent the whole conversation, streamed or not", async () => {
  const config = { key: { env: "AGENT_KEY" }, model: "house", headers: { "X-Room": "kitchen" } };
  for (const stream of [false, true]) {
    let turn = 0;
    const agent: Agent = () => {
      turn++;
      if (turn === 1) return says("Hi");
      return stream
        ? streams(delta("I am "), delta("House", "stop"), "[DONE]")
        : says("I am House");
    };
    const { run, heard, verdict } = await played(agent, {
      scenario: TALK,
      tools: false,
      config: { ...config, stream },
    });
    equal(verdict, "passed", run.ended.detail);
    const [first, second] = heard;
    equal(first?.headers.get("authorization"), `Bearer ${KEY}`);
    equal(first?.headers.get("x-room"), "kitchen");
    const { user, messages, ...rest } = second?.body ?? {};
    deepEqual(rest, {
      path: "/v1/chat/completions",
      model: "house",
      ...(stream ? { stream } : {}),
    });
    equal(user, first?.body.user);
    deepEqual(messages, [
      { role: "system", content: "clock: 2026-10-01T09:00:00+02:00\nautonomy: supervised" },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hi" },
      { role: "user", content: "What is your name?" },
    ]);
  }
});

Deno.test("playHttp() talks as the entry maps it, and keeps the session that the agent names", async () => {
  const config = {
    request: '{"msg": text, "n": turn, "conversation": session}',
    response:
      '{"text": reply.body, "session": id, "calls": done.{"tool": what, "args": with, "status": how}}',
  };
  const agent: Agent = ({ body }) =>
    Response.json({
      reply: { body: body.n === 2 ? "House" : "Hi" },
      id: "s-9",
      done: body.n === 2
        ? [{ what: "look", with: '{"a":1}' }, { what: "peek", how: "denied" }]
        : [],
    });
  const { run, heard, verdict } = await played(agent, {
    scenario: TALK,
    tools: false,
    path: "/chat?x=1",
    config,
  });
  equal(verdict, "passed", run.ended.detail);
  match(String(heard[0]?.body.conversation), /^collaudo-light-on-1-/);
  deepEqual(heard[1]?.body, {
    msg: "What is your name?",
    n: 2,
    conversation: "s-9",
    path: "/chat",
  });
  deepEqual(
    run.events.flatMap((event) =>
      event.kind === "call" ? [[event.tool, event.args, event.status, event.source]] : []
    ),
    [["look", { a: 1 }, "unfinished", "stream"], ["peek", {}, "denied", "stream"]],
  );
});

const mapped = { request: '{"m": text}', response: '{"text": reply}' };
const faults: readonly [string, Agent, Partial<HttpAgentConfig>, string, RegExp][] = [
  [
    "an error of the agent",
    () => new Response("boom", { status: 500 }),
    {},
    "agent_error",
    /status 500: boom/,
  ],
  [
    "a wrong key",
    () => Response.json({ error: { message: `no ${KEY}` } }, { status: 401 }),
    { key: { env: "AGENT_KEY" } },
    "environment_error",
    /status 401: no \[key\]/,
  ],
  [
    "a redirect",
    () => Response.redirect("http://127.0.0.1:9/"),
    {},
    "environment_error",
    /status 302/,
  ],
  ["an answer that is none", () => new Response("Hi"), {}, "agent_error", /cannot be read/],
  [
    "a stream that is cut",
    () => streams(delta("I am House")),
    {},
    "agent_error",
    /finish_reason/,
  ],
  [
    "a stream that breaks",
    () => streams(delta("I am"), { error: { message: "oh" } }, "[DONE]"),
    {},
    "agent_error",
    /cannot be read/,
  ],
  [
    "a mapped answer that is no JSON",
    () => new Response("<p>"),
    mapped,
    "agent_error",
    /no JSON/,
  ],
  [
    "a mapping that finds no text",
    () => Response.json({ answer: "House" }),
    mapped,
    "environment_error",
    /finds no `text`/,
  ],
  [
    "a mapping that finds a number",
    () => Response.json({ reply: 7 }),
    mapped,
    "environment_error",
    /finds no `text`/,
  ],
  [
    "calls that are none",
    () => Response.json({ reply: "a", c: [7] }),
    { ...mapped, response: '{"text": reply, "calls": c}' },
    "environment_error",
    /no list of/,
  ],
  [
    "a request that comes to nothing",
    () => says("a"),
    { request: "messages[9].text" },
    "environment_error",
    /comes to nothing/,
  ],
  [
    "a variable that is not set",
    () => says("a"),
    { key: { env: "NO_SUCH_KEY" } },
    "environment_error",
    /NO_SUCH_KEY is not set/,
  ],
  [
    "nobody there",
    () => says("a"),
    { base_url: `http://127.0.0.1:${freePort()}` },
    "environment_error",
    /refused/,
  ],
  [
    "an agent that hangs",
    () => new Promise((resolve) => setTimeout(() => resolve(says("House")), 1500)),
    { timeout_s: 0.3 },
    "timeout",
    /0\.3 s/,
  ],
];

Deno.test("playHttp() passes nothing that went wrong", async () => {
  for (const [name, agent, config, kind, detail] of faults) {
    const { run, verdict } = await played(agent, { scenario: TALK, tools: false, config });
    equal(run.ended.kind, kind, `${name}: ${run.ended.detail}`);
    match(run.ended.detail ?? "", detail, name);
    ok(verdict !== "passed", name);
    ok(!JSON.stringify(run).includes(KEY), name);
  }
});

/** The whole program, with the agent in its configuration. */
async function wholeProgram(agent: Agent): Promise<{ code: number; report: Report; text: string }> {
  const folder = await project(undefined);
  const port = freePort();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async ({ headers, body }) =>
      await agent(
        { headers, body: JSON.parse(await new Response(body).text()) },
        (name, args) => callTool(port, name, args),
        () => Promise.reject(new Error("it has a model of its own")),
      ),
  );
  const config = `locale: en
agent: house
agents:
  house:
    kind: http
    base_url: {env: HOUSE_URL}
    request: '{"say": text}'
    response: '{"text": reply}'
    tools_port: ${port}
`;
  try {
    await Deno.writeTextFile(join(folder, "collaudo.yaml"), config);
    const gate = "gate: release\nversion: 1\nreason: First\nbaseline: production\nrules:\n" +
      '  - {id: success, level: block, require: candidate.taskSuccess = 1, because: "It works"}\n';
    await Deno.mkdir(join(folder, "gates"));
    await Deno.writeTextFile(join(folder, "gates/release.yaml"), gate);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", join(ROOT, "main.ts"), "--mode=live", "--out=out"],
      cwd: folder,
      env: { INIT_CWD: "", HOUSE_URL: `http://127.0.0.1:${server.addr.port}/say`, NO_COLOR: "1" },
      stdin: "null",
    }).output();
    const text = [stdout, stderr].map((each) => new TextDecoder().decode(each)).join("\n");
    const read = Deno.readTextFile(join(folder, "out/report.json"));
    const report = JSON.parse(await read.catch(() => Promise.reject(new Error(text))));
    return { code, report, text };
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("the whole program judges an agent that listens by what its tools recorded", async () => {
  const heard: Json[] = [];
  const honest = await wholeProgram(async ({ body }, tools) => {
    heard.push(body);
    await tools("list_lights", {});
    await tools("set_light", { light: "kitchen", on: true });
    return Response.json({ reply: "The kitchen light is on." });
  });
  deepEqual(heard, [{ say: "Turn on the kitchen light" }]);
  equal(honest.report.scenarios[0]?.verdict, "passed", honest.text);
  equal(honest.report.decision.evidence, "live");
  const lying = await wholeProgram(async (_, tools) => {
    await tools("list_lights", {});
    return Response.json({ reply: "The kitchen light is on." });
  });
  equal(lying.report.scenarios[0]?.verdict, "failed");
  deepEqual([lying.report.decision.verdict, lying.code], ["block", 1]);
});

const WORLD = `id: light-on
description: One light of the real house goes on
category: happy_path
setup:
  available_tools: []
  world: {reset: [cp, first.json, house.json], read: [cat, house.json]}
conversation: [{user: "Turn on the kitchen light"}]
expected:
  state:
    changes: {lights/kitchen/on: true}
`;

Deno.test("playHttp() judges the team's own world, read before and after", async () => {
  const house = (kitchen: boolean, study: boolean) =>
    JSON.stringify({ lights: { kitchen: { on: kitchen }, study: { on: study } } });
  for (
    const [end, wanted] of [
      [house(true, false), "passed"],
      [house(true, true), "failed"],
      [house(false, false), "failed"],
      ["{", "errored"],
    ] as const
  ) {
    const folder = await project(WORLD);
    await Deno.writeTextFile(join(folder, "first.json"), house(false, false));
    await Deno.writeTextFile(join(folder, "house.json"), house(true, true));
    const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async () => {
      await Deno.writeTextFile(join(folder, "house.json"), end);
      return says("The kitchen light is on.");
    });
    const session = await openSession({ ...createIo(undefined), cwd: folder });
    ok(typeof session !== "number");
    const { scenarios: [loaded] } = await loadScenarios(session.io.files, session.project, {
      paths: [],
      only: [],
    });
    ok(loaded !== undefined);
    const base_url = `http://127.0.0.1:${server.addr.port}/v1`;
    const config = { kind: "http", base_url, stream: false, calls_max: 9, timeout_s: 30 } as const;
    const agent = { name: "house", config };
    const run = await playHttp({ session, loaded, agent, mode: "live", recording: null, trial: 1 });
    const { verdict } = await judged(session, loaded, run);
    equal(verdict, wanted, `${end} ${run.ended.detail}`);
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});
