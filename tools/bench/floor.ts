/**
 * What would a program for this one suite cost? The floor of the bench: reads the same JSONL as
 * `grade`, checks the shape of each line, resolves and verifies states, diffs, classifies, decides
 * the eight checkpoints as plain code, measures, applies the gate and writes report.json, report.md
 * and junit.xml of the same content. Written by hand for these rules; no engine, no packages.
 */
import { CASES } from "./cases.ts";
import { judge } from "./floor/judge.ts";
import { checkRun, must, resolveStates, stateHash } from "./floor/read.ts";
import {
  decide,
  detailsOf,
  grouped,
  junit,
  mask,
  measure,
  reportMarkdown,
  type Scenario,
  scoreOf,
} from "./floor/report.ts";
import type { Fields, Line, Score } from "./floor/types.ts";

async function* linesOf(path: string): AsyncGenerator<string> {
  const file = await Deno.open(path);
  let rest = "";
  for await (const chunk of file.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== "") yield rest;
}

async function main(path: string, folder: string): Promise<number> {
  const subjects = new Map(CASES.map((one) => [one.id, one]));
  const stored = new Map<string, Fields>();
  const scenarios = new Map<string, Scenario>();
  const scores: Score[] = [];
  let number = 0;
  for await (const text of linesOf(path)) {
    number++;
    const value = JSON.parse(text) as Fields;
    if (value.schema === "collaudo/state@1") {
      const hash = stateHash(value.state as Fields);
      must(hash === value.hash, number, "state has another hash");
      stored.set(hash, value.state as Fields);
      continue;
    }
    must(value.schema === "collaudo/run@1", number, "schema");
    checkRun(value, number);
    resolveStates(value, stored, number);
    const run = value as unknown as Line;
    const subject = subjects.get(run.scenario);
    if (subject === undefined) throw new Error(`line ${number}: unknown scenario`);
    const judged = judge(run, subject);
    const score = scoreOf(run, judged, subject);
    scores.push(score);
    let scenario = scenarios.get(subject.id);
    if (scenario === undefined || (scenario.verdict === "passed" && judged.verdict === "failed")) {
      const trials = scenario?.trials ?? [];
      scenarios.set(subject.id, scenario = { ...detailsOf(run, judged, subject), trials });
    }
    scenario.trials.push({
      trial: run.trial,
      verdict: judged.verdict,
      ended: run.ended.kind,
      run: `${path}:${number}`,
      failed: judged.conditions.filter((c) => c.verdict === "failed") as unknown as Fields[],
      score: score as unknown as Fields,
    });
  }
  const overall = measure(scores);
  const byTask = grouped(scores, "task");
  const decision = decide(overall, byTask);
  const list = [...scenarios.values()];
  const report = {
    schema: "floor/report@1",
    decision,
    metrics: { overall, byTask, byCategory: grouped(scores, "category") },
    scenarios: list,
  };
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/report.json`, mask(JSON.stringify(report, null, 2)));
  await Deno.writeTextFile(
    `${folder}/report.md`,
    mask(reportMarkdown({ decision, overall, scenarios: list })),
  );
  await Deno.writeTextFile(`${folder}/junit.xml`, mask(junit(list)));
  console.log(`decision: ${decision.verdict}`);
  return decision.exitCode;
}

Deno.exit(await main(Deno.args[0] as string, Deno.args[1] as string));
