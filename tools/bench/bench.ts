/**
 * How much does `grade` cost over a program written by hand for the same suite? Generates runs,
 * lets both judge them in turn, and prints the ratio of their CPU times, peak memory, growth, and
 * the cost of starting and of the hooks, each against its target. `--quick` stops at 1,000 runs; `--big` adds
 * 100,000; `--starts` measures the starts alone, `--no-starts` all but them, `--server` what the model
 * server adds to each call of a model. Never fails for being slow.
 */
import { writeRuns } from "./generate.ts";
import type { Form } from "./generate.ts";
import { benchHooks } from "./hooks.ts";
import { type Command, cpuOf, median, peakOf } from "./measure.ts";
import { serverCost } from "./model_server.ts";
import { writeProject } from "./project.ts";

const here = new URL(".", import.meta.url).pathname;
const repository = new URL("../..", import.meta.url).pathname;
const deno = Deno.execPath();

const RATIOS: Readonly<Record<Form, Readonly<Record<number, number>>>> = {
  shared: { 1000: 3.2, 10000: 3.8 },
  whole: { 1000: 1.5, 10000: 1.4 },
};
const ADDED_MS = 5;
const PEAK_MIB = 256;
const EXPONENT = 1.02;
const START = 3.2;
/** Of the first twelve scenarios; more may cost as much each. */
const SUITE = 25;

interface Pair {
  readonly grade: number;
  readonly floor: number;
}

function gradeCommand(folder: string, runs: string): Command {
  return {
    argv: [
      deno,
      "run",
      "-A",
      `${repository}main.ts`,
      "grade",
      runs,
      "--out",
      `${folder}/out-grade`,
    ],
    cwd: folder,
    exits: [0, 1],
  };
}

function floorCommand(folder: string, runs: string): Command {
  return {
    argv: [deno, "run", "-A", `${here}floor.ts`, runs, `${folder}/out-floor`],
    cwd: folder,
    exits: [0, 1],
  };
}

async function cleared(folder: string): Promise<void> {
  for (const name of ["out-grade", "out-floor"]) {
    await Deno.remove(`${folder}/${name}`, { recursive: true }).catch(() => {});
  }
}

/** Medians of `times` alternating runs of both programs; the first of each is not counted. */
async function measurePair(folder: string, runs: string, times: number): Promise<Pair> {
  const [grade, floor]: [number[], number[]] = [[], []];
  for (let n = 0; n <= times; n++) {
    await cleared(folder);
    const costs = [
      await cpuOf(gradeCommand(folder, runs)),
      await cpuOf(floorCommand(folder, runs)),
    ];
    if (n === 0) await assertSameMetrics(folder);
    else {
      grade.push(costs[0] ?? 0);
      floor.push(costs[1] ?? 0);
    }
  }
  return { grade: median(grade), floor: median(floor) };
}

/** Both programs must have come to the same figures, else their times say nothing. */
async function assertSameMetrics(folder: string): Promise<void> {
  const read = async (name: string) =>
    JSON.parse(await Deno.readTextFile(`${folder}/${name}/report.json`));
  const [grade, floor] = [await read("out-grade"), await read("out-floor")];
  if (grade.decision.verdict !== floor.decision.verdict) {
    throw new Error(`Decisions differ: ${grade.decision.verdict}, ${floor.decision.verdict}`);
  }
  for (const [name, value] of Object.entries(floor.metrics.overall as Record<string, number>)) {
    const other = grade.metrics.overall[name];
    if (Math.abs(other - value) > 1e-9) {
      throw new Error(`Metric ${name} differs: grade ${other}, floor ${value}`);
    }
  }
}

function row(name: string, found: number, target: number): void {
  const verdict = found <= target ? "ok  " : "OVER";
  console.log(`${verdict}  ${name.padEnd(52)} ${found.toFixed(2).padStart(8)}  target ${target}`);
}

async function benchForm(folder: string, form: Form, counts: readonly number[]): Promise<void> {
  const costs = new Map<number, Pair>();
  for (const count of counts) {
    const runs = await writeRuns(folder, form, count);
    const pair = await measurePair(folder, runs, count <= 1000 ? 5 : count <= 10000 ? 3 : 1);
    costs.set(count, pair);
    console.log(`      ${form} ${count}: grade ${pair.grade} ms, floor ${pair.floor} ms of CPU`);
    const target = RATIOS[form][count];
    if (target !== undefined) {
      row(`CPU of grade over the floor, ${form}, ${count}`, pair.grade / pair.floor, target);
    }
    if (count === 10000) {
      await cleared(folder);
      row(
        `peak memory of grade in MiB, ${form}, ${count}`,
        await peakOf(gradeCommand(folder, runs)),
        PEAK_MIB,
      );
    }
    await Deno.remove(runs);
  }
  const [ten, hundred] = [costs.get(10000), costs.get(100000)];
  if (ten !== undefined && hundred !== undefined) {
    row(
      `exponent of growth, ${form}, 10000 to 100000`,
      Math.log10(hundred.grade / ten.grade),
      EXPONENT,
    );
  }
}

/** The least of twenty starts each, in turns: other programs can only add to the cost of one. */
async function benchStarts(folder: string): Promise<void> {
  const run = (...args: string[]): Command => ({
    argv: [deno, "run", "-A", ...args],
    cwd: repository,
    exits: [0],
  });
  const starts = [
    { name: "an empty script", command: run(`${here}empty.ts`), costs: [] as number[] },
    { name: "--version", command: run("main.ts", "--version"), costs: [] as number[] },
    { name: "--help", command: run("main.ts", "--help"), costs: [] as number[] },
    { name: "run --help", command: run("main.ts", "run", "--help"), costs: [] as number[] },
  ];
  for (let n = 0; n <= 20; n++) {
    for (const { command, costs } of starts) {
      const cost = await cpuOf(command);
      if (n > 0) costs.push(cost);
    }
  }
  const [empty = 1, ...options] = starts.map(({ costs }) => Math.min(...costs));
  console.log(`      empty script: ${empty} ms of CPU`);
  options.forEach((cost, at) =>
    row(`CPU of ${starts[at + 1]?.name} over an empty script`, cost / empty, START)
  );
  await benchHooks(folder, empty, row);
  await benchSuite(folder);
}

/** The shipped suite of the first measurement, at 25 times an empty script. */
const FIRST = [
  "001_read_log_summary",
  "d01-shopping-list",
  "d02-question-not-command",
  "d04-backup-ran",
  "d11-print-environment",
  "d14-clean-up-notes",
  "d16-tell-anna",
  "cambio-indirizzo-spedizione-017",
  "c02-refund-second-thoughts",
  "c04-customer-already-there",
  "c08-which-bianchi",
  "c10-orders-in-the-data",
];

/** The twelve first scenarios and the whole suite; both at the same cost a scenario. */
async function benchSuite(folder: string): Promise<void> {
  const only = FIRST.flatMap((id) => ["--only", id]);
  await benchSelection(folder, { name: "first", args: only });
  await benchSelection(folder, { name: "whole", args: [] });
}

/**
 * Eleven runs and an empty script in turns, the least and the median of ten: the first, which has
 * nothing to remember, reads and checks everything and is told apart. A suite that cannot run is said,
 * not measured.
 */
async function benchSelection(
  folder: string,
  { name, args }: { readonly name: string; readonly args: readonly string[] },
): Promise<void> {
  const [costs, floors]: [number[], number[]] = [[], []];
  let [scenarios, cold] = [0, 0];
  await Deno.remove(`${repository}reports/.cache`, { recursive: true }).catch(() => {});
  for (let n = 0; n < 11; n++) {
    const out = `${folder}/out-suite-${name}-${n}`;
    const argv = [deno, "run", "-A", "main.ts", "run", "--out", out, ...args];
    const empty = { argv: [deno, "run", "-A", `${here}empty.ts`], cwd: repository, exits: [0] };
    try {
      const floor = await cpuOf(empty);
      const cost = await cpuOf({ argv, cwd: repository, exits: [0, 1, 3] });
      if (n === 0) cold = cost;
      else {
        costs.push(cost);
        floors.push(floor);
      }
      scenarios = JSON.parse(await Deno.readTextFile(`${out}/report.json`)).scenarios.length;
    } catch (error) {
      console.log(
        `FAIL  the shipped suite, ${name}: ${error instanceof Error ? error.message : error}`,
      );
      return;
    }
  }
  const [least, empty] = [Math.min(...costs), Math.min(...floors)];
  const target = Math.round(SUITE * scenarios / FIRST.length);
  console.log(
    `      ${name}: ${scenarios} scenarios, cold ${cold} ms, least ${least} ms, ` +
      `${(least / scenarios).toFixed(1)} ms a scenario; least over least ` +
      `${(least / empty).toFixed(2)}`,
  );
  const ratio = median(costs) / median(floors);
  row(`CPU of ${scenarios} shipped scenarios, warm, over an empty script`, ratio, target);
}

/** Beside a server that gives back ready bytes. */
async function benchServer(): Promise<void> {
  for (const name of ["chat", "responses", "messages", "gemini"] as const) {
    const { addedMs, kB } = await serverCost(name);
    row(`ms that the model server adds to a call, ${name}, ${kB} kB`, addedMs, ADDED_MS);
  }
}

async function main(options: ReadonlySet<string>): Promise<void> {
  await benchServer();
  if (options.has("--server")) return;
  const folder = await Deno.makeTempDir({ prefix: "collaudo-bench-" });
  try {
    await writeProject(folder);
    if (!options.has("--no-starts")) await benchStarts(folder);
    if (options.has("--starts")) return;
    const counts = options.has("--quick") ? [1000] : [1000, 10000];
    await benchForm(folder, "shared", options.has("--big") ? [...counts, 100000] : counts);
    await benchForm(folder, "whole", counts);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

await main(new Set(Deno.args));
