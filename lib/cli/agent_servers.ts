/**
 * Which servers does an agent's program find? A model that answers from the recording, or hands its
 * requests on to the configured one, and the scenario's tools. In: a trial and its folder. Out: their
 * addresses. The tools come later than their address: the agent's files, which hold it, are part of
 * the state before.
 */
import type { CommandAgentConfig } from "../model/config.ts";
import { type Placeholder, uses } from "../model/agent_placeholders.ts";
import type { Model } from "../model/ports.ts";
import type { Listening, ToolHandler } from "../model/serving.ts";
import type { LiveModel } from "../run/model_forward.ts";
import { type ModelService, modelService } from "../run/model_service.ts";
import { replayModel } from "../run/replay_model.ts";
import { MODEL_APIS } from "../wire/api/apis.ts";
import type { RunFolder } from "./agent_folder.ts";
import type { CommandPlay } from "./agent_play.ts";
import { NO_RECORDING, reachModel } from "./agents.ts";
import { join, type Session } from "./session.ts";

/** What an entry has a use for. */
export interface AgentNeeds {
  readonly model: boolean;
  readonly tools: boolean;
}

/** The servers of one run. */
export interface AgentServers {
  readonly needs: AgentNeeds;
  readonly modelUrl: string;
  readonly toolsUrl: string;
  readonly models: ModelService;
  /** From now on this is done before the model answers. */
  beforeAnswers(look: () => Promise<void>): void;
  /** From now on these tools answer. */
  bind(tools: ToolHandler): void;
  close(): Promise<void>;
}

/** Starts both servers; `said`: what the user said so far. */
export async function openServers(
  play: CommandPlay,
  { folder, said }: { readonly folder: RunFolder; readonly said: () => readonly string[] },
): Promise<AgentServers> {
  const { session } = play;
  const { io } = session;
  const models = modelsOf(play, { folder, said });
  const late = lateTools();
  const open: Listening[] = [];
  let look = () => Promise.resolve();
  try {
    const model = await io.servers.serve(async (request) => {
      if (request.method === "POST") await look();
      return await models.handle(request);
    });
    open.push(model);
    const tools = await io.servers.serveTools(late.handler);
    open.push(tools);
    return {
      needs: await needsOf(session, play.agent.config),
      modelUrl: model.url,
      toolsUrl: tools.url,
      models,
      beforeAnswers: (before) => {
        look = before;
      },
      bind: late.bind,
      close: () => closeAll(open),
    };
  } catch (error) {
    await closeAll(open);
    throw error;
  }
}

async function closeAll(open: readonly Listening[]): Promise<void> {
  for (const each of open) await each.close();
}

function modelsOf(
  play: CommandPlay,
  { folder, said }: { readonly folder: RunFolder; readonly said: () => readonly string[] },
): ModelService {
  const { work: workspace, home } = folder;
  const model = play.mode === "live" ? liveModel(play) : recordedModel(play);
  return modelService({ apis: MODEL_APIS, model, workspace, home, said });
}

function recordedModel({ recording, loaded, agent }: CommandPlay): Model {
  return recording === null ? NO_RECORDING : replayModel(recording, loaded, agent.model ?? {});
}

/** The real model of the agent's entry; one without a model asks its own, and ours answers nothing. */
function liveModel({ session, agent: { model: config } }: CommandPlay): Model | LiveModel {
  if (config === null) return NO_RECORDING;
  const reached = reachModel(session, config);
  if ("what" in reached) throw new Error(reached.what);
  const { upstream, clock } = session.io;
  return { upstream, clock, config, ...reached };
}

function lateTools(): { readonly handler: ToolHandler; bind(tools: ToolHandler): void } {
  let bound: ToolHandler | null = null;
  return {
    handler: {
      list: () => bound?.list() ?? [],
      saw: (method, params) => bound?.saw(method, params),
      call: (tool, args, about) =>
        bound?.call(tool, args, about) ??
          Promise.resolve({ kind: "protocol_error", code: -32000, message: "Not ready" }),
    },
    bind: (tools) => {
      bound = tools;
    },
  };
}

const OF_MODEL: readonly Placeholder[] = ["model_url"];
const OF_TOOLS: readonly Placeholder[] = ["mcp_url", "mcp_config"];

/** Which of our servers an entry names, in its words or in the files that are laid for it. */
export async function needsOf(
  { io, project }: Pick<Session, "io" | "project">,
  { argv, resume = [], env = {}, files = {} }: CommandAgentConfig,
): Promise<AgentNeeds> {
  const texts = [...argv, ...resume];
  for (const value of Object.values(env)) if (typeof value === "string") texts.push(value);
  for (const file of Object.values(files)) {
    texts.push(await io.files.readText(join(project.root, file)).catch(() => ""));
  }
  const has = (words: readonly Placeholder[]) => texts.some((text) => uses(text, words));
  return { model: has(OF_MODEL), tools: has(OF_TOOLS) };
}
