/**
 * What does the agent's world hold, and which tools reach into it? A world is a value: each call
 * gives the next one, so that a call can be tried on it without anything having happened.
 */
import type { State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { ModelTool } from "../model/ports.ts";
import { type ToolSet, type ToolSpec } from "../model/tool.ts";
import { WORKSPACE_TOOLS } from "../model/workspace_tools.ts";
import type { ApprovalUses } from "./approvals.ts";

/** A simulated world between two calls. */
export interface World {
  readonly loaded: LoadedScenario;
  /** The tools that the agent may call, built-in ones included. */
  readonly tools: ToolSet;
  readonly state: State;
  /** Calls of each tool that passed input check and approval: what faults count. */
  readonly passed: Readonly<Record<string, number>>;
  readonly approvalUses: ApprovalUses;
}

/** The world as the scenario finds it: its state, its available tools, nothing called yet. */
export function createWorld(loaded: LoadedScenario): World {
  return {
    loaded,
    tools: availableTools(loaded),
    state: loaded.state ?? {},
    passed: {},
    approvalUses: {},
  };
}

/** True for a tool that comes with every workspace and that no tools file describes. */
export function isBuiltIn(loaded: LoadedScenario, tool: string): boolean {
  return loaded.scenario.setup.workspace !== undefined && Object.hasOwn(WORKSPACE_TOOLS, tool) &&
    !Object.hasOwn(loaded.tools, tool);
}

/** What a tools file or a built-in says of a tool, available or not; undefined for unknown ones. */
export function findTool(world: World, tool: string): ToolSpec | undefined {
  if (Object.hasOwn(world.tools, tool)) return world.tools[tool];
  return Object.hasOwn(world.loaded.tools, tool) ? world.loaded.tools[tool] : undefined;
}

/** The available tools as a model is told of them, in the scenario's order. */
export function modelTools(world: World): ModelTool[] {
  return Object.entries(world.tools).map(([name, { description, input }]) => ({
    name,
    description,
    input,
  }));
}

function availableTools(loaded: LoadedScenario): ToolSet {
  const names = loaded.scenario.setup.available_tools;
  const tools: Record<string, ToolSpec> = {};
  for (const name of names) {
    const spec = Object.hasOwn(loaded.tools, name) ? loaded.tools[name] : undefined;
    if (spec !== undefined) tools[name] = spec;
  }
  for (const [name, spec] of Object.entries(WORKSPACE_TOOLS)) {
    if (isBuiltIn(loaded, name)) tools[name] = spec;
  }
  return tools;
}
