/** What a load gives where the files are sound: defaults, aliases, worlds, hashes, selections, runs. */
import assert from "node:assert/strict";
import { hashState } from "../model/hash.ts";
import type { LoadedScenario, Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import { parseJson } from "./json_text.ts";
import { memoryFiles } from "./memory_files.ts";
import { findProject } from "./project.ts";
import { type ReadRun, readRuns } from "./runs.ts";
import { loadScenarios, type Selection } from "./scenarios.ts";
import { placeOf, spanInText } from "./source.ts";
import { nearest } from "./suggest.ts";
import { Thresholds } from "./thresholds.ts";
import { parseYaml } from "./yaml.ts";

const TOOLS = `tools:
  find: {description: d, effect: read, input: {type: object, properties: {code: {type: string}}}}
  save: {description: d, effect: write, input: {type: object, required: [id], properties: {id: {type: string}}}, set: {"notes/<id>": {text: hello}}}
`;
const ALIASES = `id: aliases
description: Keys of another format
category: happy_path
tags: [old]
setup:
  available_tools: [find, supra_llm]
  workspace: fixtures/space
  fixtures: [{path: /tmp/a.log, content_fixture: fixtures/a.log}]
conversation:
  - user: "Find C-1"
  - expected_agent_partial: "found"
  - user: "Thanks"
expected:
  tools_called: [{name: find, code_matches: "^C-"}]
  final_response: {contains_any: [found], llm_critic: {prompt: "Is it polite?", threshold: "0.8"}}
`;
const PLAIN = `id: plain
description: A note is saved
category: memory
setup: {state: fixtures/state.yaml}
conversation: [{user: "Save it"}]
expected:
  state: {changes: {notes/n1: {text: hello}}}
  messages: []
`;
const WORLD: Record<string, string | Uint8Array> = {
  "/p/collaudo.yaml": "clock: 2026-11-30T08:00:00+01:00\n",
  "/p/fixtures/shop/tools.yaml": TOOLS,
  "/p/fixtures/home/tools.yaml": TOOLS,
  "/p/fixtures/state.yaml": "notes: {}\nlists: {1001: {items: [a]}}\n",
  "/p/fixtures/a.log": "line\r\n",
  "/p/fixtures/space/src/a.ts": "export {};\n",
  "/p/fixtures/space/logo.png": Uint8Array.from([0x89, 0x50, 0xff]),
  "/p/fixtures/space/big.txt": "x".repeat(70_000),
  "/p/scenarios/shop/aliases.yaml": ALIASES,
  "/p/scenarios/home/plain.yaml": PLAIN,
};

async function load(
  more: Record<string, string | Uint8Array> = {},
  selection: Selection = { paths: [], only: [] },
) {
  const files = memoryFiles({ ...WORLD, ...more });
  const { project } = await findProject(files, "/p/scenarios/shop");
  assert.ok(project !== null);
  return await loadScenarios(files, project, selection);
}

function byId(scenarios: readonly LoadedScenario[], id: string): LoadedScenario {
  const found = scenarios.find((loaded) => loaded.scenario.id === id);
  assert.ok(found, `no scenario "${id}"`);
  return found;
}

Deno.test("loadScenarios() fills in defaults and rewrites aliases", async () => {
  const { scenarios, problems, all } = await load();
  assert.deepEqual(problems.map(({ code, severity }) => [code, severity]), [[
    "ignored-tool",
    "notice",
  ]]);
  assert.deepEqual(all.map(({ id }) => id), ["plain", "aliases"]);
  const { scenario, suite, positions } = byId(scenarios, "aliases");
  assert.equal(suite, "shop");
  assert.equal(scenario.task, "shop");
  assert.equal(scenario.version, 1);
  assert.equal(scenario.setup.clock, "2026-11-30T08:00:00+01:00");
  assert.deepEqual(scenario.setup.tools, ["fixtures/shop/tools.yaml"]);
  assert.deepEqual(scenario.setup.available_tools, ["find"]);
  assert.deepEqual(scenario.setup.approvals, { default: "deny" });
  assert.deepEqual(scenario.origin, { kind: "handmade" });
  assert.deepEqual(scenario.conversation.map((turn) => turn.user), ["Find C-1", "Thanks"]);
  const { expected } = scenario;
  assert.deepEqual(expected.replies, [{ user: 0, contains: "found" }]);
  assert.deepEqual(expected.tools_called, [{ name: "find", args: { code: { matches: "^C-" } } }]);
  assert.deepEqual(expected.final_response, { contains_any: ["found"] });
  assert.deepEqual(expected.rubric, [{ id: "llm_critic", ask: "Is it polite?", accept: "0.8" }]);
  assert.deepEqual([expected.messages, expected.messagesDeclared], [[], false]);
  assert.equal(positions["expected/tools_called/0/name"], "scenarios/shop/aliases.yaml:14:25");
  assert.equal(positions["conversation/1/user"], "scenarios/shop/aliases.yaml:12:11");
  assert.equal(positions["expected/replies/0"], "scenarios/shop/aliases.yaml:11:5");
  assert.ok(byId(scenarios, "plain").scenario.expected.messagesDeclared);
});

Deno.test("loadScenarios() lays workspace and fixtures into the world", async () => {
  const { scenarios } = await load();
  const files = byId(scenarios, "aliases").state?.["files"] as Record<string, string>;
  assert.deepEqual(Object.keys(files).sort(), ["/tmp/a.log", "big.txt", "logo.png", "src/a.ts"]);
  assert.equal(files["/tmp/a.log"], "line\r\n");
  assert.match(files["logo.png"] ?? "", /^sha256:[0-9a-f]{64}$/);
  assert.match(files["big.txt"] ?? "", /^sha256:[0-9a-f]{64}$/);
  const plain = byId(scenarios, "plain").state;
  assert.deepEqual(plain, { notes: {}, lists: { "1001": { items: ["a"] } } });
});

Deno.test("loadScenarios() reads a SQLite state through its port", async () => {
  const files = memoryFiles({
    ...WORLD,
    "/p/fixtures/state.db": "",
    "/p/scenarios/home/plain.yaml": PLAIN.replace("state.yaml", "state.db"),
  });
  const withDatabase: Files = {
    ...files,
    readSqlite: (path) => Promise.resolve({ notes: { "1": { text: path } } }),
  };
  const { project } = await findProject(withDatabase, "/p");
  const { scenarios } = await loadScenarios(withDatabase, project as Project, {
    paths: [],
    only: ["plain"],
  });
  assert.deepEqual(byId(scenarios, "plain").state, {
    notes: { "1": { text: "/p/fixtures/state.db" } },
  });
});

Deno.test("the scenario hash changes with what is asked and with the world, not with words", async () => {
  const hashOf = async (more: Record<string, string>) =>
    byId((await load(more)).scenarios, "plain").hash;
  const plain = (from: string, to: string) => ({
    "/p/scenarios/home/plain.yaml": PLAIN.replace(from, to),
  });
  const first = await hashOf({});
  assert.equal(await hashOf({}), first);
  assert.equal(await hashOf(plain("A note is saved", "Other words")), first);
  assert.equal(
    await hashOf(plain("category:", "tags: [x]\nlabels: {author: a}\ncategory:")),
    first,
  );
  assert.notEqual(await hashOf(plain("category:", "version: 2\ncategory:")), first);
  assert.notEqual(await hashOf(plain("Save it", "Save it now")), first);
  assert.notEqual(await hashOf({ "/p/fixtures/state.yaml": "notes: {n0: {}}\n" }), first);
  assert.notEqual(
    await hashOf({ "/p/fixtures/home/tools.yaml": TOOLS.replace("hello", "bye") }),
    first,
  );
});

Deno.test("loadScenarios() selects by path, glob and word", async () => {
  const ids = async (selection: Partial<Selection>) =>
    (await load({}, { paths: [], only: [], ...selection })).scenarios.map(({ scenario }) =>
      scenario.id
    );
  assert.deepEqual(await ids({ paths: ["/p/scenarios/home"] }), ["plain"]);
  assert.deepEqual(await ids({ paths: ["scenarios/shop/aliases.yaml"] }), ["aliases"]);
  assert.deepEqual(await ids({ paths: ["scenarios/**/pl*.yaml"] }), ["plain"]);
  assert.deepEqual(await ids({ paths: ["/p"] }), ["plain", "aliases"]);
  assert.deepEqual(await ids({ only: ["memory"] }), ["plain"]);
  assert.deepEqual(await ids({ only: ["old", "pla*"] }), ["plain", "aliases"]);
  assert.deepEqual(await ids({ only: ["shop"], paths: ["/p/scenarios"] }), ["aliases"]);
});

const RUN = {
  schema: "collaudo/run@1",
  scenario: "plain",
  mode: "recorded",
  agent: { name: "a" },
  ended: { kind: "completed" },
  events: [],
};

async function runsOf(text: string, path = "/p/runs.jsonl"): Promise<ReadRun[]> {
  const files = memoryFiles({ ...WORLD, [path]: text });
  const { project } = await findProject(files, "/p");
  const runs: ReadRun[] = [];
  for await (const read of readRuns(files, project as Project, path)) runs.push(read);
  return runs;
}

Deno.test("readRuns() resolves states by reference and by changes", async () => {
  const before = { notes: { n0: { text: "old" } } };
  const after = { notes: { n0: { text: "new" } } };
  const changes = [{ path: "notes/n0/text", op: "changed", before: "old", after: "new" }];
  const hash = hashState(before);
  const text = [
    { schema: "collaudo/state@1", hash, state: before },
    { ...RUN, state: { before: { ref: hash }, after: { changes, hash: hashState(after) } } },
    { ...RUN, trial: 2, state: { before, after } },
  ].map((line) => JSON.stringify(line)).join("\n") + "\n\n";
  const [first, second, ...none] = await runsOf(text);
  assert.equal(none.length, 0);
  assert.ok(first !== undefined && "run" in first && second !== undefined && "run" in second);
  assert.deepEqual([first.line, second.line], [2, 3]);
  assert.deepEqual(first.run.state, { before, after });
  assert.deepEqual(first.changes, changes);
  assert.equal(first.run.trial, 1);
  assert.deepEqual([second.run.trial, second.changes], [2, undefined]);
});

Deno.test("readRuns() reads one JSON run over several lines", async () => {
  const run = { ...RUN, state: { before: {}, after: {} } };
  const [read] = await runsOf(JSON.stringify(run, null, 2), "/p/run.json");
  assert.ok(read !== undefined && "run" in read);
  const [broken] = await runsOf(JSON.stringify({ ...run, mode: "dream" }, null, 2), "/p/run.json");
  assert.ok(broken !== undefined && "problem" in broken);
  assert.deepEqual([broken.problem.code, broken.problem.line], ["unknown-word", 4]);
});

Deno.test("readRuns() finds a state that is stored beside the run, where its hash is true", async () => {
  const before = { notes: { n0: { text: "old" } } };
  const hash = hashState(before);
  const run = JSON.stringify({ ...RUN, state: { before: { ref: hash }, after: {} } });
  const stored = `/p/out/runs/states/${hash.slice("sha256:".length)}.json`;
  const read = async (state: unknown) => {
    const text = JSON.stringify({ schema: "collaudo/state@1", hash, state });
    const files = memoryFiles({ ...WORLD, "/p/out/runs/plain-1.json": run, [stored]: text });
    const { project } = await findProject(files, "/p");
    for await (const one of readRuns(files, project as Project, "/p/out/runs/plain-1.json")) {
      return one;
    }
    return undefined;
  };
  const found = await read(before);
  assert.ok(found !== undefined && "run" in found);
  assert.deepEqual(found.run.state.before, before);
  const other = await read({ notes: {} });
  assert.ok(other !== undefined && "problem" in other);
  assert.equal(other.problem.code, "unknown-state-ref");
});

Deno.test("loadScenarios() reads only the recordings that are named", async () => {
  const folder = "/p/fixtures/recordings/plain";
  const say = "origin: handmade\nturns: [{say: Done}]\n";
  const more = {
    [`${folder}/pass.yaml`]: say,
    [`${folder}/late.yaml`]: say,
    [`${folder}/odd.yaml`]: "turns: 5\n",
  };
  const named = await load(more, { paths: [], only: ["plain"], recordings: ["pass", "late"] });
  assert.deepEqual(byId(named.scenarios, "plain").recordings.map(({ name }) => name), [
    "late",
    "pass",
  ]);
  const all = await load(more, { paths: [], only: ["plain"] });
  assert.deepEqual([all.scenarios.length, all.problems[0]?.code], [0, "missing-key"]);
});

Deno.test("places in texts are exact, whichever way YAML writes them", () => {
  const text = [
    "plain: $count(tarce.calls) = 0",
    `double: "a \\"b\\" \\u0041 tarce"`,
    "single: 'it''s tarce'",
    "literal: |",
    "  $called('x')",
    "    and tarce",
    "folded: >-",
    "  one",
    "  two tarce",
    "over: several",
    "  lines tarce",
  ].join("\n");
  const { source, problems } = parseYaml("f", text);
  assert.ok(source !== null && problems.length === 0);
  const placed = Object.entries(source.value as Record<string, string>).map(([key, value]) => {
    const start = value.indexOf("tarce");
    const { line, col, length } = placeOf(
      text,
      spanInText(source, [key], { start, end: start + 5 }),
    );
    return text.split("\n")[line - 1]?.slice(col - 1, col - 1 + length);
  });
  assert.deepEqual(placed, Array(6).fill("tarce"));
});

Deno.test("parseYaml() keeps YAML 1.2 texts and comments that cut nothing", () => {
  const text =
    "a: NO        # a comment\nb: 2026-10-01\nc: 12:30:45\nd: 1.5 # number\ne: x#y\nf: []\n";
  const { source, problems } = parseYaml("f", text);
  assert.deepEqual(problems, []);
  assert.deepEqual(source?.value, {
    a: "NO",
    b: "2026-10-01",
    c: "12:30:45",
    d: 1.5,
    e: "x#y",
    f: [],
  });
});

Deno.test("parseJson() takes the quick way only where there is nothing to say", () => {
  const codes = (text: string) => parseJson("f", text).problems.map(({ code }) => code);
  assert.deepEqual(
    codes('{"a": {"x": 1}, "b": {"x": 2}, "c": "a\\"{", "d": "1234567890123456789"}'),
    [],
  );
  assert.deepEqual(codes('{"a": 1, "\\u0061": 2}'), ["duplicate-key"]);
  assert.deepEqual(codes('{"a": 12345678901234567890}'), ["inexact-number"]);
  assert.deepEqual(codes('{"a": [{"b": 1, "b": 1}]}'), ["duplicate-key"]);
});

Deno.test("nearest() finds slips of the hand and nothing else", () => {
  assert.equal(nearest("wieght", ["id", "weight", "check"]), "weight");
  assert.equal(nearest("asert", ["check", "id"]), null);
  assert.equal(nearest("x", ["y"]), null);
});

Deno.test("Thresholds tells rules that always or never hold from those that can fail", () => {
  const codes = (text: string) => new Thresholds(text).findings().map(({ code }) => code);
  for (
    const text of [
      "candidate.taskSuccess >= 0",
      "0 <= candidate.taskSuccess",
      "candidate.stepScore <= 1",
      "candidate.critical >= 0",
      "$rise('costPerTask') >= -1",
      "(candidate.critical > -1)",
    ]
  ) {
    assert.deepEqual(codes(text), ["rule-never-fails"], text);
  }
  for (
    const text of [
      "candidate.taskSuccess >= 95",
      "candidate.critical < 0",
      "$drop('taskSuccess') > 1",
    ]
  ) {
    assert.deepEqual(codes(text), ["rule-never-holds"], text);
  }
  assert.deepEqual(codes("candidate.critical = 0 and $significantDrop('taskSuccess')"), [
    "rule-wants-drop",
  ]);
  for (
    const text of [
      "candidate.critical = 0",
      "$not($significantDrop('taskSuccess', {'margin': 0.1}))",
      "$significantDrop('taskSuccess') = false",
      "candidate.taskSuccess >= 0.9 and candidate.errored = 0",
      "$drop('taskSuccess') <= 0",
      "$rise('costPerTask') <= 0.2",
      "candidate.costPerTask <= 1",
      "candidate.taskSuccess >= baseline.taskSuccess",
      "candidate.taskSuccess > 0",
    ]
  ) {
    assert.deepEqual(codes(text), [], text);
  }
});
