/** Do the servers' answers have the form that the public contracts promise, and read back as they were? */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { JsonObject } from "../../model/json.ts";
import type {
  AgentRequest,
  AnswerPlace,
  ModelApiName,
  Streaming,
  WrittenAnswer,
} from "../../model/model_api.ts";
import { apiOf, bodyOf, heard, NOWHERE, requestOf } from "./test_client.ts";
import { MODEL_APIS } from "./apis.ts";

const NAMES: readonly ModelApiName[] = ["chat", "responses", "messages", "gemini"];
const UPDATE = Deno.permissions.querySync({ name: "env", variable: "UPDATE_GOLDEN" }).state ===
    "granted" && Deno.env.get("UPDATE_GOLDEN") === "1";

const TOOL = {
  description: "Finds an order",
  input: { type: "object", properties: { order: { type: "string" } } },
};

function requestFor(name: ModelApiName): AgentRequest {
  const tools = [{ name: "tools_find_order", ...TOOL }];
  const request = requestOf(name, [{ user: "Ciao" }], { system: "Serve", tools, stream: true });
  const api = apiOf(name);
  const route = api.route(request);
  assert.equal(route?.kind, "complete");
  if (route?.kind !== "complete") throw new Error("unreachable");
  const read = api.readRequest(route, NOWHERE);
  assert.equal(read.kind, "request");
  if (read.kind !== "request") throw new Error("unreachable");
  return read;
}

const WHOLE: WrittenAnswer = {
  id: "0123456789abcdef",
  text: "Guardo l'ordine…",
  calls: [
    { id: "", tool: "find_order", args: { order: "O-2" }, argsText: '{"order":"O-2"}' },
    { id: "", tool: "find_order", args: {}, argsText: "{}" },
  ],
  thinking: "Prima leggo",
  stop: "calls",
  usage: { inputTokens: 100, cachedInputTokens: 40, outputTokens: 7 },
  model: "test-model",
};
const ANSWERS: Readonly<Record<string, WrittenAnswer>> = {
  calls: WHOLE,
  text: { ...WHOLE, text: "Fatto.", calls: [], thinking: null, stop: "end" },
  cut: { ...WHOLE, text: "Non ho fin", calls: [], thinking: null, stop: "length", usage: null },
};

function streamings(name: ModelApiName): readonly Streaming[] {
  return name === "gemini" ? ["no", "events", "list"] : ["no", "events"];
}

for (const name of NAMES) {
  Deno.test(`write() of ${name} gives what the golden files hold`, async () => {
    for (const [kind, answer] of Object.entries(ANSWERS)) {
      for (const streaming of streamings(name)) {
        const about: AnswerPlace = { streaming, request: requestFor(name), place: NOWHERE };
        const { given, issued } = apiOf(name).write(answer, about);
        assert.equal(given.status, 200);
        const type = streaming === "events" ? "text/event-stream" : "application/json";
        assert.ok(given.headers["content-type"]?.startsWith(type));
        const body = await bodyOf(given);
        const text = streaming === "events"
          ? body
          : `${JSON.stringify(JSON.parse(body), null, 1)}\n`;
        const file = new URL(
          `../../../testdata/model_api/${name}-${kind}-${streaming}.txt`,
          import.meta.url,
        );
        if (UPDATE) await Deno.writeTextFile(file, text);
        assert.equal(text, await Deno.readTextFile(file), file.pathname);
        const native = issued.map((call) => call.native.tool);
        assert.deepEqual(native, answer.calls.map(() => "tools_find_order"));
        assert.ok(issued.every(({ id }) => /^[A-Za-z0-9]+$/.test(id)));
      }
    }
  });

  Deno.test(`readAnswer() of ${name} reads back what write() wrote, and no part of it`, () => {
    const request = requestFor(name);
    const answers = fc.record({
      text: fc.string({ unit: "binary" }),
      thinking: fc.option(fc.string({ minLength: 1 })),
      calls: fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 3 }),
      usage: fc.option(fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat() })),
      streaming: fc.constantFrom(...streamings(name)),
      cut: fc.double({ min: 0, max: 0.999, noNaN: true }),
    });
    fc.assert(
      fc.property(answers, ({ text, thinking, calls, usage, streaming, cut }) => {
        const made = calls.map((args) => {
          const plain = JSON.parse(JSON.stringify(args)) as JsonObject;
          return { id: "", tool: "find_order", args: plain, argsText: JSON.stringify(plain) };
        });
        const answer: WrittenAnswer = {
          ...WHOLE,
          text,
          thinking,
          calls: made,
          stop: made.length > 0 ? "calls" : "end",
          usage,
        };
        const about: AnswerPlace = { streaming, request, place: NOWHERE };
        const { given, issued } = apiOf(name).write(answer, about);
        const body = String(given.body);
        const read = apiOf(name).readAnswer(body, about);
        assert.equal(read.kind, "answer");
        if (read.kind !== "answer") return;
        assert.equal(read.text, text);
        assert.equal(read.thinking, thinking);
        assert.equal(read.stop, answer.stop);
        assert.equal(read.model, "test-model");
        assert.deepEqual(read.issued.map(({ call }) => [call.tool, call.args]), [
          ...made.map(({ tool, args }) => [tool, args]),
        ]);
        assert.deepEqual(read.issued.map(({ id }) => id), issued.map(({ id }) => id));
        if (usage !== null) assert.equal(read.usage?.outputTokens, usage.outputTokens);
        const part = body.slice(0, Math.floor(body.length * cut));
        const half = apiOf(name).readAnswer(part, about);
        // Chat says how it ended before its usage and its last line.
        if (!/"finish_reason":"(?:stop|tool_calls)"/.test(part)) {
          assert.equal(half.kind, "unreadable", part.slice(-200));
        }
      }),
      { seed: 6, numRuns: 150 },
    );
  });
}

Deno.test("write() of responses numbers its events, in the order of the contract", async () => {
  const about: AnswerPlace = {
    streaming: "events",
    request: requestFor("responses"),
    place: NOWHERE,
  };
  const body = await bodyOf(apiOf("responses").write(ANSWERS.text ?? WHOLE, about).given);
  const events = [...body.matchAll(/^event: (.*)\ndata: (.*)$/gm)];
  assert.deepEqual(events.map(([, type]) => type), [
    "response.created",
    "response.in_progress",
    "response.output_item.added",
    "response.content_part.added",
    "response.output_text.delta",
    "response.output_text.done",
    "response.content_part.done",
    "response.output_item.done",
    "response.completed",
  ]);
  const data = events.map(([, , text]) => JSON.parse(text ?? "") as JsonObject);
  assert.deepEqual(data.map(({ sequence_number }) => sequence_number), data.map((_, i) => i));
  assert.deepEqual(data.map(({ type }) => type), events.map(([, type]) => type));
});

Deno.test("miss() has the interface's own form of an error, with status 400", async () => {
  const messages: Record<string, unknown> = {};
  for (const name of NAMES) {
    const given = apiOf(name).miss("No such turn");
    assert.equal(given.status, 400);
    messages[name] = JSON.parse(await bodyOf(given));
  }
  const openAi = {
    error: {
      message: "No such turn",
      type: "invalid_request_error",
      param: null,
      code: "replay_miss",
    },
  };
  assert.deepEqual(messages, {
    chat: openAi,
    responses: openAi,
    messages: { type: "error", error: { type: "invalid_request_error", message: "No such turn" } },
    gemini: { error: { code: 400, message: "No such turn", status: "INVALID_ARGUMENT" } },
  });
});

Deno.test("readAnswer() reads what only real servers send", () => {
  const about: AnswerPlace = { streaming: "events", request: requestFor("chat"), place: NOWHERE };
  const chunks = [
    { model: "m-1", choices: [{ delta: { role: "assistant", content: null } }] },
    { choices: [{ delta: { reasoning: "Hm" } }] },
    {
      choices: [{
        delta: { tool_calls: [{ index: 1, id: "b", function: { name: "bash", arguments: "{" } }] },
      }],
    },
    {
      choices: [{
        delta: {
          tool_calls: [
            { index: 0, id: "a", function: { name: "tools_x", arguments: "" } },
            { index: 1, function: { arguments: '"command":"ls /run/one/work"}' } },
          ],
        },
      }],
    },
    { choices: [{ delta: {}, finish_reason: "tool_calls" }] },
    { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } },
  ];
  const body = `: hello\r\n\r\n${
    chunks.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join("")
  }data: [DONE]\r\n\r\n`;
  const read = apiOf("chat").readAnswer(body, about);
  assert.equal(read.kind === "answer" && read.thinking, "Hm");
  assert.deepEqual(
    read.kind === "answer" && read.issued.map(({ call }) => [call.tool, call.args]),
    [
      ["x", {}],
      ["shell", { command: "ls {workspace}" }],
    ],
  );
  assert.deepEqual(read.kind === "answer" && read.usage, { inputTokens: 5, outputTokens: 2 });

  const responses = apiOf("responses").readAnswer(
    [
      { type: "response.output_item.done", item: { type: "message", content: [{ text: "Ciao" }] } },
      { type: "response.completed", response: { status: "completed", model: "m", output: [] } },
    ].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""),
    about,
  );
  assert.equal(responses.kind === "answer" && responses.text, "Ciao");
  const failed = {
    type: "response.failed",
    response: { status: "failed", error: { message: "No" } },
  };
  assert.deepEqual(
    apiOf("responses").readAnswer(`data: ${JSON.stringify(failed)}\n\n`, about),
    { kind: "unreadable", why: "No" },
  );
  const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  assert.deepEqual(
    apiOf("messages").readAnswer(`event: error\ndata: ${JSON.stringify(error)}\n\n`, about),
    { kind: "unreadable", why: "Overloaded" },
  );
  const usage = { input_tokens: 5, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 };
  const message = { type: "message", content: [], usage: { ...usage, output_tokens: 3 } };
  const whole = apiOf("messages").readAnswer(JSON.stringify(message), {
    ...about,
    streaming: "no",
  });
  assert.deepEqual(whole.kind === "answer" && whole.usage, {
    inputTokens: 125,
    cachedInputTokens: 100,
    outputTokens: 3,
  });
});

Deno.test("no body makes a server throw", () => {
  const paths = [
    "/v1/chat/completions",
    "/v1/responses",
    "/v1/messages",
    "/v1beta/models/m:generateContent",
    "/v1beta/models/m:streamGenerateContent?alt=sse",
  ];
  const keys = [
    ...["messages", "input", "contents", "role", "content", "parts", "tools", "type", "text"],
    ...["tool_calls", "function", "name", "arguments", "id", "call_id", "output", "tool_use_id"],
    ...["functionCall", "functionResponse", "response", "system", "tool_choice", "action"],
  ];
  const words = [
    ...["user", "assistant", "tool", "system", "model", "message", "function_call", "tool_use"],
    ...["tool_result", "function_call_output", "custom_tool_call", "local_shell_call", "namespace"],
    ...["function", "custom", "bash", "tools_x", "shell", "invalid", "tool_call", "{", '{"a":1}'],
  ];
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 6 },
      fc.constantFrom(...words),
      fc.jsonValue({ maxDepth: 2 }),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys), tie("tree"), { maxKeys: 6 }),
    ),
  }));
  const deep = `{"messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const request = requestFor("chat");
  const tryBody = (text: string) => {
    for (const api of MODEL_APIS) {
      for (const path of paths) {
        const route = api.route({ ...heard(path, null), body: text });
        if (route?.kind === "complete") api.readRequest(route, NOWHERE);
      }
      for (const streaming of ["no", "events", "list"] as const) {
        api.readAnswer(text, { streaming, request, place: NOWHERE });
        api.readAnswer(`data: ${text}\n\n`, {
          streaming,
          request,
          place: NOWHERE,
        });
      }
    }
  };
  tryBody(deep);
  fc.assert(
    fc.property(fc.oneof(tree.map((one) => JSON.stringify(one)), fc.string()), tryBody),
    { seed: 6, numRuns: 200 },
  );
});
