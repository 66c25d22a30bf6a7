/**
 * No stream makes a reader throw, and none that was cut, shuffled, doubled or mixed with rubbish looks
 * better than it was: what failed or was tried stays so, or the record is not completed.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { StreamEvent, StreamKind, StreamRecord } from "../../model/stream.ts";
import { DEPTH_MAX, EVENTS_MAX, LINE_MAX, OUTPUT_MAX, TEXT_MAX } from "./bounds.ts";
import { openclawRecord } from "./openclaw.ts";
import { streamReader } from "./reader.ts";

const FOLDER = new URL("../../../testdata/streams/", import.meta.url);
const KINDS: readonly StreamKind[] = [
  "codex",
  "claude",
  "opencode",
  "gemini",
  "qwen",
  "pi",
  "openclaw",
  "none",
];
const SEED = { seed: 61 };

function read(kind: StreamKind, lines: readonly string[]): StreamRecord {
  const reader = streamReader(kind, { workspace: "/workspace" });
  lines.forEach((line) => reader.line(line));
  return reader.end();
}

interface Sample {
  readonly name: string;
  readonly lines: readonly string[];
  readonly record: (lines: readonly string[]) => StreamRecord;
}

const SAMPLES: readonly Sample[] = ["examples", "recorded", "mcp"].flatMap((folder) =>
  [...Deno.readDirSync(new URL(`${folder}/`, FOLDER))].map(({ name }) => name).sort()
    .map((name) => sampleOf(folder, name))
);

function sampleOf(folder: string, name: string): Sample {
  const text = Deno.readTextFileSync(new URL(`${folder}/${name}`, FOLDER));
  const lines = text.replace(/\n$/, "").split("\n");
  const kind = KINDS.find((one) => name.startsWith(one)) ?? "none";
  const rows = name.startsWith("openclaw-session");
  const record = (list: readonly string[]) =>
    rows ? openclawRecord(list, { workspace: "/workspace" }) : read(kind, list);
  return { name, lines, record };
}

type Deed = StreamEvent & { readonly kind: "call" | "command" };

function deedsOf({ events }: StreamRecord): Deed[] {
  return events.filter((event): event is Deed => event.kind === "call" || event.kind === "command");
}

const whatOf = (deed: Deed) =>
  deed.kind === "command" ? `$ ${deed.command}` : `${deed.tool} ${JSON.stringify(deed.args)}`;

/** Nothing looks better in `other` than in `whole`. */
function assertNoBetter(whole: StreamRecord, other: StreamRecord, name: string): void {
  const before = deedsOf(whole);
  for (const deed of deedsOf(other)) {
    const same = before.filter((one) => whatOf(one) === whatOf(deed));
    assert.ok(same.length > 0, `${name}: ${whatOf(deed)} came from nowhere`);
    if (deed.status === "ok") {
      assert.ok(same.some(({ status }) => status === "ok"), `${name}: ${whatOf(deed)} became ok`);
    }
    if (deed.kind === "command" && deed.exitCode !== null) {
      const codes = same.map((one) => one.kind === "command" ? one.exitCode : null);
      assert.ok(codes.includes(deed.exitCode), `${name}: exit code of ${deed.command}`);
    }
  }
  if (other.end.kind !== "completed") return;
  assert.equal(whole.end.kind, "completed", `${name} became completed`);
  const after = deedsOf(other);
  for (const deed of before) {
    const same = after.filter((one) => whatOf(one) === whatOf(deed));
    assert.ok(same.length > 0, `${name}: ${whatOf(deed)} is gone`);
    if (deed.status === "ok") continue;
    assert.ok(same.some(({ status }) => status !== "ok"), `${name}: ${whatOf(deed)} became ok`);
  }
}

Deno.test("a stream that is cut at any byte never looks better", () => {
  for (const { name, lines, record } of SAMPLES) {
    const whole = record(lines);
    const text = lines.join("\n");
    const step = Math.max(1, Math.floor(text.length / 12));
    const ends = new Set<number>();
    for (let at = 0; at < text.length; at += step) ends.add(at);
    for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
      [at - 1, at, at + 1, at + 2, at + 3].forEach((end) => ends.add(end));
    }
    for (const end of ends) {
      assertNoBetter(whole, record(text.slice(0, end).split("\n")), `${name} until ${end}`);
    }
  }
});

const RUBBISH = fc.oneof(
  fc.string(),
  fc.json().map((text) => text.replaceAll("\n", " ")),
  fc.constantFrom("{", '{"', "[", "null", "[[[[", "\u0000", "data: {}", '{"type":', '{"type":1}'),
  fc.record({
    type: fc.constantFrom(
      ..."item.started item.completed result assistant user tool_use tool_result message_end error step_finish"
        .split(" "),
    ),
  })
    .map((event) => JSON.stringify(event)),
);

Deno.test("a stream that is shuffled, doubled or mixed with rubbish never looks better", () => {
  const mixed = fc.constantFrom(...SAMPLES).chain((sample) =>
    fc.record({
      sample: fc.constant(sample),
      order: fc.shuffledSubarray([...sample.lines.keys()], { minLength: sample.lines.length }),
      shuffle: fc.boolean(),
      doubled: fc.array(fc.nat({ max: sample.lines.length - 1 }), { maxLength: 4 }),
      rubbish: fc.array(fc.tuple(fc.nat({ max: sample.lines.length }), RUBBISH), { maxLength: 4 }),
    })
  );
  fc.assert(
    fc.property(mixed, ({ sample, order, shuffle, doubled, rubbish }) => {
      const all = [...sample.lines.keys(), ...doubled].sort((a, b) => a - b);
      const indexes = shuffle ? [...order, ...doubled] : all;
      const lines = indexes.map((i) => sample.lines[i] ?? "");
      for (const [at, line] of rubbish) lines.splice(at, 0, line);
      assertNoBetter(sample.record(sample.lines), sample.record(lines), sample.name);
    }),
    { ...SEED, numRuns: 800 },
  );
});

Deno.test("no lines make a reader throw, and nothing is completed without its last event", () => {
  const line = fc.oneof(RUBBISH, fc.json({ maxDepth: 6 }));
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), fc.array(line, { maxLength: 12 }), (kind, lines) => {
      const record = read(kind, lines);
      assert.equal(JSON.parse(JSON.stringify(record)).events.length, record.events.length);
      if (kind !== "none") assert.notEqual(record.end.kind, "completed");
    }),
    { ...SEED, numRuns: 500 },
  );
});

const nested = (depth: number) => '{"a":'.repeat(depth) + "1" + "}".repeat(depth);

const STARTED: Readonly<Record<string, (args: string) => string>> = {
  codex: (args) =>
    `{"type":"item.started","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","arguments":${args}}}`,
  claude: (args) =>
    `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"i","name":"t","input":${args}}]}}`,
  opencode: (args) =>
    `{"type":"tool_use","part":{"callID":"i","tool":"t","state":{"status":"completed","input":${args}}}}`,
  gemini: (args) => `{"type":"tool_use","tool_id":"i","tool_name":"t","parameters":${args}}`,
  pi: (args) => `{"type":"tool_execution_start","toolCallId":"i","toolName":"t","args":${args}}`,
};

const ENDS: Readonly<Record<string, readonly string[]>> = {
  codex: ['{"type":"turn.started"}', '{"type":"turn.completed"}'],
  claude: ['{"type":"result","subtype":"success","is_error":false}'],
  opencode: ['{"type":"step_finish","part":{"reason":"stop"}}'],
  gemini: ['{"type":"result","status":"success"}'],
  pi: [
    '{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"stop"}}',
    '{"type":"agent_end"}',
  ],
};

for (const kind of ["codex", "claude", "opencode", "gemini", "pi"] as const) {
  const [started, ends] = [STARTED[kind] ?? String, ENDS[kind] ?? []];
  Deno.test(`the ${kind} reader takes what is nested deep, long or much for cut`, () => {
    assert.equal(read(kind, [started(nested(5)), ...ends]).end.kind, "completed");
    const deep = read(kind, [started(nested(DEPTH_MAX + 1)), ...ends]);
    assert.equal(deep.end.kind, "cut");
    assert.equal(read(kind, [started(nested(20_000)), ...ends]).end.kind, "cut");
    assert.equal(read(kind, [nested(20_000), ...ends]).end.kind, "completed");
    if (kind !== "codex") return;
    const many = Array.from(
      { length: EVENTS_MAX + 10 },
      (_, i) => started("{}").replaceAll('"i"', `"i${i}"`),
    );
    const much = read(kind, [...many, ...ends]);
    assert.ok(much.end.kind === "cut" && much.end.detail.includes("more than is kept"));
    assert.equal(much.events.length, EVENTS_MAX + 1);
    assert.equal(much.events.at(-1)?.kind, "notice");
  });
}

Deno.test("a line that is too long is not read, and may hide something", () => {
  const long = `{"type":"some","text":"${"x".repeat(2 * LINE_MAX)}"}`;
  const record = read("codex", [...ENDS.codex ?? [], long]);
  assert.ok(record.end.kind === "cut" && record.end.detail.includes("longer than"));
});

Deno.test("of outputs 64 kB are kept, both ends, and of a whole stream a bounded amount", () => {
  const output = `begin${"x".repeat(70_000)}end`;
  const reader = streamReader("codex", { workspace: "" });
  reader.line('{"type":"turn.started"}');
  for (let i = 0; i < 1_000; i++) {
    const item = {
      id: `i${i}`,
      type: "command_execution",
      command: "a",
      aggregated_output: output,
    };
    reader.line(JSON.stringify({ type: "item.completed", item: { ...item, exit_code: 0 } }));
  }
  reader.line('{"type":"turn.completed"}');
  const record = reader.end();
  const [first] = deedsOf(record);
  assert.ok(first?.kind === "command" && first.output !== undefined);
  assert.ok(first.output.length <= OUTPUT_MAX);
  assert.match(first.output, /^begin[^]*\[… \d+ characters cut …\][^]*end$/);
  const size = record.events.reduce((sum, event) => sum + JSON.stringify(event).length, 0);
  assert.ok(size < TEXT_MAX * 1.2);
  assert.equal(record.end.kind, "completed");
  assert.equal(deedsOf(record).length, 1_000);
  assert.match(JSON.stringify(record.events.at(-1)), /outputs of \d+ calls are not kept/);
});
