/**
 * Does `record` keep what can be replayed, and nothing else? The whole command line in a project of its
 * own against a loopback server that speaks Chat Completions; with the loop agent, and with a small
 * program (testdata/agents/agent.mjs) whose requests are handed on by our model server.
 */
import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createIo } from "../io/real.ts";
import type { JsonObject } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Recording } from "../model/recording.ts";
import type { RunFile } from "../model/run.ts";
import type { HttpHandler } from "../model/serving.ts";
import { modelService } from "../run/model_service.ts";
import { replayModel } from "../run/replay_model.ts";
import { MODEL_APIS } from "../wire/api/apis.ts";
import { bodyOf } from "../wire/api/test_client.ts";
import { cli } from "./cli.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** No shape of a key: only the configuration says that it is one. */
const KEY = "plain-words-that-open-the-door-9317";
const SHAPED = "sk-planted-0123456789abcdefghij";
const DENO = [Deno.execPath(), "run", "-A", "--no-config", "--no-lock", "--no-prompt"];

interface Answer {
  readonly say?: string;
  readonly calls?: readonly (readonly [string, JsonObject])[];
  readonly thinking?: string;
}

const LIST: Answer = { calls: [["list_lights", {}]] };
const SET: Answer = { calls: [["set_light", { light: "kitchen", on: true }]] };
const STUDY: Answer = { calls: [["set_light", { light: "study", on: true }]] };
const DONE: Answer = { say: "The kitchen light is on." };
const GOOD = [LIST, SET, DONE];

interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly requests: number;
}

/** A project with the loop agent `house` and the program `program`, and a model that is played. */
class Project {
  readonly folder: string;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #ending = new AbortController();
  #answers: Answer[] = [];
  #requests = 0;
  /** True where every request came with the configured key. */
  authorised = true;

  private constructor(folder: string) {
    this.folder = folder;
    const options = {
      port: 0,
      hostname: "127.0.0.1",
      onListen: () => {},
      signal: this.#ending.signal,
    };
    this.#server = Deno.serve(options, (request) => this.#answer(request));
  }

  static async make(): Promise<Project> {
    const folder = await Deno.makeTempDir({ prefix: "collaudo record " });
    const project = new Project(folder);
    const from = join(ROOT, "testdata/cli/projects/lights");
    for (
      const name of [
        "gates/release.yaml",
        "fixtures/home/state.json",
        "fixtures/home/tools.yaml",
        "scenarios/home/light-on.yaml",
        "fixtures/recordings/light-on/pass.yaml",
      ]
    ) await project.write(name, await Deno.readTextFile(join(from, name)));
    const price = { input: 1, output: 2, per: 1_000_000, currency: "EUR", as_of: "2026-11-01" };
    const model = {
      api: "chat",
      base_url: { env: "BASE" },
      key: { env: "MODEL_KEY" },
      name: "tiny",
    };
    const argv = [...DENO, join(ROOT, "testdata/agents/agent.mjs")];
    const env = { MODEL_URL: "{model_url}", MCP_CONFIG: "{mcp_config}", DENO_NO_UPDATE_CHECK: "1" };
    await project.write(
      "collaudo.yaml",
      JSON.stringify({
        locale: "en",
        agent: "house",
        agents: {
          house: { kind: "loop", model: "local", system: "house.md" },
          program: { kind: "command", argv, stream: "codex", env, model: "local", timeout_s: 60 },
          past: { kind: "command", argv, stream: "codex", timeout_s: 60 },
          far: { kind: "http", base_url: "http://127.0.0.1:9/v1" },
        },
        models: { local: { ...model, price, retries_max: 0, timeout_s: 20 }, dear: model },
      }),
    );
    await project.write("house.md", "You keep the house\n");
    return project;
  }

  async #answer(request: Request): Promise<Response> {
    if (this.upstream !== null) return await handOn(request, this.upstream);
    this.authorised &&= request.headers.get("authorization") === `Bearer ${KEY}`;
    const answer = this.#answers[this.#requests++];
    if (answer === undefined) {
      return Response.json({ error: { message: "no more" } }, { status: 400 });
    }
    const tool_calls = (answer.calls ?? []).map(([tool, args], i) => {
      const bare = this.#program && tool !== "bash" ? `mcp__tools__${tool}` : tool;
      const called = { name: bare, arguments: JSON.stringify(args) };
      return { id: `call_${this.#requests}_${i}`, type: "function", function: called };
    });
    const message = {
      role: "assistant",
      content: answer.say ?? null,
      ...(answer.thinking === undefined ? {} : { reasoning_content: answer.thinking }),
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    };
    const finish_reason = tool_calls.length === 0 ? "stop" : "tool_calls";
    return Response.json({
      model: "tiny-1",
      choices: [{ index: 0, finish_reason, message }],
      usage: { prompt_tokens: 1000, completion_tokens: 100 },
    });
  }

  #program = false;
  /** Answers in place of the answers of a run, over whatever interface it speaks. */
  upstream: HttpHandler | null = null;

  /** Runs one command line while the model gives these answers in order. */
  async run(args: readonly string[], answers: readonly Answer[] = []): Promise<Said> {
    this.#answers = [...answers];
    this.#requests = 0;
    this.#program = args.includes("program");
    const real = createIo(undefined);
    const said = { out: "", err: "" };
    const env: Record<string, string> = {
      BASE: `http://127.0.0.1:${this.#server.addr.port}/v1`,
      MODEL_KEY: KEY,
    };
    const code = await cli(args, {
      ...real,
      cwd: this.folder,
      env: (name: string) => env[name] ?? real.env(name),
      terminal: {
        out: (text: string) => void (said.out += text),
        err: (text: string) => void (said.err += text),
        outIsTerminal: false,
        errIsTerminal: false,
      },
    });
    return { code, ...said, requests: this.#requests };
  }

  async write(name: string, text: string): Promise<void> {
    await Deno.mkdir(join(this.folder, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(this.folder, name), text);
  }

  async edit(name: string, change: (text: string) => string): Promise<void> {
    await this.write(name, change(await Deno.readTextFile(join(this.folder, name))));
  }

  /** The text of a recording of `light-on`, "" where there is none. */
  async recording(name: string): Promise<string> {
    const path = join(this.folder, "fixtures/recordings/light-on", `${name}.yaml`);
    return await Deno.readTextFile(path).catch(() => "");
  }

  async end(): Promise<void> {
    this.#ending.abort();
    await this.#server.finished;
    await Deno.remove(this.folder, { recursive: true });
  }
}

async function handOn(request: Request, handler: HttpHandler): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const given = await handler({
    method: request.method,
    path: pathname + search,
    headers: Object.fromEntries(request.headers),
    body: await request.text(),
    signal: request.signal,
  });
  const { status, headers } = given;
  return new Response(await bodyOf(given), { status, headers });
}

async function inProject(work: (project: Project) => Promise<void>): Promise<void> {
  const project = await Project.make();
  try {
    await work(project);
  } finally {
    await project.end();
  }
}

const PASS = "fixtures/recordings/light-on/pass.yaml";

Deno.test("record keeps a run that passed beside the recording by hand, or in its place where told so", async () => {
  await inProject(async (project) => {
    const byHand = await project.recording("pass");
    const first = await project.run(["record"], [{ ...LIST, thinking: "Look first" }, SET, DONE]);
    equal(first.code, 0, first.err);
    match(
      first.out,
      /^light-on: kept as fixtures\/recordings\/light-on\/recorded\.yaml; cost €0\.0036\n1 of 1 scenario recorded; cost €0\.0036\n$/,
    );
    match(first.err, /light-on {2}passed/);
    equal(await project.recording("pass"), byHand);
    const text = (await project.recording("recorded"))
      .replace(/at: ".*"/, "at: AT")
      .replace(/latencyMs: \d+/g, "latencyMs: N")
      .replace(/sha256:[0-9a-f]{64}/g, "HASH");
    equal(text, RECORDED);
    ok(project.authorised);

    const again = await project.run(["record", "--replace"], [SET, DONE]);
    equal(again.code, 0, again.err);
    deepEqual(again.out.split("\n").slice(0, 4), [
      `light-on: kept as ${PASS}; cost €0.0024`,
      `  against ${PASS} before:`,
      "    - 1  list_lights({})",
      "1 of 1 scenario recorded; cost €0.0024",
    ]);
    match(await project.recording("pass"), /^origin: recorded$/m);

    const third = await project.run(["record"], [SET, DONE]);
    match(
      third.out,
      /it says and calls the same as fixtures\/recordings\/light-on\/pass\.yaml before/,
    );
    const valid = await project.run(["validate"]);
    ok(!valid.err.includes("light-on/pass.yaml"), valid.err);
    const replayed = await project.run(["run", "--out", "out"]);
    equal(replayed.code, 0, replayed.err);
    match(replayed.out, /recorded/i);
  });
});

const RECORDED = `# yaml-language-server: $schema=../../../schemas/recording.json
origin: recorded
model: tiny
agent: house
at: AT
system: "HASH"
tools: "HASH"
turns:
  - user: "Turn on the kitchen light"
  - calls: [{tool: list_lights, args: {}, digest: "HASH"}]
    usage: {inputTokens: 1000, outputTokens: 100}
    latencyMs: N
    stop: calls
    thinking: "Look first"
  - calls: [{tool: set_light, args: {light: kitchen, on: true}, digest: "HASH"}]
    usage: {inputTokens: 1000, outputTokens: 100}
    latencyMs: N
    stop: calls
  - say: "The kitchen light is on."
    usage: {inputTokens: 1000, outputTokens: 100}
    latencyMs: N
    stop: end
`;

Deno.test("record writes nothing of a run that failed, unless it is given a name", async () => {
  await inProject(async (project) => {
    const failed = await project.run(["record"], [STUDY, DONE]);
    equal(failed.code, 3);
    match(
      failed.out,
      /light-on: not kept: the run failed; `--keep-failed NAME` would file it; cost €0\.0024/,
    );
    equal(await project.recording("recorded"), "");
    const kept = await project.run(["record", "--keep-failed", "other_room"], [STUDY, DONE]);
    equal(kept.code, 0, kept.err);
    match(kept.out, /light-on: failed, kept as fixtures\/recordings\/light-on\/other_room\.yaml/);
    match(
      await project.recording("other_room"),
      /^fails: \["missing:lights\/kitchen\/on", "protected:lights\/study\/on", outcome\]$/m,
    );
    const valid = await project.run(["validate"]);
    equal(valid.code, 0, valid.err);
    match(valid.out, /2 recordings do what they say/);

    const broken = await project.run(["record", "--keep-failed", "broken"], [LIST]);
    equal(broken.code, 3);
    match(broken.out, /not kept: the run could not be decided/);
    equal(await project.recording("broken"), "");
    for (const name of ["pass", "Not a name"]) {
      const refused = await project.run(["record", "--keep-failed", name], GOOD);
      equal(refused.code, 2);
      equal(refused.requests, 0);
    }
  });
});

Deno.test("record --stale asks the model only where the recording no longer fits", async () => {
  await inProject(async (project) => {
    const fits = await project.run(["record", "--stale"], GOOD);
    deepEqual([fits.code, fits.requests], [0, 0]);
    equal(
      fits.out,
      'light-on: recording "pass" still fits, nothing to record\n' +
        "0 of 1 scenario recorded, 1 still fit; cost €0.00\n",
    );
    await project.run(["record"], GOOD);
    await project.write("house.md", "You keep the house, with care\n");
    const stale = await project.run(["record", "--stale"], [SET, DONE]);
    deepEqual([stale.code, stale.requests], [0, 2], stale.err);
    match(
      stale.out,
      /recorded\.yaml before: another system prompt\n {4}- 2 {2}list_lights\(\{\}\)\n/,
    );
    const fresh = await project.run(["record", "--stale"], GOOD);
    deepEqual([fresh.code, fresh.requests], [0, 0]);
    await project.edit("scenarios/home/light-on.yaml", (text) => text.replace("Turn on", "Light"));
    const reworded = await project.run(["record", "--stale"], GOOD);
    deepEqual([reworded.code, reworded.requests], [0, 3], reworded.err);
  });
});

Deno.test("record keeps its budget, and tells what it did not run", async () => {
  await inProject(async (project) => {
    const scenario = await Deno.readTextFile(join(project.folder, "scenarios/home/light-on.yaml"));
    await project.write("scenarios/home/light-too.yaml", scenario.replace("light-on", "light-too"));
    const partly = await project.run(["record", "--budget-eur", "0.002"], [...GOOD, ...GOOD]);
    deepEqual([partly.code, partly.requests], [3, 3], partly.err);
    match(
      partly.out,
      /light-too: not run: the budget of €0\.002 is reached\n1 of 2 scenarios recorded; cost €0\.0036/,
    );
    const told = await project.run(["record", "--json"], [...GOOD, ...GOOD]);
    equal(told.code, 0, told.err);
    const { recordings, costEur } = JSON.parse(told.out);
    deepEqual(
      recordings.map((each: JsonObject) => [each["scenario"], each["kind"], each["file"]]),
      [
        ["light-on", "kept", "fixtures/recordings/light-on/recorded.yaml"],
        ["light-too", "kept", "fixtures/recordings/light-too/pass.yaml"],
      ],
    );
    ok(Math.abs(costEur - 0.0072) < 1e-9);
    await project.edit("collaudo.yaml", (text) => text.replace(/"price":\{.*?\},/, ""));
    const unknown = await project.run(["record", "--only", "light-on"], GOOD);
    match(
      unknown.out,
      /recorded\.yaml; cost unknown\n.*\n1 of 1 scenario recorded; cost unknown\n$/s,
    );
    const refused = await project.run(["record", "--budget-eur", "1"], GOOD);
    deepEqual([refused.code, refused.requests], [2, 0]);
    match(refused.err, /A budget in EUR cannot be kept/);
  });
});

Deno.test("record writes no key, in whatever form the model gives it back", async () => {
  await inProject(async (project) => {
    const leak = `${KEY} ${btoa(KEY)} ${SHAPED} ${btoa(`key ${SHAPED}`)}`;
    const answers = [
      { ...LIST, thinking: `I know ${leak}` },
      { say: `Now, with ${leak}`, calls: [["set_light", { light: leak, on: true }]] },
      SET,
      { say: `Done: ${leak}` },
    ] as const;
    const { code, out, err } = await project.run(["record", "--replace"], answers);
    equal(code, 0, out + err);
    const text = await project.recording("pass");
    match(text, /\[masked:1\]/);
    for (const secret of [KEY, btoa(KEY).slice(4, 40), SHAPED, btoa(`key ${SHAPED}`).slice(8)]) {
      ok(!`${text}${out}${err}`.includes(secret), secret);
    }
    const replayed = await project.run(["run", "--out", "out"]);
    equal(replayed.code, 0, replayed.err);
  });
});

Deno.test("record keeps nothing whose replay differs, and touches no recording by hand unasked", async () => {
  await inProject(async (project) => {
    const state = join(project.folder, "fixtures/home/state.json");
    const unreadable = { calls: [["set_light", { ["(unreadable)"]: "" }]] } as const;
    await project.write(
      "fixtures/recordings/light-on/recorded.yaml",
      await project.recording("pass"),
    );
    const before = await project.recording("recorded");
    const byHand = await project.run(["record"], [LIST, unreadable, SET, DONE]);
    equal(byHand.code, 3);
    match(
      byHand.out,
      /not kept: fixtures\/recordings\/light-on\/recorded\.yaml is written by hand and stays as it is/,
    );
    equal(await project.recording("recorded"), before);
    // The world changes between the run and its replay: the tools would answer otherwise.
    const changed = (await Deno.readTextFile(state)).replace("false", "true");
    const slow = {
      ...DONE,
      get say() {
        Deno.writeTextFileSync(state, changed);
        return "The kitchen light is on.";
      },
    };
    const differs = await project.run(["record", "--replace"], [LIST, SET, slow]);
    equal(differs.code, 3, differs.out);
    match(differs.out, /not kept: replayed it is /);
    match(await project.recording("pass"), /origin: handmade/);
  });
});

Deno.test("record hears a program through the model server, and replays it with the program", async () => {
  await inProject(async (project) => {
    const agent = ["--agent", "program"];
    const first = await project.run(["record", "--replace", ...agent], GOOD);
    equal(first.code, 0, first.out + first.err);
    match(first.out, /kept as fixtures\/recordings\/light-on\/pass\.yaml; cost €0\.0036/);
    ok(project.authorised, "the program's own key went on");
    const text = await project.recording("pass");
    match(text, /^agent: program$/m);
    match(text, /tool: set_light, args: \{light: kitchen, on: true\}, digest: /);
    match(text, /^ {4}stop: end$/m);
    const replayed = await project.run(["run", "--out", "out", ...agent]);
    equal(replayed.code, 0, replayed.out + replayed.err);
    equal(replayed.requests, 0);
    const run: RunFile = JSON.parse(
      await Deno.readTextFile(join(project.folder, "out/runs/light-on-1.json")),
    );
    equal(run.ended.kind, "completed");
    const fits = await project.run(["record", "--stale", ...agent], GOOD);
    deepEqual([fits.code, fits.requests], [0, 0], fits.out);
    const valid = await project.run(["validate"]);
    match(valid.err, /Recording "pass" is one of agent "program", a program of its own/);
    for (
      const [name, why] of [["past", /names no \{model_url\}/], [
        "far",
        /listens at an address/,
      ]] as const
    ) {
      const refused = await project.run(["record", "--agent", name], GOOD);
      deepEqual([refused.code, refused.requests], [2, 0]);
      match(refused.err, why);
    }
  });
});

const ON_FILES = `id: light-on
description: A question about the machine changes nothing
category: happy_path
setup: {workspace: fixtures/work, available_tools: [list_lights]}
conversation:
  - user: "What does the clock say?"
expected:
  outcome: no_change
  checkpoints:
    - {id: asked, required: true, check: "$exit('date') = 0"}
`;

Deno.test("record keeps a run whose commands print something else each time", async () => {
  await inProject(async (project) => {
    await project.write("fixtures/work/read.me", "hello\n");
    await project.write("scenarios/home/light-on.yaml", ON_FILES);
    await Deno.remove(join(project.folder, PASS));
    const date = { calls: [["bash", { command: "date +%N" }]] } as const;
    const recorded = await project.run(["record", "--agent", "program"], [date, { say: "Late." }]);
    equal(recorded.code, 0, recorded.out + recorded.err);
    match(recorded.out, /\n {2}what its commands print differs each time: it is not compared\n/);
    match(await project.recording("pass"), /\{tool: shell, args: \{command: "date \+%N"\}\}/);
    const replayed = await project.run(["run", "--out", "out", "--agent", "program"]);
    equal(replayed.code, 0, replayed.out + replayed.err);
  });
});

const LEAK = `It is ${KEY}, or ${SHAPED}`;
const USAGE = { inputTokens: 1000, outputTokens: 100 };
const TURNS: Recording["turns"] = [
  { calls: [{ tool: "list_lights", args: {} }], usage: USAGE },
  { say: LEAK, calls: [{ tool: "set_light", args: { light: "kitchen", on: true } }], usage: USAGE },
  { say: `The kitchen light is on. ${LEAK}`, usage: USAGE },
];

Deno.test("record and replay of a run over each interface give the same, and no secret in the file", async (test) => {
  await inProject(async (project) => {
    const alone = ["--no-config", "--no-lock", "--no-remote", "--no-npm", "--no-prompt"];
    const script = join(ROOT, "testdata/agents/any_api.ts");
    const env = { MODEL_URL: "{model_url}", MCP_CONFIG: "{mcp_config}", DENO_NO_UPDATE_CHECK: "1" };
    for (const api of ["chat", "responses", "messages", "gemini"] as const) {
      await test.step(api, async () => {
        await project.edit("collaudo.yaml", (text) => {
          const config = JSON.parse(text);
          config.agents.any = {
            kind: "command",
            argv: [Deno.execPath(), "run", "-A", ...alone, script],
            stream: "none",
            env: { ...env, API: api, STREAM: "1" },
            model: "local",
            timeout_s: 60,
          };
          config.models.local.api = api;
          return JSON.stringify(config);
        });
        const name = "pass";
        const recording: Recording = { origin: "handmade", turns: TURNS };
        const loaded = { tools: {} } as LoadedScenario;
        const { handle } = modelService({
          apis: MODEL_APIS,
          model: replayModel({ name, file: "", recording }, loaded),
          workspace: "/nowhere/work",
          home: "/nowhere/home",
          said: () => ["Turn on the kitchen light"],
        });
        project.upstream = handle;
        const agent = ["--agent", "any"];
        const made = await project.run(["record", "--replace", "--json", ...agent]);
        equal(made.code, 0, made.out + made.err);
        const kept = JSON.parse(made.out);
        ok(Math.abs(kept.costEur - 0.0036) < 1e-9, made.out);
        const text = await project.recording("pass");
        equal(text.match(/masked:/g)?.length, 4, text);
        ok(!`${text}${made.out}${made.err}`.includes(KEY) && !text.includes(SHAPED), text);
        project.upstream = null;
        const out = `out-${api}`;
        const replayed = await project.run(["run", "--out", out, ...agent]);
        equal(replayed.code, 0, replayed.out + replayed.err);
        equal(replayed.requests, 0);
      });
    }
  });
});
