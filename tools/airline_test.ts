/**
 * Are the recorded airline runs judged as their authors judged them? Needs the published runs
 * beside the repository; without them the tests are shown as ignored.
 */
import assert from "node:assert/strict";
import { scenarioFiles, writeProject } from "./airline.ts";
import { type AirlineCase, type AirlineTool, parseCases, scenarioId } from "./airline_case.ts";

const repository = new URL("../", import.meta.url).pathname;
const data = new URL("../../shared/runs/", import.meta.url).pathname;
const casesFile = `${data}airline-100.jsonl`;
const ignore = !exists(casesFile);
const where = ignore ? " (ignored: ../shared/runs is not beside the repository)" : "";

interface Reference extends AirlineCase {
  readonly reference_verdict: { readonly reward: number };
  readonly diff_vs_expected: readonly { readonly path: readonly (string | number)[] }[];
}

interface GradedTrial {
  readonly trial: number;
  readonly verdict: string;
  readonly failed: readonly { id: string; expected: unknown; actual: unknown; at: string }[];
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

async function readData(): Promise<{ cases: Reference[]; tools: AirlineTool[] }> {
  return {
    cases: parseCases(await Deno.readTextFile(casesFile)) as Reference[],
    tools: JSON.parse(await Deno.readTextFile(`${data}airline-tools.json`)),
  };
}

Deno.test({
  name: `scenarioFiles() makes the same scenarios without verdicts and states after${where}`,
  ignore,
  async fn() {
    const { cases, tools } = await readData();
    const blind = structuredClone(cases) as unknown as Record<string, unknown>[];
    for (const one of blind) {
      for (
        const key of ["reference_verdict", "state_after", "actual_changes", "diff_vs_expected"]
      ) {
        assert.ok(key in one);
        delete one[key];
      }
    }
    const full = scenarioFiles(cases, tools);
    assert.equal(full.size, 50);
    assert.deepEqual([...scenarioFiles(blind as unknown as Reference[], tools)], [...full]);
  },
});

Deno.test({
  name: `grade gives the reference verdict of 100 recorded runs and says what differed${where}`,
  ignore,
  async fn() {
    const { cases, tools } = await readData();
    const folder = await Deno.makeTempDir();
    try {
      await writeProject(folder, cases, tools);
      const trials = await grade(folder);
      assert.equal(trials.size, cases.length);
      for (const one of cases) {
        const name = `${scenarioId(one.task_id)}:${one.trial + 1}`;
        const graded = trials.get(name);
        assert.equal(
          graded?.verdict,
          one.reference_verdict.reward === 1 ? "passed" : "failed",
          name,
        );
        if (graded?.verdict === "failed") assertSaysWhy(one, graded, name);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

/** The graded trials by `<scenario>:<trial>`; 57 of 100 fail, so the gate blocks. */
async function grade(folder: string): Promise<Map<string, GradedTrial>> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", `${repository}main.ts`, "grade", "runs.jsonl", "--out", "out"],
    cwd: folder,
  }).output();
  const said = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  assert.equal(code, 1, said);
  assert.match(said, /decision: block/);
  const report = JSON.parse(await Deno.readTextFile(`${folder}/out/report.json`)) as {
    readonly scenarios: readonly { id: string; trials: readonly GradedTrial[] }[];
  };
  return new Map(
    report.scenarios.flatMap(({ id, trials }) =>
      trials.map((trial) => [`${id}:${trial.trial}`, trial] as const)
    ),
  );
}

/** Every difference that the authors found is covered by a failed condition on its path. */
function assertSaysWhy(one: Reference, graded: GradedTrial, name: string): void {
  assert.notEqual(graded.failed.length, 0, name);
  const paths = graded.failed.map(({ id }) => id.slice(id.indexOf(":") + 1));
  for (const { path } of one.diff_vs_expected) {
    const text = path.join("/");
    const told = paths.some((at) => `${text}/`.startsWith(`${at}/`) || at.startsWith(`${text}/`));
    assert.ok(told, `${name}: nothing is said of ${text}, only of ${paths.join(", ")}`);
  }
  if (!one.terminated) assert.ok(graded.failed.some(({ id }) => id === "ended"), name);
}
