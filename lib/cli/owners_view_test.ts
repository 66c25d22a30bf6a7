/**
 * What does an owner read after a live night? The whole program against a loopback server that speaks
 * Chat Completions: a baseline, a night with one flaky scenario, a night whose model is another one,
 * and runs that a budget cuts short.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Report } from "../model/report.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const SCENARIOS = 12;
const FLAKY = "light-on-05";

const GATE = `gate: release
version: 1
reason: First version
baseline: production
trials: {live: 3}
rules:
  - {id: no-critical, level: block, override: never, require: candidate.critical = 0}
  - {id: success, level: block, require: "$not($significantDrop('taskSuccess', {'margin': 0.1, 'warn': 0.05}))"}
  - {id: cost, level: warn, require: "$rise('costPerTask') <= 0.2", missing: skip}
`;

/** How the model behaves: which trials of the flaky scenario do nothing, and how long an answer takes. */
interface Conduct {
  readonly fails: readonly number[];
  readonly waitMs: number;
}

interface Night {
  readonly code: number;
  readonly out: string;
  readonly markdown: string;
  readonly report: Report;
}

interface House {
  run(out: string, conduct: Partial<Conduct>, ...args: string[]): Promise<Night>;
  program(...args: string[]): Promise<{ readonly code: number; readonly out: string }>;
  /** Rewrites a file of the project. */
  edit(file: string, change: (text: string) => string): Promise<void>;
}

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: string | null }[];
}

/** Looks, switches, says so; a trial that fails says so alone. */
function answerTo({ messages }: Asked, isDown: boolean) {
  const turn = messages.filter(({ role }) => role === "assistant").length;
  const call = (name: string, args: string) => ({
    role: "assistant",
    content: null,
    tool_calls: [{ id: `call_${turn}`, type: "function", function: { name, arguments: args } }],
  });
  const done = { role: "assistant", content: "The kitchen light is on." };
  if (turn === 0) return call("list_lights", "{}");
  if (turn === 1 && !isDown) return call("set_light", '{"light":"kitchen","on":true}');
  return done;
}

async function inHouse(use: (house: House) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "owner's view " });
  let conduct: Conduct = { fails: [], waitMs: 0 };
  const begun = new Map<string, number>();
  const ending = new AbortController();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: ending.signal },
    async (request) => {
      const asked: Asked = await request.json();
      const text = asked.messages.find(({ role }) => role === "user")?.content ?? "";
      if (!asked.messages.some(({ role }) => role === "assistant")) {
        begun.set(text, (begun.get(text) ?? 0) + 1);
      }
      await new Promise((resolve) => setTimeout(resolve, conduct.waitMs));
      const trial = begun.get(text) ?? 0;
      const message = answerTo(asked, text.includes(FLAKY) && conduct.fails.includes(trial));
      return Response.json({
        model: "tiny-1",
        choices: [{ index: 0, finish_reason: "stop", message }],
        usage: { prompt_tokens: 1000, completion_tokens: 100 },
      });
    },
  );
  const url = `http://127.0.0.1:${server.addr.port}/v1`;
  const program: House["program"] = async (...args) => {
    const { code, stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-prompt", "--no-check", join(ROOT, "main.ts"), ...args],
      cwd: folder,
      env: { INIT_CWD: "", NO_COLOR: "1", LLM_BASE_URL: url, LLM_API_KEY: "any" },
      stdin: "null",
    }).output();
    return { code, out: new TextDecoder().decode(stdout) };
  };
  try {
    await makeProject(folder);
    await use({
      program,
      run: async (out, over, ...args) => {
        conduct = { fails: [], waitMs: 0, ...over };
        begun.clear();
        const ended = await program("--mode=live", `--out=${out}`, ...args);
        const read = (name: string) => Deno.readTextFile(join(folder, out, name));
        const report: Report = JSON.parse(await read("report.json"));
        return { ...ended, report, markdown: await read("report.md") };
      },
      edit: async (file, change) => {
        const path = join(folder, file);
        await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
      },
    });
  } finally {
    ending.abort();
    await server.finished;
    await Deno.remove(folder, { recursive: true });
  }
}

async function makeProject(folder: string): Promise<void> {
  const from = join(ROOT, "testdata/cli/projects/lights");
  const write = async (name: string, text: string) => {
    await Deno.mkdir(join(folder, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, name), text);
  };
  for (const name of ["collaudo.yaml", "fixtures/home/state.json", "fixtures/home/tools.yaml"]) {
    await write(name, await Deno.readTextFile(join(from, name)));
  }
  await write("gates/release.yaml", GATE);
  const scenario = await Deno.readTextFile(join(from, "scenarios/home/light-on.yaml"));
  for (let n = 1; n <= SCENARIOS; n++) {
    const id = `light-on-${String(n).padStart(2, "0")}`;
    const text = scenario.replace("id: light-on", `id: ${id}`)
      .replace("the kitchen light", `the kitchen light (${id})`);
    await write(`scenarios/home/${id}.yaml`, text);
  }
}

/** Without what differs from night to night. */
function steady(text: string): string {
  return text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:?\d\d)/g, "<time>")
    .replaceAll(
      /\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d|\d{4}-\d\d-\d\d \d\d:\d\d(?!:)/g,
      "<day and time>",
    )
    .replaceAll(/\d+(\.\d+)?\u00a0s\b/g, "<seconds>");
}

async function golden(name: string, found: string): Promise<void> {
  const path = new URL(`../../testdata/live/${name}`, import.meta.url);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(path, found);
  else assert.equal(found, await Deno.readTextFile(path), name);
}

/** Signs of a formula, or of a test's name, that no owner should have to read. */
const FORMULA = /[∑√≤≥σ]|\bp\s*[=<]|pass[\^@]k|Wilson|Holm|McNemar|sign[- ]flip|\bWelch|t-test/i;

Deno.test("live night with one flaky scenario answers an owner's five questions on its first screen", async () => {
  await inHouse(async (house) => {
    const first = await house.run("base", {});
    assert.equal(first.report.decision.verdict, "not_enough_evidence", first.out);
    const accepted = await house.program("baseline", "accept", "base", "--reason", "It went live");
    assert.equal(accepted.code, 0);
    const night = await house.run("night", { fails: [2] });
    const trials = night.report.scenarios.find(({ id }) => id === FLAKY)?.trials;
    assert.deepEqual(trials?.map(({ verdict }) => verdict), ["passed", "failed", "passed"]);
    await golden("flaky_night.txt", steady(night.out));
    const screen = night.out.split("\n").slice(0, 30).join("\n");
    const questions: readonly (readonly [string, RegExp])[] = [
      [
        "May it ship?",
        /^NOT ENOUGH EVIDENCE {2}decision: not_enough_evidence$[^]*May it ship: Nothing stops it, but/m,
      ],
      ["What broke?", /What broke: Less often than before: light-on-05\./],
      [
        "How sure?",
        /How sure: .*11 succeeded every time, 1 sometimes, 0 never\. Sometimes: light-on-05 2 of 3\. .*could hide a drop of up to [\d.]+\u00a0points\./,
      ],
      ["What would make it surer?", /What would make it surer: 5 trials of each scenario/],
      ["What did it cost?", /What it cost: €0\.1284 for 36 runs\./],
    ];
    for (const [question, answer] of questions) assert.match(screen, answer, question);
    assert.doesNotMatch(night.out, FORMULA);
    const [shown = "", folded = ""] = night.markdown.split("<details>");
    assert.doesNotMatch(shown, FORMULA);
    assert.match(folded, FORMULA, "the numbers are there for who unfolds them");
    for (
      const question of [
        "May it ship",
        "What broke",
        "How sure",
        "What would make it surer",
        "What it cost",
      ]
    ) {
      assert.ok(shown.includes(question), question);
    }
    const trend = JSON.parse((await house.program("trend", "--json")).out);
    assert.deepEqual(trend.points.map(({ run }: { run: string }) => run), ["base", "night"]);
    const flaky = trend.scenarios.find(({ id }: { id: string }) => id === FLAKY);
    assert.deepEqual(flaky.flaky, { mixed: 1, cases: 2 });
    const plan = await house.program("plan", "--json", "--budget-eur", "0.1");
    const { runs, rows, chosen } = JSON.parse(plan.out);
    assert.equal(runs, 2);
    assert.ok(Math.abs(rows[0].cost - (SCENARIOS * 0.0036 - 0.0002)) < 1e-6, plan.out);
    assert.equal(chosen.trials, 2, "the budget chooses how many");
    const minutes = await house.program("plan", "--json", "--budget-minutes", "0.0000001");
    assert.equal(JSON.parse(minutes.out).chosen.trials, 0, "not even one fits");
  });
});

Deno.test("live night that a budget cuts short is a part and no pass, and says so; another model is said too", async () => {
  await inHouse(async (house) => {
    await house.run("base", {});
    await house.program("baseline", "accept", "base", "--reason", "It went live");
    const whole = await house.run("whole", {});
    assert.equal(whole.report.decision.verdict, "pass", whole.out);
    assert.equal(whole.report.partial, false);
    // A run costs 0.0036; one that waits takes longer than the whole budget of minutes.
    const cases: readonly (readonly [string, Partial<Conduct>, string[], RegExp])[] = [
      ["by-cost", {}, ["--budget-eur=0.1"], /budget of 0\.1 EUR reached/],
      ["by-time", { waitMs: 700 }, ["--budget-minutes=0.02"], /budget of 0\.02 minutes reached/],
    ];
    for (const [out, conduct, args, reason] of cases) {
      const { report, code, ...night } = await house.run(out, conduct, ...args);
      assert.equal(report.decision.verdict, "not_enough_evidence", out);
      assert.equal(code, 0, out);
      assert.equal(report.partial, true, out);
      assert.ok(report.limits.includes("cut_short"), out);
      const skipped = report.scenarios.flatMap(({ trials }) =>
        trials.filter(({ verdict }) => verdict === "skipped")
      );
      assert.ok(skipped.length > 0 && skipped.length < 36, out);
      assert.ok(skipped.every(({ detail }) => reason.test(detail ?? "")), out);
      assert.ok(report.decision.reasons.some(({ kind }) => kind === "scenario_skipped"), out);
      assert.match(night.out, /The run was cut short/);
      assert.match(night.markdown.split("## ")[1] ?? "", /The run was cut short/);
      const refused = await house.program("baseline", "accept", out);
      assert.equal(refused.code, 2, "it is no reference by itself");
    }
    await house.edit(
      "collaudo.yaml",
      (text) => text.replace("name: tiny-1", "name: tiny-2").replace("2026-11-01", "2026-11-15"),
    );
    await house.edit(
      "scenarios/home/light-on-01.yaml",
      (text) => text.replace("calls_max: 4", "calls_max: 5"),
    );
    const other = await house.run("other", {});
    assert.match(other.out, /measured with another model/);
    assert.match(other.out, /counted with prices of another day/);
    assert.match(other.out, /Changed, not compared: light-on-01/);
  });
});
