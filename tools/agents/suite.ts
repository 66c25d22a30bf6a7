/**
 * What did Collaudo say of a real program? Runs its command line in a project as a user does, in an
 * emptied environment with a HOME of its own and, where the machine allows it, nothing but loopback.
 * Out: the exit code, the report and the runs.
 */
import { join } from "node:path";
import type { Json, JsonObject } from "../../lib/model/json.ts";
import type { Report } from "../../lib/model/report.ts";
import type { RunFile } from "../../lib/model/run.ts";
import { type Ended, run } from "./command.ts";

const ROOT = join(import.meta.dirname ?? ".", "../..");
const LIMIT_MS = 600_000;

/** The permissions of the task for agents that are programs. */
const TASK = ["run", "--no-prompt", "--cached-only", "--no-check"];
const MAY = ["--allow-read", "--allow-write", "--allow-env", "--allow-run", "--allow-net"];

/** Where and as whom the command line runs. */
export interface Place {
  readonly project: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Words that keep a program on loopback, none where the machine has no way. */
  readonly loopback: readonly string[];
  /** Runs at the same time. */
  readonly jobs: number;
}

/** One run of the suite. */
export interface Played {
  readonly code: number;
  readonly said: string;
  readonly report: Report;
  /** Of the first trial. */
  runOf(id: string): Promise<RunFile>;
  /** What is known of its process. */
  factsOf(id: string): Promise<JsonObject>;
  /** What the program put out. */
  streamOf(id: string): Promise<string>;
}

/** Runs a command line of Collaudo. */
export async function collaudo(
  { project, env, loopback }: Place,
  words: readonly string[],
  before: readonly string[] = [],
): Promise<Ended> {
  const deno = [Deno.execPath(), ...TASK, ...MAY, join(ROOT, "main.ts")];
  const argv = [...loopback, ...before, ...deno, ...words];
  const ended = await run(argv, { cwd: project, env, limitMs: LIMIT_MS });
  if (ended === null) throw new Error(`No program "${argv[0]}" on this machine`);
  return ended;
}

let runs = 0;

/** Plays scenarios by `run`; the report lies in a new folder of the project. */
export async function playSuite(place: Place, words: readonly string[]): Promise<Played> {
  const out = `out-${++runs}`;
  const ended = await collaudo(place, ["run", "--jobs", `${place.jobs}`, "--out", out, ...words]);
  const folder = join(place.project, out);
  const said = ended.out + ended.err;
  const text = await Deno.readTextFile(join(folder, "report.json")).catch(() => null);
  if (text === null) throw new Error(`No report: exit code ${ended.code}\n${said}`);
  const read = async (name: string) =>
    JSON.parse(await Deno.readTextFile(join(folder, "runs", name)));
  return {
    code: ended.code,
    said,
    report: JSON.parse(text),
    runOf: (id) => read(`${id}-1.json`),
    factsOf: (id) => read(`${id}-1/run.json`),
    streamOf: (id) => Deno.readTextFile(join(folder, "runs", `${id}-1/events.jsonl`)),
  };
}

/** A report without what differs from run to run: times. */
export function timeless(report: Report): Json {
  const dropped = new Set(["time", "latencyMs", "latencyP95Ms"]);
  const text = JSON.stringify(report, (key, value) => dropped.has(key) ? undefined : value);
  return JSON.parse(text);
}

/** Each scenario with its verdict, and what of it did not hold. */
export function verdictsOf({ report }: Played): Readonly<Record<string, string>> {
  return Object.fromEntries(report.scenarios.map(({ id, verdict, conditions }) => {
    const open = conditions.filter((each) => each.required && each.verdict !== "passed");
    return [id, [verdict, ...open.map((each) => each.id)].join(" ")];
  }));
}
