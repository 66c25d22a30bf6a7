/** Do the programs' requests tell one and the same conversation, whatever each puts around it? */
import assert from "node:assert/strict";
import { canonicalJson } from "../../model/hash.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import type { AgentPlace, AgentRequest, IssuedCall, ModelApiName } from "../../model/model_api.ts";
import type { ModelMessage } from "../../model/ports.ts";
import { apiOf, heard, NOWHERE } from "./test_client.ts";

const PATHS: Readonly<Record<ModelApiName, string>> = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
  gemini: "/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
};

function read(name: ModelApiName, body: Json, place: AgentPlace = NOWHERE): AgentRequest {
  const route = apiOf(name).route(heard(PATHS[name], body));
  assert.equal(route?.kind, "complete");
  if (route?.kind !== "complete") throw new Error("unreachable");
  const request = apiOf(name).readRequest(route, place);
  assert.equal(request.kind, "request", JSON.stringify(request));
  if (request.kind !== "request") throw new Error("unreachable");
  return request;
}

const ORDER = '{"state":"paid","total":5}';
const MISSING = '{"error":{"code":"not_found","message":"There is no \\"orders/O-9\\""}}';
const DENIED = '{"error":{"code":"denied","message":"The person did not approve this call"}}';
const INTERRUPTED = `${DENIED}\n\n[The user interrupts: "STOP\\n\\"ora\\""]`;

/** What all programs tell; where one does not tell an exit code, `Exit code 3` is missing. */
const CONVERSATION: readonly ModelMessage[] = [
  { role: "user", text: "Rimborsa O-2\nsubito" },
  {
    role: "assistant",
    text: "Guardo in {workspace}/a.",
    calls: [
      call("c1", "shell", { command: "cat note.txt; exit 3" }),
      call("c2", "find_order", { order: "O-2" }),
      call("c3", "find_order", { order: "O-9" }),
    ],
  },
  tool("c1", "shell", "Exit code 3\nalpha in {time} ms", "error"),
  tool("c2", "find_order", ORDER, "ok"),
  tool("c3", "find_order", MISSING, "error"),
  { role: "assistant", text: "", calls: [call("c4", "refund", { order: "O-2", amount: 5 })] },
  tool("c4", "refund", DENIED, "denied"),
  { role: "user", text: 'STOP\n"ora"' },
  { role: "assistant", text: "Fermo.", calls: [] },
  { role: "user", text: "E adesso?" },
];

function call(id: string, name: string, args: JsonObject) {
  return { id, tool: name, args, argsText: canonicalJson(args) };
}

function tool(
  id: string,
  name: string,
  text: string,
  status: "ok" | "error" | "denied",
): ModelMessage {
  return { role: "tool", call: id, tool: name, text, status };
}

const SAY = "Guardo in /run/one/work/a.";
const COMMAND = "cat note.txt; exit 3";
const OUTPUT = "alpha in 12.5 ms\n";

const fn = (id: string, name: string, args: Json) => ({
  id,
  type: "function",
  function: { name, arguments: JSON.stringify(args) },
});
const said = (content: Json): JsonObject => ({ role: "user", content });
const result = (id: string, content: Json): JsonObject => ({
  role: "tool",
  tool_call_id: id,
  content,
});
const text = (words: string): JsonObject => ({ type: "text", text: words });
const declared = (...names: string[]) =>
  names.map((name) => ({
    type: "function",
    function: { name, description: name, parameters: {} },
  }));

function chat(
  own: { shell: string; prefix: string; shellArgs?: JsonObject },
  { first, output, second = said("E adesso?") }: { first: Json; output: string; second?: Json },
): JsonObject {
  const { shell, prefix, shellArgs = {} } = own;
  return {
    model: "m",
    messages: [
      { role: "system", content: "You are in /run/one/work. Today's date: Mon Nov 30 2026" },
      first,
      {
        role: "assistant",
        content: SAY,
        tool_calls: [
          fn("a1", shell, { command: COMMAND, ...shellArgs }),
          fn("a2", `${prefix}find_order`, { order: "O-2" }),
          fn("a3", `${prefix}find_order`, { order: "O-9" }),
        ],
      },
      // Answers may come in another order than the calls.
      result("a2", ORDER),
      result("a1", [text(output)]),
      result("a3", MISSING),
      {
        role: "assistant",
        content: null,
        tool_calls: [fn("a4", `${prefix}refund`, { amount: 5, order: "O-2" })],
      },
      result("a4", INTERRUPTED),
      { role: "assistant", content: "Fermo." },
      second,
    ],
    tools: declared(shell, `${prefix}find_order`),
  };
}

const qwenDate = text("<system-reminder>\nThe current date is: Tuesday\n</system-reminder>");
const item = (role: string, words: string): JsonObject => ({
  type: "message",
  id: `msg_${role}`,
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text: words }],
});
const codexCall = (call_id: string, name: string, args: Json, namespace?: string): JsonObject => ({
  type: "function_call",
  id: `fc_${call_id}`,
  call_id,
  name,
  ...(namespace === undefined ? {} : { namespace }),
  arguments: JSON.stringify(args),
});
const codexOutput = (call_id: string, output: Json): JsonObject => ({
  type: "function_call_output",
  call_id,
  output,
});
const timed = (words: string): Json => [
  { type: "input_text", text: "Wall time: 0.0103 seconds\nOutput:" },
  { type: "input_text", text: words },
];

const CODEX: JsonObject = {
  model: "m",
  stream: true,
  input: [
    item("developer", "You are in /run/one/work. Today's date: Mon Nov 30 2026"),
    item("user", "<environment_context>\n  <cwd>/run/one/work</cwd>\n</environment_context>"),
    item("user", "Rimborsa O-2\nsubito"),
    { type: "reasoning", summary: [], encrypted_content: "x" },
    item("assistant", SAY),
    codexCall("a1", "exec_command", { cmd: COMMAND, yield_time_ms: 30000 }),
    codexCall("a2", "find_order", { order: "O-2" }, "mcp__tools"),
    codexCall("a3", "find_order", { order: "O-9" }, "mcp__tools"),
    codexOutput(
      "a1",
      "Chunk ID: aab2f5\nWall time: 0.0000 seconds\nProcess exited with code 3\n" +
        `Original token count: 2\nOutput:\n${OUTPUT}`,
    ),
    codexOutput("a2", timed(ORDER)),
    codexOutput("a3", `Wall time: 0.2 seconds\nOutput:\n${MISSING}`),
    codexCall("a4", "refund", { order: "O-2", amount: 5 }, "mcp__tools"),
    codexOutput("a4", timed(INTERRUPTED)),
    item("assistant", "Fermo."),
    item("user", "<environment_context>\n  <cwd>/run/one/work</cwd>\n</environment_context>"),
    item("user", "E adesso?"),
  ],
  tools: [
    { type: "function", name: "exec_command", description: "", parameters: {} },
    {
      type: "namespace",
      name: "mcp__tools",
      tools: [{ type: "function", name: "find_order", description: "", parameters: {} }],
    },
    { type: "web_search" },
  ],
};

const used = (id: string, name: string, input: Json): JsonObject => ({
  type: "tool_use",
  id,
  name,
  input,
});
const got = (tool_use_id: string, content: Json, is_error = false): JsonObject => ({
  type: "tool_result",
  tool_use_id,
  content,
  is_error,
});
const CLAUDE: JsonObject = {
  model: "m",
  max_tokens: 32000,
  system: [text("You are in /run/one/work. Today's date: Mon Nov 30 2026")],
  messages: [
    said([text("<system-reminder>\nContext\n</system-reminder>"), text("Rimborsa O-2\nsubito")]),
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm", signature: "x" },
        text(SAY),
        used("t_1", "Bash", { command: COMMAND, description: "Reads the note", timeout: 1000 }),
        used("t_2", "mcp__tools__find_order", { order: "O-2" }),
        used("t_3", "mcp__tools__find_order", { order: "O-9" }),
      ],
    },
    said([
      got("t_1", `Exit code 3\n${OUTPUT}`, true),
      got("t_2", [text(ORDER)]),
      got("t_3", [text(MISSING)], true),
    ]),
    {
      role: "assistant",
      content: [used("t_4", "mcp__tools__refund", { order: "O-2", amount: 5 })],
    },
    said([got("t_4", INTERRUPTED, true)]),
    { role: "assistant", content: "Fermo." },
    said("E adesso?"),
  ],
  tools: [{ name: "Bash", description: "", input_schema: {} }],
};

const part = (role: string, ...parts: Json[]): JsonObject => ({ role, parts });
const made = (id: string, name: string, args: Json): JsonObject => ({
  functionCall: { id, name, args },
  thoughtSignature: "x",
});
const answered = (id: string, name: string, response: Json): JsonObject => ({
  functionResponse: { id, name, response },
});
const wrapped = (words: string): string =>
  'MCP tool \'find_order\' reported tool error for function call: {"name":"find_order"} with ' +
  `response: ${
    JSON.stringify([{ functionResponse: { response: { error: { content: [text(words)] } } } }])
  }`;
const results = [
  answered("g1", "run_shell_command", {
    output: `Output: ${OUTPUT}Exit Code: 3\nProcess Group PGID: 7`,
  }),
  answered("g2", "mcp_tools_find_order", {
    output: `<untrusted_context>\n${ORDER}\n</untrusted_context>`,
  }),
  answered("g3", "mcp_tools_find_order", { error: wrapped(MISSING) }),
];
const GEMINI: JsonObject = {
  systemInstruction: part("user", {
    text: "You are in /run/one/work. Today's date: Mon Nov 30 2026",
  }),
  contents: [
    part("user", { text: "<session_context>\nToday is Monday\n</session_context>" }),
    part("model", { text: "Got it. Thanks for the context!" }),
    part("user", { text: "Rimborsa O-2\nsubito" }),
    part(
      "model",
      { text: "Hm", thought: true },
      { text: SAY },
      made("g1", "run_shell_command", { command: COMMAND, description: "Reads" }),
      made("g2", "mcp_tools_find_order", { order: "O-2" }),
      made("g3", "mcp_tools_find_order", { order: "O-9" }),
    ),
    part("user", ...results),
    part("model", made("g4", "mcp_tools_refund", { order: "O-2", amount: 5 })),
    part("user", answered("g4", "mcp_tools_refund", { output: INTERRUPTED })),
    part("user", answered("g4", "mcp_tools_refund", { output: INTERRUPTED })),
    part("model", { text: "Fermo." }),
    // After a resume the answers come once more.
    part("user", ...results),
    part("user", { text: "E adesso?" }),
  ],
  tools: [{
    functionDeclarations: [{ name: "run_shell_command", description: "", parameters: {} }],
  }],
};

const PROGRAMS: readonly (readonly [string, ModelApiName, JsonObject])[] = [
  ["codex", "responses", CODEX],
  ["claude", "messages", CLAUDE],
  ["gemini", "gemini", GEMINI],
  [
    "opencode",
    "chat",
    chat({ shell: "bash", prefix: "tools_" }, {
      first: said('"Rimborsa O-2\nsubito"'),
      output: `${OUTPUT}\n\nCommand exited with code 3`,
    }),
  ],
  [
    "pi",
    "chat",
    chat({ shell: "bash", prefix: "mcp__tools__" }, {
      first: said([text("Rimborsa O-2\nsubito")]),
      output: `${OUTPUT}\n\nCommand exited with code 3`,
    }),
  ],
  [
    "qwen",
    "chat",
    chat({
      shell: "run_shell_command",
      prefix: "mcp__tools__",
      shellArgs: { is_background: false },
    }, {
      first: said([
        text("<system-reminder>\nSkills\n</system-reminder>"),
        text("Rimborsa O-2\nsubito"),
      ]),
      output: `Command: ${COMMAND}\nDirectory: (root)\nOutput: ${OUTPUT}Error: (none)\n` +
        "Exit Code: 3\nSignal: (none)\nProcess Group PGID: (none)",
      second: said([qwenDate, text("E adesso?")]),
    }),
  ],
  [
    "openclaw",
    "chat",
    chat({ shell: "exec", prefix: "tools__" }, {
      first: said(
        "[Mon 2026-11-30 19:46 UTC] Rimborsa O-2\nsubito\n\nRuntime: agent=main host=x os=Linux",
      ),
      output: `${OUTPUT}\n\nCommand exited with code 3`,
    }),
  ],
];

for (const [program, api, body] of PROGRAMS) {
  Deno.test(`readRequest() tells the one conversation that ${program} tells`, () => {
    const request = read(api, body);
    assert.deepEqual(request.messages, CONVERSATION);
    assert.equal(request.side, null);
    assert.equal(request.system, "You are in {workspace}. Today's date: {date}");
    assert.deepEqual(request.results.map(({ status }) => status).toSorted(), [
      "denied",
      "error",
      "error",
      "ok",
    ]);
  });
}

Deno.test("readRequest() keeps what a conversation is compared by", () => {
  const request = read("responses", CODEX);
  assert.deepEqual(request.tools.map(({ name, bare, namespace }) => [name, bare, namespace]), [
    ["exec_command", "exec_command", null],
    ["find_order", "find_order", "mcp__tools"],
  ]);
  const [shell, order] = request.results;
  assert.deepEqual(shell, {
    id: "a1",
    text: "Exit code 3\nalpha in 12.5 ms",
    status: "error",
    exitCode: 3,
  });
  assert.equal(order?.text, ORDER);
  const moved = JSON.parse(JSON.stringify(CODEX).replaceAll("/run/one/", "/other/")) as Json;
  const place = { ...NOWHERE, workspace: "/other/work", home: "/other/home" };
  assert.deepEqual(read("responses", moved, place), request);
  assert.deepEqual(request.userWords, ["Rimborsa O-2\nsubito", 'STOP\n"ora"', "E adesso?"]);
  const inRun = read("chat", { messages: [said("/run/one/tmp of /run/one, not /run/ones")] });
  assert.deepEqual(inRun.messages, [{ role: "user", text: "{run}/tmp of {run}, not /run/ones" }]);
  assert.deepEqual(inRun.userWords, ["/run/one/tmp of /run/one, not /run/ones"]);
  const near = read("chat", {
    messages: [said("In /run/one/workshop, /run/one/work-2 and /run/one/work/x")],
  });
  assert.deepEqual(near.messages, [
    { role: "user", text: "In {run}/workshop, {run}/work-2 and {workspace}/x" },
  ]);
});

Deno.test("readRequest() takes off quotes that only a program put there", () => {
  const quoted = said('"Ciao \\"tu\\""');
  const alone = (place: AgentPlace) => read("chat", { messages: [quoted] }, place).messages;
  assert.deepEqual(alone(NOWHERE), [{ role: "user", text: 'Ciao "tu"' }]);
  const place = { ...NOWHERE, said: () => ['"Ciao \\"tu\\""'] };
  assert.deepEqual(alone(place), [{ role: "user", text: '"Ciao \\"tu\\""' }]);
});

Deno.test("readRequest() names calls of a program's own tools as recordings do, or leaves them", () => {
  const cases: readonly (readonly [string, JsonObject, string, JsonObject])[] = [
    ["bash", { command: "ls", timeout: 3 }, "shell", { command: "ls" }],
    ["bash", { command: "ls", workdir: "/x" }, "bash", { command: "ls", workdir: "/x" }],
    ["Bash", { command: "ls", run_in_background: true }, "Bash", {
      command: "ls",
      run_in_background: true,
    }],
    ["shell", { command: ["bash", "-lc", "ls | wc"] }, "shell", { command: "ls | wc" }],
    ["shell_command", { command: "ls" }, "shell", { command: "ls" }],
    ["exec", { command: "cat /run/one/work/a" }, "shell", { command: "cat {workspace}/a" }],
    ["write", { filePath: "/run/one/work/a/b.txt", content: "x" }, "write_file", {
      path: "a/b.txt",
      text: "x",
    }],
    ["write_file", { file_path: "/etc/x", content: "y" }, "write_file", {
      path: "/etc/x",
      text: "y",
    }],
    ["Write", { file_path: "a", content: "y", mode: 1 }, "Write", {
      file_path: "a",
      content: "y",
      mode: 1,
    }],
    ["tool_call", { name: "mcp__tools__refund", arguments: { order: "O-2" } }, "refund", {
      order: "O-2",
    }],
    ["invalid", { tool: "rm_all", error: "Model tried…" }, "rm_all", {}],
    ["mcp__other__find", {}, "mcp__other__find", {}],
    ["tools_", {}, "tools_", {}],
  ];
  for (const [name, args, tool, canonical] of cases) {
    const { messages } = read("chat", {
      messages: [said("Vai"), { role: "assistant", tool_calls: [fn("x", name, args)] }],
    });
    const [, answer] = messages;
    assert.deepEqual(
      answer?.role === "assistant" && answer.calls[0],
      call("c1", tool, canonical),
      name,
    );
  }
  const { messages } = read("chat", {
    messages: [said("Vai"), {
      role: "assistant",
      tool_calls: [{ id: "x", function: { name: "tools_refund", arguments: '{"order":' } }],
    }],
  });
  const [, answer] = messages;
  assert.deepEqual(answer?.role === "assistant" && answer.calls[0], {
    id: "c1",
    tool: "refund",
    args: null,
    argsText: '{"order":',
  });
});

Deno.test("readRequest() gives back a call as it was handed out", () => {
  const native = { tool: "no_such", args: '{"a":1}' };
  const issued: IssuedCall = { id: "z9", call: call("r1", "no_such", { a: 1 }), native };
  const place = { ...NOWHERE, issued: (id: string) => id === "z9" ? issued : undefined };
  const called = (name: string, args: JsonObject) => {
    const assistant = { role: "assistant", tool_calls: [fn("z9", name, args)] };
    const [, answer] = read("chat", { messages: [said("Vai"), assistant] }, place).messages;
    return answer?.role === "assistant" ? answer.calls[0] : null;
  };
  assert.deepEqual(called("invalid", { tool: "no_such" }), call("c1", "no_such", { a: 1 }));
  assert.deepEqual(called("no_such", { a: 1 }), call("c1", "no_such", { a: 1 }));
  assert.deepEqual(called("no_such", { a: 2 }), call("c1", "no_such", { a: 2 }));
});

Deno.test("readRequest() tells how a call ended from what the program says", () => {
  const cases: readonly (readonly [string, string, ["ok" | "error" | "denied", number | null]])[] =
    [
      ["bash", "fine", ["ok", null]],
      ["bash", "(no output)", ["ok", null]],
      ["no_such", "unsupported call: no_such", ["error", null]],
      ["no_such", "Tool no_such not found", ["error", null]],
      [
        "exec_command",
        'exec_command failed: CreateProcess { message: "Rejected(\\"rejected: not permitted\\")" }',
        ["denied", null],
      ],
      ["bash", "Tool execution denied by policy.", ["denied", null]],
      ["exec_command", '{"output":"x","metadata":{"exit_code":2}}', ["error", 2]],
      [
        "exec_command",
        "Wall time: 1.0 seconds\nProcess running with session ID 5\nOutput:\nhalf",
        ["ok", null],
      ],
      ["tools_x", '{"error":{"code":"denied"}}', ["denied", null]],
      ["tools_x", '{"error":{"code":"x"},"more":1}', ["ok", null]],
      ["tools_x", "Command exited with code 3", ["ok", null]],
    ];
  for (const [name, words, [status, exitCode]] of cases) {
    const { results: [one] } = read("chat", {
      messages: [
        said("Vai"),
        { role: "assistant", tool_calls: [fn("x", name, { command: "x" })] },
        result("x", words),
      ],
    });
    assert.deepEqual([one?.status, one?.exitCode], [status, exitCode], words);
  }
});

Deno.test("readRequest() knows side requests, and what answers them", () => {
  const tools = declared("bash");
  const schema = {
    type: "object",
    required: ["next", "why", "sure", "list", "inner"],
    properties: {
      next: { enum: ["user", "model"] },
      why: { type: "string" },
      sure: { type: "boolean" },
      list: { type: "array" },
      inner: { anyOf: [{ type: "integer" }, { type: "null" }] },
      more: { type: "string" },
    },
  };
  const least = { next: "user", why: "", sure: false, list: [], inner: 0 };
  const format = { type: "json_schema", json_schema: { name: "x", schema } };
  const system = (content: string): JsonObject => ({ role: "system", content });
  const title = read("chat", {
    messages: [
      system("You are a title generator. You output…"),
      said("Generate a title"),
      said("Vai"),
    ],
  });
  assert.deepEqual([title.side, title.sideAnswer.text], ["title", "Conversation"]);
  const memory = "You are now acting as the managed memory extraction subagent";
  assert.equal(
    read("chat", { messages: [system(memory), said("Vai")], tools }).side,
    "memory extraction",
  );
  const asked = { messages: [said("Vai")], response_format: format };
  assert.equal(read("chat", asked).side, "structured answer");
  assert.deepEqual(JSON.parse(read("chat", asked).sideAnswer.text), least);
  assert.equal(read("chat", { ...asked, tools }).side, null);
  const forced = {
    messages: [said("Vai")],
    tools: [{ type: "function", function: { name: "respond_in_schema", parameters: schema } }],
    tool_choice: { type: "function", function: { name: "respond_in_schema" } },
  };
  const { side, sideAnswer } = read("chat", forced);
  assert.equal(side, "structured answer");
  assert.deepEqual(sideAnswer.calls.map(({ tool: name, args }) => [name, args]), [
    ["respond_in_schema", least],
  ]);
  const quota = { messages: [said("quota")], max_tokens: 1 };
  assert.equal(read("messages", quota).side, "quota");
  assert.equal(read("messages", { messages: [said("Warmup")], tools: [] }).side, "warm-up");
  const config = { responseMimeType: "application/json", responseJsonSchema: schema };
  const checked = read("gemini", {
    contents: [part("user", { text: "Vai" })],
    generationConfig: config,
  });
  assert.deepEqual([checked.side, JSON.parse(checked.sideAnswer.text)], [
    "structured answer",
    least,
  ]);
  assert.equal(read("chat", { messages: [system("You help"), said("Vai")] }).side, null);
});

Deno.test("readRequest() refuses what leans on a memory of the server, or has no conversation", () => {
  const why = (name: ModelApiName, body: Json) => {
    const route = apiOf(name).route(heard(PATHS[name], body));
    if (route?.kind !== "complete") return route?.kind;
    const request = apiOf(name).readRequest(route, NOWHERE);
    return request.kind === "unreadable" ? request.why : request.kind;
  };
  assert.match(String(why("responses", { input: [], previous_response_id: "r" })), /whole/);
  assert.match(String(why("responses", {})), /no `input`/);
  assert.match(String(why("chat", {})), /no list `messages`/);
  assert.match(String(why("messages", { messages: "x" })), /no list `messages`/);
  assert.match(String(why("gemini", {})), /no `contents`/);
  assert.equal(why("chat", []), "unreadable");
  assert.equal(why("responses", { input: "Ciao" }), "request");
});
