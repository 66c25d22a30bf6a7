/** Does a served model answer its conversation only, count what it refuses, and hand on what is live? */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../model/json.ts";
import type { ModelApiName } from "../model/model_api.ts";
import type { ModelTool } from "../model/ports.ts";
import { recordingFile } from "../model/recording.ts";
import type { GivenAnswer, HeardRequest } from "../model/serving.ts";
import type { Upstream, UpstreamRequest } from "../model/upstream.ts";
import { MODEL_APIS } from "../wire/api/apis.ts";
import {
  answerOf,
  bodyOf,
  heard,
  type ProgramSettings,
  requestOf,
  type Told,
} from "../wire/api/test_client.ts";
import { type LiveModel } from "./model_forward.ts";
import { type ModelService, modelService } from "./model_service.ts";
import { recordingOf as recorded } from "./recorded_conversation.ts";
import { replayModel } from "./replay_model.ts";
import { recordingOf, shopScenario } from "./test_scenario.ts";

const NAMES: readonly ModelApiName[] = ["chat", "responses", "messages", "gemini"];
const TOOLS: readonly ModelTool[] = [
  { name: "bash", description: "Runs", input: { properties: { command: { type: "string" } } } },
  { name: "tools_find_order", description: "Finds in /run/a/work", input: { type: "object" } },
];
const SETTINGS: ProgramSettings = { system: "You work in /run/a/work", tools: TOOLS, stream: true };
const FOUND = '{"state":"paid"}';
const MISSING = '{"error":{"code":"not_found"}}';

const TURNS: Json = [
  {
    say: "Guardo in {workspace}",
    calls: [
      { tool: "find_order", args: { order: "O-2" } },
      { tool: "shell", args: { command: "ls {workspace}" } },
      { tool: "find_order", args: { order: "O-9" } },
    ],
  },
  { after: { tool: "find_order", status: "ok" }, say: "Tutto bene" },
  { after: { tool: "find_order", status: "error" }, calls: [{ tool: "no_such", args: { a: 1 } }] },
  { say: "Fatto", stop: "length", thinking: "Hm", usage: { inputTokens: 9, outputTokens: 2 } },
  { user: "E adesso?" },
  { say: "Niente" },
];

interface Play {
  readonly service: ModelService;
  readonly said: string[];
}

function replay(turns: Json = TURNS, said: string[] = ["Ciao"], more: JsonObject = {}): Play {
  const model = replayModel(recordingOf(turns, more), shopScenario());
  const folders = { workspace: "/run/a/work", home: "/run/a/home" };
  return { said, service: modelService({ apis: MODEL_APIS, model, ...folders, said: () => said }) };
}

/** A program that leads its conversation over one interface. */
class Program {
  readonly told: Told[] = [];

  constructor(
    readonly name: ModelApiName,
    readonly handle: (request: HeardRequest) => Promise<GivenAnswer>,
    readonly settings: ProgramSettings = SETTINGS,
  ) {}

  request(): HeardRequest {
    return requestOf(this.name, this.told, this.settings);
  }

  /** Asks until an answer has no calls; `answers` are the tools' by the model's own argument. */
  async work(answers: (tool: string, args: string) => string): Promise<string> {
    for (;;) {
      const given = await this.handle(this.request());
      const body = await bodyOf(given);
      if (given.status !== 200) return `${given.status} ${body}`;
      const read = answerOf(this.name, body, this.settings.stream);
      assert.equal(read.kind, "answer", body);
      if (read.kind !== "answer") return "";
      const calls = read.issued.map(({ id, native }) => ({ id, ...native }));
      this.told.push({ assistant: read.text, calls });
      if (calls.length === 0) return read.text;
      for (const { id, tool, args } of calls) {
        this.told.push({ result: answers(tool, args), id, tool });
      }
    }
  }
}

const shop = (tool: string, args: string) => {
  if (tool === "bash") return "a\n\nCommand exited with code 1";
  if (tool === "no_such") return "Tool no_such not found";
  return args.includes("O-9") ? MISSING : FOUND;
};

for (const name of NAMES) {
  for (const stream of [true, false]) {
    const how = stream ? "events" : "JSON";
    Deno.test(`modelService() plays a recording over ${name} as ${how}`, async () => {
      const { service, said } = replay();
      const program = new Program(name, service.handle, { ...SETTINGS, stream });
      program.told.push({ user: "Ciao" });
      assert.equal(await program.work(shop), "Fatto");
      assert.match(service.leftOver() ?? "", /expects the user to say "E adesso\?"/);
      program.told.push({ user: "E adesso?" });
      said.push("E adesso?");
      assert.equal(await program.work(shop), "Niente");
      assert.equal(service.leftOver(), null);
      const { answered, ...seen } = service.seen();
      assert.deepEqual(seen, {
        requests: 4,
        turns: 4,
        sides: 0,
        misses: [],
        failures: [],
        strange: [],
        firstTools: ["bash", "find_order"],
        models: [],
        usage: { cost: null },
        conversations: 1,
        notices: [],
      });
      assert.deepEqual(
        answered.map(({ call, native, result, conversation }) => [
          conversation,
          call.tool,
          native.tool,
          native.args,
          result?.status,
          result?.exitCode,
        ]),
        [
          ["user", "find_order", "tools_find_order", '{"order":"O-2"}', "ok", null],
          ["user", "shell", "bash", '{"command":"ls /run/a/work"}', "error", 1],
          ["user", "find_order", "tools_find_order", '{"order":"O-9"}', "error", null],
          ["user", "no_such", "no_such", '{"a":1}', "error", null],
        ],
      );
      const [first] = program.told.filter((one) => "assistant" in one);
      assert.equal(first?.assistant, "Guardo in /run/a/work");
    });
  }

  Deno.test(`modelService() refuses over ${name} what no turn answers, and counts it`, async () => {
    const { service } = replay();
    const program = new Program(name, service.handle);
    program.told.push({ user: "Ciao" }, { assistant: "Altro", calls: [] }, { user: "Ciao" });
    const answer = await program.work(shop);
    assert.match(answer, /^400 .*No recorded answer: turn 1 of recording/);
    const { misses, turns, answered, conversations } = service.seen();
    assert.match(misses.join(), /but the agent did say \\?"Altro/);
    assert.deepEqual([turns, answered.length, conversations], [0, 0, 1]);
  });
}

Deno.test("modelService() answers a repeated request the same, and its calls count once", async () => {
  const { service } = replay();
  const program = new Program("responses", service.handle);
  program.told.push({ user: "Ciao" });
  const [first, second] = [
    await service.handle(program.request()),
    await service.handle(program.request()),
  ];
  assert.equal(await bodyOf(first), await bodyOf(second));
  const { requests, turns, answered } = service.seen();
  assert.deepEqual([requests, turns, answered.length], [2, 2, 3]);
});

Deno.test("modelService() keeps conversations apart that go on at the same time", async () => {
  const { service } = replay();
  const parent = new Program("chat", service.handle);
  const child = new Program("chat", service.handle);
  parent.told.push({ user: "Ciao" });
  child.told.push({ user: "Read the files for: Ciao" });
  const [served, refused] = await Promise.all([parent.work(shop), child.work(shop)]);
  assert.equal(served, "Fatto");
  assert.match(refused, /^400 .*did not begin this conversation.*Read the files for: Ciao/);
  const { misses, conversations, turns } = service.seen();
  assert.deepEqual([misses.length, conversations, turns], [1, 2, 3]);
  // A program that speaks for the user gets no turn of the user's.
  const compacting = new Program("chat", service.handle);
  compacting.told.push({ user: "Ciao" }, { user: "Summarise all of it" });
  assert.match(await compacting.work(shop), /^400 .*the program says .*Summarise all/);
  // The same first words with another history are another place of the same conversation.
  const again = new Program("chat", service.handle);
  again.told.push({ user: "Ciao" });
  assert.equal(await again.work(shop), "Fatto");
});

Deno.test("modelService() answers what is no turn without using one up", async () => {
  const { service } = replay();
  const side = async (request: HeardRequest) => {
    const given = await service.handle(request);
    const body = await bodyOf(given);
    return [given.status, body.startsWith("{") ? JSON.parse(body) : body];
  };
  const parsed = async (request: HeardRequest) => (await side(request))[1];
  const title = [{ role: "system", content: "You are a title generator" }, {
    role: "user",
    content: "Ciao",
  }];
  const answered = await parsed(heard("/v1/chat/completions", { messages: title }));
  assert.equal(answered.choices[0].message.content, "Conversation");
  const summary = { messages: [{ role: "user", content: "Summarise the last page" }] };
  assert.equal((await parsed(heard("/v1/messages", summary))).content[0].text, "Conversation");
  assert.ok((await parsed(heard("/v1/messages/count_tokens", summary))).input_tokens > 0);
  assert.ok((await parsed(heard("/v1beta/models/g:countTokens", {}))).totalTokens > 0);
  assert.ok((await parsed(heard("/v1/responses/input_tokens", {}))).input_tokens > 0);
  assert.equal((await parsed(heard("/v1/models", null, "GET"))).object, "list");
  assert.equal((await parsed(heard("/v1/models/x", null, "GET"))).object, "model");
  assert.deepEqual(await side(heard("/", null, "HEAD")), [200, ""]);
  assert.deepEqual(await side(heard("/v1/messages", null, "OPTIONS")), [204, ""]);
  assert.equal((await side(heard("/v1/embeddings", {})))[0], 404);
  const { requests, turns, sides, misses, strange, firstTools } = service.seen();
  assert.deepEqual([requests, turns, sides, misses, strange], [2, 0, 7, [], [
    "POST /v1/embeddings",
  ]]);
  assert.equal(firstTools, null);
  const program = new Program("chat", service.handle);
  program.told.push({ user: "Ciao" });
  assert.equal(await program.work(shop), "Fatto");
});

Deno.test("modelService() refuses bodies that it cannot read, and counts them", async () => {
  const { service } = replay();
  const bodies = [
    "",
    "{",
    "[]",
    "null",
    '{"messages":7}',
    '{"input":null}',
    `{"a":${"[".repeat(999)}`,
  ];
  const paths = [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/m/models/x:generateContent",
  ];
  for (const body of bodies) {
    for (const path of paths) {
      const { status } = await service.handle({ ...heard(path, null), body });
      assert.equal(status, 400, `${path} ${body.slice(0, 20)}`);
    }
  }
  assert.equal(service.seen().misses.length, bodies.length * paths.length);
});

Deno.test("modelService() tells the other system prompt or the other tools of a recording", async () => {
  const turns = [{ user: "Ciao" }, { say: "Salve" }];
  const { service } = replay(turns, ["Ciao"], {
    origin: "recorded",
    system: `sha256:${"0".repeat(64)}`,
  });
  const program = new Program("messages", service.handle);
  program.told.push({ user: "Ciao" });
  assert.match(await program.work(shop), /^400 .*made with another system prompt/);
});

Deno.test("50 scenarios served in parallel do not mix", async () => {
  const plays = Array.from({ length: 50 }, async (_, i) => {
    const name = NAMES[i % NAMES.length] ?? "chat";
    const turns = [
      { calls: [{ tool: "find_order", args: { order: `O-${i}` } }] },
      { say: `Fatto ${i}` },
    ];
    const { service } = replay(turns, [`Ciao ${i % 7}`]);
    const program = new Program(name, service.handle, { ...SETTINGS, stream: i % 2 === 0 });
    program.told.push({ user: `Ciao ${i % 7}` });
    const orders: string[] = [];
    const last = await program.work((_tool, args) => {
      orders.push(args);
      return FOUND;
    });
    assert.deepEqual([last, orders], [`Fatto ${i}`, [`{"order":"O-${i}"}`]]);
    assert.equal(service.seen().turns, 2);
    assert.equal(service.leftOver(), null);
  });
  await Promise.all(plays);
});

/** A live model whose upstream is a handler, which sends its answers in small pieces. */
function liveModel(
  api: ModelApiName,
  handle: (request: HeardRequest) => Promise<GivenAnswer>,
  { cutAt = Infinity, sent = [] }: {
    readonly cutAt?: number;
    readonly sent?: (UpstreamRequest & { readonly url: string })[];
  } = {},
): LiveModel {
  let now = 0;
  const upstream: Upstream = {
    send: async (url, request) => {
      sent.push({ ...request, url });
      const { method, headers, body, signal } = request;
      const path = url.replace("https://api.example.test", "");
      const given = await handle({ method, path, headers, body, signal });
      const bytes = new TextEncoder().encode(await bodyOf(given));
      return { status: given.status, headers: given.headers, body: pieces(bytes, cutAt) };
    },
  };
  const price = { input: 1, output: 2, per: 1000, currency: "EUR", as_of: "2026-11-01" };
  return {
    upstream,
    clock: { now: () => "2026-11-30T02:00:00+01:00", monotonicMs: () => now += 5, sleep: never },
    config: { api, name: "real", price, timeout_s: 60 },
    baseUrl: "https://api.example.test/v1/",
    key: "sk-secret-key",
  };
}

function never(): Promise<void> {
  throw new Error("Nothing here sleeps");
}

async function* pieces(bytes: Uint8Array, cutAt: number): AsyncIterable<Uint8Array> {
  await Promise.resolve();
  for (let at = 0; at < bytes.length; at += 97) {
    if (at > cutAt) throw new Error("the connection with sk-secret-key broke");
    yield bytes.slice(at, at + 97);
  }
}

function live(model: LiveModel, said: readonly string[]): ModelService {
  const folders = { workspace: "/run/a/work", home: "/run/a/home" };
  return modelService({ apis: MODEL_APIS, model, ...folders, said: () => said });
}

for (const name of NAMES) {
  Deno.test(`a live run over ${name} is handed on as it is, and its recording replays`, async () => {
    const said = ["Ciao"];
    const upstream = replay(TURNS, said).service;
    const sent: (UpstreamRequest & { readonly url: string })[] = [];
    const bodies: string[] = [];
    const real = liveModel(name, async (request) => {
      const given = await upstream.handle(request);
      bodies.push(await bodyOf(given));
      return given;
    }, { sent });
    const service = live(real, said);
    const seen: string[] = [];
    const asked: string[] = [];
    const program = new Program(name, async (request) => {
      asked.push(request.body);
      const given = await service.handle({
        ...request,
        headers: { ...request.headers, "x-api-key": "dummy", "x-goog-api-key": "dummy" },
      });
      const body = await bodyOf(given);
      seen.push(body);
      return { ...given, body };
    });
    program.told.push({ user: "Ciao" });
    assert.equal(await program.work(shop), "Fatto");
    said.push("E adesso?");
    program.told.push({ user: "E adesso?" });
    assert.equal(await program.work(shop), "Niente");
    assert.deepEqual(seen, bodies);
    assert.equal(sent.length, 4);
    assert.ok(sent.every(({ url }) => url.startsWith("https://api.example.test/v1/")));
    const text = JSON.stringify(sent);
    assert.ok(text.includes("sk-secret-key") && !text.includes("dummy"), text.slice(0, 300));
    assert.deepEqual(sent.map(({ body }) => body), asked);
    const { failures, misses, models, usage, answered } = service.seen();
    assert.deepEqual([failures, misses, models], [[], [], ["test-model"]]);
    assert.equal(usage.latencyMs, 20);
    assert.deepEqual(answered.map(({ call: { tool } }) => tool), [
      "find_order",
      "shell",
      "find_order",
      "no_such",
    ]);

    const about = {
      model: "real",
      at: "2026-11-30T02:00:00+01:00",
      agent: "codex",
      tools: {},
      mask: (words: string) => words,
    };
    const recording = recordingFile.parse(recorded(service.conversation(), about));
    assert.equal(recording.origin, "recorded");
    const [hello, first] = recording.turns;
    assert.deepEqual(hello, { user: "Ciao" });
    assert.deepEqual(
      first !== undefined && "calls" in first && first.calls?.map((call) => [
        call.tool,
        call.args,
        call.digest !== undefined,
      ]),
      [
        ["find_order", { order: "O-2" }, true],
        ["shell", { command: "ls {workspace}" }, true],
        ["find_order", { order: "O-9" }, true],
      ],
    );
    const done = recording.turns.find((turn) => "say" in turn && turn.say === "Fatto");
    assert.ok(done !== undefined && "stop" in done);
    assert.deepEqual([done.stop, done.thinking, done.usage?.inputTokens], ["length", "Hm", 9]);

    const model = replayModel({ name: "pass", file: "pass.yaml", recording }, shopScenario());
    const folders = { workspace: "/run/b/work", home: "/run/b/home" };
    const moved = (words: string) => words.replaceAll("/run/a", "/run/b");
    const again = modelService({ apis: MODEL_APIS, model, ...folders, said: () => said });
    const there = JSON.parse(moved(JSON.stringify(SETTINGS))) as ProgramSettings;
    const replayed = new Program(name, again.handle, there);
    replayed.told.push({ user: "Ciao" });
    assert.equal(await replayed.work(shop), "Fatto");
    replayed.told.push({ user: "E adesso?" });
    assert.equal(await replayed.work(shop), "Niente");
    const { misses: missed, answered: calls } = again.seen();
    assert.deepEqual(missed, []);
    assert.deepEqual(calls.map(({ call }) => call.tool), answered.map(({ call }) => call.tool));
    assert.equal(again.leftOver(), null);
    const other = new Program(name, again.handle, { ...there, system: "Be rude" });
    other.told.push({ user: "Ciao" });
    assert.match(await other.work(shop), /another system prompt/);
    const stranger = new Program(name, again.handle, there);
    stranger.told.push({ user: "Ciao" });
    const answers = (tool: string, args: string) => tool === "bash" ? "b" : shop(tool, args);
    assert.match(await stranger.work(answers), /expected the answer that was recorded/);
  });
}

Deno.test("a live run says why the real model did not answer, without the key", async () => {
  const failing = async (
    handle: (request: HeardRequest) => Promise<GivenAnswer>,
    { api = "chat", cutAt = Infinity }: { api?: ModelApiName; cutAt?: number } = {},
  ) => {
    const service = live(liveModel(api, handle, { cutAt }), ["Ciao"]);
    const program = new Program("chat", service.handle);
    program.told.push({ user: "Ciao" });
    const given = await service.handle(program.request());
    const body = await bodyOf(given).catch((error: Error) => error.message);
    const { failures, turns, misses } = service.seen();
    assert.deepEqual([failures.length, turns, misses], [1, 0, []]);
    return { status: given.status, body, why: failures.join() };
  };
  const busy = { status: 429, headers: { "retry-after": "3" }, body: "busy: sk-secret-key" };
  const late = await failing(() => Promise.resolve(busy));
  assert.equal(late.status, 429);
  assert.equal(late.why, 'Model "real": it refused with status 429: busy: [key]');
  const gone = await failing(() => Promise.reject(new Error("no route with sk-secret-key")));
  assert.equal(gone.status, 502);
  assert.equal(gone.why, 'Model "real" gave no answer: no route with [key]');
  const other = await failing(() => Promise.resolve(busy), { api: "messages" });
  assert.equal(other.status, 400);
  assert.match(other.why, /speaks the interface "chat", model "real" has "messages"/);
  const { service } = replay();
  const cut = await failing(service.handle, { cutAt: 400 });
  assert.match(cut.why, /its answer broke off: the connection with \[key\] broke/);
  const odd = { status: 200, headers: {}, body: "data: {}\n\n" };
  const unread = await failing(() => Promise.resolve(odd));
  assert.match(unread.why, /its answer cannot be read: It ends before its `finish_reason`/);
  assert.equal(unread.body, odd.body);
});

Deno.test("a live run hands on side requests too, as no turn", async () => {
  const service = live(liveModel("chat", replay().service.handle), ["Ciao"]);
  const title = { messages: [{ role: "system", content: "You are a title generator" }] };
  await bodyOf(await service.handle(heard("/v1/chat/completions", title)));
  const { requests, sides, turns, failures } = service.seen();
  assert.deepEqual([requests, sides, turns, failures], [1, 1, 0, []]);
  assert.deepEqual(service.conversation().messages, []);
});

Deno.test("recordingOf() masks every text, and keeps what the user answered to a tool", () => {
  const mask = (text: string) => text.replaceAll("s3cret", "[masked]");
  const { tools } = shopScenario();
  const call = { id: "c1", tool: "ask_customer", args: { question: "s3cret?" }, argsText: "" };
  const recording = recorded({
    messages: [
      { role: "user", text: "Il codice è s3cret" },
      { role: "assistant", text: "s3cret", calls: [call, { ...call, id: "c2", args: null }] },
      {
        role: "tool",
        call: "c1",
        tool: "ask_customer",
        text: '{"answer":"s3cret sì"}',
        status: "ok",
      },
      { role: "assistant", text: "", calls: [] },
    ],
    facts: new Map([[1, { thinking: "s3cret", stop: "calls" }]]),
    system: "s3cret",
    tools: [],
  }, { model: "m", at: "2026-11-30T02:00:00+01:00", agent: "a", tools, mask });
  assert.ok(!JSON.stringify(recording).includes("s3cret"));
  const parsed = recordingFile.parse(recording);
  assert.deepEqual(
    parsed.turns.map((turn) => "user" in turn ? turn.user : "say" in turn && turn.say),
    [
      "Il codice è [masked]",
      "[masked]",
      "[masked] sì",
      "",
    ],
  );
  const none = { messages: [], facts: new Map(), system: "", tools: [] };
  assert.equal(recorded(none, { model: "m", at: "", agent: "a", tools, mask }), null);
});
