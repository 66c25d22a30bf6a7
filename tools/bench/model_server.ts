/**
 * What does the model server cost on each call of a model? Times the same request of an agent's
 * program against a server on loopback that gives back ready bytes, and against the model server that
 * replays a recording, in turns. The request is as large as real programs': a long system prompt, many
 * tools, a conversation with many results.
 */
import { serveHttp } from "../../lib/io/http_server.ts";
import type { ModelApiName } from "../../lib/model/model_api.ts";
import type { LoadedScenario } from "../../lib/model/loaded.ts";
import { type RecordedTurn, recordingFile } from "../../lib/model/recording.ts";
import { modelService } from "../../lib/run/model_service.ts";
import { replayModel } from "../../lib/run/replay_model.ts";
import { MODEL_APIS } from "../../lib/wire/api/apis.ts";
import { requestOf, type Told } from "../../lib/wire/api/test_client.ts";
import { median } from "./measure.ts";

const CALLS = 20;
const WARM = 30;
const TIMES = 300;
const SAID = "Make the tests pass";
const SETTINGS = {
  system: "You work in /run/a/work and follow these rules.\n".repeat(500),
  tools: Array.from({ length: 40 }, (_, i) => ({
    name: i === 0 ? "bash" : `tool_${i}`,
    description: "Does one thing in the workspace, and says what it did. ".repeat(20),
    input: { type: "object", properties: { command: { type: "string" } } },
  })),
  stream: true,
};

/** Median milliseconds that the model server adds to one call, and the size of the request in kB. */
export async function serverCost(name: ModelApiName): Promise<{ addedMs: number; kB: number }> {
  const service = modelService({
    apis: MODEL_APIS,
    model: replayModel(recordingOf(), { tools: {} } as LoadedScenario),
    workspace: "/run/a/work",
    home: "/run/a/home",
    said: () => [SAID],
  });
  const request = requestOf(name, conversation(), SETTINGS);
  const given = await service.handle(request);
  if (given.status !== 200) throw new Error(`The model server missed: ${given.body}`);
  const [direct, served] = [
    await serveHttp(() => Promise.resolve(given)),
    await serveHttp(service.handle),
  ];
  const times: Record<string, number[]> = { direct: [], served: [] };
  for (let n = 0; n < WARM + TIMES; n++) {
    for (const [kind, { url }] of Object.entries({ direct, served })) {
      const start = performance.now();
      const answer = await fetch(url + request.path, { method: "POST", body: request.body });
      await answer.text();
      if (n >= WARM) times[kind]?.push(performance.now() - start);
    }
  }
  await direct.close();
  await served.close();
  const addedMs = median(times.served ?? []) - median(times.direct ?? []);
  return { addedMs, kB: Math.round(request.body.length / 1000) };
}

function recordingOf() {
  const turns: RecordedTurn[] = Array.from({ length: CALLS }, (_, i) => ({
    calls: [{ tool: "shell", args: { command: `ls ${i}` } }],
  }));
  const recording = recordingFile.parse({ origin: "handmade", turns: [...turns, { say: "Done" }] });
  return { name: "pass", file: "pass.yaml", recording };
}

function conversation(): Told[] {
  const output = "a line of output in /run/a/work/src\n".repeat(60);
  const turns = Array.from({ length: CALLS }, (_, i): Told[] => [
    { assistant: "", calls: [{ id: `a${i}`, tool: "bash", args: `{"command":"ls ${i}"}` }] },
    { id: `a${i}`, tool: "bash", result: output },
  ]);
  return [{ user: SAID }, ...turns.flat()];
}
