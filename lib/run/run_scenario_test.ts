/** Does runScenario() talk, ask, interrupt and stop as the contract has it? Replays on a small shop. */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../model/json.ts";
import type { Clock, Model, ModelAnswer, ModelCall, ModelRequest } from "../model/ports.ts";
import { runFile } from "../model/run.ts";
import { realClock } from "./run_clock.ts";
import { scriptedModel } from "./scripted_model.ts";
import {
  endLine,
  eventLine,
  replayShop,
  runShop,
  type ShopCase,
  shopScenario,
} from "./test_scenario.ts";

const find = { tool: "find_order", args: { order: "O-2" } };
const ask = { tool: "ask_customer", args: { question: "Confermi?" } };
const found = '{"email":"bruno@example.test","state":"paid","total":5}';

const conversations: readonly [string, ShopCase, Json, string[], string][] = [
  [
    "says the turns in order, each after the agent has ended its own",
    {
      conversation: [{ user: "Ciao" }, { user: "Grazie" }],
    },
    [{ say: "Guardo", calls: [find] }, { say: "Ecco" }, { say: "" }],
    [
      "1 user: Ciao",
      "1 assistant: Guardo",
      `1 find_order ok: ${found}`,
      "1 assistant: Ecco",
      "2 user: Grazie",
      "2 assistant: ",
    ],
    "completed",
  ],
  [
    "skips a conditional turn that is false, and shows it",
    {
      conversation: [{ user: "Ciao" }, { user: "Sì", if: "$asked()" }, {
        user: "Ecco",
        if: "true",
      }],
    },
    [{ say: "Fatto" }, { say: "Bene" }],
    [
      "1 user: Ciao",
      "1 assistant: Fatto",
      '1 notice: User turn not said: "Sì", its condition "$asked()" is false',
      "2 user: Ecco",
      "2 assistant: Bene",
    ],
    "completed",
  ],
  [
    "says a conditional turn that is true",
    {
      conversation: [{ user: "Ciao" }, { user: "Sì", if: "$asked('confermi')" }],
    },
    [{ say: "Confermi?" }, { say: "Fatto" }],
    [
      "1 user: Ciao",
      "1 assistant: Confermi?",
      "2 user: Sì",
      "2 assistant: Fatto",
    ],
    "completed",
  ],
  [
    "ends where a condition has no answer",
    {
      conversation: [{ user: "Ciao" }, { user: "Sì", if: "trace.nothing" }],
    },
    [{ say: "Fatto" }],
    ["1 user: Ciao", "1 assistant: Fatto"],
    "environment_error",
  ],
  ["ends where no turn was said at all", { conversation: [{ user: "Ciao", if: "false" }] }, [{
    say: "Fatto",
  }], [
    '0 notice: User turn not said: "Ciao", its condition "false" is false',
  ], "environment_error"],
  [
    "interrupts with the n-th call's answer; the rest of that answer is still called",
    {
      conversation: [{ user: "Ciao" }, { user: "STOP", after_calls: 2 }, { user: "Poi" }],
    },
    [{ calls: [find, find, find] }, { say: "Fermo" }, { say: "Sì" }],
    [
      "1 user: Ciao",
      `1 find_order ok: ${found}`,
      `1 find_order ok: ${found}`,
      "2 user: STOP",
      `2 find_order ok: ${found}`,
      "2 assistant: Fermo",
      "3 user: Poi",
      "3 assistant: Sì",
    ],
    "completed",
  ],
  [
    "shows an interruption whose call never came",
    {
      conversation: [{ user: "Ciao" }, { user: "STOP", after_calls: 5 }],
    },
    [{ calls: [find] }, { say: "Fatto" }],
    [
      "1 user: Ciao",
      `1 find_order ok: ${found}`,
      "1 assistant: Fatto",
      '1 notice: User turn not said: "STOP", call 5 of the turn never came',
    ],
    "completed",
  ],
  [
    "answers a tool that asks with the next turn, decided with that question",
    {
      conversation: [{ user: "Ciao" }, { user: "No", if: "$not($asked())" }, {
        user: "Sì",
        if: "$asked('Confermi')",
      }],
    },
    [{ calls: [ask] }, { say: "Fatto" }],
    [
      "1 user: Ciao",
      '1 ask_customer ok: {"answer":"Sì"}',
      '1 notice: User turn not said: "No", its condition "$not($asked())" is false',
      "2 user: Sì",
      "2 assistant: Fatto",
    ],
    "completed",
  ],
  ["ends completed where nobody is left to answer, the calls after it cancelled", {}, [{
    calls: [ask, find],
  }], [
    "1 user: Ciao",
    "1 ask_customer ok: undefined",
    "1 find_order cancelled: undefined",
  ], "completed"],
  [
    "lets an interruption answer the question that is its call",
    {
      conversation: [{ user: "Ciao" }, { user: "STOP", after_calls: 1 }],
    },
    [{ calls: [ask] }, { say: "Fermo" }],
    [
      "1 user: Ciao",
      '1 ask_customer ok: {"answer":"STOP"}',
      "2 user: STOP",
      "2 assistant: Fermo",
    ],
    "completed",
  ],
  [
    "records approvals before their call",
    {
      setup: { approvals: { grant: [{ tool: "t", times: 1 }] } },
      tools: {
        t: {
          description: "Does",
          effect: "write",
          approval: "required",
          input: { type: "object" },
        },
      },
    },
    [{ calls: [{ tool: "t" }, { tool: "t" }] }, { say: "Fatto" }],
    [
      "1 user: Ciao",
      "1 granted: t",
      '1 t ok: {"ok":true}',
      "1 denied: t",
      "1 t denied: denied",
      "1 assistant: Fatto",
    ],
    "completed",
  ],
  [
    "ends where a tools file is at fault",
    {
      tools: {
        t: { description: "Does", effect: "write", input: { type: "object" }, set: { x: 1 } },
      },
    },
    [{ calls: [{ tool: "t" }, find] }, { say: "Fatto" }],
    [
      "1 user: Ciao",
      "1 t unfinished: undefined",
      "1 find_order cancelled: undefined",
    ],
    "environment_error",
  ],
  [
    "starts no process for shell, but records the command",
    { setup: { workspace: "w" } },
    [{
      calls: [{ tool: "shell", args: { command: "rm -rf x" } }],
    }],
    ["1 user: Ciao", "1 command"],
    "environment_error",
  ],
  ["shows the notices of a recording", {}, [{ notice: "context_compacted" }, { say: "Ecco" }], [
    "1 user: Ciao",
    "1 notice: context_compacted",
    "1 assistant: Ecco",
  ], "completed"],
];

for (const [name, one, turns, lines, ended] of conversations) {
  Deno.test(`runScenario() ${name}`, async () => {
    const run = await replayShop(turns, one);
    assert.deepEqual(run.events.map(eventLine), lines, endLine(run.ended));
    assert.equal(run.ended.kind, ended, endLine(run.ended));
    assert.deepEqual(runFile.parse(run).events, run.events);
  });
}

Deno.test("runScenario() tells the agent its system text and the setup as it is", async () => {
  const setup = { autonomy: "supervised", channel: "email:customer", policy_preset: "strict" };
  let heard: ModelRequest | null = null;
  const model: Model = {
    ...scriptedModel([]),
    complete: (request, signal) => {
      heard = request;
      return scriptedModel([]).complete(request, signal);
    },
  };
  await runShop(shopScenario({ setup: { ...setup, available_tools: ["refund"] } }), model);
  assert.ok(heard !== null);
  const { messages, tools } = heard as ModelRequest;
  assert.deepEqual(messages, [
    {
      role: "system",
      text: "You serve a shop\n\nclock: 2026-10-01T09:00:00+02:00\nautonomy: supervised\n" +
        "channel: email:customer\npolicy_preset: strict",
    },
    { role: "user", text: "Ciao" },
  ]);
  assert.deepEqual(tools.map(({ name }) => name), ["refund"]);
});

Deno.test("runScenario() ends as limit where the agent calls more than it may", async () => {
  const model = scriptedModel([{ calls: [find, find, find] }]);
  const agent = { calls_max: 2, timeout_s: 60, system: null };
  const run = await runShop(shopScenario(), model, { agent });
  assert.deepEqual(run.events.slice(1).map((event) => "status" in event && event.status), [
    "ok",
    "ok",
    "cancelled",
  ]);
  assert.equal(endLine(run.ended), "limit: The agent called more than 2 tools, its limit");
});

Deno.test("runScenario() answers malformed arguments and unknown tools with an error, and goes on", async () => {
  let deep: Json = "x";
  for (let i = 0; i < 20_000; i++) deep = { x: deep };
  const bad: ModelCall[] = [
    { id: "a", tool: "find_order", args: null, argsText: '{"order":' },
    { id: "b", tool: "drop_all", args: {}, argsText: "{}" },
    { id: "c", tool: "", args: {}, argsText: "{}" },
    { id: "d", tool: "find_order", args: { order: deep }, argsText: "deep" },
  ];
  const requests: ModelRequest[] = [];
  const model: Model = {
    leftOver: () => null,
    complete: (request) => {
      requests.push(request);
      return Promise.resolve(answerOf(requests.length === 1 ? { calls: bad } : { text: "Ecco" }));
    },
  };
  const run = await runShop(shopScenario(), model);
  assert.deepEqual(run.events.map(eventLine), [
    "1 user: Ciao",
    "1 find_order error: invalid_arguments",
    "1 drop_all error: unknown_tool",
    "1 (unnamed) error: unknown_tool",
    "1 find_order error: invalid_arguments",
    "1 assistant: Ecco",
  ]);
  assert.deepEqual(run.events.flatMap((event) => event.kind === "call" ? [event.args] : []), [
    { "(unreadable)": '{"order":' },
    {},
    {},
    { "(unreadable)": "deep" },
  ]);
  assert.deepEqual(
    requests[1]?.messages.slice(3).map((message) =>
      message.role === "tool" ? [message.call, message.status] : message.role
    ),
    [["a", "error"], ["b", "error"], ["c", "error"], ["d", "error"]],
  );
});

function answerOf(parts: Partial<ModelAnswer & { kind: "answer" }>): ModelAnswer {
  return {
    kind: "answer",
    text: "",
    calls: [],
    usage: null,
    latencyMs: null,
    model: null,
    notices: [],
    ...parts,
  };
}

const failures: readonly [string, ModelAnswer, string][] = [
  ["a failed model as the environment's error", {
    kind: "failed",
    why: "status 500",
    timedOut: false,
  }, "environment_error: status 500"],
  ["a hung model as the environment's error", {
    kind: "failed",
    why: "no answer",
    timedOut: true,
  }, "environment_error: no answer"],
  ["a stale recording as stale", { kind: "stale", why: "other words" }, "stale: other words"],
];

for (const [name, answer, expected] of failures) {
  Deno.test(`runScenario() tells ${name}`, async () => {
    const model = { complete: () => Promise.resolve(answer), leftOver: () => null };
    const run = await runShop(shopScenario(), model);
    assert.equal(endLine(run.ended), expected);
    assert.deepEqual(run.events.map(eventLine), ["1 user: Ciao"]);
  });
}

/** A model that hangs and hears no signal. */
const HANGING: Model = { complete: () => new Promise(() => {}), leftOver: () => null };

/** A clock whose waits are over when the test says so. */
function handClock(): { clock: Clock; ring: () => void } {
  let ring = () => {};
  const clock: Clock = {
    now: () => "2026-10-01T09:00:00Z",
    monotonicMs: () => 0,
    sleep: (_, signal) =>
      new Promise((resolve, reject) => {
        ring = resolve;
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  };
  return { clock, ring: () => ring() };
}

Deno.test("runScenario() ends as timeout where a live agent is over its time, even if it hears no signal", async () => {
  const { clock, ring } = handClock();
  const running = runShop(shopScenario(), HANGING, { mode: "live", clock: realClock(clock) });
  ring();
  assert.equal(endLine((await running).ended), "timeout: The agent's time limit is 60 s");
});

Deno.test("runScenario() ends as interrupted when the signal fires, before or within", async () => {
  const control = new AbortController();
  const running = runShop(shopScenario(), HANGING, { signal: control.signal });
  control.abort();
  assert.equal((await running).ended.kind, "interrupted");
  const late = await runShop(shopScenario(), scriptedModel([]), { signal: control.signal });
  assert.equal(late.ended.kind, "interrupted");
});

const costly = (inputTokens: number, amount: number, currency = "USD"): ModelAnswer =>
  answerOf({
    usage: { inputTokens, outputTokens: 1, cost: { amount, currency, billing: "metered" } },
    latencyMs: 100,
  });

const sums: readonly [string, ModelAnswer[], JsonObject][] = [
  ["sums tokens, time and cost", [costly(10, 0.1), costly(20, 0.2)], {
    inputTokens: 30,
    outputTokens: 2,
    latencyMs: 200,
    cost: { amount: 0.3, currency: "USD", billing: "metered" },
  }],
  ["does not know the sum where one part is unknown", [costly(10, 0.1), answerOf({})], {
    cost: null,
  }],
  ["does not sum currencies", [costly(10, 0.1), costly(20, 0.2, "EUR")], {
    inputTokens: 30,
    outputTokens: 2,
    latencyMs: 200,
    cost: null,
  }],
];

for (const [name, answers, usage] of sums) {
  Deno.test(`runScenario() ${name}`, async () => {
    const queue = [...answers];
    const model: Model = {
      complete: () => Promise.resolve(queue.shift() ?? answerOf({})),
      leftOver: () => null,
    };
    const loaded = shopScenario({ conversation: answers.map(() => ({ user: "Ciao" })) });
    assert.deepEqual((await runShop(loaded, model)).usage, usage);
  });
}
