import assert from "node:assert/strict";
import { join } from "node:path";
import { newReport, newScenario } from "../../testdata/report/sample_report.ts";
import { createIo } from "../io/real.ts";
import type { Trend } from "../model/history.ts";
import { trendFile } from "../model/history.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { cli } from "./cli.ts";

// The program listens for signals as long as it lives.
const options = { sanitizeOps: false, sanitizeResources: false } as const;

interface Project {
  readonly folder: string;
  /** Writes a report where runs leave theirs. */
  report(name: string, report: unknown): Promise<void>;
  /** What `trend` says on each stream, and how it ends. */
  trend(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<{
    readonly code: number;
    readonly out: string;
    readonly err: string;
  }>;
  json(args?: readonly string[]): Promise<Trend>;
}

async function inProject(locale: string, use: (project: Project) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir({ prefix: "trend of runs " }));
  const real = createIo(undefined);
  const trend: Project["trend"] = async (args = [], env = {}) => {
    const [out, err]: [string[], string[]] = [[], []];
    const code = await cli(["trend", ...args], {
      ...real,
      cwd: folder,
      env: (name) => env[name],
      terminal: {
        out: (text) => out.push(text),
        err: (text) => err.push(text),
        outIsTerminal: env["TERM"] !== undefined,
        errIsTerminal: false,
      },
    });
    return { code, out: out.join(""), err: err.join("") };
  };
  try {
    await Deno.writeTextFile(
      join(folder, "collaudo.yaml"),
      `locale: ${locale}\nzone: Europe/Rome\n`,
    );
    await use({
      folder,
      trend,
      report: async (name, report) => {
        const at = join(folder, "reports/runs", name);
        await Deno.mkdir(at, { recursive: true });
        const text = typeof report === "string" ? report : JSON.stringify(report);
        await Deno.writeTextFile(join(at, "report.json"), text);
      },
      json: async (args = []) =>
        trendFile.parse(JSON.parse((await trend([...args, "--json"])).out)),
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A scenario whose trials passed or failed, as in `++-`. */
function scenario(id: string, marks: string, over: Partial<ReportScenario> = {}): ReportScenario {
  const trials = [...marks].map((mark, i) => {
    const verdict = mark === "+" ? "passed" as const : "failed" as const;
    const about = { id, task: id, verdict, ...over };
    return { ...newScenario(about, { cost: 0.01, trial: i + 1 }).trials[0]!, trial: i + 1 };
  });
  const verdict = marks.includes("-") ? "failed" : "passed";
  return newScenario({ id, task: id, file: `scenarios/home/${id}.yaml`, verdict, trials, ...over });
}

async function night(
  day: number,
  scenarios: readonly ReportScenario[],
  over: Partial<Report> = {},
): Promise<Report> {
  const report = await newReport(scenarios, { evidence: "live" });
  const two = String(day).padStart(2, "0");
  return {
    ...report,
    time: `2026-11-${two}T02:30:00+01:00`,
    versions: {
      commit: String(day % 10).repeat(40),
      tree: "clean",
      agent: "home",
      model: day < 6 ? "tiny-1" : "tiny-2",
    },
    ...over,
  };
}

const SUITE = (marks: string, incubating: string) => [
  scenario("light", "+++"),
  scenario("backup", marks),
  scenario("new-one", incubating, { lifecycle: "incubating" }),
];

/** UPDATE_GOLDEN=1 rewrites what stands in the file. */
async function golden(name: string, found: string): Promise<void> {
  const path = new URL(`../../testdata/trend/${name}.txt`, import.meta.url);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(path, found);
  else assert.equal(found, await Deno.readTextFile(path), name);
}

/** Thirteen nights; the sixth brings another model, the last two a failure. */
async function nights({ report, folder }: Project): Promise<void> {
  for (let day = 1; day <= 13; day++) {
    const marks = day === 12 ? "++-" : day === 13 ? "---" : "+++";
    await report(`2026-11-${day}-x`, await night(day, SUITE(marks, day === 3 ? "-++" : "+++")));
  }
  await Deno.mkdir(join(folder, "scenarios/home"), { recursive: true });
  const text = (lifecycle: string) =>
    `id: new-one\ndescription: A new one\ncategory: happy_path\nlifecycle: ${lifecycle}\n` +
    "conversation:\n  - user: hello\nexpected:\n  checkpoints: []\n";
  await Deno.writeTextFile(join(folder, "scenarios/home/new-one.yaml"), text("incubating"));
}

Deno.test(
  "trend draws the live nights, names the scenarios that are not steady, and proposes",
  options,
  async () => {
    await inProject("en", async (project) => {
      await nights(project);
      const told = await project.trend();
      assert.equal(told.code, 0);
      assert.equal(told.err, "");
      await golden("en_80", told.out);
      assert.ok(!told.out.includes("\u001b"));
      const file = join(project.folder, "scenarios/home/new-one.yaml");
      const before = await Deno.readTextFile(file);
      assert.ok(before.includes("lifecycle: incubating"), "nothing is changed by itself");
      await Deno.writeTextFile(file, before.replace("incubating", "stable"));
      assert.deepEqual((await project.json()).proposals, [], "it was done already");
    });
  },
);

Deno.test(
  "trend fits narrow terminals, speaks Italian, and colours a terminal alone and not with NO_COLOR",
  options,
  async () => {
    await inProject("it", async (project) => {
      await nights(project);
      for (const width of [200, 40, 24]) {
        const { out } = await project.trend([], { COLUMNS: String(width) });
        const long = out.split("\n").filter((line) => line.length > width);
        // A path is one word: it cannot be broken.
        assert.deepEqual(long.filter((line) => !line.includes("scenarios/")), [], String(width));
        await golden(`it_${width}`, out);
      }
      const colours = async (env: Readonly<Record<string, string>>) =>
        (await project.trend([], env)).out.includes("\u001b[");
      assert.deepEqual(
        [
          await colours({}),
          await colours({ TERM: "x" }),
          await colours({ TERM: "x", NO_COLOR: "1" }),
        ],
        [false, true, false],
      );
      const bad = await project.trend(["--metric", "taskSucess"]);
      assert.equal(bad.code, 2);
      assert.ok(bad.err.includes('did you mean "taskSuccess"?'), bad.err);
      const task = await project.trend(["--task", "bakup"]);
      assert.equal(task.code, 2);
      assert.ok(task.err.includes('did you mean "backup"?'), task.err);
    });
  },
);

Deno.test(
  "trend --json gives figures by metric and task, flakiness, first failure and last change",
  options,
  async () => {
    await inProject("en", async (project) => {
      await nights(project);
      const all = await project.json();
      assert.equal(all.points.length, 13);
      assert.equal(all.evidence, "live");
      assert.ok(
        Math.abs((all.points[12]?.value ?? 0) - 0.5) < 1e-9,
        "the incubating one does not count",
      );
      const backup = all.scenarios.find(({ id }) => id === "backup");
      assert.deepEqual(backup?.trials, { passed: 35, failed: 4 });
      assert.deepEqual(backup?.flaky, { mixed: 1, cases: 13 });
      assert.equal(backup?.firstFailure?.time, "2026-11-12T02:30:00+01:00");
      assert.equal(backup?.firstFailure?.run, "reports/runs/2026-11-12-x");
      assert.deepEqual([backup?.lastChange?.from, backup?.lastChange?.to], ["sometimes", "never"]);
      const one = await project.json(["--task", "light", "--metric", "costPerTask"]);
      assert.deepEqual(one.scenarios.map(({ id }) => id), ["light"]);
      assert.ok(one.points.every(({ value }) => value === 0.01));
      assert.deepEqual([one.metric, one.task], ["costPerTask", "light"]);
    });
  },
);

Deno.test(
  "trend counts no self-test as a night, and says of what kind the runs are",
  options,
  async () => {
    await inProject("en", async (project) => {
      assert.equal(
        (await project.trend()).out,
        "No run yet: the history begins with the first one.\n",
      );
      const replayed = async (day: number) => ({
        ...await night(day, SUITE("+++", "+++"), { mode: "replay" }),
        decision: { ...(await night(day, SUITE("+++", "+++"))).decision, evidence: "self_test" },
      });
      for (let day = 1; day <= 8; day++) await project.report(`self-${day}`, await replayed(day));
      const self = await project.json();
      assert.equal(self.evidence, "self_test");
      assert.deepEqual(self.proposals, []);
      assert.ok(self.scenarios.every(({ nights }) => nights.full === 0));
      assert.ok((await project.trend()).out.includes("say nothing of a model"));
      await project.report("live-9", await night(9, SUITE("+++", "+++")));
      const live = await project.json();
      assert.equal(live.evidence, "live");
      assert.deepEqual([live.runs, live.points.length], [1, 1]);
      const part = await night(10, [scenario("light", "-++")], { partial: true });
      await project.report("live-10", part);
      const both = await project.json();
      assert.deepEqual([both.runs, both.points.length], [2, 1]);
      assert.equal(both.scenarios.find(({ id }) => id === "light")?.trials.failed, 1);
      assert.ok((await project.trend()).out.includes("1 run of a selection, cut short"));
    });
  },
);

Deno.test(
  "trend keeps runs whose folders were deleted, takes in new ones, and is made again where it is damaged",
  options,
  async () => {
    await inProject("en", async (project) => {
      await nights(project);
      await project.report("broken", "{ no report");
      await Deno.mkdir(join(project.folder, "reports/runs/going-on"));
      const first = await project.trend();
      assert.ok(first.err.includes("1 report in reports/runs cannot be read"), first.err);
      assert.equal((await project.trend()).err, "", "it is told once");
      await Deno.remove(join(project.folder, "reports/runs/2026-11-5-x"), { recursive: true });
      await project.report("going-on", await night(14, SUITE("+++", "+++")));
      assert.equal((await project.json()).points.length, 14);
      const file = join(project.folder, "reports/history/runs.sqlite");
      const bytes = await Deno.readFile(file);
      await Deno.writeFile(file, bytes.slice(0, bytes.length >> 1));
      const renewed = await project.trend(["--json"]);
      assert.ok(renewed.err.includes("was damaged: made again from 13 runs"), renewed.err);
      assert.equal(JSON.parse(renewed.out).points.length, 13);
      await Deno.remove(file);
      const silent = await project.trend(["--json"]);
      assert.equal(silent.err.includes("damaged"), false);
      assert.equal(silent.out, renewed.out, "the same reports give the same history");
    });
  },
);
