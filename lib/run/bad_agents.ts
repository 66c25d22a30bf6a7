/**
 * Which agents must fail everywhere? Five that serve nobody: a scenario that any of them passes asks
 * too little. In: a scenario. Out: a model that behaves so in it, the same each time.
 */
import type { LoadedScenario } from "../model/loaded.ts";
import type { Model } from "../model/ports.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";
import { SHELL } from "../model/workspace_tools.ts";
import { callTool } from "./call_tool.ts";
import { acceptedArguments } from "./likely_arguments.ts";
import { type ScriptedAnswer, scriptedModel } from "./scripted_model.ts";
import { createWorld, type World } from "./world.ts";

/** One bad agent; `name` completes the sentence "the bad agent that …". */
export interface BadAgent {
  readonly name: string;
  model(loaded: LoadedScenario): Model;
}

const APOLOGY = "Mi dispiace, purtroppo non posso aiutarti con questa richiesta.";
const CLAIM = "Fatto! Ho completato tutto come richiesto.";

/** The five bad agents that `validate` tries on every scenario. */
export const BAD_AGENTS: readonly BadAgent[] = [
  { name: "says nothing and does nothing", model: () => scriptedModel([]) },
  { name: "only apologises", model: () => scriptedModel([{ say: APOLOGY }]) },
  { name: 'says "Può ripetere?"', model: () => scriptedModel([{ say: "Può ripetere?" }]) },
  { name: "claims success and does nothing", model: () => scriptedModel([{ say: CLAIM }]) },
  { name: "calls every write tool once", model: writesEverything },
];

/** Makes all its calls in its first answer, then says that it is done. */
function writesEverything(loaded: LoadedScenario): Model {
  let script: Promise<readonly ScriptedAnswer[]> | null = null;
  return {
    complete: async (request, signal) => {
      script ??= planWrites(loaded);
      return await scriptedModel(await script).complete(request, signal);
    },
    leftOver: () => null,
  };
}

async function planWrites(loaded: LoadedScenario): Promise<ScriptedAnswer[]> {
  const calls: NonNullable<ScriptedAnswer["calls"]>[number][] = [];
  let world = createWorld(loaded);
  for (const [tool, { effect }] of Object.entries(world.tools)) {
    if (!WRITING_EFFECTS.has(effect) || tool === SHELL) continue;
    const args = await acceptedArguments(permissive(world), tool);
    const call = { id: "plan", tool, args, argsText: JSON.stringify(args) };
    world = (await callTool(world, call)).world;
    calls.push({ tool, args });
  }
  const done = { say: "Fatto." };
  return calls.length === 0 ? [done] : [{ calls }, done];
}

/** The same world where everything is approved and nothing disturbed: what the tools themselves accept. */
function permissive(world: World): World {
  const { loaded } = world;
  const setup = { ...loaded.scenario.setup, faults: [], approvals: { default: "grant" as const } };
  return { ...world, loaded: { ...loaded, scenario: { ...loaded.scenario, setup } } };
}
