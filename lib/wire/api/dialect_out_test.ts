/** Does a program get our calls in its own terms, and do they come back as they were? */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json, JsonObject } from "../../model/json.ts";
import type { AgentTool } from "../../model/model_api.ts";
import { canonicalCall } from "./dialect_in.ts";
import { nativeCall } from "./dialect_out.ts";
import { addingPatch, patchCommand, writeCommand } from "./file_writing.ts";
import { NOWHERE } from "./test_client.ts";

function declared(
  name: string,
  properties: JsonObject,
  more: Partial<AgentTool> & { readonly required?: Json } = {},
): AgentTool {
  const { required = [], ...rest } = more;
  const input = { type: "object", properties, required };
  return { name, bare: name, namespace: null, description: "", input, form: "function", ...rest };
}

const text = { type: "string" };
const READ_FIRST = "If this is an existing file, you MUST use the Read tool first.";
const bash = declared("bash", { command: text });
const PROGRAMS: Readonly<Record<string, readonly AgentTool[]>> = {
  codex: [
    declared("exec_command", { cmd: text }),
    declared("refund", {}, { namespace: "mcp__tools" }),
  ],
  oldCodex: [
    declared("shell", { command: { type: "array" } }),
    declared("apply_patch", {}, { form: "text" }),
  ],
  localShell: [declared("local_shell", {}, { form: "local_shell" })],
  pi: [bash, declared("write", { path: text, content: text }), declared("mcp__tools__refund", {})],
  opencode: [
    bash,
    declared("write", { filePath: text, content: text }, { description: READ_FIRST }),
    declared("tools_refund", {}),
  ],
  gemini: [
    declared("run_shell_command", { command: text, is_background: { type: "boolean" } }, {
      required: ["command", "is_background"],
    }),
    declared("write_file", { file_path: text, content: text }),
    declared("mcp_tools_refund", {}),
  ],
  none: [],
};

function call(tool: string, args: JsonObject) {
  return { id: "", tool, args, argsText: JSON.stringify(args) };
}

const written: readonly (readonly [string, string, JsonObject, string, Json])[] = [
  ["codex", "shell", { command: "ls" }, "exec_command", { cmd: "ls", yield_time_ms: 30_000 }],
  ["oldCodex", "shell", { command: "ls" }, "shell", { command: ["bash", "-lc", "ls"] }],
  ["localShell", "shell", { command: "ls" }, "local_shell", { command: ["bash", "-lc", "ls"] }],
  ["pi", "shell", { command: "cat {workspace}/a" }, "bash", { command: "cat /run/one/work/a" }],
  ["gemini", "shell", { command: "ls" }, "run_shell_command", {
    command: "ls",
    is_background: false,
  }],
  ["none", "shell", { command: "ls" }, "shell", { command: "ls" }],
  ["pi", "shell", { cmd: "ls" }, "shell", { cmd: "ls" }],
  ["codex", "refund", { order: 1 }, "refund", { order: 1 }],
  ["pi", "refund", { order: 1 }, "mcp__tools__refund", { order: 1 }],
  ["opencode", "refund", { order: 1 }, "tools_refund", { order: 1 }],
  ["gemini", "refund", { order: 1 }, "mcp_tools_refund", { order: 1 }],
  ["none", "refund", { order: 1 }, "refund", { order: 1 }],
  ["pi", "write_file", { path: "./a/b", text: "x" }, "write", {
    path: "/run/one/work/a/b",
    content: "x",
  }],
  ["gemini", "write_file", { path: "/etc/x", text: "x" }, "write_file", {
    file_path: "/etc/x",
    content: "x",
  }],
  ["opencode", "write_file", { path: "a/b", text: "it's" }, "bash", {
    command: "mkdir -p 'a' && printf '%s' 'it'\\''s' > 'a/b'",
  }],
  ["codex", "write_file", { path: "b", text: "one\ntwo\n" }, "exec_command", {
    cmd: "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b\n+one\n+two\n*** End Patch\nEOF\n",
    yield_time_ms: 30_000,
  }],
  ["codex", "write_file", { path: "b", text: "" }, "exec_command", {
    cmd: "printf '%s' '' > 'b'",
    yield_time_ms: 30_000,
  }],
  ["none", "write_file", { path: "b", text: "x" }, "write_file", { path: "b", text: "x" }],
  ["oldCodex", "apply_patch", { input: "*** Begin Patch" }, "apply_patch", "*** Begin Patch"],
];

Deno.test("nativeCall() speaks each program's own terms", () => {
  for (const [program, tool, args, name, own] of written) {
    const native = nativeCall(call(tool, args), PROGRAMS[program] ?? [], NOWHERE);
    const expected = typeof own === "string" ? own : JSON.stringify(own);
    assert.deepEqual([native.tool, native.args], [name, expected], `${program} ${tool}`);
  }
  const { namespace } = nativeCall(call("refund", {}), PROGRAMS.codex ?? [], NOWHERE);
  assert.equal(namespace, "mcp__tools");
  const patch = nativeCall(
    call("write_file", { path: "b", text: "x\n" }),
    PROGRAMS.oldCodex ?? [],
    NOWHERE,
  );
  assert.deepEqual([patch.tool, patch.form], ["apply_patch", "text"]);
  const broken = { id: "", tool: "refund", args: null, argsText: "{" };
  assert.equal(nativeCall(broken, PROGRAMS.pi ?? [], NOWHERE).args, "{");
});

Deno.test("canonicalCall() undoes nativeCall() for commands, and for files where a tool writes them", () => {
  const programs = fc.constantFrom(...Object.keys(PROGRAMS).filter((name) => name !== "none"));
  fc.assert(
    fc.property(programs, fc.string({ unit: "binary" }), fc.string(), (program, words, path) => {
      const back = (tool: string, args: JsonObject) => {
        const native = nativeCall(call(tool, args), PROGRAMS[program] ?? [], NOWHERE);
        const { tool: name, namespace, args: given } = native;
        const heard = { kind: "call", id: "x", tool: name, namespace, args: given } as const;
        const { tool: known, args: kept } = canonicalCall(heard, "c1", NOWHERE);
        return [known, kept];
      };
      const command = `true ${words}`;
      assert.deepEqual(back("shell", { command }), ["shell", { command }]);
      if (program !== "pi" && program !== "gemini") return;
      const file = { path: `a${path.replace(/[{}]/g, "")}`, text: words };
      assert.deepEqual(back("write_file", file), ["write_file", file]);
    }),
    { seed: 6, numRuns: 300 },
  );
});

Deno.test("addingPatch() refuses what a patch cannot say", () => {
  assert.equal(addingPatch("a", "no end"), null);
  assert.equal(addingPatch("a", ""), null);
  assert.equal(addingPatch("a", "x\r\n"), null);
  assert.equal(addingPatch("a\nb", "x\n"), null);
  assert.equal(addingPatch(" a", "x\n"), null);
  const patch = addingPatch("a", "*** End Patch\nEOF\n") ?? "";
  assert.equal(
    patchCommand(patch),
    "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+*** End Patch\n+EOF\n*** End Patch\nEOF\n",
  );
  assert.equal(writeCommand("/a", "x"), "printf '%s' 'x' > '/a'");
});
