/** Does toolService() call, record, refuse and end as the contract has it? The small shop, served. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { splitInterruptions, withInterruptions } from "../model/interruption.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { ToolReply } from "../model/serving.ts";
import { nextTurn } from "./conversation.ts";
import { Episode } from "./episode.ts";
import { virtualClock } from "./run_clock.ts";
import { watchStop } from "./stop.ts";
import { endLine, eventLine, type ShopCase, shopScenario } from "./test_scenario.ts";
import { type ToolService, toolService, type ToolServiceOptions } from "./tool_service.ts";

interface Served {
  readonly episode: Episode;
  readonly service: ToolService;
  readonly stop: AbortController;
  call(tool: string, args?: Json, signal?: AbortSignal): Promise<ToolReply>;
  lines(): string[];
}

const never = new AbortController().signal;

async function serve(
  one: ShopCase = {},
  options: Partial<ToolServiceOptions> = {},
): Promise<Served> {
  const clock = virtualClock();
  const episode = new Episode(shopScenario(one), clock, () => []);
  const stop = new AbortController();
  const watched = watchStop(clock, 60, stop.signal);
  const service = toolService(episode, { stop: watched, callsMax: 100, ...options });
  const turn = await nextTurn(episode);
  if (turn.kind === "said") episode.hear(turn.text);
  return {
    episode,
    service,
    stop,
    call: (tool, args = {}, signal = never) => service.handler.call(tool, args, { signal }),
    lines: () => episode.events.map(eventLine),
  };
}

function words(reply: ToolReply): string {
  if (reply.kind === "protocol_error") return `${reply.code} ${reply.message}`;
  return `${reply.isError ? "error" : "ok"} ${reply.text}`;
}

const refund = { order: "O-2", amount: 5 };

const calls: readonly [string, ShopCase, [string, Json?][], RegExp[], string[]][] = [
  [
    "answers an error of the tool as an answer, and one of the protocol as none",
    { setup: { faults: [{ tool: "find_order", call: 2, kind: "timeout_after_commit" }] } },
    [
      ["find_order", { order: "O-2" }],
      ["find_order", { order: "O-2" }],
      ["find_order", { order: "O-9" }],
      ["find_order", { number: 1 }],
      ["x"],
      [""],
      ["find_order", ["O-2"]],
      ["find_order", null],
      ["x", "O-2"],
    ],
    [
      /^ok {"email"/,
      /^error .*"timeout"/,
      /^error .*"not_found"/,
      /^error .*"invalid_arguments"/,
      /^error .*"unknown_tool"/,
      /^error .*"unknown_tool"/,
      /^-32602 .*expected a JSON object, got \\"\[/,
      /^-32602 .*expected a JSON object, got \\"null/,
      /^-32602 .*unknown_tool/,
    ],
    [
      'find_order ok: {"email":"bruno@example.test","state":"paid","total":5}',
      "find_order error: timeout",
      "find_order error: not_found",
      "find_order error: invalid_arguments",
      "x error: unknown_tool",
      "(unnamed) error: unknown_tool",
      "find_order error: invalid_arguments",
      "find_order error: invalid_arguments",
      "x error: unknown_tool",
    ],
  ],
  [
    "records approvals beside their calls",
    {
      tools: { refund: { description: "x", effect: "write", approval: "required", input: {} } },
      setup: { approvals: { default: "deny", grant: [{ tool: "refund", times: 1 }] } },
    },
    [["refund"], ["refund"]],
    [/^ok {"ok":true}/, /^error .*"denied"/],
    ["granted: refund", 'refund ok: {"ok":true}', "denied: refund", "refund denied: denied"],
  ],
  [
    "serves no tool that comes with the workspace: the program has its own",
    { setup: { workspace: "fixtures/w" } },
    [["shell", { command: "ls" }], ["write_file", { path: "a", text: "b" }]],
    [/^error .*Unknown tool \\"shell\\"/, /^error .*Unknown tool \\"write_file\\"/],
    ["shell error: unknown_tool", "write_file error: unknown_tool"],
  ],
  [
    "answers a question with the next user turn, and says what interrupts after the answer",
    {
      conversation: [
        { user: "Ciao" },
        { user: "No", if: "$not($asked())" },
        { user: "Sì", if: "$asked('Confermi')" },
        { user: 'Anzi "no"', after_calls: 1 },
      ],
    },
    [["ask_customer", { question: "Confermi?" }], ["find_order", { order: "O-2" }]],
    [
      /^ok {"answer":"Sì"}$/,
      /"total":5}\n\n\[The user interrupts: "Anzi \\"no\\""\]$/,
    ],
    [
      'ask_customer ok: {"answer":"Sì"}',
      'notice: User turn not said: "No", its condition "$not($asked())" is false',
      "user: Sì",
      'find_order ok: {"email":"bruno@example.test","state":"paid","total":5}',
      'user: Anzi "no"',
    ],
  ],
];

for (const [name, one, made, replies, lines] of calls) {
  Deno.test(`toolService() ${name}`, async () => {
    const served = await serve(one);
    for (const [i, [tool, args]] of made.entries()) {
      assert.match(words(await served.call(tool, args)), replies[i] ?? /never/);
    }
    assert.deepEqual(
      served.lines().slice(1).map((line) => line.slice(2)),
      lines,
    );
    assert.equal(served.service.over(), null);
    assert.equal(served.service.seen().calls, made.length);
    assert.ok(
      !served.service.handler.list().some(({ name }) => name in { shell: 1, write_file: 1 }),
    );
  });
}

Deno.test("toolService() makes 50 calls at once in the order in which they came, none lost", async () => {
  const tools = {
    slow: { description: "x", effect: "write", input: {}, let: { n: "$sum([1..2000])" }, set: {} },
    note: {
      description: "x",
      effect: "write",
      input: { type: "object", required: ["n"], properties: { n: { type: "number" } } },
      let: { id: "$next('notes', 'N-')" },
      set: { "notes/<id>": { n: "<n>" } },
      returns: "<id>",
    },
  } as unknown as JsonObject;
  const served = await serve({ tools });
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => served.call(n % 5 === 0 ? "slow" : "note", { n })),
  );
  await served.service.idle();
  const made = served.episode.events.flatMap((event) => event.kind === "call" ? [event] : []);
  assert.deepEqual(made.map(({ id }) => id), made.map((_, i) => `c${i + 1}`));
  assert.deepEqual(made.map(({ args }) => args.n), Array.from({ length: 50 }, (_, n) => n));
  const ids = replies.filter((_, n) => n % 5 !== 0).map((one) => words(one).replace("ok ", ""));
  assert.deepEqual(ids, Array.from({ length: 40 }, (_, i) => `N-${i + 1}`));
  assert.deepEqual(
    made.filter(({ tool }) => tool === "note").map(({ wrote }) => wrote),
    ids.map((id) => [`notes/${id}`]),
  );
});

Deno.test("toolService() records what a call that was given up did, as it did it", async () => {
  const served = await serve();
  const gone = AbortSignal.abort();
  assert.equal(words(await served.call("refund", refund, gone)), 'ok {"refund":"R-1"}');
  const [, call, notice] = served.episode.events;
  assert.ok(call?.kind === "call" && call.status === "ok");
  assert.deepEqual(call.wrote, ["refunds/R-1", "orders/O-2/state", "orders/O-2/notes"]);
  assert.equal(
    notice === undefined ? "" : eventLine(notice),
    '1 notice: The program gave up call c1 of "refund" before its answer: what it did stands',
  );
  assert.deepEqual(served.episode.world.state.refunds, { "R-1": refund });
});

const ends: readonly [string, ShopCase, [string, Json?][], string, string[]][] = [
  [
    "a question that nobody answers ends the run completed",
    {},
    [["ask_customer", { question: "Sì?" }], ["find_order", { order: "O-2" }]],
    "completed",
    ["ask_customer ok: undefined", "find_order cancelled: undefined"],
  ],
  [
    "a question whose answer cannot be decided ends it as environment_error",
    { conversation: [{ user: "Ciao" }, { user: "Sì", if: "trace.nothing" }] },
    [["ask_customer", { question: "Sì?" }], ["refund", refund]],
    "environment_error: ",
    ["ask_customer unfinished: undefined", "refund cancelled: undefined"],
  ],
  [
    "a tool whose own file is at fault ends it as environment_error",
    { tools: { bad: { description: "x", effect: "read", input: {}, let: { a: "$args.b" } } } },
    [["bad"], ["refund", refund]],
    'environment_error: Tool "bad": let "a" is undefined',
    ["bad unfinished: undefined", "refund cancelled: undefined"],
  ],
];

for (const [name, one, made, ended, lines] of ends) {
  Deno.test(`toolService(): ${name}, later calls are refused`, async () => {
    const served = await serve(one);
    const [[tool, args], ...later] = made as [[string, Json?], ...[string, Json?][]];
    let answered: ToolReply | null = null;
    const first = served.call(tool, args).then((reply) => {
      answered = reply;
    });
    assert.ok(endLine(await served.service.ended).startsWith(ended));
    for (const [other, given] of later) {
      assert.match(words(await served.call(other, given)), /^-32000 The run is over/);
    }
    await served.service.idle();
    assert.equal(answered, null);
    assert.deepEqual(served.lines().slice(1).map((line) => line.slice(2)), lines);
    assert.deepEqual(served.episode.world.state, served.episode.loaded.state);
    await served.service.close();
    await first;
    assert.equal(answered === null ? "" : words(answered), words(await served.call("x")));
    assert.equal(served.service.over()?.kind, ended.split(":")[0]);
  });
}

Deno.test("toolService() ends at the limit of calls, at a stop and when it is closed", async () => {
  const limited = await serve({}, { callsMax: 2 });
  const find = { order: "O-2" };
  const replies = [1, 2, 3, 4].map(() => limited.call("find_order", find));
  assert.deepEqual((await Promise.all(replies)).map(({ kind }) => kind), [
    "answer",
    "answer",
    "protocol_error",
    "protocol_error",
  ]);
  assert.equal(
    endLine(await limited.service.ended),
    "limit: The agent called more than 2 tools, its limit",
  );
  const stopped = await serve();
  stopped.stop.abort();
  assert.match(words(await stopped.call("refund", refund)), /^-32000/);
  assert.equal((await stopped.service.ended).kind, "interrupted");
  const closed = await serve();
  await closed.service.close();
  assert.match(words(await closed.call("refund", refund)), /^-32000/);
  for (const { episode, lines } of [stopped, closed]) {
    assert.deepEqual(lines().slice(1), ["1 refund cancelled: undefined"]);
    assert.deepEqual(episode.world.state, episode.loaded.state);
  }
});

const permissions: readonly [string, Json, Json, string | null][] = [
  [
    "a granted command, in our names",
    { tool_name: "Bash", input: { command: "ls", timeout: 5 }, tool_use_id: "t1" },
    { behavior: "allow", updatedInput: { command: "ls", timeout: 5 } },
    'granted: shell {"command":"ls"}',
  ],
  [
    "a command that nothing grants",
    { tool_name: "Bash", input: { command: "rm -rf /" } },
    { behavior: "deny", message: "The person did not approve this" },
    'denied: shell {"command":"rm -rf /"}',
  ],
  [
    "a written file",
    { tool_name: "Write", input: { file_path: "a", content: "b" } },
    { behavior: "deny", message: "The person did not approve this" },
    'denied: write_file {"path":"a","text":"b"}',
  ],
  [
    "a tool of the scenario, which asks by itself",
    { tool_name: "mcp__tools__refund", input: refund },
    { behavior: "allow", updatedInput: refund },
    null,
  ],
  [
    "a tool that only looks like one of the scenario",
    { tool_name: "mcp__other__refund", input: refund },
    { behavior: "deny", message: "The person did not approve this" },
    'denied: mcp__other__refund {"order":"O-2","amount":5}',
  ],
  [
    "a question that names nothing",
    { input: {} },
    { behavior: "deny", message: "The question names no tool" },
    null,
  ],
  ["no question at all", ["Bash"], {
    behavior: "deny",
    message: "The question names no tool",
  }, null],
];

Deno.test("toolService() answers the permission prompt by the scenario's approvals", async () => {
  const approvals = { default: "deny", grant: [{ tool: "shell", args: { command: "ls" } }] };
  const served = await serve({ setup: { approvals } }, { permissionPrompt: true });
  const without = await serve();
  const names = (of: Served) => of.service.handler.list().map(({ name }) => name);
  assert.deepEqual(names(served), [...names(without), "permission_prompt"]);
  for (const [name, question, answer, recorded] of permissions) {
    const from = served.episode.events.length;
    const reply = await served.call("permission_prompt", question);
    assert.ok(reply.kind === "answer" && !reply.isError, name);
    assert.deepEqual(JSON.parse(reply.text), answer, name);
    const lines = served.episode.events.slice(from).map((event) =>
      event.kind === "approval"
        ? `${event.answer}: ${event.tool} ${JSON.stringify(event.args)}`
        : event.kind
    );
    assert.deepEqual(lines, recorded === null ? [] : [recorded], name);
  }
  assert.equal(served.service.seen().calls, 0);
  assert.match(words(await without.call("permission_prompt", {})), /unknown_tool/);
});

Deno.test("splitInterruptions() finds what withInterruptions() said, whatever both say", () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom("[The user interrupts: ", '"]', "\n\n", '\\"'),
  );
  fc.assert(
    fc.property(fc.array(text), fc.array(text), (answer, said) => {
      const tool = answer.join("").replaceAll("[The user", "");
      assert.deepEqual(splitInterruptions(withInterruptions(tool, said)), { answer: tool, said });
    }),
    { seed: 7, numRuns: 300 },
  );
  assert.deepEqual(splitInterruptions('a\n\n[The user interrupts: "\\x"]').said, []);
});
