import assert from "node:assert/strict";
import { newOutcome, newRun } from "../../testdata/history/sample_runs.ts";
import { newReport, newScenario } from "../../testdata/report/sample_report.ts";
import { type Outcome, reportDigest } from "../model/history.ts";
import { proposalFor, scenarioTrends, summarise } from "./history.ts";

type Night = readonly [passed: number, failed: number, over?: Partial<Outcome>];

/** One outcome a night, the first on the first of November; three trials where nothing else is said. */
function outcomes(nights: readonly Night[]): Outcome[] {
  return nights.map(([passed, failed, over = {}], i) => {
    const { folder, time, currency, agent, model } = newRun(i + 1);
    const commit = String(i).repeat(40).slice(0, 40);
    const about = { folder, time, currency, commit, agent, model };
    return { ...newOutcome({ passed, failed, trials: 3 }), ...about, ...over };
  });
}

function trend(nights: readonly Night[], live = true) {
  const dayOf = (time: string) => time.slice(0, 10);
  const [one] = scenarioTrends({ outcomes: outcomes(nights), dayOf, live });
  assert.ok(one !== undefined);
  return one;
}

const full = (n: number, over?: Partial<Outcome>): Night[] =>
  Array.from({ length: n }, () => over === undefined ? [3, 0] as const : [3, 0, over] as const);

Deno.test("summarise() counts trials, and calls a run whole only where the suite ran to its end in a known tree", async () => {
  const trials = ["passed", "failed", "errored"].map((verdict, i) => ({
    ...newScenario({}, { cost: i === 2 ? null : i + 1, latencyMs: null }).trials[0]!,
    verdict: verdict as "passed",
  }));
  const report = {
    ...await newReport([newScenario({ trials })], { evidence: "live" }),
    versions: { commit: "c0ffee", tree: "clean", model: "tiny-1", agent: "home" },
  };
  const run = summarise(report, "reports/runs/x");
  const [one] = run.scenarios;
  assert.deepEqual([one?.passed, one?.failed, one?.trials, one?.cost, one?.latencyMs], [
    ...[1, 1, 3, 1.5, null],
  ]);
  assert.deepEqual([run.whole, run.commit, run.evidence, run.model], [
    ...[true, "c0ffee", "live", "tiny-1"],
  ]);
  assert.deepEqual(
    summarise(reportDigest.parse(JSON.parse(JSON.stringify(report))), run.folder),
    run,
  );
  const changed = { ...report, versions: { ...report.versions, tree: "changed" } };
  assert.equal(summarise(changed, "x").commit, null);
  const { agent } = run;
  const noted = (notes: Record<string, string>) =>
    summarise({ ...report, versions: { ...report.versions, ...notes } }, "x").agent;
  assert.equal(noted({ "note.tree": "abc" }), agent);
  const weights = noted({ "note.weights": "q4", "note.host": "2" });
  assert.equal(weights, `${agent ?? "?"} (host=2, weights=q4)`, "other notes are never pooled");
  assert.equal(summarise({ ...report, partial: true }, "x").whole, false);
  const skipped = trials.map((one, i) => i === 2 ? { ...one, verdict: "skipped" as const } : one);
  const cut = (lifecycle: "stable" | "incubating") =>
    summarise({ ...report, scenarios: [newScenario({ trials: skipped, lifecycle })] }, "x").whole;
  assert.deepEqual([cut("stable"), cut("incubating")], [false, true]);
});

Deno.test("scenarioTrends() calls flaky what went both ways for one tree, scenario, agent and model", () => {
  const tree = { commit: "a".repeat(40) };
  const rows: readonly (readonly [string, readonly Night[], number, number])[] = [
    ["trials of one run", [[2, 1]], 1, 1],
    ["two runs of one tree", [[3, 0, tree], [0, 3, tree]], 1, 1],
    ["two trees", [[3, 0], [0, 3]], 0, 2],
    ["single trials of two trees", [[1, 0], [0, 1]], 0, 0],
    ["another model", [[3, 0, tree], [0, 3, { ...tree, model: "tiny-2" }]], 0, 2],
    ["another agent", [[3, 0, tree], [0, 3, { ...tree, agent: "crm" }]], 0, 2],
    [
      "trees with changes are no known trees",
      [[3, 0, { commit: null }], [0, 3, { commit: null }]],
      0,
      2,
    ],
    ["another scenario by now", [[2, 1, { hash: "old" }], [3, 0]], 0, 1],
    ["trials that were not graded", [[1, 0], [1, 0]], 0, 0],
  ];
  for (const [name, nights, mixed, cases] of rows) {
    assert.deepEqual(trend(nights).flaky, { mixed, cases }, name);
  }
});

Deno.test("scenarioTrends() tells the first failure and the last change of the scenario as it is now", () => {
  const steady = trend(full(3));
  assert.deepEqual([steady.firstFailure, steady.lastChange, steady.runs], [null, null, 3]);
  const one = trend([[0, 3, { hash: "old" }], [3, 0], [2, 1], [0, 0], [0, 3], [0, 3]]);
  assert.equal(one.firstFailure?.time, newRun(3).time);
  assert.equal(one.lastChange?.time, newRun(5).time);
  assert.deepEqual([one.lastChange?.from, one.lastChange?.to], ["sometimes", "never"]);
  assert.deepEqual([one.runs, one.trials], [4, { passed: 5, failed: 7 }]);
});

Deno.test("proposalFor() proposes after seven nights of this scenario, agent and model; of self-tests nothing", () => {
  const incubating = { lifecycle: "incubating" } as const;
  const failing = { lifecycle: "known_failing" } as const;
  const none = (n: number, over: Partial<Outcome> = {}): Night[] =>
    Array.from({ length: n }, () => [0, 3, over]);
  const mixed = (n: number, over: Partial<Outcome> = {}): Night[] =>
    Array.from({ length: n }, () => [2, 1, over]);
  const day = newRun(1).time;
  const rows: readonly (readonly [string, readonly Night[], string | null])[] = [
    ["seven full nights", full(7, incubating), "incubating stable always_passed"],
    ["six", full(6, incubating), null],
    [
      "seven, with one failure before",
      [[2, 1, incubating], ...full(7, incubating)],
      "incubating stable always_passed",
    ],
    [
      "one failure among them",
      [...full(6, incubating), [2, 1, incubating], ...full(6, incubating)],
      null,
    ],
    ["a trial that was not graded", [...full(6, incubating), [2, 0, incubating]], null],
    ["seven runs on one night", full(7, { ...incubating, time: day }), null],
    ["another model since", [
      ...full(6, { ...incubating, model: "tiny-0" }),
      ...full(1, incubating),
    ], null],
    [
      "another scenario since",
      [...full(6, { ...incubating, hash: "old" }), ...full(1, incubating)],
      null,
    ],
    ["known to fail, passes again", full(7, failing), "known_failing stable always_passed"],
    ["stable and steady", full(9), null],
    ["stable, never passed", none(7), "stable known_failing never_passed"],
    ["stable, critical, never passed", none(7, { risk: "critical" }), null],
    ["stable, three mixed nights of seven", [...mixed(3), ...full(4)], "stable incubating flaky"],
    ["stable, two", [...mixed(2), ...full(5)], null],
    ["stable, mixed long ago", [...mixed(3), ...full(7)], null],
    ["stable, critical, mixed", mixed(7, { risk: "critical" }), null],
  ];
  for (const [name, nights, wanted] of rows) {
    const found = proposalFor(trend(nights));
    assert.equal(found === null ? null : `${found.from} ${found.to} ${found.why}`, wanted, name);
    assert.equal(proposalFor(trend(nights, false)), null, `${name}, not live`);
  }
});
