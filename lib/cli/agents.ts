/**
 * Who is judged? Resolves the agent of a scenario (`--agent`, the scenario's own, the
 * configuration's) to what the runner needs, and the model behind it: a recording or an interface.
 * Refuses names that do not exist.
 */
import type { LoadedRecording, LoadedScenario } from "../model/loaded.ts";
import type { AgentConfig, LoopAgentConfig, ModelConfig } from "../model/config.ts";
import type { Model } from "../model/ports.ts";
import { join, type Session } from "./session.ts";

/** An agent that can be run here. */
export interface ChosenAgent {
  readonly name: string;
  readonly config: AgentConfig;
  /** Text of its system prompt file. */
  readonly system: string | null;
  readonly modelName: string | null;
  readonly model: ModelConfig | null;
}

/** What was wrong with a choice, and the fix. */
export interface Refusal {
  readonly what: string;
  readonly fix: string;
}

const PLAIN: LoopAgentConfig = { kind: "loop", model: "", calls_max: 50, timeout_s: 120 };

/** Resolves the agents of the scenarios, each once. */
export async function chooseAgents(
  session: Session,
  scenarios: readonly LoadedScenario[],
  wanted: string | null,
): Promise<ReadonlyMap<string, ChosenAgent> | Refusal> {
  const chosen = new Map<string, ChosenAgent>();
  const names = new Map<string, string | null>();
  for (const { scenario } of scenarios) {
    names.set(scenario.id, wanted ?? scenario.agent ?? session.project.config.agent ?? null);
  }
  const byName = new Map<string | null, ChosenAgent | Refusal>();
  for (const [id, name] of names) {
    const agent = byName.get(name) ?? await chooseAgent(session, name);
    byName.set(name, agent);
    if ("what" in agent) return agent;
    chosen.set(id, agent);
  }
  return chosen;
}

async function chooseAgent(session: Session, name: string | null): Promise<ChosenAgent | Refusal> {
  if (name === null) {
    return { name: "loop", config: PLAIN, system: null, modelName: null, model: null };
  }
  const { agents, models } = session.project.config;
  const config = Object.hasOwn(agents, name) ? agents[name] : undefined;
  if (config === undefined) {
    const known = Object.keys(agents).map((agent) => `"${agent}"`).join(", ") || "none";
    return {
      what: `Unknown agent "${name}": collaudo.yaml has ${known}`,
      fix: "name one of those",
    };
  }
  if (config.kind === "http") {
    return { name, config, system: null, modelName: config.model ?? null, model: null };
  }
  const model = models[config.model ?? ""] ?? null;
  if (config.kind === "command") {
    return { name, config, system: null, modelName: model?.name ?? null, model };
  }
  const system = config.system === undefined
    ? null
    : await session.io.files.readText(join(session.project.root, config.system));
  return { name, config, system, modelName: model?.name ?? null, model };
}

/** The recording to play: the wanted one where the scenario has it, else `pass`; null where neither. */
export function chooseRecording(
  loaded: LoadedScenario,
  wanted: string | null,
): LoadedRecording | null {
  const named = (name: string) => loaded.recordings.find((each) => each.name === name) ?? null;
  return (wanted === null ? null : named(wanted)) ?? named("pass");
}

/** The address and key of a model from the environment, or why it cannot be reached. */
export function reachModel(
  session: Session,
  model: ModelConfig,
): { readonly baseUrl: string; readonly key: string | null } | Refusal {
  const baseUrl = typeof model.base_url === "string"
    ? model.base_url
    : session.io.env(model.base_url.env);
  if (baseUrl === undefined || baseUrl === "") {
    const name = typeof model.base_url === "string" ? "" : model.base_url.env;
    return {
      what: `Model "${model.name}" has no address: ${name} is not set`,
      fix: `set ${name}, or run in replay`,
    };
  }
  if (model.key === undefined) return { baseUrl, key: null };
  const key = session.io.env(model.key.env);
  if (key === undefined || key === "") {
    return {
      what: `Model "${model.name}" has no key: ${model.key.env} is not set`,
      fix: `set ${model.key.env} in the environment`,
    };
  }
  return { baseUrl, key };
}

/** A model that answers no request: what a replay without a recording plays. */
export const NO_RECORDING: Model = {
  complete: () => Promise.resolve({ kind: "stale", why: "no recording to replay" }),
  leftOver: () => null,
};
