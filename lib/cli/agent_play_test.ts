/**
 * What does a run of an agent that is a program prove? A small program (testdata/agents/agent.mjs) is
 * started by the whole path from the project's files to the report: exit codes and its own words prove
 * nothing, our servers, the folder and the shell's record do.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { realAgentProcesses } from "../io/agent_process.ts";
import { programHolder } from "../io/process_hold.ts";
import { createIo } from "../io/real.ts";
import type { JsonObject } from "../model/json.ts";
import type { Report } from "../model/report.ts";
import type { RunEvent, RunFile } from "../model/run.ts";
import { runCommand } from "./run_command.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const AGENT = join(ROOT, "testdata/agents/agent.mjs");
const KEY = "plain-words-that-open-the-door-9317";
const DENO = [Deno.execPath(), "run", "-A", "--no-config", "--no-lock", "--no-prompt", AGENT];

interface Case {
  /** Words for the variable BEHAVIOUR. */
  readonly behaviour?: string;
  /** Laid over the entry of the agent. */
  readonly config?: JsonObject;
  /** Texts by their path in the project. */
  readonly files?: Readonly<Record<string, string>>;
  readonly recording?: string;
  readonly scenario?: string;
  readonly mayStart?: boolean;
  readonly mode?: "replay" | "live";
  /** True: this machine makes no namespaces. */
  readonly plain?: boolean;
  readonly models?: JsonObject;
  readonly out?: string;
}

interface Played {
  readonly code: number;
  readonly said: string;
  readonly folder: string;
  readonly report: Report;
  readonly run: RunFile;
  /** Text of an artifact, "" where there is none. */
  artifact(name: string): string;
  readonly facts: JsonObject;
}

async function project(one: Case): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "collaudo program " });
  const from = join(ROOT, "testdata/cli/projects/lights");
  const texts: Record<string, string> = {};
  for (
    const name of [
      "fixtures/home/state.json",
      "fixtures/home/tools.yaml",
      "scenarios/home/light-on.yaml",
      "fixtures/recordings/light-on/pass.yaml",
      "gates/release.yaml",
    ]
  ) texts[name] = await Deno.readTextFile(join(from, name));
  const agent = {
    kind: "command",
    argv: DENO,
    resume: [...DENO, "--resume", "{session}"],
    stream: "codex",
    timeout_s: 60,
    env: {
      MODEL_URL: "{model_url}",
      MCP_CONFIG: "{mcp_config}",
      BEHAVIOUR: one.behaviour ?? "well",
      AGENT_KEY: { env: "AGENT_KEY" },
      DENO_NO_UPDATE_CHECK: "1",
    },
    ...one.config,
  };
  texts["collaudo.yaml"] = JSON.stringify({
    locale: "en",
    agent: "program",
    agents: { program: agent },
    models: one.models ?? {},
  });
  const recorded = one.recording;
  if (recorded !== undefined) texts["fixtures/recordings/light-on/pass.yaml"] = recorded;
  if (one.scenario !== undefined) texts["scenarios/home/light-on.yaml"] = one.scenario;
  for (const [name, text] of Object.entries({ ...texts, ...one.files })) {
    await Deno.mkdir(join(folder, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, name), text);
  }
  return folder;
}

async function readJson(path: string): Promise<JsonObject> {
  return JSON.parse(await Deno.readTextFile(path).catch(() => "{}"));
}

async function play(one: Case, look: (played: Played) => Promise<void> | void): Promise<void> {
  const folder = await project(one);
  try {
    const real = createIo(undefined);
    const said: string[] = [];
    const tell = (text: string) => void said.push(text);
    const io = {
      ...real,
      cwd: folder,
      env: (name: string) => name === "AGENT_KEY" ? KEY : real.env(name),
      terminal: { out: tell, err: tell, outIsTerminal: false, errIsTerminal: false },
      agents: one.plain === true ? realAgentProcesses(programHolder([])) : real.agents,
      children: { ...real.children, mayStart: () => one.mayStart ?? true },
    };
    const out = one.out ?? "out";
    const options = { only: [], note: [], mode: one.mode ?? "replay", jobs: 1, out };
    const code = await runCommand(io, [], options);
    const report = await readJson(join(folder, out, "report.json")) as unknown as Report;
    const run = await readJson(join(folder, out, "runs/light-on-1.json")) as unknown as RunFile;
    const artifacts: Record<string, string> = {};
    const place = join(folder, out, "runs/light-on-1");
    for (const { name } of await Array.fromAsync(Deno.readDir(place)).catch(() => [])) {
      artifacts[name] = await Deno.readTextFile(join(place, name));
    }
    const artifact = (name: string) => artifacts[name] ?? "";
    const facts = JSON.parse(artifact("run.json") || "{}");
    await look({ code, said: said.join(""), folder, report, run, artifact, facts });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function endOf({ run }: Played): string {
  return `${run.ended.kind}: ${run.ended.detail ?? ""}`;
}

function verdictOf({ report }: Played): string {
  return report.scenarios[0]?.verdict ?? "none";
}

function told(events: readonly RunEvent[]): string[] {
  return events.map((event) => {
    if (event.kind === "message") return `${event.role}: ${event.text}`;
    if (event.kind === "call") return `${event.source} ${event.tool} ${event.status}`;
    if (event.kind === "command") {
      return `${event.source} $ ${event.command} = ${event.exitCode} ${event.status}`;
    }
    if (event.kind === "file") return `${event.change} ${event.path}`;
    return event.kind === "notice" ? `notice ${event.text}` : event.kind;
  });
}

const PLAYED = [
  "user: Turn on the kitchen light",
  "tools list_lights ok",
  "stream list_lights ok",
  "tools set_light ok",
  "stream set_light ok",
  "assistant: The kitchen light is on.",
];

Deno.test("a program plays a recording with our tools, and its artifacts are kept", async () => {
  await play({ behaviour: "key" }, (played) => {
    const { code, run, report, artifact, facts, said } = played;
    equal(endOf(played), "completed: ", said);
    equal(verdictOf(played), "passed", JSON.stringify(report.scenarios[0]?.conditions));
    equal(code, 0, said);
    deepEqual(told(run.events), PLAYED);
    equal(report.decision.evidence, "self_test");
    equal(artifact("prompt.txt"), "Turn on the kitchen light\n");
    equal(artifact("response.txt"), "The kitchen light is on.\n");
    equal(artifact("stderr.log"), "the key is [masked:1]\n");
    match(artifact("events.jsonl"), /^\{"type":"thread.started","thread_id":"thread-1"\}\n/);
    match(artifact("events.jsonl"), /turn\.completed.*\n$/);
    const [one] = facts.processes as JsonObject[];
    deepEqual(one?.argv, DENO);
    deepEqual([one?.exitCode, one?.signal, one?.end], [0, null, "exited"]);
    equal(facts.stream, "codex");
    equal(facts.timeoutS, 60);
    equal(facts.verdict, "passed");
    ok(
      (facts.checks as JsonObject[]).some(({ id, verdict }) =>
        id === "ended" && verdict === "passed"
      ),
    );
    equal(run.usage?.latencyMs, undefined, "a handmade replay measures no time");
    equal(run.usage?.cost ?? null, null);
    match(report.scenarios[0]?.reproduce ?? "", /^deno task eval:agents --only light-on/);
    ok(!JSON.stringify([run, report, artifact("run.json"), said]).includes(KEY));
  });
});

Deno.test("two replays of a program give the same run", async () => {
  const texts: string[] = [];
  for (let n = 0; n < 2; n++) {
    await play({}, ({ run }) => void texts.push(JSON.stringify(run)));
  }
  equal(texts[0], texts[1]);
});

Deno.test("a program ends as what we saw, whatever its exit code", async (test) => {
  const rows: readonly (readonly [string, Case, RegExp, string])[] = [
    [
      "no tool server",
      { behaviour: "no-tools" },
      /^environment_error: The agent never reached the tool server/,
      "errored",
    ],
    [
      "no such program",
      { config: { argv: ["no-such-program-here"] } },
      /^environment_error: .*no program "no-such-program-here"/,
      "errored",
    ],
    [
      "an exit code before it asked",
      { behaviour: "breaks" },
      /^environment_error: The agent never asked our model server, and ended with exit code 7/,
      "errored",
    ],
    [
      "a script that is not there",
      { config: { argv: ["/bin/sh", "tools/agent.sh"] } },
      /^environment_error: The agent never asked .* exit code \d+; it said ".*tools\/agent\.sh/,
      "errored",
    ],
    [
      "a request that was not recorded",
      {
        recording: "origin: handmade\nturns:\n  - calls: [{tool: list_lights}]\n",
      },
      /^stale: /,
      "stale",
    ],
    [
      "recorded turns left over",
      {
        recording: "origin: handmade\nturns:\n  - say: Done\n  - say: Again\n",
      },
      /^stale: /,
      "stale",
    ],
    ["no last event", { behaviour: "cut" }, /^interrupted: /, "failed"],
    ["the time limit", { behaviour: "hangs", config: { timeout_s: 1.5 } }, /^timeout: /, "failed"],
    [
      "a variable that is not set",
      {
        config: { env: { MODEL_URL: "{model_url}", OTHER: { env: "COLLAUDO_NOT_SET_HERE" } } },
      },
      /^environment_error: COLLAUDO_NOT_SET_HERE is not set/,
      "errored",
    ],
    ["a model of its own in a replay", { config: { env: {} } }, /^stale: .*\{model_url\}/, "stale"],
    ["too many calls", { config: { calls_max: 1 } }, /^limit: /, "failed"],
  ];
  for (const [name, one, end, verdict] of rows) {
    await test.step(name, async () => {
      await play(one, (played) => {
        match(endOf(played), end, played.said);
        equal(verdictOf(played), verdict);
      });
    });
  }
});

const FILES = {
  "fixtures/work/read.me": "hello\n",
};

const ON_FILES = `id: light-on
description: A file is written in the workspace
category: happy_path
setup: {workspace: fixtures/work, available_tools: [list_lights]}
conversation:
  - user: "Write notes.txt"
  - {user: "Show it", if: "$changed('files/notes.txt')"}
expected:
  state:
    changes: {files/notes.txt: "noted\\n"}
  forbidden: [{command: "rm -rf"}]
  checkpoints:
    - {id: shown, required: true, check: "$exit('cat notes') = 0"}
  proof: [{id: there, run: [grep, -q, noted, notes.txt], exit: 0}]
`;

const WRITES = `origin: handmade
turns:
  - calls: [{tool: write_file, args: {path: notes.txt, text: "noted\\n"}}]
  - say: It is written.
  - calls: [{tool: shell, args: {command: cat notes.txt}}]
  - say: It says noted.
`;

Deno.test("a program's files are the state, conditional turns see them, a later turn resumes", async () => {
  await play({ files: FILES, scenario: ON_FILES, recording: WRITES }, (played) => {
    const { run, artifact, facts, report } = played;
    equal(endOf(played), "completed: ", played.said);
    deepEqual(told(run.events), [
      "user: Write notes.txt",
      "stream apply_patch ok",
      "added notes.txt",
      "assistant: It is written.",
      "user: Show it",
      "stream $ cat notes.txt = 0 ok",
      "assistant: It says noted.",
    ]);
    equal(verdictOf(played), "passed", JSON.stringify(report.scenarios[0]?.conditions));
    const processes = facts.processes as { argv: string[] }[];
    deepEqual(processes[1]?.argv.slice(-2), ["--resume", "thread-1"]);
    match(artifact("prompt.txt"), /^=== turn 1\nWrite notes.txt\n\n=== turn 2\nShow it\n$/);
    match(artifact("oracle.log"), /^=== there: exit code 0/);
    ok(!JSON.stringify(run).includes("/collaudo-"), "a folder of the run is in the trace");
  });
});

Deno.test("a command that the program refused by itself is a forbidden attempt", async () => {
  const recording = WRITES.replace(
    "  - say: It is written.",
    '  - calls: [{tool: shell, args: {command: "rm -rf build"}}]\n  - say: It is written.',
  );
  await play({ files: FILES, scenario: ON_FILES, recording }, (played) => {
    equal(endOf(played), "completed: ", played.said);
    deepEqual(told(played.run.events).filter((line) => line.includes("rm -rf")), [
      "model $ rm -rf build = null denied",
    ]);
    ok(!played.artifact("events.jsonl").includes("rm -rf"));
    equal(verdictOf(played), "failed");
    ok(played.report.scenarios[0]?.attempts.length === 1);
  });
});

/** It asks its model once, tells whatever it likes and leads its last answer elsewhere. */
const LIAR = `await fetch("{model_url}/v1/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    model: "any",
    messages: [{ role: "user", content: await new Response(Deno.stdin.readable).text() }],
  }),
});
const tell = (event) => console.log(JSON.stringify(event));
if (Deno.args.includes("stream")) {
  tell({ type: "turn.started" });
  const item = { id: "i", type: "command_execution", command: "cat notes.txt", exit_code: 0 };
  tell({ type: "item.completed", item: { ...item, status: "completed" } });
  tell({ type: "turn.completed" });
} else if (Deno.args.includes("pipe")) {
  await new Deno.Command("mkfifo", { args: ["{response}"] }).output();
} else await Deno.symlink("/etc/passwd", "{response}");
`;

Deno.test("what a program tells of its own accord is no proof, and no file that it points to its answer", async (test) => {
  const scenario = ON_FILES.replace(/expected:[^]*/, "expected:\n  outcome: no_change\n") +
    "  checkpoints:\n    - {id: shown, required: true, check: \"$exit('cat notes') = 0\"}\n";
  const recording = "origin: handmade\nturns:\n  - say: Looked at it.\n";
  const argv = [...DENO.slice(0, -1), "{home}/liar.mjs"];
  const one = (mode: string, stream: string): Case => ({
    files: { ...FILES, "fixtures/liar.mjs": LIAR },
    config: { argv: [...argv, mode], files: { "{home}/liar.mjs": "fixtures/liar.mjs" }, stream },
    scenario: scenario.replace(/available_tools: .*}/, "available_tools: []}")
      .replace(/\n {2}- {user: "Show it.*/, ""),
    recording,
  });
  await test.step("a command that its model never asked for", async () => {
    await play(one("stream", "codex"), (played) => {
      equal(endOf(played), "completed: ", played.said);
      deepEqual(told(played.run.events).slice(1), ["stream $ cat notes.txt = null ok"]);
      equal(verdictOf(played), "failed");
    });
  });
  for (const mode of ["pipe", "link"]) {
    await test.step(`a last answer that is a ${mode}`, async () => {
      await play(one(mode, "none"), (played) => {
        equal(endOf(played), "completed: ", played.said);
        equal(played.artifact("response.txt").trim(), "");
        ok(!JSON.stringify(played.run).includes("root:"));
      });
    });
  }
});

Deno.test("an agent that changes its own skill is told first", async () => {
  const files = { "skills/light/SKILL.md": "Look first\n" };
  const config = { files: { "{home}/skills": "skills/light" }, source: ["skills"] };
  await play({ behaviour: "learns", files, config }, ({ run, artifact, facts, folder, said }) => {
    equal(run.ended.kind, "completed", said);
    deepEqual(run.alerts, [{
      kind: "source_changed",
      what: ["{home}/skills/SKILL.md (modified)"],
    }]);
    match(artifact("source.diff"), /-Look first\n\+Do as you like\n/);
    const source = facts.source as { files: Record<string, string> };
    deepEqual(Object.keys(source.files).sort(), [
      "skills/light/SKILL.md",
      "{home}/skills/SKILL.md",
    ]);
    const report = Deno.readTextFileSync(join(folder, "out/report.md"));
    match(report.split("##")[0] ?? "", /\{home\}\/skills\/SKILL\.md/);
    match(said, /SKILL\.md/);
  });
});

Deno.test("where nothing holds a program but its group, the run says so", async () => {
  await play({ plain: true }, ({ run, facts, said }) => {
    equal(run.ended.kind, "completed", said);
    equal((facts.processes as JsonObject[])[0]?.hold, "group");
    ok(told(run.events).some((line) => /^notice This machine makes no namespace/.test(line)));
  });
  await play({ plain: true, config: { isolation: "bwrap" } }, (played) => {
    match(endOf(played), /^environment_error: The sandbox that was asked for: bubblewrap/);
    equal(verdictOf(played), "errored");
  });
});

Deno.test("programs are refused where the task starts none, and so are wrong folders", async () => {
  await play({ mayStart: false }, ({ code, said }) => {
    equal(code, 2);
    match(
      said,
      /Agent "program" is a program, and this task starts none but git\n {2}fix: .*deno task eval:agents/,
    );
  });
  await play({ out: "scenarios" }, ({ code, said }) => {
    equal(code, 2);
    match(said, /exists: expected a new one/);
  });
  const files = { "skills/light/SKILL.md": "Look first\n" };
  await play({ files, config: { source: ["skills"] }, out: "skills/out" }, ({ code, said }) => {
    equal(code, 2);
    match(said, /lies in "skills", which agent "program" is evaluated by/);
  });
});

/** A real model, as far as anybody can tell: it plays the recording of the lights. */
function realModel(name: string): Deno.HttpServer<Deno.NetAddr> {
  const turns: readonly JsonObject[] = [
    { content: null, tool_calls: [called("list_lights", {})] },
    { content: null, tool_calls: [called("set_light", { light: "kitchen", on: true })] },
    { content: "The kitchen light is on." },
  ];
  const serve = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  return Deno.serve(serve, async (request) => {
    const { messages } = await request.json() as { messages: { role: string }[] };
    const message = turns[messages.filter(({ role }) => role === "assistant").length] ?? {};
    return Response.json({
      id: "x",
      object: "chat.completion",
      model: name,
      choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    });
  });
}

function called(tool: string, args: JsonObject): JsonObject {
  const name = `mcp__tools__${tool}`;
  return { id: tool, type: "function", function: { name, arguments: JSON.stringify(args) } };
}

Deno.test("a live run is handed on to the configured model, and another that answers is told first", async () => {
  for (
    const [answers, other] of [["big-model-2026-11-01", false], ["small-model", true]] as const
  ) {
    const server = realModel(answers);
    const base_url = `http://127.0.0.1:${server.addr.port}/v1`;
    const models = { big: { api: "chat", base_url, name: "big-model" } };
    await play({ mode: "live", models, config: { model: "big" } }, (played) => {
      const { run, said, facts, report } = played;
      equal(endOf(played), "completed: ", said);
      equal(verdictOf(played), "passed");
      deepEqual(told(run.events), PLAYED);
      equal(run.agent.model, answers);
      equal(run.usage?.inputTokens, 300);
      ok((run.usage?.latencyMs ?? 0) > 0);
      equal((facts.model as JsonObject).requests, 3);
      const what = ["big-model", "small-model"];
      deepEqual(run.alerts, other ? [{ kind: "other_model", what }] : undefined);
      equal(report.alerts?.length ?? 0, other ? 1 : 0);
    });
    await server.shutdown();
  }
});

const noSandbox = await createIo(undefined).agents.sandboxMissing();

Deno.test({
  name: "in a sandbox a program reaches our two ports, and the shell's record corrects its words",
  ignore: noSandbox !== null,
  fn: async () => {
    const recording = WRITES.replace("cat notes.txt", "cat notes.txt nothing");
    const scenario = ON_FILES.replace("$exit('cat notes') = 0", "$exit('cat notes') = 1");
    const config = { isolation: "bwrap" };
    await play({ behaviour: "lies", files: FILES, scenario, recording, config }, (played) => {
      const { run, facts } = played;
      equal(endOf(played), "completed: ", played.said);
      const commands = told(run.events).filter((line) => line.includes("$"));
      deepEqual(commands, [
        "stream $ cat notes.txt nothing = 0 ok",
        "shim $ cat notes.txt nothing = 1 error",
      ]);
      const conditions = played.report.scenarios[0]?.conditions ?? [];
      equal(conditions.find(({ id }) => id === "checkpoint:shown")?.verdict, "passed");
      equal(conditions.find(({ id }) => id === "evidence_conflict")?.verdict, "errored");
      equal((facts.processes as JsonObject[])[0]?.hold, "sandbox");
    });
    await play({ config }, (played) => equal(endOf(played), "completed: ", played.said));
  },
});
