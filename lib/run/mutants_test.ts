import { deepEqual, equal, ok } from "node:assert/strict";
import type { JsonObject, State } from "../model/json.ts";
import type { Mutant, MutationKind, Script } from "../model/mutation.ts";
import { fingerprintOf, isEquivalent } from "./equivalence.ts";
import { type MutantOptions, mutantsOf, passingRun } from "./mutants.ts";
import { replayModel } from "./replay_model.ts";
import { overhear, playScript } from "./script.ts";
import { recordingOf, runShop, SHOP, shopScenario } from "./test_scenario.ts";

const WORDS = { claim: "Done.", denial: "Not done.", other: "other" };
const OPTIONS: MutantOptions = { valuesMax: 3, writesMax: 1, allKinds: true, words: WORDS };

const TURNS = [
  { calls: [{ tool: "find_order", args: { order: "O-1" } }] },
  { say: "Refund 30 EUR?" },
  { calls: [{ tool: "refund", args: { order: "O-1", amount: 30 } }] },
  { say: "Refunded." },
];

/** The shop with a rule and a checkpoint, and the script of its passing run. */
async function shop(expected: JsonObject = {}, state: State = SHOP) {
  const plain = shopScenario({
    state,
    conversation: [{ user: "Ciao" }, { user: "Sì", if: "$asked()" }],
  });
  const scenario = {
    ...plain.scenario,
    expected: {
      ...plain.scenario.expected,
      forbidden: [
        { tool: "refund", args: { order: { matches: "^O-2" } } },
        { tool: "refund", more_than: 1 },
      ],
      ...expected,
    },
  };
  const loaded = { ...plain, scenario };
  const heard = overhear(replayModel(recordingOf(TURNS), loaded));
  const run = await runShop(loaded, heard.model);
  equal(run.ended.kind, "completed");
  return { loaded, run, passing: passingRun("pass", heard.script, run) };
}

/** A script on one line: calls as `tool(first letters of its arguments)`, texts in quotes. */
function shown(script: Script): string {
  return script.map(({ say, calls }) => {
    const made = calls.map(({ tool, args }) => `${tool}(${Object.values(args).join(" ")})`);
    return [...(say === "" ? [] : [`"${say}"`]), ...made].join("+") || '""';
  }).join(" ");
}

const PASS = 'find_order(O-1) "Refund 30 EUR?" refund(O-1 30) "Refunded."';

const TABLE: Readonly<Record<MutationKind, readonly string[]>> = {
  drop_call: [
    '"Refund 30 EUR?" refund(O-1 30) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" "Refunded."',
  ],
  swap_calls: ['refund(O-1 30) "Refund 30 EUR?" find_order(O-1) "Refunded."'],
  change_argument: [
    'find_order(O-2) "Refund 30 EUR?" refund(O-1 30) "Refunded."',
    'find_order() "Refund 30 EUR?" refund(O-1 30) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" refund(O-2 30) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" refund( 30) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" refund(O- 30) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 31) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 60) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 29) "Refunded."',
  ],
  repeat_write: [
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 30)+refund(O-1 30) "Refunded."',
  ],
  early_write: ['find_order(O-1) refund(O-1 30) "Refund 30 EUR?" "Refunded."'],
  forbidden_attempt: [
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 30) refund(O-2) "Refunded."',
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 30) refund()+refund() "Refunded."',
  ],
  unrelated_write: [
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 30) refund(O-2 30) "Refunded."',
  ],
  no_confirmation: ['find_order(O-1) refund(O-1 30) "Refunded."'],
  final_text: [
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 30) "Not done."',
    'find_order(O-1) "Refund 30 EUR?" refund(O-1 30) ""',
  ],
};

for (const [kind, wanted] of Object.entries(TABLE)) {
  Deno.test(`mutantsOf() makes ${kind} of a passing run`, async () => {
    const { loaded, passing } = await shop();
    equal(shown(passing.script), PASS);
    const made = await mutantsOf(loaded, passing, OPTIONS);
    const found = made.filter(({ mutation }) => mutation.kind === kind);
    deepEqual(found.map(({ script }) => shown(script)), wanted);
  });
}

Deno.test("mutantsOf() makes the same mutants each time, none twice, none like the original", async () => {
  const { loaded, passing } = await shop();
  const [first, second] = [
    await mutantsOf(loaded, passing, OPTIONS),
    await mutantsOf(loaded, passing, OPTIONS),
  ];
  deepEqual(first, second);
  const scripts = first.map(({ script }) => shown(script));
  equal(new Set(scripts).size, scripts.length);
  ok(!scripts.includes(PASS));
});

Deno.test("mutantsOf() leaves calls alone that the tool refused in the passing run", async () => {
  const { loaded, passing } = await shop();
  const made = await mutantsOf(loaded, { ...passing, refused: new Set([2]) }, OPTIONS);
  const kinds = new Set(made.map(({ mutation }) => mutation.kind));
  ok(kinds.has("drop_call") && !kinds.has("repeat_write") && !kinds.has("swap_calls"));
});

/** What becomes of each mutant: `same` where nothing that counts differs. */
async function told(expected: JsonObject, kind: MutationKind): Promise<string[]> {
  const { loaded, run, passing } = await shop(expected);
  const original = [fingerprintOf(loaded, run)];
  const mutants: Mutant[] = (await mutantsOf(loaded, passing, OPTIONS))
    .filter(({ mutation }) => mutation.kind === kind);
  return await Promise.all(mutants.map(async ({ mutation, script }) => {
    const mutant = fingerprintOf(loaded, await runShop(loaded, playScript(script)));
    const same = isEquivalent(loaded, mutation, { mutant, passing: original });
    return `${same ? "same" : "other"}: ${shown(script)}`;
  }));
}

Deno.test("isEquivalent() counts a read only where a condition names it", async () => {
  const checkpoint = (check: string) => ({
    checkpoints: [{ id: "one", check, required: true, weight: 1 }],
  });
  const dropped = '"Refund 30 EUR?" refund(O-1 30) "Refunded."';
  equal((await told({}, "drop_call"))[0], `same: ${dropped}`);
  equal(
    (await told(checkpoint("$called('find_order')"), "drop_call"))[0],
    `other: ${dropped}`,
  );
  const tools_called = [{ name: "find_order" }];
  equal((await told({ tools_called }, "drop_call"))[0], `other: ${dropped}`);
});

Deno.test("isEquivalent() tells early, unconfirmed and repeated writes from the passing run", async () => {
  for (const kind of ["early_write", "no_confirmation", "repeat_write"] as const) {
    const lines = await told({}, kind);
    ok(lines.length > 0 && lines.every((line) => line.startsWith("other: ")), lines.join("\n"));
  }
});

Deno.test("playScript() plays the overheard script to the same run", async () => {
  const { loaded, run, passing } = await shop();
  const again = await runShop(loaded, playScript(passing.script));
  deepEqual(fingerprintOf(loaded, again), fingerprintOf(loaded, run));
});

Deno.test("playScript() goes on with its last words where the user still speaks", async () => {
  const loaded = shopScenario({ conversation: [{ user: "One" }, { user: "Two" }] });
  const run = await runShop(loaded, playScript([{ say: "Bye.", calls: [] }]));
  const said = run.events.flatMap((event) =>
    event.kind === "message" ? [`${event.role}: ${event.text}`] : []
  );
  deepEqual(said, ["user: One", "assistant: Bye.", "user: Two", "assistant: Bye."]);
});

Deno.test("isEquivalent() counts another argument of a read only where a condition names it", async () => {
  const changed = (check: string) =>
    told({ checkpoints: [{ id: "one", check, required: true, weight: 1 }] }, "change_argument");
  const line = 'find_order(O-2) "Refund 30 EUR?" refund(O-1 30) "Refunded."';
  equal((await changed("$called('find_order')"))[0], `same: ${line}`);
  equal((await changed("$called('find_order', {'order': 'O-1'})"))[0], `other: ${line}`);
});

Deno.test("mutantsOf() moves no write before words of the user that confirm nothing", async () => {
  const { loaded, passing } = await shop();
  const silent = passing.script.map((one) => ({ ...one, say: one.say.replace("?", ".") }));
  const made = await mutantsOf(loaded, { ...passing, script: silent }, OPTIONS);
  ok(!made.some(({ mutation }) => mutation.kind === "early_write"));
});
