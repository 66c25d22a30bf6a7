/** Does chatModel() speak Chat Completions to a real server on this machine, within its limits? */
import assert from "node:assert/strict";
import { realClock } from "./clock.ts";
import { realHttp } from "./http.ts";
import type { ModelConfig } from "../model/config.ts";
import { modelConfig } from "../model/config.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Clock, ModelAnswer, ModelRequest } from "../model/ports.ts";
import { chatModel } from "../wire/chat_model.ts";

const KEY = "sk-planted-0123456789abcdef";

const REQUEST: ModelRequest = {
  messages: [
    { role: "system", text: "You serve a shop" },
    { role: "user", text: "Ciao" },
    {
      role: "assistant",
      text: "",
      calls: [{ id: "a1", tool: "find", args: { q: "x" }, argsText: '{"q":"x"}' }],
    },
    { role: "tool", call: "a1", tool: "find", text: "[]", status: "ok" },
  ],
  tools: [{ name: "find", description: "Finds", input: { type: "object" } }],
};

interface Heard {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: JsonObject;
}

interface Told {
  readonly answer: ModelAnswer;
  readonly heard: readonly Heard[];
  readonly pausesMs: readonly number[];
}

type Reply = { readonly status?: number; readonly headers?: Record<string, string> } & {
  readonly body: Json;
};

/** Asks once; the server's n-th reply is the n-th of `replies`, the last repeated; `null` hangs. */
async function ask(
  replies: readonly (Reply | null)[],
  config: Partial<ModelConfig> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Told> {
  const heard: Heard[] = [];
  const hanging = new AbortController();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      heard.push({
        path: new URL(request.url).pathname,
        authorization: request.headers.get("authorization"),
        body: await request.json(),
      });
      const reply = replies[Math.min(heard.length, replies.length) - 1];
      if (reply === null || reply === undefined) {
        await new Promise((resolve) => hanging.signal.addEventListener("abort", resolve));
        return new Response("late");
      }
      const { body, status = 200, headers = {} } = reply;
      const text = typeof body === "string" ? body : JSON.stringify(body);
      return new Response(text, { status, headers });
    },
  );
  const pausesMs: number[] = [];
  const clock: Clock = {
    ...realClock(),
    now: () => "2026-10-01T09:00:00.000Z",
    sleep: (ms) => {
      pausesMs.push(ms);
      return Promise.resolve();
    },
  };
  const model = chatModel(
    modelConfig.parse({ api: "chat", base_url: "http://127.0.0.1", name: "small", ...config }),
    { http: realHttp(), clock, key: KEY, baseUrl: `http://127.0.0.1:${server.addr.port}/v1/` },
  );
  try {
    return { answer: await model.complete(REQUEST, signal), heard, pausesMs };
  } finally {
    hanging.abort();
    await server.shutdown();
  }
}

function said(message: JsonObject, more: JsonObject = {}): Reply {
  return { body: { model: "small-2026", choices: [{ message }], ...more } };
}

function call(id: string, name: string, args: Json): JsonObject {
  return { id, type: "function", function: { name, arguments: args } };
}

Deno.test("chatModel() sends conversation, tools and key, and reads text and exact model", async () => {
  const { answer, heard } = await ask([said({ content: "Buongiorno" })], { temperature: 0 });
  assert.deepEqual(heard, [{
    path: "/v1/chat/completions",
    authorization: `Bearer ${KEY}`,
    body: {
      model: "small",
      messages: [
        { role: "system", content: "You serve a shop" },
        { role: "user", content: "Ciao" },
        {
          role: "assistant",
          content: null,
          tool_calls: [{
            id: "a1",
            type: "function",
            function: { name: "find", arguments: '{"q":"x"}' },
          }],
        },
        { role: "tool", tool_call_id: "a1", content: "[]" },
      ],
      tools: [{
        type: "function",
        function: { name: "find", description: "Finds", parameters: { type: "object" } },
      }],
      temperature: 0,
    },
  }]);
  assert.ok(answer.kind === "answer" && answer.latencyMs !== null && answer.latencyMs >= 0);
  assert.deepEqual({ ...answer, latencyMs: 0 }, {
    kind: "answer",
    text: "Buongiorno",
    calls: [],
    usage: null,
    model: "small-2026",
    latencyMs: 0,
    notices: [],
  });
});

const messages: readonly [string, JsonObject, string, readonly unknown[]][] = [
  [
    "two calls in one answer, beside text",
    {
      content: "Guardo",
      tool_calls: [call("a", "find", '{"q":1}'), call("b", "refund", "{}")],
    },
    "Guardo",
    [
      { id: "a", tool: "find", args: { q: 1 }, argsText: '{"q":1}' },
      { id: "b", tool: "refund", args: {}, argsText: "{}" },
    ],
  ],
  [
    "malformed arguments as null, with their text",
    {
      content: null,
      tool_calls: [call("a", "find", '{"q":'), call("b", "find", "[1]")],
    },
    "",
    [
      { id: "a", tool: "find", args: null, argsText: '{"q":' },
      { id: "b", tool: "find", args: null, argsText: "[1]" },
    ],
  ],
  [
    "absent, empty and unserialised arguments",
    {
      tool_calls: [call("a", "find", ""), call("b", "find", null), call("c", "find", { q: 1 })],
    },
    "",
    [
      { id: "a", tool: "find", args: {}, argsText: "{}" },
      { id: "b", tool: "find", args: {}, argsText: "{}" },
      { id: "c", tool: "find", args: { q: 1 }, argsText: '{"q":1}' },
    ],
  ],
  [
    "calls without an id, or with one twice, under ids of their own",
    {
      tool_calls: [call("", "find", "{}"), call("x", "find", "{}"), call("x", "find", "{}")],
    },
    "",
    [
      { id: "call_1", tool: "find", args: {}, argsText: "{}" },
      { id: "x", tool: "find", args: {}, argsText: "{}" },
      { id: "call_3", tool: "find", args: {}, argsText: "{}" },
    ],
  ],
  ["a call without a name as one of no tool", { tool_calls: [{ id: "a" }] }, "", [
    { id: "a", tool: "", args: {}, argsText: "{}" },
  ]],
  ["an empty answer", { content: "" }, "", []],
  ["an answer of null", { content: null }, "", []],
  [
    "text in parts",
    { content: [{ type: "text", text: "Buon" }, { text: "giorno" }] },
    "Buongiorno",
    [],
  ],
  ["a refusal as text", { content: null, refusal: "No" }, "No", []],
];

for (const [name, message, text, calls] of messages) {
  Deno.test(`chatModel() reads ${name}`, async () => {
    const { answer } = await ask([said(message)]);
    assert.ok(answer.kind === "answer");
    assert.deepEqual([answer.text, answer.calls], [text, calls]);
  });
}

const price = { input: 0.15, output: 0.6, per: 1_000_000, currency: "USD", as_of: "2026-11-01" };
const tokens = { prompt_tokens: 1000, completion_tokens: 200 };

const costs: readonly [string, JsonObject, Partial<ModelConfig>, unknown][] = [
  ["from usage and price", { usage: tokens }, { price }, {
    inputTokens: 1000,
    outputTokens: 200,
    cost: { amount: 0.00027, currency: "USD", billing: "metered" },
  }],
  [
    "with cached tokens at their own price",
    {
      usage: { ...tokens, prompt_tokens_details: { cached_tokens: 400 } },
    },
    { price: { ...price, cached_input: 0.05 }, billing: "subscription" },
    {
      inputTokens: 1000,
      cachedInputTokens: 400,
      outputTokens: 200,
      cost: { amount: 0.00023, currency: "USD", billing: "subscription" },
    },
  ],
  ["as null without a price", { usage: tokens }, {}, {
    inputTokens: 1000,
    outputTokens: 200,
    cost: null,
  }],
  ["as null where a count is missing", { usage: { prompt_tokens: 5 } }, { price }, {
    inputTokens: 5,
    cost: null,
  }],
  ["as unknown without usage", {}, { price }, null],
];

for (const [name, more, config, usage] of costs) {
  Deno.test(`chatModel() tells the cost ${name}`, async () => {
    const { answer } = await ask([said({ content: "ok" }, more)], config);
    assert.ok(answer.kind === "answer");
    assert.deepEqual(answer.usage, usage);
  });
}

const busy: Reply = { status: 429, body: { error: { message: "Slow down" } } };
const down: Reply = { status: 503, body: "<html>Bad <b>gateway</b></html>" };
const ok = said({ content: "ok" });

const retries: readonly [string, readonly Reply[], Partial<ModelConfig>, string, number[]][] = [
  ["tries again after 429 and 503 with growing pauses", [busy, down, busy, ok], {}, "ok", [
    500,
    1000,
    2000,
  ]],
  ["honours Retry-After in seconds", [{ ...busy, headers: { "retry-after": "7" } }, ok], {}, "ok", [
    7000,
  ]],
  [
    "honours Retry-After as a date",
    [{
      ...down,
      headers: { "retry-after": "Thu, 01 Oct 2026 09:00:03 GMT" },
    }, ok],
    {},
    "ok",
    [3000],
  ],
  [
    "gives up where the server asks to wait beyond the limit",
    [{
      ...busy,
      headers: { "retry-after": "3600" },
    }],
    {},
    'Model "small" failed 1 times, last: status 429: Slow down; it asks to wait 3600 s, the limit is 60 s',
    [],
  ],
  [
    "gives up after retries_max",
    [down],
    { retries_max: 2 },
    'Model "small" failed 3 times, last: status 503: Bad gateway',
    [500, 1000],
  ],
  [
    "fails at once on another 4xx, with the server's words and without the key",
    [{ status: 401, body: { error: { message: `Incorrect key ${KEY}` } } }],
    {},
    'Model "small" refused with status 401: Incorrect key [key]',
    [],
  ],
  [
    "hides the key where the words are cut within it",
    [{ status: 400, body: `${"y".repeat(290)}${KEY}` }],
    {},
    `Model "small" refused with status 400: ${"y".repeat(290)}[key]`,
    [],
  ],
  [
    "refuses a redirect",
    [{ status: 302, headers: { location: "/elsewhere" }, body: "" }],
    {},
    'Model "small" refused with status 302: no words',
    [],
  ],
  [
    "refuses an answer that is not JSON",
    [{ body: "<p>Log in" }],
    {},
    'Model "small" gave an answer that cannot be read: its body is not a JSON object: <p>Log in',
    [],
  ],
  [
    "refuses an answer without a message",
    [{ body: { choices: [] } }],
    {},
    'Model "small" gave an answer that cannot be read: it has no choices[0].message',
    [],
  ],
  [
    "refuses an error in a successful answer",
    [{ body: { error: { message: "Overloaded" } } }],
    {},
    'Model "small" gave an answer that cannot be read: Overloaded',
    [],
  ],
];

for (const [name, replies, config, expected, pauses] of retries) {
  Deno.test(`chatModel() ${name}`, async () => {
    const { answer, pausesMs, heard } = await ask(replies, config);
    assert.equal(answer.kind === "answer" ? answer.text : "why" in answer && answer.why, expected);
    assert.deepEqual(pausesMs, pauses);
    assert.equal(heard.length, pauses.length + 1);
    assert.ok(!JSON.stringify(answer).includes(KEY));
  });
}

Deno.test("chatModel() ends a hung connection at the time limit, without another try", async () => {
  const { answer, heard } = await ask([null], { timeout_s: 0.1 });
  assert.deepEqual(answer, {
    kind: "failed",
    why: 'Model "small" gave no answer within 0.1 s',
    timedOut: true,
  });
  assert.equal(heard.length, 1);
});

Deno.test("chatModel() stops when the signal fires", async () => {
  const { answer } = await ask([null], {}, AbortSignal.timeout(50));
  assert.deepEqual(answer, {
    kind: "failed",
    why: 'Model "small" was interrupted',
    timedOut: false,
  });
});

Deno.test("chatModel() tries again where nobody listens, then says so", async () => {
  const pausesMs: number[] = [];
  const sleep = (ms: number) => Promise.resolve(void pausesMs.push(ms));
  const model = chatModel(
    modelConfig.parse({ api: "chat", base_url: "http://127.0.0.1", name: "small", retries_max: 1 }),
    {
      http: realHttp(),
      clock: { ...realClock(), sleep },
      key: null,
      baseUrl: "http://127.0.0.1:1/v1",
    },
  );
  const answer = await model.complete(REQUEST, new AbortController().signal);
  assert.ok(answer.kind === "failed");
  assert.match(answer.why, /^Model "small" failed 2 times, last: Cannot reach /);
  assert.deepEqual(pausesMs, [500]);
});
