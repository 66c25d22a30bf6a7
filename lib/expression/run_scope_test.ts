import assert from "node:assert/strict";
import type { Change, RunEvent } from "../model/run.ts";
import type { ToolSet } from "../model/tool.ts";
import { decideExpression, evaluateExpression } from "./compile.ts";
import { entryScope, type RunRoots, runScope } from "./run_scope.ts";

const message = (role: "user" | "assistant", text: string): RunEvent => ({
  kind: "message",
  role,
  text,
});

const call = (id: string, tool: string, rest: object = {}): RunEvent => ({
  kind: "call",
  id,
  tool,
  args: {},
  status: "ok",
  source: "tools",
  ...rest,
});

const command = (id: string, text: string, exitCode: number | null): RunEvent => ({
  kind: "command",
  id,
  command: text,
  exitCode,
  status: "ok",
  source: "stream",
});

const spec = (effect: "read" | "write" | "ask") => ({
  description: "x",
  effect,
  approval: "none" as const,
  input: {},
});

const tools: ToolSet = {
  find_customer: spec("read"),
  update_address: spec("write"),
  ask_customer: spec("ask"),
};

const events: RunEvent[] = [
  message("user", "Cambia la spedizione in via Po 12"),
  call("c1", "find_customer", { args: { code: "C-1043", deep: { a: 1, b: 2 } } }),
  message("assistant", "Aggiorno a via Po 12, confermi?"),
  message("user", "Sì"),
  call("c2", "update_address", { status: "denied", args: { type: "billing" } }),
  call("c3", "update_address", { args: { type: "shipping", text: "Via Po 12" } }),
  command("k1", "deno test", 1),
  command("k2", "deno test --all", 0),
  command("k3", "git push", null),
  { kind: "file", path: "src/a.ts", change: "modified" },
  call("c4", "write_file", { args: { path: "src/b.md" } }),
  message("assistant", "Fatto: via PO 12, ordini 12 e 345."),
];

const changes: Change[] = [
  { path: "customers/C-1043/shipping_address", op: "changed", before: "a", after: "b" },
];

function rootsOf(rest: Partial<RunRoots>): RunRoots {
  return {
    events,
    before: { customers: { "C-1043": { a: 1, b: 2 } }, outbox: [{ to: "old" }], gone: {} },
    after: {
      customers: { "C-1043": { a: 2, b: 1 } },
      outbox: [{ to: "old" }, { to: "new@x", text: "ciao" }],
    },
    changes,
    usage: {
      calls: 4,
      turns: 2,
      inputTokens: null,
      outputTokens: null,
      costEur: null,
      costUsd: null,
      latencyMs: null,
    },
    scenario: { id: "s" } as unknown as RunRoots["scenario"],
    tools,
    ...rest,
  };
}

const DECIDED: Readonly<Record<string, boolean>> = {
  "$before($calls('find_customer'), $writes())": true,
  "$before($writes(), $calls('find_customer'))": false,
  "$before($calls('none'), $writes())": false,
  "$before($calls('find_customer'), $calls('none'))": true,
  "$before($calls('none'), $calls('none'))": false,
  "$before(trace.calls[tool='find_customer'], trace.commands)": true,
  "$after($writes(), $calls('find_customer'))": true,
  "$after($calls('none'), $writes())": false,
  "$after($writes(), $calls('none'))": false,
  "$before($asks('Po 12'), $calls('update_address'))": true,
  "$before($asks('via roma'), $calls('update_address'))": false,
  "$before($asks(['via roma', 'PO 12']), $writes())": true,
  "$called('update_address', {'type': 'shipping'})": true,
  "$called('update_address', {'type': 'billing'})": false,
  "$attempted('update_address', {'type': 'billing'})": true,
  "$attempted('update_address', {'text': /po [0-9]+/i})": true,
  "$attempted('update_address', {'text': /po [0-9]+/})": false,
  "$attempted('update_address', {'text': {'matches': 'Po [0-9]+'}})": true,
  "$called('find_customer', {'deep': {'a': 1}})": true,
  "$called('constructor') or $attempted('__proto__')": false,
  "$count($calls()) = 4 and $count($done()) = 3 and $count($writes()) = 2": true,
  "$exists($calls('none'))": false,
  "$calls('find_customer').args.code = 'C-1043'": true,
  "$calls('update_address')[0].status = 'denied'": true,
  "$count($user()) = 2 and $user(1).text = trace.messages[0].text": true,
  "$count($user('sì')) = 1": true,
  "$exists($user(3))": false,
  "$count($commands('deno test')) = 2": true,
  "$count($commands('deno test', 0)) = 1 and $count($commands('git', null)) = 1": true,
  "$exit('deno test') = 0": true,
  "$exit('git push') = null and $exit('never ran') = null": true,
  "$commands(/DENO/i)[0].exitCode = 1": true,
  "$count($edits()) = 2 and $count($edits('src/*.ts')) = 1": true,
  "$count($since($writes(), $user(2))) = 2 and $count($since($writes(), $commands('x'))) = 0": true,
  "$count($since($calls(), $calls('find_customer'))) = 3": true,
  "$found(final, '[0-9]+') = ['12', '12', '345']": true,
  "'345' in $found(final, '[0-9]+')": true,
  "$subset($found(final, '[0-9]+'), ['12', '345', '9'])": true,
  "$subset($found(final, '[0-9]+'), ['12'])": false,
  "$subset(final[0 = 1], [])": true,
  "$says('via po 12') and $says(['no', 'confermi'])": true,
  "$says('via roma')": false,
  "$asked()": false,
  "$changed('customers/*/shipping_address') and $changed('customers/C-1043') and $changed('customers/C-1043/shipping_address/x')":
    true,
  "$changed('customers/*/vat')": false,
  "$matches(final, 'ordini [0-9]+')": true,
  "$matches(final, /FATTO/i)": true,
  "$matches(trace.commands[command='x'].output, 'x')": false,
  "$conserved('customers/*/*')": true,
  "$conserved('customers/*/a')": false,
  "$value(after, 'customers/C-1043/a') = 2 and $value(before, 'customers/none/a') = null": true,
  "$value(after, 'constructor') = null": true,
  "$count($paths(before, 'customers/**')) = 2": true,
  "$count(sent) = 1 and sent.to = 'new@x'": true,
  "usage.calls <= 12 and final != ''": true,
  "$exists(after.constructor) or $exists(trace.__proto__) or $exists(usage.toString)": false,
  "$count(changes[before = 'a']) = 1": true,
  "$contains($lowercase(final), 'via po') and $count($match(final, /[0-9]+/)) = 3": true,
  "$replace(final, /[0-9]+/, 'n') = 'Fatto: via PO n, ordini n e n.'": true,
  "$count($split('a1b22c', /[0-9]+/)) = 3": true,
};

Deno.test("decideExpression() over runScope() decides the functions of the contract", async () => {
  const scope = runScope(rootsOf({}));
  for (const [text, value] of Object.entries(DECIDED)) {
    assert.deepEqual(await decideExpression(text, scope), { kind: "decided", value }, text);
  }
});

const UNDECIDED: Readonly<Record<string, RegExp>> = {
  "$before({'tool': 'x'}, $writes())": /only events of this trace/,
  "$before(final, $writes())": /only events/,
  "$after($writes(), [1])": /only events/,
  "$since([1], $writes())": /only events/,
  "$before($writes())": /takes 2 arguments, not 1/,
  "$called(scenario.none)": /tool's name as a text, found nothing/,
  "$called('x', scenario.none)": /arguments as an object, found nothing/,
  "$says(scenario.none)": /words/,
  "$says('')": /words/,
  "$user(0).text = 'x'": /counted from 1/,
  "$commands('(?=x)')": /not RE2/,
  "$matches(usage.calls, '4')": /searched as a text/,
  "$matches(final, scenario.none)": /pattern as a text/,
  "$value(scenario.none, 'a') = null": /expected a state/,
  "$conserved('nothing/*')": /nothing matches/,
  "$calls('find_customer')": /found an object/,
  "usage.calls": /the number 4/,
  "final": /the text/,
  "scenario.none": /found nothing/,
  "usage.costEur": /found null/,
  "$none()": /non-function/,
  "usage.costEur < 1": /./,
  "((": /./,
};

Deno.test("decideExpression() leaves undecided what is neither true nor false", async () => {
  const scope = runScope(rootsOf({}));
  for (const [text, why] of Object.entries(UNDECIDED)) {
    const decided = await decideExpression(text, scope);
    assert.ok(decided.kind === "undecided", text);
    assert.match(decided.why, why, text);
  }
});

/** Commands that hold "deno test" and what of them is proved. */
const PROVED: Readonly<Record<string, readonly [Partial<RunEvent>, number | null]>> = {
  "deno test": [{}, 0],
  "deno test --all 'a; b'": [{}, 0],
  "bash -lc 'deno test'": [{}, 0],
  "deno test -A": [{ exitCode: 1, status: "error" }, 1],
  "deno test -B": [{ exitCode: null }, null],
  "deno test -C": [{ status: "unfinished" }, null],
  "deno test -D": [{ status: "denied" }, null],
  "deno test -E": [{ status: "error" }, null],
  "deno test | tail -3": [{}, null],
  "deno test > log": [{}, null],
  "deno test 2>&1": [{}, null],
  "deno test; true": [{}, null],
  "deno test && echo done": [{}, null],
  "cd x && deno test": [{}, null],
  "deno test || true": [{}, null],
  "deno test &": [{}, null],
  "(deno test)": [{}, null],
  "deno test\ntrue": [{}, null],
  "deno test $(cat flags)": [{}, null],
  "bash -c 'deno test; true'": [{}, null],
  "! deno test": [{}, null],
  "echo deno test": [{}, null],
  "echo 'deno test passed'": [{}, null],
  "true # deno test": [{}, null],
  "time deno test": [{}, null],
};

Deno.test("$commands() and $exit() take only one program on its own for a proof", async () => {
  for (const [text, [rest, exit]] of Object.entries(PROVED)) {
    const event = { ...command("k1", text, 0), ...rest } as RunEvent;
    const scope = runScope(rootsOf({ events: [event] }));
    const decided = async (check: string) => await decideExpression(check, scope);
    const proved = JSON.stringify(exit);
    assert.deepEqual(
      await decided(
        `$exit('deno test') = ${proved} and $count($commands('deno test', ${proved})) = 1`,
      ),
      { kind: "decided", value: true },
      text,
    );
    assert.deepEqual(
      await decided(`$count($commands('deno test', 0)) = ${exit === 0 ? 1 : 0}`),
      { kind: "decided", value: true },
      text,
    );
  }
});

Deno.test("the output of a proved command is also JSON, and printed words are nothing", async () => {
  const json = { ...command("k1", "deno test --json", 0), output: ' {"failed": 0, "passed": 9}\n' };
  const words = { ...command("k2", "deno test", 0), output: "passed" };
  const cut = {
    ...command("k3", "deno test --json", 0),
    output: '{"failed": 0, [… 9 characters cut …]',
  };
  const printed = { ...command("k4", "echo '{\"failed\": 0}'", 0), output: '{"failed": 0}' };
  const asks = "$exists($commands('deno test --json', 0)[json.failed = 0 and json.passed > 0])";
  const rows: [RunEvent[], boolean][] = [
    [[json], true],
    [[words], false],
    [[cut], false],
    [[printed], false],
    [[{ ...json, exitCode: 1 } as RunEvent], false],
    [[{ ...json, exitCode: null } as RunEvent], false],
    [[], false],
  ];
  for (const [events, value] of rows) {
    const scope = runScope(rootsOf({ events }));
    assert.deepEqual(await decideExpression(asks, scope), { kind: "decided", value });
  }
  const scope = runScope(rootsOf({ events: [message("user", "x"), json, words] }));
  const order = "$before($commands('--json'), trace.commands[command = 'deno test'])";
  assert.deepEqual(await decideExpression(order, scope), { kind: "decided", value: true });
});

const told = (id: string, tool: string, rest: object = {}) =>
  call(id, tool, { source: "stream", ...rest });
const ran = (id: string, text: string, rest: object = {}): RunEvent =>
  ({ ...command(id, text, 0), ...rest }) as RunEvent;

Deno.test("runScope() shows what several sources saw once, and testimony never for evidence", async () => {
  const rows: [string, RunEvent[], string][] = [
    [
      "record and stream are one call, the record's",
      [
        told("s1", "find_customer", { args: { n: 7 } }),
        call("t1", "find_customer", { args: { n: "7" } }),
      ],
      "$count($calls()) = 1 and $calls()[0].args.n = '7'",
    ],
    [
      "a call of ours that only the stream shows done is not done",
      [told("s1", "update_address"), call("t1", "find_customer")],
      "$not($called('update_address')) and $not($attempted('update_address'))",
    ],
    [
      "a call of ours that the stream shows refused was tried",
      [told("s1", "update_address", { status: "denied" }), call("t1", "find_customer")],
      "$attempted('update_address') and $not($called('update_address'))",
    ],
    [
      "a call that only the model asked for was tried",
      [call("m1", "update_address", { source: "model", status: "error" }), told("s1", "read")],
      "$attempted('update_address') and $count($calls()) = 2",
    ],
    [
      "a call that the model asked for and that was made is one",
      [call("m1", "find_customer", { source: "model" }), call("t1", "find_customer")],
      "$count($calls()) = 1 and $calls()[0].source = 'tools'",
    ],
    [
      "three views of one call are one, by the ids that two of them share",
      [
        call("c9", "find_customer", { source: "model", args: { a: 1 } }),
        told("c9", "find_customer", { args: { a: 1 } }),
        call("t1", "find_customer", { args: { a: 1 } }),
        call("t2", "find_customer", { args: { a: 2 } }),
      ],
      "$count($calls()) = 2",
    ],
    [
      "a shell call that was asked for is the command that ran",
      [
        call("m1", "shell", { source: "model", args: { command: "deno test" } }),
        ran("s1", "deno test"),
      ],
      "$count($calls()) = 0 and $exit('deno test') = 0",
    ],
    [
      "the exit code is the shim's, the output the stream's",
      [
        ran("s1", "deno test", { exitCode: null, output: '{"failed": 1}' }),
        ran("h1", "deno test", { exitCode: 3, status: "error", source: "shim" }),
      ],
      "$count($commands('deno')) = 1 and $exit('deno test') = 3 and trace.commands[0].json.failed = 1",
    ],
    [
      "a command that only the shim saw ran",
      [ran("h1", "git stash", { source: "shim" })],
      "$count($commands('git stash', 0)) = 1",
    ],
  ];
  for (const [name, events, check] of rows) {
    const decided = await decideExpression(check, runScope(rootsOf({ events })));
    assert.deepEqual(decided, { kind: "decided", value: true }, name);
  }
});

Deno.test("$asked() tells how the agent's latest turn ended", async () => {
  const question = message("assistant", "Confermi via Po 12?");
  const rows: [RunEvent[], string, boolean][] = [
    [[], "$asked()", false],
    [[message("user", "x"), question], "$asked()", true],
    [[message("user", "x"), question], "$asked('po 12')", true],
    [[message("user", "x"), question], "$asked('roma')", false],
    [[message("user", "x"), question, call("c", "find_customer")], "$asked()", false],
    [[message("user", "x"), question, message("user", "y")], "$asked()", false],
    [[question, message("user", "y"), message("assistant", "Fatto")], "$asked()", false],
    [[call("c", "ask_customer", { args: { text: "Via Po 12" } })], "$asked('Po 12')", true],
    [[call("c", "ask_customer", { args: {}, result: { answer: "sì" } })], "$asked()", false],
    [[question, { kind: "notice", level: "info", text: "n" }], "$asked()", true],
  ];
  for (const [trace, text, value] of rows) {
    const decided = await decideExpression(text, runScope(rootsOf({ events: trace })));
    assert.deepEqual(decided, { kind: "decided", value }, `${text} ${JSON.stringify(trace)}`);
  }
});

Deno.test("$calls() takes the tools' own record, not the agent's stream, of simulated tools", async () => {
  const trace = [
    call("s1", "find_customer", { source: "stream" }),
    call("t1", "find_customer"),
    call("s2", "update_address", { source: "stream" }),
    call("s3", "bash", { source: "stream" }),
  ];
  const both = runScope(rootsOf({ events: trace }));
  const ids = async (text: string, scope = both) => (await evaluateExpression(text, scope));
  assert.deepEqual(await ids("$calls().id"), { kind: "value", value: ["t1", "s3"] });
  assert.deepEqual(await ids("trace.calls.id"), { kind: "value", value: ["t1", "s3"] });
  assert.deepEqual(await ids("$count(trace.events)"), { kind: "value", value: 4 });
  const alone = runScope(rootsOf({ events: trace.filter((_, i) => i !== 1) }));
  assert.deepEqual(await ids("$count($calls())", alone), { kind: "value", value: 3 });
});

Deno.test("$before() finds its way in long traces", async () => {
  const long = Array.from({ length: 3000 }, (_, i) => call(`c${i}`, i === 2500 ? "a" : "b"));
  const scope = runScope(rootsOf({ events: long }));
  const decided = await decideExpression("$before($calls('b'), $calls('a'))", scope);
  assert.deepEqual(decided, { kind: "decided", value: true });
});

Deno.test("entryScope() adds value, was and path to the roots", async () => {
  const scope = entryScope(runScope(rootsOf({})), { value: { n: 2 }, was: null, path: "notes/n1" });
  const text = "value.n = 2 and was = null and path = 'notes/n1' and usage.calls = 4";
  assert.deepEqual(await decideExpression(text, scope), { kind: "decided", value: true });
});
