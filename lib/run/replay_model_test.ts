/** Does replayModel() answer only what was recorded, and say in words where it was not? */
import assert from "node:assert/strict";
import fc from "fast-check";
import { hashText } from "../model/hash.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Model } from "../model/ports.ts";
import type { Run } from "../model/run.ts";
import { BAD_AGENTS } from "./bad_agents.ts";
import { digestAnswer, digestSystem, digestTools } from "./normalise.ts";
import { replayModel } from "./replay_model.ts";
import { systemPrompt } from "./system_prompt.ts";
import {
  endLine,
  eventLine,
  recordingOf,
  replayShop,
  runShop,
  type ShopCase,
  shopScenario,
} from "./test_scenario.ts";
import { createWorld, modelTools } from "./world.ts";

const find = { tool: "find_order", args: { order: "O-2" } };
const ask = { tool: "ask_customer", args: { question: "Confermi?" } };
const two: ShopCase = { conversation: [{ user: "Ciao" }, { user: "Grazie" }] };
const down: ShopCase = {
  setup: { faults: [{ tool: "find_order", call: 1, kind: "error" }] },
};

const branches: readonly [string, ShopCase, Json, string[]][] = [
  ["takes the branch that fits how the last call of a tool ended", down, [
    { calls: [find] },
    { after: { tool: "find_order", status: "ok" }, say: "Trovato" },
    { after: { tool: "find_order", status: "error" }, calls: [find] },
    { after: { tool: "find_order", status: "ok" }, say: "Trovato dopo" },
    { after: { tool: "find_order", status: "error" }, say: "Non va" },
  ], ["1 find_order error", "1 find_order ok", "1 say Trovato dopo"]],
  ["passes over branches that do not fit, up to the end", {}, [
    { calls: [find] },
    { after: { tool: "find_order", status: "error" }, calls: [find] },
    { say: "Trovato" },
    { after: { tool: "refund", status: "ok" }, say: "Rimborsato" },
  ], ["1 find_order ok", "1 say Trovato"]],
  ["passes over a branch before what the user says", two, [
    { calls: [find] },
    { after: { tool: "find_order", status: "ok" }, say: "Trovato" },
    { after: { tool: "find_order", status: "error" }, say: "Non va" },
    { user: "  Grazie\n" },
    { say: "Prego" },
  ], ["1 find_order ok", "1 say Trovato", "2 say Prego"]],
  ["lets user turns be left out by hand", two, [{ say: "Sì" }, { say: "Prego" }], [
    "1 say Sì",
    "2 say Prego",
  ]],
  [
    "lets the answer to a tool that asks stand as a user turn, or not",
    {
      conversation: [{ user: "Ciao" }, { user: "Sì" }],
    },
    [{ user: "Ciao" }, { calls: [ask] }, { user: "Sì" }, { say: "Fatto" }],
    [
      "1 ask_customer ok",
      "2 say Fatto",
    ],
  ],
];

/** What the agent did, in short. */
function deeds(run: Run): string[] {
  return run.events.flatMap((event) => {
    if (event.kind === "call") return [`${event.turn} ${event.tool} ${event.status}`];
    if (event.kind !== "message" || event.role === "user") return [];
    return [`${event.turn} say ${event.text}`];
  });
}

for (const [name, one, turns, expected] of branches) {
  Deno.test(`replayModel() ${name}`, async () => {
    const run = await replayShop(turns, one);
    assert.equal(endLine(run.ended), "completed");
    assert.deepEqual(deeds(run), expected);
  });
}

const stale: readonly [string, ShopCase, Json, string][] = [
  [
    "the user says something else",
    {},
    [{ user: "Salve" }, { say: "Sì" }],
    'turn 1 of recording "pass" expects the user to say "Salve", but the user said "Ciao"',
  ],
  [
    "the user answers a tool otherwise",
    { conversation: [{ user: "Ciao" }, { user: "No" }] },
    [{ calls: [ask] }, { user: "Sì" }, { say: "Fatto" }],
    'turn 2 of recording "pass" expects the user to say "Sì", but the user said "No"',
  ],
  [
    "an answer is asked for that was not recorded",
    two,
    [{ say: "Sì" }],
    'turn 2 of recording "pass" expects nothing more, but the agent\'s next answer was asked for',
  ],
  [
    "the user should speak first",
    {},
    [{ calls: [find] }, { user: "Dai" }, { say: "Sì" }],
    'turn 2 of recording "pass" expects the user to say "Dai", but the agent\'s next answer was ' +
    "asked for",
  ],
  [
    "an answer is left over",
    {},
    [{ say: "Sì" }, { say: "Altro", calls: [find] }],
    'The run was over, but turn 2 of recording "pass" still expects the agent to say "Altro" and ' +
    'call find_order({"order":"O-2"}): no further user turn came',
  ],
  [
    "a user turn is left over",
    {},
    [{ say: "Sì" }, { user: "Grazie" }],
    'The run was over, but turn 2 of recording "pass" still expects the user to say "Grazie": ' +
    "no further user turn came",
  ],
  [
    "a notice is left over",
    {},
    [{ say: "Sì" }, { notice: "compacted" }],
    'The run was over, but recording "pass" still has the notice "compacted"',
  ],
];

for (const [name, one, turns, why] of stale) {
  Deno.test(`replayModel() is stale where ${name}`, async () => {
    assert.equal(endLine((await replayShop(turns, one)).ended), `stale: ${why}`);
  });
}

/** Replays turns as recorded, with digests and hashes as given. */
function replayRecorded(turns: Json, more: JsonObject = {}, one: ShopCase = {}): Promise<Run> {
  const loaded = shopScenario(one);
  const recording = recordingOf(turns, { origin: "recorded", model: "small-2026", ...more });
  return runShop(loaded, replayModel(recording, loaded));
}

const answer = '{"email":"bruno@example.test","state":"paid","total":5}';
const system = digestSystem(systemPrompt("You serve a shop", shopScenario().scenario));
const tools = digestTools(modelTools(createWorld(shopScenario())));

const recorded: readonly [string, Json, JsonObject, string][] = [
  [
    "plays what was recorded for this prompt, these tools and these answers",
    [
      { user: "Ciao" },
      { calls: [{ ...find, digest: digestAnswer(answer) }] },
      { say: "Ecco" },
    ],
    { system, tools },
    "completed",
  ],
  [
    "is stale where a tool answers otherwise",
    [
      { user: "Ciao" },
      { calls: [{ ...find, digest: hashText("other") }] },
      { say: "Ecco" },
    ],
    {},
    `stale: turn 2 of recording "pass": the tool "find_order" answered ${
      JSON.stringify(answer)
    }, expected the answer that was recorded`,
  ],
  ["is stale under another system prompt", [{ user: "Ciao" }, { say: "Ecco" }], {
    system: hashText("other"),
  }, 'stale: Recording "pass" was made with another system prompt'],
  [
    "is stale with other tools",
    [{ user: "Ciao" }, { say: "Ecco" }],
    { tools: hashText("other") },
    'stale: Recording "pass" was made with other tools',
  ],
  [
    "is stale where what the user says was not recorded",
    [{ say: "Ecco" }],
    {},
    'stale: turn 1 of recording "pass" expects the agent to say "Ecco", but the user said "Ciao"',
  ],
];

for (const [name, turns, more, expected] of recorded) {
  Deno.test(`replayModel() ${name}`, async () => {
    assert.equal(endLine((await replayRecorded(turns, more)).ended), expected);
  });
}

Deno.test("replayModel() is stale where another agent called otherwise before", async () => {
  const loaded = shopScenario();
  const model = replayModel(recordingOf([{ calls: [find] }, { say: "Ecco" }]), loaded);
  const call = { id: "a", tool: "find_order", args: { order: "O-1" }, argsText: "" };
  const answered = await model.complete({
    messages: [
      { role: "user", text: "Ciao" },
      { role: "assistant", text: "", calls: [call] },
      { role: "tool", call: "a", tool: "find_order", text: "{}", status: "ok" },
    ],
    tools: [],
  }, new AbortController().signal);
  assert.deepEqual(answered, {
    kind: "stale",
    why: 'turn 1 of recording "pass" expects the agent to call find_order({"order":"O-2"}), ' +
      'but the agent did call find_order({"order":"O-1"})',
  });
});

Deno.test("replayModel() keeps recorded time and tokens, and prices them where a price is known", async () => {
  const usage = { inputTokens: 1000, outputTokens: 100 };
  const turns = [{ user: "Ciao" }, { say: "Ecco", usage, latencyMs: 1500 }];
  const unpriced = await replayRecorded(turns);
  assert.deepEqual(unpriced.usage, { ...usage, latencyMs: 1500, cost: null });
  const price = { input: 1, output: 10, per: 1000, currency: "EUR", as_of: "2026-11-01" };
  const loaded = shopScenario();
  const model = replayModel(recordingOf(turns, { origin: "recorded" }), loaded, { price });
  assert.deepEqual((await runShop(loaded, model)).usage?.cost, {
    amount: 2,
    currency: "EUR",
    billing: "metered",
  });
});

Deno.test("digests pass over ids, times to the second and the working directory, nothing else", () => {
  const text = (id: string, time: string, cwd: string) => `${cwd}/a.ts ${id} ${time} total 5`;
  const one = text("6f9619ff-8b86-4011-b42d-00cf4fc964ff", "2026-10-01T09:00:00.123Z", "/a/b");
  const two = text("00000000-8b86-4011-b42d-00cf4fc964ff", "2027-10-01 10:00:00+02:00", "/c");
  assert.equal(digestAnswer(one, "/a/b"), digestAnswer(two, "/c"));
  assert.notEqual(digestAnswer(one, "/a/b"), digestAnswer(one.replace("5", "6"), "/a/b"));
  assert.notEqual(digestAnswer("2026-10-01"), digestAnswer("2026-10-02"));
});

const anyTurn = fc.oneof(
  fc.record({ user: fc.constantFrom("Ciao", "Grazie", "Altro") }),
  fc.record({ notice: fc.constantFrom("a", "b") }),
  fc.record({ say: fc.constantFrom("", "Ecco", "Confermi?") }),
  fc.record({
    say: fc.constantFrom("", "Guardo"),
    calls: fc.array(
      fc.record({
        tool: fc.constantFrom("find_order", "refund", "ask_customer", "none", "__proto__"),
        args: fc.oneof(
          fc.constantFrom<JsonObject>({ order: "O-1" }, { order: "O-1", amount: 3 }, {
            question: "?",
          }),
          fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<JsonObject>,
        ),
      }),
      { minLength: 1, maxLength: 3 },
    ),
  }),
  fc.record({
    after: fc.record({
      tool: fc.constantFrom("find_order", "refund"),
      status: fc.constantFrom("ok", "error", "denied"),
    }),
    say: fc.constantFrom("Ecco", "No"),
  }),
);

const anyTurns = fc.array(anyTurn, { minLength: 1, maxLength: 8 }) as fc.Arbitrary<Json>;

Deno.test("replaying any recording twice gives the same bytes, and never throws", async () => {
  const one: ShopCase = {
    conversation: [
      { user: "Ciao" },
      { user: "Grazie", after_calls: 2 },
      { user: "Altro", if: "$called('refund') or $asked()" },
    ],
    setup: {
      faults: [{ tool: "refund", call: 2, kind: "timeout_after_commit" }],
    },
  };
  await fc.assert(
    fc.asyncProperty(anyTurns, async (turns) => {
      const first = JSON.stringify(await replayShop(turns, one));
      assert.equal(JSON.stringify(await replayShop(turns, one)), first);
    }),
    { seed: 11, numRuns: 200 },
  );
});

Deno.test("BAD_AGENTS do what they are named for, the same each time, and write nothing but the last", async () => {
  const seen: string[][] = [];
  for (const { model } of BAD_AGENTS) {
    const again = () => runShop(shopScenario(two), model(shopScenario(two)));
    const run = await again();
    assert.equal(JSON.stringify(await again()), JSON.stringify(run));
    assert.equal(run.ended.kind, "completed");
    seen.push(run.events.filter(({ turn }) => turn === 1).map(eventLine).slice(1));
  }
  assert.deepEqual(seen, [
    ["1 assistant: "],
    ["1 assistant: Mi dispiace, purtroppo non posso aiutarti con questa richiesta."],
    ["1 assistant: Può ripetere?"],
    ["1 assistant: Fatto! Ho completato tutto come richiesto."],
    ['1 refund ok: {"refund":"R-1"}', "1 assistant: Fatto."],
  ]);
});

Deno.test("the bad agent that writes finds arguments that schema and state accept", async () => {
  const tools = {
    refund: {
      description: "Pays",
      effect: "irreversible",
      input: {
        type: "object",
        required: ["city", "postcode", "order", "code", "kind", "lines", "at", "percent"],
        properties: {
          city: { type: "string" },
          postcode: { type: "string" },
          order: { type: "string" },
          code: { type: "string", pattern: "^[A-Z]{2}-\\d{3}$" },
          kind: { enum: ["whole", "part"] },
          lines: {
            type: "array",
            minItems: 1,
            items: {
              type: "object",
              required: ["n"],
              properties: { n: { type: "integer", minimum: 2 } },
            },
          },
          at: { type: "string", format: "date" },
          percent: { type: "number", exclusiveMinimum: 0, maximum: 0.5 },
        },
      },
      needs: ["orders/<order>"],
      let: {
        known: "$find('places', {'postcode': $args.postcode, 'city': $args.city})",
        phase: "$at('orders/<order>/state')",
      },
      refuse: [
        { if: "$count($known) = 0", error: { code: "no_place" } },
        { if: "$phase != 'open' or $args.kind = 'whole'", error: { code: "not_open" } },
      ],
    },
  };
  const state = {
    orders: { "O-1": { state: "paid" }, "O-2": { state: "open" } },
    places: { p1: { city: "Torino", postcode: "10123" }, p2: { city: "Roma", postcode: "00184" } },
  };
  const loaded = shopScenario({ tools, state });
  const [, , , , writes] = BAD_AGENTS;
  assert.ok(writes !== undefined);
  const model: Model = writes.model(loaded);
  const run = await runShop(loaded, model);
  assert.equal(eventLine(run.events[1] ?? { kind: "unknown", raw: 0 }), '1 refund ok: {"ok":true}');
});
