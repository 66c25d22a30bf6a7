/**
 * Who is the real model of a live run that may reach nobody? A program that plays a recording on
 * loopback over every interface, while it runs a command line that finds it in `UPSTREAM`. In: the
 * turns of the recording and what the user says, as JSON, then the command line. Out: its exit code.
 */
import { serveHttp } from "../../lib/io/http_server.ts";
import type { LoadedScenario } from "../../lib/model/loaded.ts";
import { recordingFile } from "../../lib/model/recording.ts";
import { modelService } from "../../lib/run/model_service.ts";
import { replayModel } from "../../lib/run/replay_model.ts";
import { MODEL_APIS } from "../../lib/wire/api/apis.ts";

const [turns = "", user = "", program = "", ...args] = Deno.args;
const recording = recordingFile.parse({ origin: "handmade", turns: JSON.parse(turns) });
const loaded = { tools: {} } as LoadedScenario;
const { handle } = modelService({
  apis: MODEL_APIS,
  model: replayModel({ name: "played", file: "", recording }, loaded),
  workspace: "/nowhere/work",
  home: "/nowhere/home",
  said: () => [user],
});
const server = await serveHttp(handle);
const child = new Deno.Command(program, { args, env: { UPSTREAM: `${server.url}/v1` } }).spawn();
const { code } = await child.status;
await server.close();
Deno.exit(code);
