import assert from "node:assert/strict";
import fc from "fast-check";
import type { RunEvent } from "../model/run.ts";
import type { BareEvent } from "./episode.ts";
import { type AskedCall, mergeTrace, type ProcessSources } from "./merge_trace.ts";

const at = { atMs: 5, turn: 1 };

function call(tool: string, n = 0, more: object = {}): RunEvent {
  const args = { n };
  return {
    kind: "call",
    id: `${tool}${n}`,
    tool,
    args,
    status: "ok",
    source: "tools",
    ...at,
    ...more,
  };
}

function told(tool: string, n = 0, more: object = {}): BareEvent {
  return {
    kind: "call",
    id: `s-${tool}${n}`,
    tool,
    args: { n },
    status: "ok",
    source: "stream",
    ...more,
  };
}

function ran(command: string, exitCode: number | null, source: "stream" | "shim" = "stream") {
  const id = `${source}-${command}`;
  const more = source === "shim" ? { exitCodeSource: "shim" } : {};
  return {
    kind: "command" as const,
    id,
    command,
    exitCode,
    status: "ok" as const,
    source,
    ...more,
  };
}

const says = (text: string): BareEvent => ({ kind: "message", role: "assistant", text });
const hears = (text: string): RunEvent => ({ kind: "message", role: "user", text, ...at });
let askedCount = 0;
function asks(tool: string, given: object | number = 0, text: string | null = "done"): AskedCall {
  const args = typeof given === "number" ? { n: given } : given as AskedCall["args"];
  const native = { tool, args: JSON.stringify(args) };
  const told = text === null ? null : { status: "ok" as const, text };
  return { id: `call_${++askedCount}`, tool, args, native, told };
}

function merge(sources: Partial<ProcessSources>): RunEvent[] {
  let n = 0;
  return mergeTrace({
    evidence: [],
    testimony: [],
    commands: [],
    asked: [],
    tellsCalls: true,
    start: { atMs: 0, turn: 1 },
    nextId: () => `s${++n}`,
    ...sources,
  });
}

/** A short word for each event. */
function shown(events: readonly RunEvent[]): string[] {
  return events.map((event) => {
    if (event.kind === "call") {
      const mark = { tools: "", stream: "'", model: "?", shim: "!" }[event.source];
      return `${event.tool}${event.args["n"] ?? ""}${mark}${
        event.status === "ok" ? "" : ` ${event.status}`
      }`;
    }
    if (event.kind === "command") return `$${event.command}=${event.exitCode}${event.source[1]}`;
    if (event.kind === "message") return `${event.role[0]}:${event.text}`;
    return event.kind === "file" ? `file ${event.path}` : event.kind;
  });
}

const rows: readonly (readonly [string, Partial<ProcessSources>, readonly string[]])[] = [
  ["a call that both show stands twice, side by side", {
    evidence: [hears("go"), call("a"), call("b")],
    testimony: [says("I look"), told("a"), says("and"), told("b"), says("end")],
    asked: [asks("a"), asks("b")],
  }, ["u:go", "a:I look", "a0", "a0'", "a:and", "b0", "b0'", "a:end"]],
  ["what the testimony hides comes before its last words", {
    evidence: [hears("go"), call("a"), call("b")],
    testimony: [told("a"), says("end")],
    asked: [asks("a"), asks("b")],
  }, ["u:go", "a0", "a0'", "b0", "a:end"]],
  ["calls that ran in another order than they were told keep the order of arrival", {
    evidence: [hears("go"), call("a"), call("b"), call("c")],
    testimony: [told("c"), told("a"), told("b"), says("end")],
  }, ["u:go", "a0", "b0", "c0", "c0'", "a0'", "b0'", "a:end"]],
  ["an approval stands before its call, an interruption after it", {
    evidence: [
      hears("go"),
      call("a"),
      hears("stop"),
      { kind: "approval", call: "b0", tool: "b", args: {}, answer: "denied", ...at },
      call("b", 0, { status: "denied" }),
    ],
    testimony: [told("a"), says("hm"), told("b", 0, { status: "error" }), says("end")],
  }, ["u:go", "a0", "a0'", "u:stop", "a:hm", "approval", "b0 denied", "b0' error", "a:end"]],
  ["a call that only the model's conversation shows is an attempt, never done", {
    evidence: [hears("go"), call("a")],
    testimony: [told("a"), says("end")],
    asked: [asks("a"), asks("secret"), asks("late", 0, null)],
  }, ["u:go", "a0", "a0'", "secret0? error", "late0? unfinished", "a:end"]],
  ["a command that the agent refused is an attempt", {
    evidence: [hears("go")],
    testimony: [ran("ls", 0), says("end")],
    asked: [asks("shell", { command: "ls" }), asks("shell", { command: "rm -rf /" }, "refused")],
  }, ["u:go", "$ls=0t", "$rm -rf /=nullo", "a:end"]],
  ["the same call asked for again and refused counts, though the first was made", {
    evidence: [hears("go"), call("a")],
    testimony: [told("a"), says("end")],
    asked: [asks("a"), asks("a")],
  }, ["u:go", "a0", "a0'", "a0? error", "a:end"]],
  ["arguments that the agent changed before the call are no other attempt", {
    evidence: [hears("go"), call("a", 0, { args: { n: "7" } })],
    testimony: [told("a", 7), says("end")],
    asked: [asks("a", 7)],
  }, ["u:go", "a7", "a7'", "a:end"]],
  ["a file that the testimony shows is what the model asked to write", {
    evidence: [hears("go")],
    testimony: [
      { kind: "file", path: "src/a.ts", change: "modified" },
      ran("cat > b.txt <<'E'\nx\nE", 0),
      says("end"),
    ],
    asked: [
      asks("write_file", { path: "src/a.ts", text: "x" }),
      asks("write_file", { path: "b.txt", text: "x" }),
      asks("apply_patch", { input: "*** Update File: src/c.ts" }),
    ],
  }, ["u:go", "file src/a.ts", "$cat > b.txt <<'E'\nx\nE=0t", "apply_patch? error", "a:end"]],
  ["a change that was found stands where it was found, and is not told twice", {
    evidence: [hears("go")],
    testimony: [
      { kind: "file", path: "a", change: "added" },
      ran("test", 0),
      { kind: "file", path: "/tmp/b", change: "added" },
      says("end"),
    ],
    asked: [asks("write_file", { path: "a", text: "x" }), asks("shell", { command: "test" })],
    changed: [{ event: { kind: "file", path: "a", change: "added" }, asked: 1 }],
  }, ["u:go", "file a", "$test=0t", "file /tmp/b", "a:end"]],
  ["where the output tells no calls, what the agent told the model is all there is", {
    evidence: [hears("go")],
    testimony: [says("end")],
    asked: [asks("Read", 1), { ...asks("Bash", 2), told: { status: "denied", text: "no" } }],
    tellsCalls: false,
  }, ["u:go", "Read1?", "Bash2? denied", "a:end"]],
  ["a call is found by the agent's own id, or under the agent's own name", {
    evidence: [hears("go")],
    testimony: [
      told("write", 0, { id: "call_x", args: { filePath: "a", content: "b" } }),
      told("edit", 0, { args: { f: 1 } }),
      says("end"),
    ],
    asked: [
      { ...asks("write_file", { path: "other", text: "b" }), id: "call_x" },
      { ...asks("patch", 3), native: { tool: "edit", args: '{"f":1}' } },
    ],
  }, ["u:go", "write'", "edit'", "a:end"]],
  ["the shell's record stands beside what is told of a command", {
    evidence: [hears("go")],
    testimony: [ran("test", null), says("hm"), ran("ls", 0), says("end")],
    commands: [ran("test", 3, "shim"), ran("ls", 0, "shim"), ran("hidden", 0, "shim")],
  }, ["u:go", "$test=nullt", "$test=3h", "a:hm", "$ls=0t", "$ls=0h", "$hidden=0h", "a:end"]],
  ["a command asked for, told and recorded is no attempt", {
    evidence: [hears("go")],
    testimony: [ran("test", 0), says("end")],
    commands: [ran("test", 3, "shim")],
    asked: [asks("shell", { command: "test" })],
  }, ["u:go", "$test=0t", "$test=3h", "a:end"]],
  ["nothing at all is an empty trace", {}, []],
];

for (const [name, sources, expected] of rows) {
  Deno.test(`mergeTrace(): ${name}`, () => {
    assert.deepEqual(shown(merge(sources)), expected);
  });
}

const toolName = fc.constantFrom("a", "b", "c");
const number = fc.integer({ min: 0, max: 2 });
const evidenceEvent = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(toolName, number).map(([tool, n]) => call(tool, n)) },
  fc.constantFrom<RunEvent>(hears("more"), {
    kind: "approval",
    call: "x",
    tool: "a",
    args: {},
    answer: "granted",
    ...at,
  }),
);
const testimonyEvent = fc.oneof(
  fc.tuple(toolName, number).map(([tool, n]) => told(tool, n)),
  fc.constantFrom("ls", "test").map((command) => ran(command, 0)),
  fc.constantFrom("one", "two").map(says),
);
const askedCall = fc.oneof(
  fc.tuple(toolName, number).map(([tool, n]) => asks(tool, n)),
  fc.constantFrom("ls", "rm").map((command) => asks("shell", { command })),
);

Deno.test("mergeTrace() takes no exit code of a command that nobody asked for, and no id for a deed", () => {
  const testimony = [ran("test", 0), { ...ran("ls", 0), id: "call_x" }];
  const asked = [{ ...asks("shell", { command: "rm x" }), id: "call_x" }];
  const evidence = [hears("go")];
  assert.deepEqual(shown(merge({ evidence, testimony, asked, servesModel: true })), [
    "u:go",
    "$rm x=nullo",
    "$test=nullt",
    "$ls=nullt",
  ]);
  const packed = [{ ...ran("cd /w && rm x", 0), id: "call_x" }];
  assert.deepEqual(shown(merge({ evidence, testimony: packed, asked, servesModel: true })), [
    "u:go",
    "$cd /w && rm x=0t",
  ]);
});

Deno.test("mergeTrace() drops nothing, keeps both orders and invents no deed", () => {
  fc.assert(
    fc.property(
      fc.array(evidenceEvent, { maxLength: 7 }),
      fc.array(testimonyEvent, { maxLength: 7 }),
      fc.array(fc.constantFrom("ls", "test", "own").map((c) => ran(c, 3, "shim")), {
        maxLength: 3,
      }),
      fc.array(askedCall, { maxLength: 6 }),
      (later, testimony, commands, asked) => {
        const evidence: RunEvent[] = [hears("go"), ...later].map((event, atMs) => ({
          ...event,
          atMs,
        }));
        const merged = merge({ evidence, testimony, commands, asked });
        const from = (source: string) =>
          merged.filter((event) => "source" in event && event.source === source);
        assert.deepEqual(merged.filter((event) => evidence.includes(event)), evidence);
        assert.deepEqual(merged[0], evidence[0]);
        const plain = (events: readonly object[]) =>
          events.map(({ atMs: _a, turn: _t, ...rest }: { atMs?: number; turn?: number }) => rest);
        const unnumbered = (events: readonly object[]) =>
          plain(events).map(({ id: _id, ...rest }: { id?: string }) => rest);
        const deed = ({ kind }: { kind: string }) => kind === "call" || kind === "command";
        assert.deepEqual(unnumbered(from("stream")), unnumbered(testimony.filter(deed)));
        const sorted = (events: readonly object[]) =>
          unnumbered(events).map((event) => JSON.stringify(event)).sort();
        assert.deepEqual(sorted(from("shim")), sorted(commands));
        assert.deepEqual(
          plain(merged.filter((event) => event.kind === "message" && event.role === "assistant")),
          testimony.filter(({ kind }) => kind === "message"),
        );
        const attempts = from("model");
        assert.ok(attempts.length <= asked.length);
        for (const event of attempts) assert.ok("status" in event && event.status !== "ok");
        const ids = merged.flatMap((event) =>
          deed(event) && "id" in event && "source" in event &&
            event.source !== "tools"
            ? [event.id]
            : []
        );
        assert.equal(new Set(ids).size, ids.length);
        const deeds = merged.filter(({ kind }) => kind === "call" || kind === "command").length;
        assert.ok(deeds >= asked.length, "a call that was asked for is not in the trace");
        const times = merged.map((event) => event.atMs ?? -1);
        assert.deepEqual(times, [...times].sort((a, b) => a - b));
        assert.deepEqual(merge({ evidence, testimony, commands, asked }), merged);
      },
    ),
    { seed: 6, numRuns: 600 },
  );
});
