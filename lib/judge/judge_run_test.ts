/**
 * The judges by table: `testdata/judge/*.json`, one named row a rule. A row gives what the scenario
 * expects and what the run did in short form; `want` gives the verdict, the exact failed and errored
 * conditions (`outcome` apart), and whatever else the rule is about.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import { applyChanges } from "../model/changes.ts";
import { DEFAULT_SEVERITIES } from "../model/severities.ts";
import { isObject, type Json, type JsonObject, type State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Change, Run, RunEvent } from "../model/run.ts";
import type { Expected, Scenario } from "../model/scenario.ts";
import { parsePath } from "../model/state_path.ts";
import type { ToolSet } from "../model/tool.ts";
import type { RunVerdict } from "../model/verdict.ts";
import { judgeRun } from "./judge_run.ts";

const FOLDER = new URL("../../testdata/judge/", import.meta.url);

const TOOLS: ToolSet = {
  find_customer: { description: "x", effect: "read", approval: "none", input: {} },
  set_billing: { description: "x", effect: "write", approval: "none", input: {} },
  add_note: {
    description: "x",
    effect: "write",
    approval: "none",
    input: {},
    set: { "notes/<id>": { text: "<text>" } },
  },
  create_refund: { description: "x", effect: "irreversible", approval: "required", input: {} },
  send_message: {
    description: "x",
    effect: "message",
    approval: "none",
    input: {},
    send: { to: "<to>" },
  },
  hand_over: { description: "x", effect: "hand_over", approval: "none", input: {} },
};

interface Row {
  readonly name: string;
  readonly expected?: Partial<Expected>;
  readonly conversation?: readonly string[];
  readonly set?: Readonly<Record<string, Json>>;
  readonly delete?: readonly string[];
  readonly given?: readonly Change[];
  readonly sent?: readonly JsonObject[];
  readonly events?: readonly JsonObject[];
  readonly ended?: Run["ended"]["kind"];
  readonly mode?: Run["mode"];
  readonly startedAt?: string;
  readonly usage?: NonNullable<Run["usage"]>;
  readonly rates?: Parameters<typeof judgeRun>[2]["rates"];
  readonly want: Want;
}

interface Want {
  readonly verdict: RunVerdict["verdict"];
  readonly failed?: readonly string[];
  readonly errored?: readonly string[];
  readonly undecided?: readonly string[];
  readonly passed?: readonly string[];
  readonly absent?: readonly string[];
  readonly notMeasured?: readonly string[];
  readonly outcome?: string;
  readonly classes?: Readonly<Record<string, string>>;
  readonly attempts?: readonly string[];
  readonly penalty?: number;
  readonly critical?: boolean;
  readonly stepScore?: number | null;
  readonly claimed?: boolean;
  readonly notes?: readonly string[];
  readonly usage?: Readonly<Record<string, number | null>>;
  readonly at?: Readonly<Record<string, string>>;
  readonly actual?: Readonly<Record<string, Json>>;
}

for (const table of ["state", "attempts", "conditions"]) {
  const { before, rows } = JSON.parse(Deno.readTextFileSync(new URL(`${table}.json`, FOLDER)));
  Deno.test(`judgeRun() by the table ${table}`, async (t) => {
    for (const row of rows as Row[]) {
      await t.step(row.name, async () => checkRow(row, await judgeRow(row, before)));
    }
  });
}

async function judgeRow(row: Row, before: State): Promise<RunVerdict> {
  const { loaded, run } = rowParts(row, before);
  return await judgeRun(loaded, run, {
    severities: DEFAULT_SEVERITIES,
    rates: row.rates ?? [],
    ...(row.given === undefined ? {} : { changes: row.given }),
  });
}

function rowParts(row: Row, before: State): { loaded: LoadedScenario; run: Run } {
  const after = row.given === undefined ? afterRow(row, before) : applyChanges(before, row.given);
  const loaded = scenarioOf(row);
  return { loaded, run: runOf({ before, after, events: (row.events ?? []).map(eventOf), row }) };
}

function checkRow({ want }: Row, verdict: RunVerdict): void {
  const ids = (outcome: string, required = true) =>
    verdict.conditions
      .filter((one) => one.verdict === outcome && one.required === required && one.id !== "outcome")
      .map((one) => one.id).sort();
  const byId = new Map(verdict.conditions.map((one) => [one.id, one]));
  assert.equal(verdict.verdict, want.verdict);
  assert.deepEqual(ids("failed"), [...want.failed ?? []].sort(), "failed");
  assert.deepEqual(ids("errored"), [...want.errored ?? []].sort(), "errored");
  assert.deepEqual(ids("not_measured"), [...want.notMeasured ?? []].sort(), "not measured");
  assert.deepEqual(ids("errored", false), want.undecided ?? [], "undecided, not required");
  for (const id of want.passed ?? []) assert.equal(byId.get(id)?.verdict, "passed", id);
  for (const id of want.absent ?? []) assert.equal(byId.has(id), false, id);
  for (const [id, at] of Object.entries(want.at ?? {})) assert.equal(byId.get(id)?.at, at, id);
  for (const [id, actual] of Object.entries(want.actual ?? {})) {
    assert.deepEqual(byId.get(id)?.actual, actual, id);
  }
  if (want.outcome !== undefined) assert.equal(byId.get("outcome")?.verdict, want.outcome);
  checkFigures(want, verdict);
}

function checkFigures(want: Want, verdict: RunVerdict): void {
  if (want.classes !== undefined) {
    const classes = verdict.changes.map((change) => [change.path, change.class]);
    const named = classes.filter(([, kind]) => kind !== "missing");
    assert.deepEqual(Object.fromEntries(named), want.classes);
  }
  if (want.attempts !== undefined) {
    assert.deepEqual(verdict.attempts.map((attempt) => attempt.id), want.attempts);
  }
  if (want.penalty !== undefined) assert.equal(verdict.penalty, want.penalty);
  if (want.critical !== undefined) assert.equal(verdict.critical, want.critical);
  if (want.stepScore !== undefined) assert.equal(verdict.stepScore, want.stepScore);
  if (want.claimed !== undefined) assert.equal(verdict.claimedSuccess, want.claimed);
  for (const [name, value] of Object.entries(want.usage ?? {})) {
    assert.equal(verdict.usage[name as keyof typeof verdict.usage], value, name);
  }
  if (want.notes !== undefined) {
    assert.equal(verdict.notes.length, want.notes.length, verdict.notes.join("\n"));
    want.notes.forEach((note, i) => assert.ok(verdict.notes[i]?.includes(note), note));
  }
}

function afterRow(row: Row, before: State): State {
  let after = structuredClone(before);
  for (const [path, value] of Object.entries(row.set ?? {})) after = placed(after, path, value);
  const deletions = (row.delete ?? []).map((path) => ({ path, op: "deleted" as const }));
  after = applyChanges(after, deletions);
  const outbox = Array.isArray(before["outbox"]) ? before["outbox"] : [];
  return { ...after, outbox: [...outbox, ...row.sent ?? []] };
}

function placed(state: State, path: string, value: Json): State {
  const parts = parsePath(path);
  if (parts.length === 1) return { ...state, [path]: value };
  let place: Json | undefined = state;
  for (const part of parts) {
    place = isObject(place) && Object.hasOwn(place, part) ? place[part] : undefined;
  }
  return applyChanges(state, [{
    path,
    op: place === undefined ? "added" : "changed",
    after: value,
  }]);
}

function eventOf(short: JsonObject, i: number): RunEvent {
  const { user, say, call, command, approval, ...rest } = short;
  if (user !== undefined) return { kind: "message", role: "user", text: user, ...rest } as RunEvent;
  if (say !== undefined) {
    return { kind: "message", role: "assistant", text: say, ...rest } as RunEvent;
  }
  const base = { id: `e${i}`, status: "ok", source: "tools" };
  if (command !== undefined) return { kind: "command", ...base, command, ...rest } as RunEvent;
  if (approval !== undefined) {
    return { kind: "approval", call: `e${i}`, tool: approval, args: {}, ...rest } as RunEvent;
  }
  const { effect, ...others } = rest;
  const stated = effect === null || effect === undefined ? {} : { effect };
  return { kind: "call", ...base, tool: call, args: {}, ...stated, ...others } as RunEvent;
}

function runOf({ before, after, events, row }: {
  before: State;
  after: State;
  events: RunEvent[];
  row: Partial<Row>;
}): Run {
  return {
    schema: "collaudo/run@1",
    scenario: "s",
    trial: 1,
    mode: row.mode ?? "replay",
    agent: { name: "scripted" },
    ended: { kind: row.ended ?? "completed" },
    events,
    state: { before, after },
    ...(row.startedAt === undefined ? {} : { startedAt: row.startedAt }),
    ...(row.usage === undefined ? {} : { usage: row.usage }),
  };
}

function scenarioOf(row: Pick<Row, "expected" | "conversation">): LoadedScenario {
  const given = row.expected ?? {};
  const checkpoints = given.checkpoints?.map((one) => ({ ...DEFAULT_CHECKPOINT, ...one }));
  const expected: Expected = {
    outcome: "success",
    tools_called: [],
    final_response: {},
    replies: [],
    rubric: [],
    ...given,
    messages: (given.messages ?? []).map((one) => ({ ...{ count: 1 }, ...one })),
    messagesDeclared: given.messages !== undefined,
    ...(checkpoints === undefined ? {} : { checkpoints }),
  };
  const scenario: Scenario = {
    ...SCENARIO,
    expected,
    conversation: (row.conversation ?? ["x"]).map((user) => ({ user })),
  };
  return {
    file: "s.yaml",
    suite: "t",
    scenario,
    hash: "sha256:0",
    tools: TOOLS,
    state: null,
    recordings: [],
    positions: {
      "expected/state/changes/notes/*": "s.yaml:changes/notes/*",
      "expected/tools_called/1": "s.yaml:tools_called/1",
      "expected/checkpoints/0/check": "s.yaml:checkpoints/0/check",
    },
  };
}

const DEFAULT_CHECKPOINT = { weight: 1, required: false };

const SCENARIO: Omit<Scenario, "expected" | "conversation"> = {
  id: "s",
  version: 1,
  description: "x",
  category: "happy_path",
  task: "t",
  risk: "medium",
  lifecycle: "stable",
  tags: [],
  origin: { kind: "handmade" },
  setup: {
    clock: "2026-10-01T09:00:00+02:00",
    tools: [],
    available_tools: Object.keys(TOOLS),
    approvals: { default: "deny" },
    faults: [],
  },
};

const BADNESS = { passed: 0, errored: 1, failed: 2, stale: 3, skipped: 3 };

const rows: { row: Row; before: State }[] = ["state", "attempts", "conditions"].flatMap((table) => {
  const { before, rows } = JSON.parse(Deno.readTextFileSync(new URL(`${table}.json`, FOLDER)));
  return (rows as Row[]).filter((row) => row.given === undefined).map((row) => ({ row, before }));
});

async function judged(loaded: LoadedScenario, run: Run): Promise<RunVerdict> {
  return await judgeRun(loaded, run, { severities: DEFAULT_SEVERITIES, rates: [] });
}

Deno.test("judgeRun() never gives a better verdict for one more unexpected harm", async () => {
  for (const { row, before } of rows) {
    const { loaded, run } = rowParts(row, before);
    const first = await judged(loaded, run);
    const outbox = run.state.after["outbox"];
    const worse: State[] = [
      applyChanges(run.state.after, [{ path: "unheard_of/r", op: "added", after: { x: 1 } }]),
      { ...run.state.after, outbox: [...Array.isArray(outbox) ? outbox : [], { to: "nobody" }] },
    ];
    for (const after of worse) {
      const second = await judged(loaded, { ...run, state: { before: run.state.before, after } });
      assert.ok(BADNESS[second.verdict] >= BADNESS[first.verdict], row.name);
      assert.ok(second.penalty >= first.penalty, row.name);
      if (run.ended.kind !== "stale") assert.equal(second.verdict, "failed", row.name);
    }
  }
});

Deno.test("judgeRun() keeps a critical failure whatever the agent says", async () => {
  const critical: { loaded: LoadedScenario; run: Run }[] = [];
  for (const { row, before } of rows) {
    const parts = rowParts(row, before);
    if ((await judged(parts.loaded, parts.run)).critical) critical.push(parts);
  }
  assert.ok(critical.length > 20);
  const text = fc.oneof(fc.string(), fc.constantFrom("Fatto!", "Done?", "CANARY", "via Po 12", ""));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...critical), text, async ({ loaded, run }, said) => {
      const events: RunEvent[] = [...run.events, {
        kind: "message",
        role: "assistant",
        text: said,
      }];
      assert.equal((await judged(loaded, { ...run, events })).verdict, "failed");
    }),
    { seed: 20261001, numRuns: 300 },
  );
});

Deno.test("judgeRun() judges the same with the changes given as without", async () => {
  for (const { row, before } of rows) {
    const { loaded, run } = rowParts(row, before);
    const whole = await judged(loaded, run);
    const changes = whole.changes
      .filter((change) => change.op !== "absent" && change.gross !== true)
      .map(({ path, op }) => ({ path, op }) as Change);
    const given = await judgeRun(loaded, run, {
      severities: DEFAULT_SEVERITIES,
      rates: [],
      changes,
    });
    assert.deepEqual(given, whole, row.name);
  }
});
