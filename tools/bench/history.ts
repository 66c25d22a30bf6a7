/**
 * Does a long history make anything slow? Two copies of one small project, one of them with 1,000
 * live runs of 60 scenarios behind it: the CPU of `trend`, of `plan` and of a run that is compared
 * with its baseline, in both, each against its target of twice the empty one. Never fails for being
 * slow.
 */
import { realHistories } from "../../lib/io/history.ts";
import { measure } from "../../lib/measure/metrics.ts";
import type { HistoryRun } from "../../lib/model/history.ts";
import { type Command, cpuOf } from "./measure.ts";

const repository = new URL("../..", import.meta.url).pathname;
const RUNS = 1000;
const SCENARIOS = 60;
const TIMES = 8;
const TARGET = 2;
const DAY_MS = 86_400_000;

/** A run of a night three years back and later, in which every seventh scenario is flaky. */
function runOf(n: number): HistoryRun {
  const time = new Date(Date.parse("2024-01-01T01:30:00Z") + n * DAY_MS).toISOString();
  const { overall } = measure([]);
  const figures = { ...overall, taskSuccess: (n % 10) / 10, costPerTask: 0.01 };
  const ids = Array.from({ length: SCENARIOS }, (_, i) => `s${i}`);
  return {
    folder: `reports/runs/${time.slice(0, 10)}-${n}`,
    time,
    mode: "live",
    evidence: "live",
    verdict: "pass",
    whole: true,
    currency: "EUR",
    commit: String(n % 97).padStart(40, "0"),
    agent: "home",
    model: "tiny-1",
    headline: {
      taskSuccess: { value: figures.taskSuccess, baseline: null },
      costPerTask: { value: 0.01, baseline: null },
      latencyP95Ms: { value: 1500, baseline: null },
    },
    metrics: {
      overall: figures,
      byTask: Object.fromEntries(ids.slice(0, 12).map((id) => [id, figures])),
    },
    scenarios: ids.map((id, i) => ({
      id,
      file: `scenarios/home/${id}.yaml`,
      hash: "sha256:" + "a".repeat(64),
      task: ids[i % 12] ?? id,
      risk: "medium",
      lifecycle: "stable",
      passed: i % 7 === 0 ? n % 4 : 3,
      failed: i % 7 === 0 ? 3 - n % 4 : 0,
      trials: 3,
      cost: 0.01,
      latencyMs: 1500,
    })),
  };
}

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { recursive: true });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copyFolder(`${from}/${name}`, `${to}/${name}`);
    else await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

function command(cwd: string, ...args: string[]): Command {
  const argv = [Deno.execPath(), "run", "-A", `${repository}main.ts`, ...args];
  return { argv, cwd, exits: [0] };
}

/** A project with a baseline and so many runs behind it, their folders too. */
async function prepare(folder: string, runs: number): Promise<void> {
  await copyFolder(`${repository}testdata/cli/projects/lights`, folder);
  await cpuOf(command(folder, "run", "--out", "first"));
  await cpuOf(command(folder, "baseline", "accept", "first", "--reason", "The bench's first"));
  await Deno.remove(`${folder}/reports/history/runs.sqlite`);
  const all = Array.from({ length: runs }, (_, n) => runOf(n));
  const file = await realHistories(new AbortController().signal)
    .open(`${folder}/reports/history/runs.sqlite`, false);
  file.put(all);
  file.close();
  for (const run of all) {
    await Deno.mkdir(`${folder}/${run.folder}`, { recursive: true });
    await Deno.writeTextFile(`${folder}/${run.folder}/report.json`, "{}");
  }
}

async function main(): Promise<void> {
  const root = await Deno.makeTempDir({ prefix: "collaudo-bench-history-" });
  const [empty, long] = [`${root}/empty`, `${root}/long`];
  try {
    await prepare(empty, 0);
    await prepare(long, RUNS);
    const cases: readonly (readonly string[])[] = [["trend"], ["trend", "--json"], ["plan"], [
      "run",
    ]];
    for (const args of cases) {
      const least = [Infinity, Infinity];
      for (let n = 0; n < TIMES; n++) {
        for (const [at, folder] of [empty, long].entries()) {
          const out = args[0] === "run" ? ["--out", `out-${n}`] : [];
          const cost = await cpuOf(command(folder, ...args, ...out));
          if (n > 0) least[at] = Math.min(least[at] ?? cost, cost);
        }
      }
      const [without = 1, withAll = 1] = least;
      const ratio = withAll / without;
      console.log(
        `${ratio <= TARGET ? "ok  " : "OVER"}  ${args.join(" ").padEnd(14)} ` +
          `${without} ms without history, ${withAll} ms with ${RUNS} runs: ` +
          `${ratio.toFixed(2)}  target ${TARGET}`,
      );
    }
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

await main();
