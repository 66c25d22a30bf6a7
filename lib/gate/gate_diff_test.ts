import assert from "node:assert/strict";
import { newGate, RELEASE_RULES } from "../../testdata/report/sample_scores.ts";
import { configFile } from "../model/config.ts";
import type { GateChange, GateRule } from "../model/gate.ts";
import { recordingFile } from "../model/recording.ts";
import { type ScenarioFile, scenarioFile } from "../model/scenario.ts";
import { type ToolSet, toolsFile } from "../model/tool.ts";
import { diffConfigs, stricterConfig } from "./config_diff.ts";
import { overallDirection } from "./differences.ts";
import { diffRecordings, diffTools } from "./fixture_diff.ts";
import { diffGates, isWording } from "./gate_diff.ts";
import { diffScenarios } from "./scenario_diff.ts";

interface Rule {
  readonly metric: string;
  readonly min?: number;
  readonly max?: number;
  readonly max_ratio?: number;
  readonly level: "block" | "warn";
  readonly why?: string;
  readonly missing?: "block" | "warn" | "ignore";
}
interface Perimeter {
  readonly scenario?: string;
  readonly critical?: boolean;
  readonly trials?: number;
  readonly protected?: readonly string[];
}
type Side = Rule | Perimeter | null;
interface Vector {
  readonly id: string;
  readonly input: { readonly before: Side; readonly after: Side };
  readonly expected: "loosened" | "tightened" | "unchanged";
}

const vectors: Vector[] = JSON.parse(
  Deno.readTextFileSync(new URL("../../testdata/vectors/gatediff.json", import.meta.url)),
);
const METRICS: Readonly<Record<string, string>> = {
  task_success: "taskSuccess",
  cost: "costPerTask",
  latency_p95: "latencyP95Ms",
  side_effects: "critical",
  refusals: "correctRefusals",
  human_intervention: "humanIntervention",
};
const OTHER: Partial<GateRule> = { id: "other", level: "block", require: "candidate.critical = 0" };

/** A vector's rule in our keys. */
function ruleOf(rule: Rule): Partial<GateRule> {
  const name = METRICS[rule.metric];
  const require = rule.min !== undefined
    ? `candidate.${name} >= ${rule.min}`
    : rule.max !== undefined
    ? `candidate.${name} <= ${rule.max}`
    : `$rise('${name}') <= ${((rule.max_ratio ?? 1) - 1).toFixed(2)}`;
  return {
    id: rule.metric,
    level: rule.level,
    require,
    ...(rule.why === undefined ? {} : { because: rule.why }),
    ...(rule.missing === undefined
      ? {}
      : { missing: rule.missing === "ignore" ? "skip" as const : rule.missing }),
  };
}

function gateOf(side: Side) {
  const rules = side !== null && "metric" in side ? [ruleOf(side), OTHER] : [OTHER];
  const trials = side !== null && "trials" in side ? side.trials : undefined;
  return { ...newGate(rules), ...(trials === undefined ? {} : { trials: { critical: trials } }) };
}

function newScenarioFile(
  over: Record<string, unknown> = {},
  expected: Record<string, unknown> = {},
): ScenarioFile {
  return scenarioFile.parse({
    id: "pay",
    description: "Pays a bill",
    category: "security",
    conversation: [{ user: "Paga" }],
    ...over,
    expected: { checkpoints: [{ id: "reads", check: "$called('read')" }], ...expected },
  });
}

function scenarioOf(side: Side): ScenarioFile {
  const perimeter = side !== null && !("metric" in side) ? side : {};
  return newScenarioFile(
    { risk: perimeter.critical === true ? "critical" : "medium" },
    perimeter.protected === undefined ? {} : { state: { protected: perimeter.protected } },
  );
}

for (const { id, input: { before, after }, expected } of vectors) {
  Deno.test(`diffGates() and diffScenarios() tell ${id}`, () => {
    const changes = [
      ...diffGates(gateOf(before), gateOf(after), "gates/release.yaml"),
      ...diffScenarios(scenarioOf(before), scenarioOf(after), "scenarios/a/pay.yaml"),
    ];
    const words = { looser: "loosened", tighter: "tightened", neutral: "unchanged" };
    assert.equal(words[overallDirection(changes)], expected);
  });
}

const told = (changes: readonly GateChange[]) =>
  changes.map(({ what, direction }) => `${what.slice(what.indexOf(" ") + 1)} ${direction}`);

Deno.test("diffGates() compares one number under one operator, and calls every other change looser", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["candidate.taskSuccess >= 0.9", "candidate.taskSuccess  >=  0.95", "tighter"],
    ["candidate.taskSuccess >= 0.9", "candidate.taskSuccess >= 0.90", "neutral"],
    ["candidate.taskSuccess >= 0.9", "candidate.taskSuccess > 0.9", "looser"],
    ["candidate.taskSuccess >= 0.9", "candidate.stepScore >= 0.95", "looser"],
    ["candidate.taskSuccess >= 0.9", "0.95 <= candidate.taskSuccess", "looser"],
    ["$drop('taskSuccess') <= 0.02", "$drop('taskSuccess') <= 0", "tighter"],
    ["candidate.critical = 0", "candidate.critical = 1", "looser"],
    [
      "candidate.a >= 1 or candidate.critical <= 1",
      "candidate.a >= 1 or candidate.critical <= 0",
      "looser",
    ],
    ["candidate.critical <= 1", "candidate.critical <= -1e0", "tighter"],
  ];
  for (const [from, to, wanted] of cases) {
    const gate = (require: string) => newGate([{ id: "r", level: "block", require }]);
    assert.deepEqual(told(diffGates(gate(from), gate(to), "g")), [`rules/r/require ${wanted}`], to);
  }
});

Deno.test("diffGates() names every key that moves, and the wording apart", () => {
  const from = { ...newGate(RELEASE_RULES), trials: { live: 3 }, baseline: "production" };
  const [first, second, ...rest] = from.rules;
  const to = {
    ...from,
    version: from.version + 1,
    reason: "Another",
    trials: {},
    baseline: "other",
    rules: [
      { ...first!, override: "allowed" as const, because: "Other words" },
      { ...second!, stage: "canary" as const, for_each: "task" as const, only: ["a"] },
      ...rest.slice(1),
      { ...first!, id: "added" },
    ],
  };
  const changes = diffGates(from, to, "g");
  assert.deepEqual(told(changes), [
    "rules/no-critical/override looser",
    "rules/no-critical/because neutral",
    "rules/refusals/stage looser",
    "rules/refusals/for_each looser",
    "rules/refusals/only looser",
    "rules/task-success looser",
    "rules/added tighter",
    "trials/live looser",
    "baseline looser",
    "version neutral",
    "reason neutral",
  ]);
  assert.deepEqual(told(changes.filter(isWording)), [
    "rules/no-critical/because neutral",
    "version neutral",
    "reason neutral",
  ]);
  const back = diffGates(to, from, "g").filter((each) => !isWording(each));
  assert.deepEqual(told(back).filter((line) => line.endsWith("looser")), [
    "rules/refusals/for_each looser",
    "rules/added looser",
    "baseline looser",
  ]);
  assert.deepEqual(diffGates(from, structuredClone(from), "g"), []);
  assert.equal(overallDirection(diffGates(from, null, "g")), "looser");
});

Deno.test("diffScenarios() sees demotion, removal and a smaller perimeter", () => {
  const from = newScenarioFile({ risk: "critical" }, {
    state: { protected: ["a/*"], ignore: ["b/*"], changes: { "c/1": true } },
    forbidden: ["wipe", { tool: "send", more_than: 1 }],
    never_revealed: ["CANARY-1"],
    calls_max: 10,
    checkpoints: [{ id: "asks", check: "$asked()", required: true }],
  });
  const to = newScenarioFile({
    risk: "high",
    category: "happy_path",
    lifecycle: "known_failing",
    known_failing: { owner: "anna", reason: "Hub firmware", until: "2027-01-31" },
  }, {
    outcome: "asked",
    state: { ignore: ["b/*", "a/*"], may_change: ["d/*"] },
    forbidden: [{ tool: "send", more_than: 1 }],
    calls_max: 20,
    checkpoints: [{ id: "asks", check: "true", required: false }],
  });
  assert.deepEqual(told(diffScenarios(from, to, "s")), [
    "lifecycle looser",
    "known_failing/until neutral",
    "risk looser",
    "category looser",
    "expected/outcome looser",
    "expected/state/protected looser",
    "expected/state/ignore looser",
    "expected/state/may_change looser",
    "expected/forbidden looser",
    "expected/never_revealed looser",
    "expected/state/changes/c/1 looser",
    "expected/calls_max looser",
    "expected/checkpoints/asks/required looser",
    "expected/checkpoints/asks/check looser",
  ]);
  assert.equal(JSON.stringify(diffScenarios(from, to, "s")).includes("CANARY"), false);
  const secret = (never_revealed: string[]) => newScenarioFile({}, { never_revealed });
  assert.deepEqual(
    told(diffScenarios(secret(["alpha-1", "beta-22"]), secret(["beta-22", "gamma-3"]), "s")),
    [
      "expected/never_revealed looser",
      "expected/never_revealed tighter",
    ],
  );
  assert.deepEqual(diffScenarios(from, null, "s").map(({ direction }) => direction), ["looser"]);
  assert.deepEqual(diffScenarios(null, from, "s").map(({ direction }) => direction), ["tighter"]);
  assert.deepEqual(diffScenarios(to, null, "s").map(({ direction }) => direction), ["neutral"]);
});

Deno.test("diffScenarios() calls looser what widens the contract: selectors, messages, approvals", () => {
  const withChanges = (changes: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    newScenarioFile({}, { state: { changes }, ...more });
  const any = { where: "true", count: [0, 99] };
  const ways: readonly (readonly [ScenarioFile, ScenarioFile, string])[] = [
    [withChanges({ "a/1": 1 }), withChanges({ "a/1": 2 }), "neutral"],
    [withChanges({}), withChanges({ "a/1": 2 }), "tighter"],
    [withChanges({}), withChanges({ "a/**": any }), "looser"],
    [withChanges({ "a/*": any }), withChanges({ "a/*": { where: "value = 1" } }), "looser"],
    [withChanges({ "a/1": 1 }), withChanges({ "a/1": any }), "looser"],
    [withChanges({ "a/1": any }), withChanges({ "a/1": 1 }), "tighter"],
    [withChanges({}), withChanges({}, { messages: [{ to: "x@y.test", count: [0, 9] }] }), "looser"],
    [withChanges({}, { approvals_requested: 1 }), withChanges({}), "looser"],
    [withChanges({}, { reference_calls: 2 }), withChanges({}, { reference_calls: 9 }), "looser"],
    [newScenarioFile(), newScenarioFile({ task: "other" }), "looser"],
  ];
  for (const [from, to, expected] of ways) {
    const changes = diffScenarios(from, to, "s");
    assert.deepEqual(
      changes.map(({ direction }) => direction),
      [expected],
      JSON.stringify(changes),
    );
  }
});

Deno.test("diffScenarios() calls looser a setup that tempts, disturbs or refuses less, and other weights", () => {
  const setup = (value: Record<string, unknown>) => newScenarioFile({ setup: value });
  const fault = { tool: "send", kind: "lying_success" };
  const checks = (over: Record<string, unknown>) =>
    newScenarioFile({}, { checkpoints: [{ id: "reads", check: "$called('read')", ...over }] });
  const turns = (...more: unknown[]) =>
    newScenarioFile({ conversation: [{ user: "Paga" }, ...more] });
  const ways: readonly (readonly [ScenarioFile, ScenarioFile])[] = [
    [setup({ faults: [fault] }), setup({})],
    [setup({}), setup({ approvals: { default: "grant" } })],
    [setup({}), setup({ approvals: { grant: ["wipe"] } })],
    [setup({ approvals: { deny: ["wipe"] } }), setup({})],
    [setup({}), setup({ available_tools: ["read"] })],
    [setup({ available_tools: ["read", "wipe"] }), setup({ available_tools: ["read"] })],
    [setup({ fixtures: [{ path: "/a", content_fixture: "fixtures/a" }] }), setup({})],
    [turns({ expected_agent_partial: "eseguito" }), turns()],
  ];
  const directions = (changes: readonly GateChange[]) => changes.map(({ direction }) => direction);
  for (const [from, to] of ways) {
    assert.deepEqual(directions(diffScenarios(from, to, "s")), ["looser"], JSON.stringify(to));
    assert.deepEqual(directions(diffScenarios(to, from, "s")), ["tighter"], JSON.stringify(to));
  }
  for (const over of [{ weight: 3 }, { check: "true" }]) {
    assert.deepEqual(directions(diffScenarios(checks({}), checks(over), "s")), ["looser"]);
    assert.deepEqual(directions(diffScenarios(checks(over), checks({}), "s")), ["looser"]);
  }
});

Deno.test("diffRecordings() and diffTools() call looser what proves less or is looked at less", () => {
  const recording = (over: Record<string, unknown>) =>
    recordingFile.parse({ origin: "handmade", turns: [{ say: "" }], ...over });
  const bad = recording({ fails: ["outcome", "protected:a"] });
  const one = recording({ fails: ["outcome"] });
  const pass = recording({});
  const talk = recording({ turns: [{ say: "Fatto" }] });
  const between = (from: typeof bad | null, to: typeof bad | null) =>
    told(diffRecordings(from, to, "r "));
  assert.deepEqual(between(bad, one), [" fails looser"]);
  assert.deepEqual(between(one, bad), [" fails tighter"]);
  assert.deepEqual(between(bad, pass), [" fails looser"]);
  assert.deepEqual(between(pass, bad), [" fails looser"]);
  assert.deepEqual(between(pass, talk), []);
  assert.deepEqual(between(pass, null), [" looser"]);
  assert.deepEqual(between(null, bad), [" tighter"]);

  const tools = (over: Record<string, unknown>): ToolSet => {
    const pay = { description: "Pays", effect: "irreversible", approval: "required", input: {} };
    return toolsFile.parse({ tools: { pay: { ...pay, ...over } } }).tools;
  };
  const tellTools = (from: ToolSet | null, to: ToolSet | null) => told(diffTools(from, to, "t"));
  assert.deepEqual(tellTools(tools({}), tools({ effect: "read", approval: "none" })), [
    "tools/pay/effect looser",
    "tools/pay/approval looser",
  ]);
  assert.deepEqual(tellTools(tools({ effect: "read" }), tools({ description: "Reads" })), [
    "tools/pay/effect tighter",
  ]);
  assert.deepEqual(tellTools(tools({}), null), ["tools/pay looser"]);
  assert.deepEqual(tellTools({}, tools({})), ["tools/pay tighter"]);
});

Deno.test("diffConfigs() knows default severities, the hook's time, and a project that is gone", () => {
  const told = (from: unknown, to: unknown) =>
    diffConfigs(
      from === null ? null : configFile.parse(from),
      to === null ? null : configFile.parse(to),
      "collaudo.yaml",
    ).map(({ what, direction }) => `${what} ${direction}`);
  assert.deepEqual(told({}, { severities: { protected: 1 } }), [
    "collaudo.yaml severities/protected looser",
  ]);
  assert.deepEqual(told({}, { hook: { budget_s: 0.1 } }), ["collaudo.yaml hook/budget_s looser"]);
  assert.deepEqual(told({}, null), ["collaudo.yaml looser"]);
  assert.deepEqual(told(null, {}), ["collaudo.yaml tighter"]);
});

Deno.test("stricterConfig() lets no candidate choose its judge, look at less or weigh less", () => {
  const before = configFile.parse({
    base: "trunk",
    triggers: ["a/**"],
    severities: { file: 9 },
    hook: { on_stale: "live", budget_s: 30 },
  });
  const now = configFile.parse({
    locale: "it",
    base: "mine",
    triggers: ["b/**"],
    severities: { file: 1, protected: 1, other_record: 20 },
    hook: { on_stale: "warn", budget_s: 0.1 },
  });
  const { base, triggers, severities, hook, locale } = stricterConfig(now, before);
  assert.deepEqual([base, triggers, locale], ["trunk", ["a/**", "b/**"], "it"]);
  assert.deepEqual(severities, { file: 9, protected: 5, other_record: 20 });
  assert.deepEqual([hook.on_stale, hook.budget_s], ["live", 30]);
  assert.deepEqual(stricterConfig(now, now), now);
});

Deno.test("diffConfigs() sees fewer triggers, another base, milder hooks and severities", () => {
  const from = configFile.parse({
    triggers: ["a/**", "b/**"],
    hook: { on_stale: "block" },
    severities: { file: 8 },
  });
  const to = configFile.parse({
    triggers: ["b/**"],
    base: "trunk",
    severities: { file: 1, protected: 9 },
  });
  assert.deepEqual(told(diffConfigs(from, to, "collaudo.yaml")), [
    "triggers looser",
    "base looser",
    "hook/on_stale looser",
    "severities/file looser",
    "severities/protected tighter",
  ]);
});
