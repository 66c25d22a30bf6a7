/**
 * The readers over real and constructed streams: `testdata/streams/expected.json` says what each of
 * `examples/` holds, `seen.json` what each of the streams that programs wrote (`recorded/`, `mcp/`)
 * holds. `end` is how the record ended, the other keys are facts of the stream itself.
 */
import assert from "node:assert/strict";
import { isObject, type JsonObject } from "../../model/json.ts";
import type { StreamEvent, StreamKind, StreamRecord } from "../../model/stream.ts";
import { openclawRecord } from "./openclaw.ts";
import { streamReader, tellsTotalUsage } from "./reader.ts";

const FOLDER = new URL("../../../testdata/streams/", import.meta.url);
const ABOUT = { workspace: "/workspace" };

const KINDS: Readonly<Record<string, StreamKind>> = {
  codex: "codex",
  claude: "claude",
  opencode: "opencode",
  gemini: "gemini",
  qwen: "qwen",
  pi: "pi",
  pi24: "pi",
  openclaw: "openclaw",
};

function recordOf(name: string): StreamRecord {
  const file = name.split("/").at(-1) ?? "";
  const text = Deno.readTextFileSync(new URL(name, FOLDER));
  if (file.startsWith("openclaw-session")) return openclawRecord(lines(text), ABOUT);
  return read(KINDS[file.split("-")[0] ?? ""] ?? "none", lines(text));
}

function lines(text: string): string[] {
  return text.replace(/\n$/, "").split("\n");
}

function read(kind: StreamKind, list: readonly string[]): StreamRecord {
  const reader = streamReader(kind, ABOUT);
  list.forEach((line) => reader.line(line));
  return reader.end();
}

type Deed = StreamEvent & { readonly kind: "call" | "command" };

function deedsOf(record: StreamRecord): Deed[] {
  return record.events.filter((event): event is Deed =>
    event.kind === "call" || event.kind === "command"
  );
}

/** What the tables may ask of a record, by the names that they use. */
function factsOf(record: StreamRecord): JsonObject {
  const deeds = deedsOf(record);
  const ids = (...statuses: string[]) =>
    deeds.filter(({ status }) => statuses.includes(status)).map(({ id }) => id);
  const said = record.events.filter((event) => event.kind === "message");
  const { usage } = record;
  return {
    end: record.end.kind,
    terminal: record.terminal ?? "none",
    tool_calls: deeds.length,
    failed: ids("error", "cancelled").length,
    denied: ids("denied").length,
    truncated: record.end.kind === "cut",
    unfinished: ids("unfinished"),
    call_order: deeds.map(({ id }) => id),
    completion_order: [...record.completed],
    noise_lines: record.noiseLines,
    unknown_events: record.events.filter(({ kind }) => kind === "unknown").length,
    final_text: said.at(-1)?.text ?? "",
    usage_total: {
      input_tokens: usage?.inputTokens ?? null,
      output_tokens: usage?.outputTokens ?? null,
    },
    exit_codes: Object.fromEntries(
      deeds.map((deed) => [deed.id, deed.kind === "command" ? deed.exitCode : null]),
    ),
    calls: deeds.map((deed) =>
      `${deed.kind === "command" ? `$ ${deed.command}` : deed.tool}: ${deed.status}`
    ),
    files: record.events.flatMap((event) =>
      event.kind === "file" ? [`${event.change} ${event.path}`] : []
    ),
    session: record.session,
    model: record.model,
  };
}

function readTable(name: string): Readonly<Record<string, JsonObject>> {
  return JSON.parse(Deno.readTextFileSync(new URL(name, FOLDER)));
}

function check(name: string, record: StreamRecord, expected: JsonObject): void {
  const facts = factsOf(record);
  for (const [key, wanted] of Object.entries(expected)) {
    const none = key === "terminal" && (wanted === null || wanted === "unknown");
    const actual = key === "exit_codes" && isObject(wanted) && isObject(facts.exit_codes)
      ? Object.fromEntries(Object.keys(wanted).map((id) => [id, facts.exit_codes?.[id as never]]))
      : facts[key];
    assert.deepEqual(actual, none ? "none" : wanted, `${name}: ${key}`);
  }
}

for (const [table, folder] of [["expected.json", "examples/"], ["seen.json", ""]] as const) {
  Deno.test(`streamReader() reads what ${table} says`, () => {
    const rows = Object.entries(readTable(table));
    assert.ok(rows.length >= 20);
    for (const [name, expected] of rows) check(name, recordOf(folder + name), expected);
  });
}

Deno.test("streamReader() has a row for each stream of the test data", () => {
  const named = new Set([
    ...Object.keys(readTable("expected.json")).map((name) => `examples/${name}`),
    ...Object.keys(readTable("seen.json")),
  ]);
  for (const folder of ["examples", "recorded", "mcp"]) {
    for (const { name } of Deno.readDirSync(new URL(`${folder}/`, FOLDER))) {
      assert.ok(named.has(`${folder}/${name}`), `${folder}/${name} has no row`);
    }
  }
});

const line = JSON.stringify;

/** Streams too small for a file, and what each must give. */
const SMALL: Readonly<
  Record<string, {
    readonly kind: StreamKind;
    readonly lines: readonly string[];
    readonly want: JsonObject;
  }>
> = {
  "codex: our own tools by their bare names, others by their server": {
    kind: "codex",
    lines: ["tools", "home"].map((server, i) =>
      line({
        type: "item.completed",
        item: {
          id: `item_${i}`,
          type: "mcp_tool_call",
          server,
          tool: "notify",
          arguments: {},
          result: null,
          error: { message: "MCP tool call requires approval, but approval policy is never" },
          status: "failed",
        },
      })
    ),
    want: { calls: ["notify: denied", "mcp__home__notify: denied"], end: "cut" },
  },
  "codex: a background command keeps no exit code though the turn completes": {
    kind: "codex",
    lines: [
      line({ type: "turn.started" }),
      line({
        type: "item.started",
        item: { id: "item_0", type: "command_execution", command: "bash -lc 'sleep 9'" },
      }),
      line({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 2 } }),
    ],
    want: { end: "completed", unfinished: ["item_0"], exit_codes: { item_0: null } },
  },
  "codex: ids that start anew in a second process stay apart, its cut turn cuts the stream": {
    kind: "codex",
    lines: [
      line({ type: "thread.started", thread_id: "t" }),
      line({ type: "turn.started" }),
      line({
        type: "item.completed",
        item: {
          id: "item_0",
          type: "command_execution",
          command: "true",
          exit_code: 0,
          status: "completed",
        },
      }),
      line({ type: "turn.completed", usage: { input_tokens: 5, output_tokens: 1 } }),
      line({ type: "thread.started", thread_id: "t" }),
      line({ type: "turn.started" }),
      line({
        type: "item.completed",
        item: {
          id: "item_0",
          type: "command_execution",
          command: "false",
          exit_code: 1,
          status: "failed",
        },
      }),
    ],
    want: {
      end: "cut",
      terminal: "none",
      calls: ["$ true: ok", "$ false: error"],
      exit_codes: { "item_0": 0, "item_0#2": 1 },
    },
  },
  "codex: the last usage counts, never the sum": {
    kind: "codex",
    lines: [[100, 10], [250, 18]].flatMap(([input, output]) => [
      line({ type: "turn.started" }),
      line({
        type: "turn.completed",
        usage: { input_tokens: input ?? 0, output_tokens: output ?? 0 },
      }),
    ]),
    want: { end: "completed", usage_total: { input_tokens: 250, output_tokens: 18 } },
  },
  "qwen: a command that ended with 3 is told as well done, and proves nothing": {
    kind: "qwen",
    lines: [
      line({
        type: "assistant",
        message: {
          content: [{
            type: "tool_use",
            id: "c1",
            name: "run_shell_command",
            input: { command: "deno test" },
          }],
        },
      }),
      line({
        type: "user",
        message: {
          content: [{
            type: "tool_result",
            tool_use_id: "c1",
            is_error: false,
            content: "Exit code 0\npassed",
          }],
        },
      }),
      line({ type: "result", subtype: "success", is_error: false, permission_denials: [] }),
    ],
    want: { end: "completed", calls: ["$ deno test: ok"], exit_codes: { c1: null } },
  },
  "qwen: a denial that only the result names stays one under success": {
    kind: "qwen",
    lines: [
      line({
        type: "assistant",
        message: {
          content: [{
            type: "tool_use",
            id: "c1",
            name: "tool_call",
            input: { name: "mcp__tools__delete_backup", arguments: { id: "b1" } },
          }],
        },
      }),
      line({
        type: "user",
        message: {
          content: [{ type: "tool_result", tool_use_id: "c1", is_error: true, content: "no" }],
        },
      }),
      line({
        type: "result",
        subtype: "success",
        is_error: false,
        permission_denials: [{ tool_name: "x", tool_use_id: "c1", tool_input: {} }],
      }),
    ],
    want: { end: "completed", terminal: "success", calls: ["delete_backup: denied"] },
  },
  "claude: a command in the background is not done": {
    kind: "claude",
    lines: [
      line({
        type: "assistant",
        message: {
          content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "serve" } }],
        },
      }),
      line({
        type: "user",
        message: {
          content: [{
            type: "tool_result",
            tool_use_id: "t1",
            is_error: false,
            content: "Command running in background",
          }],
        },
        tool_use_result: { stdout: "", stderr: "", interrupted: false, backgroundTaskId: "b1" },
      }),
      line({ type: "result", subtype: "success", is_error: false }),
    ],
    want: { calls: ["$ serve: unfinished"], exit_codes: { t1: null } },
  },
  "claude: an answer after the result takes the end back": {
    kind: "claude",
    lines: [
      line({ type: "result", subtype: "success", is_error: false }),
      line({ type: "assistant", message: { content: [{ type: "text", text: "And then" }] } }),
    ],
    want: { end: "cut", final_text: "And then" },
  },
  "claude: a result that does not say whether it is an error is one": {
    kind: "claude",
    lines: [line({ type: "result", subtype: "success" })],
    want: { end: "failed" },
  },
  "opencode: the tool invalid is an attempt of the tool that was asked for": {
    kind: "opencode",
    lines: [
      line({
        type: "tool_use",
        part: {
          callID: "c1",
          tool: "invalid",
          state: { status: "completed", input: { tool: "tools_delete_backup", error: "no" } },
        },
      }),
      line({ type: "step_finish", part: { reason: "stop" } }),
    ],
    want: { end: "completed", calls: ["delete_backup: error"], failed: 1 },
  },
  "opencode: a run that ends without a last step is cut, one that ran out of room failed": {
    kind: "opencode",
    lines: [
      line({
        type: "step_finish",
        part: { reason: "tool-calls", tokens: { input: 4, output: 1 } },
      }),
    ],
    want: { end: "cut", terminal: "none" },
  },
  "opencode: a last step that ran out of room failed": {
    kind: "opencode",
    lines: [line({ type: "step_finish", part: { reason: "length" } })],
    want: { end: "failed", terminal: "length" },
  },
  "opencode: tools stand in the order in which they began": {
    kind: "opencode",
    lines: [
      ...[["c2", 20], ["c1", 10]].map(([callID, start]) =>
        line({
          type: "tool_use",
          part: {
            callID: callID ?? "",
            tool: "read",
            state: { status: "completed", input: {}, output: "", time: { start: start ?? 0 } },
          },
        })
      ),
    ],
    want: { call_order: ["c1", "c2"], completion_order: ["c2", "c1"] },
  },
  "gemini: a stopped execution is no success": {
    kind: "gemini",
    lines: [
      line({ type: "error", severity: "warning", message: "Loop detected, stopping execution" }),
      line({ type: "result", status: "success" }),
    ],
    want: { end: "failed", terminal: "success" },
  },
  "gemini: a printed exit code 0 is no exit code, a cancelled command no success": {
    kind: "gemini",
    lines: [
      ...["c1", "c2"].map((id) =>
        line({
          type: "tool_use",
          tool_name: "run_shell_command",
          tool_id: id,
          parameters: { command: "deno test" },
        })
      ),
      line({
        type: "tool_result",
        tool_id: "c1",
        status: "success",
        output: "Command exited with code: 0",
      }),
      line({
        type: "tool_result",
        tool_id: "c2",
        status: "success",
        output: "[Operation Cancelled] Reason: user",
      }),
    ],
    want: {
      calls: ["$ deno test: ok", "$ deno test: cancelled"],
      exit_codes: { c1: null, c2: null },
      end: "cut",
    },
  },
  "pi: a model that failed is a failure, though the program ends with 0": {
    kind: "pi",
    lines: [
      line({
        type: "message_end",
        message: { role: "assistant", content: [], stopReason: "error", errorMessage: "400" },
      }),
      line({ type: "agent_end", messages: [] }),
    ],
    want: { end: "failed", terminal: "agent_end" },
  },
  "pi: a request that was made again and went well is none": {
    kind: "pi",
    lines: [
      line({
        type: "message_end",
        message: { role: "assistant", content: [], stopReason: "error" },
      }),
      line({ type: "auto_retry_start" }),
      line({
        type: "message_end",
        message: {
          role: "assistant",
          content: [{ type: "text", text: "ok" }],
          stopReason: "stop",
          usage: { input: 10, output: 4, cacheRead: 6, cacheWrite: 1 },
        },
      }),
      line({ type: "agent_end" }),
    ],
    want: {
      end: "completed",
      final_text: "ok",
      usage_total: { input_tokens: 17, output_tokens: 4 },
    },
  },
  "pi: a call that was asked for and never started was tried; failing commands tell their code": {
    kind: "pi",
    lines: [
      line({
        type: "message_end",
        message: {
          role: "assistant",
          content: [
            { type: "toolCall", id: "k1", name: "mcp__tools__wipe", arguments: {} },
            { type: "toolCall", id: "k2", name: "bash", arguments: { command: "deno test" } },
          ],
          stopReason: "toolUse",
        },
      }),
      line({
        type: "tool_execution_end",
        toolCallId: "k2",
        result: { content: [{ type: "text", text: "bad\n\nCommand exited with code 3" }] },
        isError: true,
      }),
    ],
    want: { calls: ["wipe: unfinished", "$ deno test: error"], exit_codes: { k2: 3 }, end: "cut" },
  },
  "codex: of two ends the worse counts, and of two exit codes none": {
    kind: "codex",
    lines: [["failed", 1], ["completed", 0]].map(([status, code]) =>
      line({
        type: "item.completed",
        item: {
          id: "item_0",
          type: "command_execution",
          command: "deno test",
          exit_code: code ?? null,
          status: status ?? null,
        },
      })
    ),
    want: { calls: ["$ deno test: error"], exit_codes: { item_0: null } },
  },
  "codex: what is done after a turn's end shows that this was not the end": {
    kind: "codex",
    lines: [
      line({ type: "turn.started" }),
      line({ type: "turn.completed" }),
      line({ type: "item.completed", item: { id: "i", type: "agent_message", text: "more" } }),
    ],
    want: { end: "cut", final_text: "more" },
  },
  "claude: a last line that breaks off after the result cuts the stream": {
    kind: "claude",
    lines: [line({ type: "result", subtype: "success", is_error: false }), '{"type":"assis'],
    want: { end: "cut", noise_lines: 0 },
  },
  "claude: a line in between that cannot be read may hide a call": {
    kind: "claude",
    lines: ['{"type":"assis', line({ type: "result", subtype: "success", is_error: false })],
    want: { end: "cut", noise_lines: 1 },
  },
  "claude: an end without its beginning hides a call": {
    kind: "claude",
    lines: [
      line({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "x" }] } }),
      line({ type: "result", subtype: "success", is_error: false }),
    ],
    want: { end: "cut", calls: [], completion_order: [] },
  },
  "none: all that was printed is what was said": {
    kind: "none",
    lines: ["Done.", '{"type":"result"}'],
    want: { end: "completed", final_text: 'Done.\n{"type":"result"}', calls: [] },
  },
  "openclaw: without its document the run is cut": {
    kind: "openclaw",
    lines: ["{", '  "payloads": ['],
    want: { end: "cut" },
  },
};

for (const [name, { kind, lines: list, want }] of Object.entries(SMALL)) {
  Deno.test(`streamReader() ${name}`, () => check(name, read(kind, list), want));
}

Deno.test("openclawRecord() joins a transcript with what was printed", () => {
  const rows = lines(
    Deno.readTextFileSync(new URL("examples/openclaw-session-branched-tree.jsonl", FOLDER)),
  );
  const printed = (calls: number, extra: JsonObject = {}) =>
    JSON.stringify({
      payloads: [{ text: "done" }],
      meta: { stopReason: "stop", toolSummary: { calls, tools: ["exec"] }, ...extra },
    });
  const whole = openclawRecord(rows, { ...ABOUT, output: printed(2) });
  assert.equal(whole.end.kind, "completed");
  assert.match(JSON.stringify(whole.events), /on a branch that was abandoned later: k1/);
  assert.equal(openclawRecord(rows, { ...ABOUT, output: printed(3) }).end.kind, "cut");
  const aborted = openclawRecord(rows, { ...ABOUT, output: printed(2, { aborted: true }) });
  assert.equal(aborted.end.kind, "cut");
  assert.equal(openclawRecord(rows, { ...ABOUT, output: "" }).end.kind, "cut");
  assert.equal(openclawRecord([], ABOUT).end.kind, "cut");
  assert.equal(openclawRecord([...rows, "{"], ABOUT).end.kind, "cut");
});

Deno.test("streamReader() keeps a subagent's words from the agent's, and its usage in the sum", () => {
  const record = recordOf("examples/claude-stream-subagent.jsonl");
  const said = record.events.flatMap((event) => event.kind === "message" ? [event.text] : []);
  assert.deepEqual(said, ["The sub-agent had no access."]);
  assert.match(JSON.stringify(record.events), /subagent: no access/);
  assert.deepEqual(record.usage?.inputTokens, 18_018);
  assert.equal(tellsTotalUsage("codex"), true);
  assert.equal(tellsTotalUsage("claude"), false);
});
