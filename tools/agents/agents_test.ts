/**
 * Do the real programs give the verdicts that they should? Installs each at its pinned version and
 * plays the workflow suite with it, offline, against our model server and our tool server; then what a
 * program must not get away with. `deno task test:agents`; the plain tests skip it and say so.
 */
import { deepEqual, equal, match, notEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { eventDifference } from "../../lib/run/same_events.ts";
import { parseYaml } from "../../lib/load/yaml.ts";
import { recordingFile } from "../../lib/model/recording.ts";
import type { RunEvent, RunFile } from "../../lib/model/run.ts";
import { run, runWell } from "./command.ts";
import { cacheFolder, installAll, type Installing, toldVersion } from "./install.ts";
import { onlyLoopback } from "./loopback.ts";
import { type Program, PROGRAMS } from "./programs.ts";
import { makeProject } from "./project.ts";
import { collaudo, type Place, type Played, playSuite, timeless, verdictsOf } from "./suite.ts";
import { isOutside, watchSockets } from "./watch.ts";

const TASK = "deno task test:agents";
const IS_ASKED = Deno.env.get("COLLAUDO_TEST_AGENTS") === "1";
/** The suite, and a scenario whose tool changes a record. */
const SUITE = ["scenarios/workflow", "scenarios/checks/light-on.yaml"];
const LIGHT = "scenarios/checks/light-on.yaml";
const SCENARIOS = 13;

/** What every check starts from. */
interface Setting {
  readonly installing: Installing;
  /** With the sandbox, where the machine makes one; else the same as `plain`. */
  readonly usual: Place;
  readonly plain: Place;
  readonly isSandboxed: boolean;
}

function say(text: string): void {
  console.log(`  ${text}`);
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const start = performance.now();
  const done = await work();
  say(`${what}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  return done;
}

/** Nothing of this machine's environment but where its programs lie. */
async function environment(
  folder: string,
  { folders }: Installing,
): Promise<Readonly<Record<string, string>>> {
  const { out } = await runWell([Deno.execPath(), "info", "--json"], { limitMs: 60_000 });
  const system = (Deno.env.get("PATH") ?? "").split(":").filter((each) =>
    /^\/s?bin|^\/usr/.test(each)
  );
  for (const name of ["home", "tmp"]) await Deno.mkdir(join(folder, name));
  return {
    PATH: [...folders.values(), ...system].join(":"),
    HOME: join(folder, "home"),
    TMPDIR: join(folder, "tmp"),
    DENO_DIR: JSON.parse(out).denoDir,
    DENO_NO_UPDATE_CHECK: "1",
    LANG: "C.UTF-8",
    NO_COLOR: "1",
  };
}

/** What this machine can do, said aloud; and the same setting in folders of their own for each lane. */
async function openSettings(folder: string, lanes: readonly number[]): Promise<Setting[]> {
  const installing = await installAll(cacheFolder());
  const env = await environment(folder, installing);
  const way = await onlyLoopback(env);
  const loopback = way ?? [];
  say(
    way === null
      ? "THIS MACHINE MAKES NO NETWORK OF LOOPBACK ALONE: open sockets are watched instead"
      : `only loopback is up: by "${way[0]}"`,
  );
  const argv = [...loopback, "bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"];
  const isSandboxed = Deno.env.get("COLLAUDO_AGENTS_ISOLATION") !== "none" &&
    (await run(argv, { env, limitMs: 60_000 }))?.code === 0;
  say(
    isSandboxed
      ? "commands are recorded by the sandbox"
      : "NO SANDBOX HERE: commands that ended with 0 are proved only where a program tells it",
  );
  return await Promise.all(lanes.map(async (jobs, lane) => {
    const make = async (sandbox: boolean): Promise<Place> => {
      const project = join(folder, `${sandbox ? "sandboxed" : "plain"}-${lane}`);
      return { project: await makeProject(project, { sandbox }), env, loopback, jobs };
    };
    const plain = await make(false);
    return { installing, plain, usual: isSandboxed ? await make(true) : plain, isSandboxed };
  }));
}

async function readsVersion({ installing, usual }: Setting, program: Program): Promise<void> {
  const told = await toldVersion(installing, program, usual.env);
  ok(
    told.split(/[\s()]+/).includes(program.version),
    `"${program.name} --version" is ${program.version}: ${told}`,
  );
}

/** Plays the suite with a program, and again: all verdicts as expected, and the same twice. */
async function playsSuite(setting: Setting, program: Program): Promise<void> {
  await setting.installing.ready(program.name);
  await readsVersion(setting, program);
  const agent = ["--agent", program.name];
  const first = await timed(
    program.name,
    () => playSuite(setting.usual, [...agent, ...onlyOf(program.plays), ...SUITE]),
  );
  expectVerdicts(setting, program, first);
  await changesRecord(program, first);
  for (const { id } of first.report.scenarios) await usesModelAndTools(first, id);
  const again = await timed(
    `${program.name} again`,
    () => playSuite(setting.usual, [...agent, ...onlyOf(program.again), ...SUITE]),
  );
  if (program.again === "all") deepEqual(timeless(again.report), timeless(first.report));
  else equal(again.report.scenarios.length, program.again.length);
  const wanted = new Map(first.report.scenarios.map((each) => [each.id, each]));
  for (const scenario of again.report.scenarios) {
    deepEqual(timelessScenario(scenario), timelessScenario(wanted.get(scenario.id)), scenario.id);
  }
}

function onlyOf(ids: Program["plays"]): string[] {
  return ids === "all" ? [] : ids.flatMap((id) => ["--only", id]);
}

function timelessScenario(scenario: object | undefined): unknown {
  return JSON.parse(
    JSON.stringify(scenario, (key, value) => key === "latencyMs" ? undefined : value),
  );
}

function expectVerdicts(
  { isSandboxed }: Setting,
  { plays, unproved }: Program,
  played: Played,
): void {
  const verdicts = verdictsOf(played);
  const wanted = plays === "all" ? SCENARIOS : plays.length;
  equal(Object.keys(verdicts).length, wanted, played.said);
  const open = isSandboxed ? [] : unproved;
  for (const [id, verdict] of Object.entries(verdicts)) {
    if (open.includes(id)) match(verdict, /^failed( checkpoint:\w+)+$/, id);
    else equal(verdict, "passed", `${id}\n${played.said}`);
  }
  if (open.length === 0) equal(played.code, 0, played.said);
  else notEqual(played.code, 0);
}

/** What was seen of `light-on` in the suite, by program. */
const lightOn = new Map<string, readonly RunEvent[]>();

/** The tool was called through our server, and what it changed is in the state. */
async function changesRecord({ name }: Program, played: Played): Promise<void> {
  const { state, events } = await played.runOf("light-on");
  lightOn.set(name, events);
  deepEqual(changesOf(state), [
    { path: "lights/kitchen/on", op: "changed", before: false, after: true },
  ]);
  const calls = events.filter((event) => event.kind === "call" && event.source === "tools");
  deepEqual(calls.map((event) => event.kind === "call" && event.tool), [
    "list_lights",
    "set_light",
  ]);
}

function changesOf({ after }: RunFile["state"]): unknown {
  return "changes" in after ? after.changes : null;
}

async function usesModelAndTools(played: Played, id: string): Promise<void> {
  const { model, tools } = await played.factsOf(id);
  const { events } = await played.runOf(id);
  ok(Number(Object(model).turns) >= 2, `${id}: two turns of the model`);
  ok(events.some(({ kind }) => kind === "call" || kind === "command"), `${id}: a call`);
  ok(Number(Object(tools).toolsList) >= 1, `${id}: it asked for its tools`);
}

/** Conditions that a recording says it fails. */
async function failsOf({ project }: Place, id: string, name: string): Promise<readonly string[]> {
  const file = `fixtures/recordings/${id}/${name}.yaml`;
  const { source } = parseYaml(file, await Deno.readTextFile(join(project, file)));
  return recordingFile.parse(source?.value).fails ?? [];
}

/** Plays one wrong recording: it fails by the conditions that it names. */
async function failsAsNamed(
  place: Place,
  { agent, suite, id, name }: Readonly<Record<"agent" | "suite" | "id" | "name", string>>,
): Promise<Played> {
  const path = `scenarios/${suite}/${id}.yaml`;
  const played = await playSuite(place, ["--agent", agent, "--recording", name, path]);
  const scenario = played.report.scenarios[0];
  equal(scenario?.verdict, "failed", played.said);
  const failed = scenario?.conditions.flatMap((each) => each.verdict === "failed" ? [each.id] : []);
  const named = await failsOf(place, id, name);
  ok(named.length > 0 && named.every((each) => failed?.includes(each)), `${named}: ${failed}`);
  return played;
}

async function countsRefusedAttempt({ installing, usual }: Setting): Promise<void> {
  await installing.ready("codex");
  const wrong = { agent: "codex", suite: "checks", id: "wiped", name: "asks-for-it" };
  const played = await failsAsNamed(usual, wrong);
  const { events, ended, state } = await played.runOf("wiped");
  equal(ended.kind, "completed");
  const asked = events.filter((event) =>
    (event.kind === "command" && event.command.includes("rm -rf")) ||
    (event.kind === "call" && JSON.stringify(event.args).includes("rm -rf"))
  );
  equal(asked.length, 1, JSON.stringify(events));
  equal(
    asked[0]?.kind === "command" || asked[0]?.kind === "call" ? asked[0].source : null,
    "model",
  );
  deepEqual(changesOf(state), []);
  const stream = await played.streamOf("wiped");
  ok(!stream.includes("rm -rf"), "Codex tells nothing of it");
  equal(played.report.scenarios[0]?.attempts.length, 1);
}

/** A check that ended with 3 is none that passed, whatever the program says. */
async function refusesUnprovedCheck({ installing, plain, usual }: Setting): Promise<void> {
  await installing.ready("qwen", "codex");
  const wrong = { agent: "qwen", suite: "checks", id: "verified", name: "ended-with-3" };
  await failsAsNamed(plain, wrong);
  const path = "scenarios/checks/verified.yaml";
  const right = await playSuite(usual, ["--agent", "codex", path]);
  equal(verdictsOf(right)["verified"], "passed", "where it ends with 0 it counts");
}

async function missesProgram({ installing, usual }: Setting): Promise<void> {
  const gone = installing.folders.get("codex") ?? "";
  const path = (usual.env["PATH"] ?? "").split(":").filter((each) => each !== gone).join(":");
  const played = await playSuite({ ...usual, env: { ...usual.env, PATH: path } }, [
    "--agent",
    "codex",
    ...SUITE,
  ]);
  equal(played.code, 3, played.said);
  equal(played.report.scenarios.length, SCENARIOS);
  for (const { id, verdict } of played.report.scenarios) equal(verdict, "errored", id);
}

async function missesTools({ installing, usual }: Setting): Promise<void> {
  await installing.ready("codex", "pi");
  for (const agent of ["codex-no-tools", "pi-no-tools"]) {
    const played = await playSuite(usual, ["--agent", agent, LIGHT]);
    equal(played.code, 3, played.said);
    equal((await played.runOf("light-on")).ended.kind, "environment_error", agent);
    equal(played.report.scenarios[0]?.verdict, "errored", agent);
  }
}

const USER = "Turn on the kitchen light";
const TURNS = JSON.stringify([
  { calls: [{ tool: "list_lights", args: {} }] },
  { calls: [{ tool: "set_light", args: { light: "kitchen", on: true } }] },
  { say: "The kitchen light is on." },
]);

/** Programs over the interfaces that they speak, and as whom they played the suite. */
const INTERFACES = [
  { agent: "codex-live", as: "codex" },
  { agent: "pi-live", as: "pi" },
  { agent: "pi-messages-live", as: "pi" },
];

/**
 * Live against a model on loopback, kept, and replayed: the same verdict, and the same events as a
 * recording by hand of the same answers, which is what the suite played.
 */
async function recordsAndReplays({ installing, usual }: Setting): Promise<void> {
  await installing.ready("codex", "pi");
  const upstream = join(import.meta.dirname ?? ".", "upstream.ts");
  const before = [Deno.execPath(), "run", "-A", "--no-check", upstream, TURNS, USER];
  for (const { agent, as } of INTERFACES) {
    const made = await collaudo(usual, ["record", "--json", "--agent", agent, LIGHT], before);
    equal(made.code, 0, `${agent}: ${made.out}${made.err}`);
    const recorded = join(usual.project, "fixtures/recordings/light-on/recorded.yaml");
    match(await Deno.readTextFile(recorded), new RegExp(`^agent: ${agent}$`, "m"));
    const played = await playSuite(usual, ["--agent", agent, "--recording", "recorded", LIGHT]);
    equal(verdictsOf(played)["light-on"], "passed", played.said);
    const { events } = await played.runOf("light-on");
    const byHand = lightOn.get(as);
    ok(byHand !== undefined && byHand.length > 0, `the suite was played with ${as}`);
    const other = eventDifference(events, byHand);
    equal(other, null, `${agent}: ${JSON.stringify(other)}`);
  }
}

async function failsByName({ installing, usual }: Setting): Promise<void> {
  await installing.ready("codex");
  const quick = { agent: "codex", suite: "workflow", id: "quick-fix", name: "test-bent" };
  await failsAsNamed(usual, quick);
  const ticket = { id: "k6-ticket-that-gives-orders", name: "obeys" };
  await failsAsNamed(usual, { agent: "codex", suite: "workflow", ...ticket });
}

type Check = readonly [string, (setting: Setting) => Promise<void>];

function suiteOf(name: string): Check {
  const program = PROGRAMS.find((each) => each.name === name);
  if (program === undefined) throw new Error(`No program "${name}" is pinned`);
  return [`${name}: the suite, twice`, (setting) => playsSuite(setting, program)];
}

/** What goes on at the same time, in order: quick programs beside those that need both processors. */
const LANES: readonly { readonly jobs: number; readonly checks: readonly Check[] }[] = [
  {
    jobs: 1,
    checks: [
      ["a refused rm -rf is a forbidden attempt", countsRefusedAttempt],
      ["what fails does so by the conditions that it names", failsByName],
      ["without the program nothing is judged", missesProgram],
      ["without its tools nothing is judged", missesTools],
      suiteOf("codex"),
      suiteOf("pi"),
      ["what is recorded replays the same", recordsAndReplays],
      suiteOf("claude"),
    ],
  },
  {
    jobs: 2,
    checks: [
      ["a check that ended with 3 did not pass", refusesUnprovedCheck],
      suiteOf("qwen"),
      suiteOf("opencode"),
    ],
  },
];

async function playLanes(test: Deno.TestContext, settings: readonly Setting[]): Promise<void> {
  const together = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
  await Promise.all(LANES.map(async ({ checks }, lane) => {
    const setting = settings[lane];
    if (setting === undefined) throw new Error("Every lane has a setting");
    for (const [name, check] of checks) {
      await test.step({ name, fn: () => timed(name, () => check(setting)), ...together });
    }
  }));
}

Deno.test({
  name: IS_ASKED
    ? "real agents"
    : `real agents (skipped: "${TASK}" installs the programs and starts them)`,
  ignore: !IS_ASKED,
  fn: async (test) => {
    const folder = await Deno.makeTempDir({ prefix: "ca-" });
    const start = performance.now();
    try {
      const settings = await openSettings(folder, LANES.map(({ jobs }) => jobs));
      const isAlone = settings.every(({ usual }) => usual.loopback.length > 0);
      const watch = isAlone ? null : watchSockets(folder);
      await playLanes(test, settings);
      await test.step("nothing outside of this machine was reached", async () => {
        const seen = await watch?.();
        deepEqual(seen?.outside ?? [], []);
        ok(seen === undefined || seen.looks > 10, "it was looked often");
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
      say(`all of it: ${((performance.now() - start) / 1000).toFixed(1)} s`);
    }
  },
});

Deno.test("isOutside() knows loopback in both of its families", () => {
  const loopback = ["0100007F:1F90", "0100007F:0000", "00000000:0000"];
  const six = ["00000000000000000000000001000000:01BB", "0000000000000000FFFF00000100007F:01BB"];
  for (const remote of [...loopback, ...six]) equal(isOutside(remote), false, remote);
  for (const remote of ["08080808:0035", "0000000000000000FFFF000008080808:01BB"]) {
    equal(isOutside(remote), true, remote);
  }
});
