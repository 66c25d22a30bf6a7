/** Does a live run hold against a real server on this machine that speaks Chat Completions? */
import assert from "node:assert/strict";
import { realClock as outsideClock } from "../io/clock.ts";
import { realHttp } from "../io/http.ts";
import { modelConfig } from "../model/config.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Run } from "../model/run.ts";
import { realClock } from "../run/run_clock.ts";
import { endLine, eventLine, runShop, shopScenario } from "../run/test_scenario.ts";
import { chatModel } from "../wire/chat_model.ts";

const KEY = "sk-planted-0123456789abcdef";

/** Runs the shop against a server whose n-th answer is the n-th of `replies`; `null` hangs. */
async function runLive(replies: readonly (Response | null)[], timeoutS = 5): Promise<Run> {
  const hanging = new AbortController();
  let asked = 0;
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async () => {
    const reply = replies[asked++] ?? null;
    if (reply !== null) return reply;
    await new Promise((resolve) => hanging.signal.addEventListener("abort", resolve));
    return new Response("late");
  });
  const price = { input: 1, output: 2, per: 1000, currency: "EUR", as_of: "2026-11-01" };
  const config = modelConfig.parse({ api: "chat", base_url: "x", name: "small", price });
  const clock = outsideClock();
  const baseUrl = `http://127.0.0.1:${server.addr.port}/v1`;
  try {
    return await runShop(
      shopScenario(),
      chatModel(config, { http: realHttp(), clock, key: KEY, baseUrl }),
      {
        mode: "live",
        clock: realClock(clock),
        agent: { calls_max: 20, timeout_s: timeoutS, system: null },
      },
    );
  } finally {
    hanging.abort();
    await server.shutdown();
  }
}

function said(message: JsonObject): Response {
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  return Response.json({ choices: [{ message }], usage });
}

function calls(...made: readonly (readonly [string, string])[]): Response {
  const tool_calls: Json[] = made.map(([name, args], i) => ({
    id: `c${i}`,
    type: "function",
    function: { name, arguments: args },
  }));
  return said({ content: null, tool_calls });
}

Deno.test("a live run survives 429, malformed arguments, unknown tools and several calls, and knows its cost", async () => {
  const run = await runLive([
    new Response("Slow down", { status: 429, headers: { "retry-after": "0" } }),
    calls(["find_order", '{"order":'], ["drop_all", "{}"]),
    calls(["find_order", '{"order":"O-2"}'], ["refund", '{"order":"O-2","amount":5}']),
    said({ content: "" }),
  ]);
  assert.equal(endLine(run.ended), "completed");
  assert.deepEqual(run.events.map(eventLine), [
    "1 user: Ciao",
    "1 find_order error: invalid_arguments",
    "1 drop_all error: unknown_tool",
    '1 find_order ok: {"email":"bruno@example.test","state":"paid","total":5}',
    '1 refund ok: {"refund":"R-1"}',
    "1 assistant: ",
  ]);
  assert.deepEqual(run.usage?.cost, { amount: 0.36, currency: "EUR", billing: "metered" });
  assert.ok((run.usage?.latencyMs ?? 0) > 0);
});

Deno.test("a live run ends at the agent's time limit where the connection hangs", async () => {
  const run = await runLive([calls(["find_order", '{"order":"O-2"}']), null], 0.3);
  assert.equal(endLine(run.ended), "timeout: The agent's time limit is 0.3 s");
  assert.equal(run.events.length, 2);
});

Deno.test("a live run tells a refused key as the environment's error, without the key", async () => {
  const body = { error: { message: `Incorrect key ${KEY}` } };
  const run = await runLive([Response.json(body, { status: 401 })]);
  assert.equal(
    endLine(run.ended),
    'environment_error: Model "small" refused with status 401: Incorrect key [key]',
  );
  assert.ok(!JSON.stringify(run).includes(KEY));
});
