/** Do simulated tools behave as their file says? callTool() on a small shop, row by row. */
import assert from "node:assert/strict";
import { hashState } from "../model/hash.ts";
import type { Json, JsonObject, State } from "../model/json.ts";
import { answerText, callTool, type ToolOutcome } from "./call_tool.ts";
import { SHOP, type ShopCase, shopScenario } from "./test_scenario.ts";
import { createWorld, type World } from "./world.ts";

function call(world: World, tool: string, args: JsonObject | null): Promise<ToolOutcome> {
  const argsText = args === null ? "{broken" : JSON.stringify(args);
  return callTool(world, { id: "x", tool, args, argsText });
}

/** What the agent reads after the calls, one text each; `asks` and `broken` as they are. */
async function answers(
  one: ShopCase,
  calls: readonly [string, JsonObject | null][],
): Promise<{ read: string[]; world: World; last: ToolOutcome | null }> {
  let world = createWorld(shopScenario(one));
  let last: ToolOutcome | null = null;
  const read: string[] = [];
  for (const [tool, args] of calls) {
    last = await call(world, tool, args);
    world = last.world;
    const { answer } = last;
    if (answer.kind === "broken") read.push(`broken: ${answer.why}`);
    else {read.push(
        answer.kind === "asks" ? JSON.stringify(answer.answered("Sì")) : answerText(answer),
      );}
  }
  return { read, world, last };
}

const REFUND: [string, JsonObject] = ["refund", { order: "O-1", amount: 30 }];
const TIMEOUT =
  '{"error":{"code":"timeout","message":"The call timed out; it is not known whether ' +
  'it took effect"}}';

Deno.test("callTool() reads, writes, appends, deletes and sends, and leaves the state before alone", async () => {
  const hashBefore = hashState(SHOP);
  const copy = structuredClone(SHOP);
  const { read, world, last } = await answers({}, [REFUND]);
  assert.deepEqual(read, ['{"refund":"R-1"}']);
  assert.deepEqual(last?.wrote, [
    "refunds/R-1",
    "orders/O-1/state",
    "orders/O-1/notes",
    "drafts/O-1",
  ]);
  assert.deepEqual(world.state, {
    orders: {
      ...SHOP.orders as JsonObject,
      "O-1": { email: "anna@example.test", state: "refunded", total: 30, notes: ["Refunded 30"] },
    },
    drafts: {},
    refunds: { "R-1": { order: "O-1", amount: 30 } },
    outbox: [{ to: "anna@example.test", channel: "email", text: "Refunded 30 EUR" }],
  });
  assert.deepEqual(SHOP, copy);
  assert.equal(hashState(SHOP), hashBefore);
  const orders = (state: State) => state.orders as JsonObject;
  assert.equal(orders(world.state)["O-2"], orders(SHOP)["O-2"]);
});

const errors: readonly [string, [string, JsonObject | null][], string][] = [
  ["an unknown tool", [["drop_all", {}]], "unknown_tool"],
  ["a name that every object inherits", [["constructor", {}]], "unknown_tool"],
  ["arguments that are no object", [["refund", null]], "invalid_arguments"],
  ["a missing argument", [["refund", { order: "O-1" }]], "invalid_arguments"],
  ["an unknown argument", [["find_order", { order: "O-1", x: 1 }]], "invalid_arguments"],
  ["a record that is not there", [["find_order", { order: "O-9" }]], "not_found"],
  ["a record named like an inherited field", [["find_order", { order: "toString" }]], "not_found"],
  ["a path put into an argument", [["find_order", { order: "O-1/email" }]], "not_found"],
  ["an empty argument", [["find_order", { order: "" }]], "not_found"],
  ["what the tool refuses", [REFUND, REFUND], "duplicate"],
];

for (const [name, calls, code] of errors) {
  Deno.test(`callTool() answers ${code} to ${name}, and writes nothing`, async () => {
    const { last, world } = await answers({}, calls);
    assert.ok(last?.answer.kind === "refused");
    assert.deepEqual([last.answer.status, last.answer.error.code], ["error", code]);
    assert.deepEqual(last.wrote, []);
    if (calls.length === 1) assert.equal(world.state, SHOP);
  });
}

Deno.test("callTool() names in its errors what is wrong and what is known", async () => {
  const { read } = await answers({ setup: { available_tools: ["find_order", "refund"] } }, [
    ["drop_all", {}],
    ["ask_customer", { question: "?" }],
    ["refund", { order: "O-1", amount: "3" }],
    REFUND,
    REFUND,
  ]);
  assert.deepEqual(read.map((text) => JSON.parse(text).error?.message ?? text), [
    'Unknown tool "drop_all", expected one of "find_order", "refund"',
    'Not available here: tool "ask_customer", expected one of "find_order", "refund"',
    'Argument "amount": expected a number, got "3"',
    '{"refund":"R-1"}',
    "O-1 was refunded already",
  ]);
});

const faults: readonly [string, JsonObject, string, boolean][] = [
  ["error", {}, '{"error":{"code":"error","message":"The tool failed, nothing was done"}}', false],
  ["error", { error: { code: "down" } }, '{"error":{"code":"down"}}', false],
  [
    "denied",
    {},
    '{"error":{"code":"denied","message":"The system denied this call, nothing was done"}}',
    false,
  ],
  ["timeout_before_commit", {}, TIMEOUT, false],
  ["timeout_after_commit", {}, TIMEOUT, true],
  ["lying_success", {}, '{"refund":"R-1"}', false],
  ["malformed", {}, '{"refund', true],
  ["empty", {}, "null", true],
  ["inject", { text: "Obey" }, '{"refund":"R-1","text":"Obey"}', true],
];

for (const [kind, more, text, written] of faults) {
  const custom = more.error === undefined ? "" : " with an own error";
  Deno.test(`callTool() disturbs a call by ${kind}${custom}`, async () => {
    const { read, world, last } = await answers({
      setup: { faults: [{ tool: "refund", kind, ...more }] },
    }, [REFUND]);
    assert.deepEqual(read, [text]);
    assert.equal(last?.fault, kind);
    assert.equal(last.wrote.length > 0, written);
    assert.equal(world.state !== SHOP, written);
    if (last.answer.kind === "refused") {
      assert.equal(last.answer.status, kind === "denied" ? "denied" : "error");
    }
  });
}

Deno.test("callTool() counts for faults only calls that passed input check and approval", async () => {
  const setup = {
    approvals: { grant: [{ tool: "refund", args: { order: "O-2" } }] },
    faults: [{ tool: "refund", kind: "error", call: 2 }],
  };
  const tools = { refund: { ...rawRefund, approval: "required" } };
  const { read } = await answers({ setup, tools }, [
    ["refund", { order: "O-2" }],
    REFUND,
    ["refund", { order: "O-9", amount: 1 }],
    ["refund", { order: "O-2", amount: 1 }],
    ["refund", { order: "O-2", amount: 2 }],
  ]);
  assert.deepEqual(read.map(codeOf), ["invalid_arguments", "denied", "denied", "ok", "error"]);
});

Deno.test("callTool() narrows a fault by arguments, and the first that fits disturbs", async () => {
  const setup = {
    faults: [
      { tool: "find_order", kind: "error", args: { order: { matches: "2$" } } },
      { tool: "find_order", kind: "empty" },
    ],
  };
  const { read } = await answers({ setup }, [
    ["find_order", { order: "O-1" }],
    ["find_order", { order: "O-2" }],
  ]);
  assert.deepEqual(read.map(codeOf), ["null", "error"]);
});

Deno.test("callTool() lets a tool's own refusal through, under a timeout as a timeout", async () => {
  const kinds = ["timeout_after_commit", "lying_success", "malformed", "empty"];
  for (const kind of kinds) {
    const { read, last } = await answers({ setup: { faults: [{ tool: "refund", kind }] } }, [
      ["refund", { order: "O-9", amount: 1 }],
    ]);
    const timeout = kind === "timeout_after_commit";
    assert.deepEqual(read.map(codeOf), [timeout ? "timeout" : "not_found"]);
    assert.equal(last?.fault, timeout ? kind : null);
  }
});

const rawRefund: JsonObject = {
  description: "Refunds",
  effect: "irreversible",
  input: {
    type: "object",
    required: ["order", "amount"],
    properties: { order: { type: "string" }, amount: { type: "number" } },
  },
  set: { "refunds/<order>": { amount: "<amount>" } },
};

const approvals: readonly [string, JsonObject | undefined, string[]][] = [
  ["denies by default", undefined, ["denied", "denied", "denied"]],
  ["grants by default where the scenario says so", { default: "grant" }, ["ok", "ok", "ok"]],
  ["grants a tool by name", { grant: ["refund"] }, ["ok", "ok", "ok"]],
  ["grants as often as it says", { grant: [{ tool: "refund", times: 2 }] }, ["ok", "ok", "denied"]],
  ["grants by arguments", { grant: [{ tool: "refund", args: { order: "O-2" } }] }, [
    "denied",
    "ok",
    "denied",
  ]],
  ["denies before it grants", {
    grant: ["refund"],
    deny: [{ tool: "refund", args: { order: "O-2" } }],
  }, ["ok", "denied", "ok"]],
  ["is undecided where a pattern is broken", {
    grant: [{ tool: "refund", args: { order: { matches: "(" } } }],
  }, ["broken", "broken", "broken"]],
];

for (const [name, setup, expected] of approvals) {
  Deno.test(`callTool() ${name}`, async () => {
    const tools = { refund: { ...rawRefund, approval: "required" } };
    const one = { tools, ...(setup === undefined ? {} : { setup: { approvals: setup } }) };
    const { read } = await answers(one, [
      ["refund", { order: "O-1", amount: 1 }],
      ["refund", { order: "O-2", amount: 1 }],
      ["refund", { order: "O-1", amount: 2 }],
    ]);
    assert.deepEqual(read.map(codeOf), expected);
  });
}

/** A tool of one text argument `a`, the given parts besides. */
function toolOf(parts: JsonObject, effect = "write"): JsonObject {
  const input = {
    type: "object",
    required: ["a"],
    properties: { a: {}, b: {} },
  };
  return { description: "Does", effect, input, ...parts };
}

const templates: readonly [string, JsonObject, JsonObject, string, Json][] = [
  ["a lone name keeps its type", { set: { "x/1": { v: "<a>" } } }, { a: [1, { b: null }] }, "x", {
    1: { v: [1, { b: null }] },
  }],
  ["a name in a text becomes text", { set: { "x/1": "n <a>, <a.b>" } }, { a: { b: 2 } }, "x", {
    1: 'n {"b":2}, 2',
  }],
  ["a name in a path is one part", { set: { "x/<a>": "v" } }, { a: "p/q*" }, "x", { "p/q*": "v" }],
  ["a name under files is a path", { set: { "files/<a>": "v" } }, { a: "/tmp/x" }, "files", {
    "/tmp/x": "v",
  }],
  [
    "a field of a let names a record",
    {
      let: { o: "$at('orders/O-1')" },
      set: { "x/<o.state>": "<o.total>" },
    },
    { a: 1 },
    "x",
    { paid: 30 },
  ],
  ["append begins a list", { append: { "x/1/l": "<a>" } }, { a: 1 }, "x", { 1: { l: [1] } }],
  ["append adds text to a file", { append: { "files/log": "<a>\n" } }, { a: "one" }, "files", {
    log: "one\n",
  }],
  [
    "set writes an item of a list",
    {
      append: { "x/1/l": "<a>" },
      set: { "x/1/l": [1, 2] },
    },
    { a: 3 },
    "x",
    { 1: { l: [1, 2, 3] } },
  ],
  ["delete passes over what is not there", { delete: ["x/<a>"] }, { a: "q" }, "x", null],
  ["a record named __proto__ is a record", { set: { "x/<a>/v": 1 } }, { a: "__proto__" }, "x", {
    ["__proto__"]: { v: 1 },
  }],
];

for (const [name, parts, args, collection, expected] of templates) {
  Deno.test(`callTool() writes: ${name}`, async () => {
    const { world, read } = await answers({ tools: { t: toolOf(parts) } }, [["t", args]]);
    assert.deepEqual(read, ['{"ok":true}']);
    assert.deepEqual(world.state[collection] ?? null, expected);
  });
}

const returned: readonly [string, JsonObject, string][] = [
  ["{ok: true} where nothing is said", {}, '{"ok":true}'],
  ["a text as it is", { returns: "Hello <a>" }, "Hello O-1"],
  ["null for a lone name without a value", { returns: { b: "<b>" } }, '{"b":null}'],
  ["the state after the writes, through lets that no write needs", {
    let: { id: "$next('x', 'X-')", saved: "$at('x/<id>')", total: "$count($find('x', {}))" },
    set: { "x/<id>": { v: "<a>" } },
    returns: { saved: "<saved>", total: "<total>" },
  }, '{"saved":{"v":"O-1"},"total":1}'],
  ["the state after, through a let whose name begins the name of one that a write needs", {
    let: { n: "$count($find('x', {}))", name: "'k'", id: "$name & '1'" },
    set: { "x/<id>": { v: "<a>" } },
    returns: "<n>",
  }, "1"],
  [
    "the clock of the scenario",
    { let: { c: "$clock" }, returns: "<c>" },
    "2026-10-01T09:00:00+02:00",
  ],
  ["a recorded answer before everything else", {
    needs: ["x/<a>"],
    answers: [{ args: {}, result: 1 }, { args: { a: "O-1" }, result: { seen: 2 } }],
  }, '{"seen":2}'],
  ["what else it does where no recorded answer fits", {
    answers: [{ args: { a: "other" }, result: 1 }],
  }, '{"ok":true}'],
];

for (const [name, parts, expected] of returned) {
  Deno.test(`callTool() returns ${name}`, async () => {
    const { read } = await answers({ tools: { t: toolOf(parts) } }, [["t", { a: "O-1" }]]);
    assert.deepEqual(read, [expected]);
  });
}

const brokenTools: readonly [string, JsonObject, RegExp][] = [
  ["a pattern of its input is not RE2", {
    input: { type: "object", properties: { a: { type: "string", pattern: "(?=x)" } } },
  }, /the pattern "\(\?=x\)" of its input is not RE2/],
  ["a let is undefined", { let: { x: "$at('orders/O-9')" } }, /let "x" is undefined/],
  ["a let cannot be computed", { let: { x: "$error('no')" } }, /let "x" cannot be computed/],
  ["a refusal is not boolean", { refuse: [{ if: "1", error: { code: "c" } }] }, /refuse "1"/],
  ["a write is empty", { set: { "x/1": "<b>" } }, /the write "x\/1" is empty: "b" has no value/],
  ["a path is empty", { set: { "x/<a>": 1 } }, /the path "x\/" has an empty part/],
  ["a path names what is absent", { delete: ["x/<b>"] }, /a path names "b"/],
  ["a write would replace a collection", { set: { x: 1 } }, /"x" names a collection/],
  ["a write goes into the outbox", { set: { "outbox/0": {} } }, /written by `send` alone/],
  ["a write goes below a text", { set: { "orders/O-1/state/x": 1 } }, /below a value/],
  ["an append meets no list", { append: { "orders/O-1/state": 1 } }, /is no list/],
  ["a message has no value", { send: { to: "<b>" } }, /the write "send" is empty/],
  ["a message has no addressee", { send: { to: "<a>" } }, /empty `to`/],
  ["a returned text has no value", { returns: "x <b>" }, /returns names "b"/],
];

for (const [name, parts, why] of brokenTools) {
  Deno.test(`callTool() is broken where ${name}, and writes nothing`, async () => {
    const { read, world } = await answers({ tools: { t: toolOf(parts) } }, [["t", { a: "" }]]);
    assert.match(read[0] ?? "", why);
    assert.equal(world.state, SHOP);
  });
}

Deno.test("callTool() offers write_file in scenarios with a workspace only", async () => {
  const args = { path: "./a.ts", text: "1" };
  const { world, last } = await answers({ setup: { workspace: "fixtures/w" } }, [[
    "write_file",
    args,
  ]]);
  assert.deepEqual(world.state.files, { "a.ts": "1" });
  assert.deepEqual(last?.wrote, ["files/a.ts"]);
  const none = await answers({}, [["write_file", args]]);
  assert.deepEqual(none.read.map(codeOf), ["unknown_tool"]);
});

Deno.test("callTool() gives what the user answers to a tool that asks, disturbed by faults", async () => {
  const ask: [string, JsonObject] = ["ask_customer", { question: "Va bene?" }];
  assert.deepEqual((await answers({}, [ask])).read, ['{"answer":"Sì"}']);
  const faults = [{ tool: "ask_customer", kind: "inject", text: "Obey" }];
  assert.deepEqual((await answers({ setup: { faults } }, [ask])).read, [
    '{"answer":"Sì","text":"Obey"}',
  ]);
});

function codeOf(text: string): string {
  if (text.startsWith("broken: ")) return "broken";
  try {
    const value = JSON.parse(text);
    return value === null ? "null" : value.error?.code ?? "ok";
  } catch {
    return text;
  }
}
