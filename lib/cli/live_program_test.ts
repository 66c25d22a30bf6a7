/**
 * Does a live run keep its word? The whole program in a process of its own against a loopback server
 * that speaks Chat Completions: retries, odd answers, time limits, costs, and the key in no output.
 */
import { deepEqual, equal, ok } from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Report } from "../model/report.ts";
import type { RunFile } from "../model/run.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const KEY = "plain-words-that-open-the-door-9317";
type Reply = (request: Request) => Response | Promise<Response>;

/** An answer of the model: a text, or calls as tool and argument text. */
function answer(content: string, calls: readonly [string, string][] = []): Reply {
  const tool_calls = calls.map(([name, args], i) => ({
    id: `call_${i}`,
    type: "function",
    function: { name, arguments: args },
  }));
  const message = {
    role: "assistant",
    content: content === "" ? null : content,
    ...(calls.length === 0 ? {} : { tool_calls }),
  };
  return () =>
    Response.json({
      model: "tiny-1",
      choices: [{ index: 0, finish_reason: calls.length > 0 ? "tool_calls" : "stop", message }],
      usage: { prompt_tokens: 1000, completion_tokens: 100 },
    });
}

const status = (code: number, headers: Record<string, string> = {}): Reply => () =>
  new Response(`{"error":{"message":"no, ${KEY} is not welcome"}}`, { status: code, headers });
const LIST = answer("", [["list_lights", "{}"]]);
const SET = answer("", [["set_light", '{"light":"kitchen","on":true}']]);
const DONE = answer("The kitchen light is on.");

/** Far slower than any time limit here; ends with its connection, so that nothing is left behind. */
const slow: Reply = (request) =>
  new Promise((resolve) => {
    const late = setTimeout(() => resolve(new Response("{}")), 20_000);
    request.signal.addEventListener("abort", () => {
      clearTimeout(late);
      resolve(new Response("{}"));
    });
  });

interface Played {
  readonly code: number;
  readonly report: Report;
  readonly run: RunFile;
  readonly output: string;
  readonly requests: number;
  readonly authorised: boolean;
  readonly seconds: number;
}

/** Plays `light-on` live against a server that gives these replies in order, the last one for ever. */
async function playLive(
  replies: readonly Reply[],
  timeoutS = 5,
  more: readonly string[] = [],
): Promise<Played> {
  const folder = await Deno.makeTempDir({ prefix: "collaudo live " });
  let requests = 0;
  let authorised = true;
  const ending = new AbortController();
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: ending.signal };
  const server = Deno.serve(options, (request) => {
    authorised &&= request.headers.get("authorization") === `Bearer ${KEY}`;
    const reply = replies[Math.min(requests++, replies.length - 1)];
    return reply === undefined ? new Response(null, { status: 500 }) : reply(request);
  });
  try {
    await copyProject(folder, timeoutS);
    const startedMs = performance.now();
    const child = await runProgram(folder, `http://127.0.0.1:${server.addr.port}/v1`, more);
    const seconds = (performance.now() - startedMs) / 1000;
    const names = ["report.json", "runs/light-on-1.json", "report.md", "junit.xml"];
    const texts = await Promise.all(
      names.map((name) => Deno.readTextFile(join(folder, "out", name))),
    );
    return {
      code: child.code,
      report: JSON.parse(texts[0] ?? ""),
      run: JSON.parse(texts[1] ?? ""),
      output: [...texts, child.text].join("\n"),
      requests,
      authorised,
      seconds,
    };
  } finally {
    ending.abort();
    await server.finished;
    await Deno.remove(folder, { recursive: true });
  }
}

async function runProgram(
  cwd: string,
  url: string,
  more: readonly string[],
): Promise<{ code: number; text: string }> {
  const main = join(ROOT, "main.ts");
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-prompt",
      main,
      "--mode=live",
      "--only=light-on",
      "--out=out",
      ...more,
    ],
    cwd,
    env: { INIT_CWD: "", LLM_BASE_URL: url, LLM_API_KEY: KEY },
    stdin: "null",
  }).output();
  return { code, text: [stdout, stderr].map((each) => new TextDecoder().decode(each)).join("\n") };
}

async function copyProject(folder: string, timeoutS: number): Promise<void> {
  const from = join(ROOT, "testdata/cli/projects/lights");
  const names = [
    "collaudo.yaml",
    "gates/release.yaml",
    "fixtures/home/state.json",
    "fixtures/home/tools.yaml",
    "scenarios/home/light-on.yaml",
    "fixtures/recordings/light-on/pass.yaml",
  ];
  for (const name of names) {
    const text = await Deno.readTextFile(join(from, name));
    await Deno.mkdir(join(folder, name, ".."), { recursive: true });
    const limited = text.replace("timeout_s: 5", `timeout_s: ${timeoutS}`);
    await Deno.writeTextFile(join(folder, name), limited);
  }
}

function verdictOf(played: Played): string | undefined {
  return played.report.scenarios[0]?.verdict;
}

Deno.test("live program passes, with cost from usage and price and the key in no output", async () => {
  const played = await playLive([LIST, SET, DONE]);
  equal(verdictOf(played), "passed");
  equal(played.report.decision.evidence, "live");
  equal(played.report.decision.verdict, "not_enough_evidence", "there is no baseline");
  equal(played.code, 0);
  ok(played.authorised);
  equal(played.requests, 3);
  const usage = played.report.scenarios[0]?.usage;
  ok(Math.abs((usage?.costEur ?? 0) - (3000 * 1 + 300 * 2) / 1e6) < 1e-9);
  equal(usage?.costUsd, null);
  ok((usage?.latencyMs ?? -1) >= 0);
  ok(!played.output.includes(KEY));
});

Deno.test("live program retries 429 and 5xx within limits and tells what it was told", async () => {
  const wait = { "retry-after": "1" };
  const patient = await playLive([status(429, wait), LIST, status(503), SET, DONE]);
  equal(verdictOf(patient), "passed");
  equal(patient.requests, 5);
  ok(patient.seconds > 1, "Retry-After was honoured");
  const broken = await playLive([status(500)]);
  equal(verdictOf(broken), "errored");
  equal(broken.requests, 3, "one try and two retries");
  equal(broken.report.scenarios[0]?.trials[0]?.ended, "environment_error");
  const refused = await playLive([status(401)]);
  equal(refused.requests, 1, "other 4xx fail at once");
  ok(!`${broken.output}${refused.output}`.includes(KEY));
});

Deno.test("live program gives the model clear errors for malformed arguments and unknown tools", async () => {
  const played = await playLive([
    answer("", [["set_light", '{"light":"kitchen","on":tr']]),
    answer("", [["switch_light", "{}"]]),
    answer("", [["list_lights", "{}"], ["set_light", '{"light":"kitchen","on":true}']]),
    DONE,
  ]);
  equal(verdictOf(played), "passed");
  const calls = played.run.events.filter((event) => event.kind === "call");
  deepEqual(calls.map((call) => [call.tool, call.status]), [
    ["set_light", "error"],
    ["switch_light", "error"],
    ["list_lights", "ok"],
    ["set_light", "ok"],
  ]);
});

Deno.test("live program fails an empty answer and ends a hung connection by the time limit", async () => {
  const silent = await playLive([answer("")]);
  equal(verdictOf(silent), "failed");
  const hung = await playLive([slow], 0.3);
  equal(verdictOf(hung), "errored");
  equal(hung.report.decision.verdict, "error");
  equal(hung.code, 3);
  ok(hung.seconds < 15);
});

Deno.test("live program keeps its trials apart, counts a scenario once and says what could hide", async () => {
  const played = await playLive([LIST, SET, DONE, LIST, answer("Done."), LIST, SET, DONE], 5, [
    "--trials=3",
  ]);
  equal(verdictOf(played), "failed");
  deepEqual(played.report.scenarios[0]?.trials.map(({ verdict }) => verdict), [
    "passed",
    "failed",
    "passed",
  ]);
  const { overall, scenarios, drops } = played.report.statistics ?? {};
  equal(overall?.scenarios, 1);
  equal(overall?.k, 3);
  ok(Math.abs((scenarios?.["light-on"]?.success ?? 0) - 2 / 3) < 1e-12);
  equal(scenarios?.["light-on"]?.passHatK, 0);
  equal(scenarios?.["light-on"]?.passAtK, 1);
  deepEqual(drops, []);
  ok(played.output.includes("Nothing was compared: it could hide a drop of any size"));
  ok(played.report.versions["order"] !== undefined);
});
