/**
 * What do commands load that they may have loaded before? Project, scenarios, gate and baseline, each
 * from memory where the session has one that holds. The code that reads and checks files is large,
 * and loaded only where something must be read.
 */
import type { LoadedScenarios, Selection } from "../load/scenarios.ts";
import type { Baseline } from "../model/baseline.ts";
import type { Gate } from "../model/gate.ts";
import type { Json, JsonObject, State } from "../model/json.ts";
import type { LoadedScenario, Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import type { Problem } from "../model/problem.ts";
import type { ToolSet } from "../model/tool.ts";
import { type Codec, type Memory, remembered } from "./remembered.ts";

/** Where a session loads from. */
export interface Source {
  readonly files: Files;
  readonly project: Project;
  readonly memory: Memory | null;
}

/** The project that a folder lies in. */
export async function loadProject(
  files: Files,
  cwd: string,
  memory: Memory | null,
): Promise<{ readonly project: Project | null; readonly problems: readonly Problem[] }> {
  const load = async (files: Files) => {
    const { project, problems } = await (await import("../load/project.ts")).findProject(
      files,
      cwd,
    );
    return { project, problems };
  };
  if (memory === null) return await load(files);
  return await remembered(memory, { question: ["project", cwd], codec: asItIs(), load });
}

/** A load of scenarios without the texts of the files. */
export type KnownScenarios = Omit<LoadedScenarios, "sources">;

/** The selected scenarios of the project. */
export async function loadSelected(
  { files, project, memory }: Source,
  selection: Selection,
): Promise<KnownScenarios> {
  const load = async (files: Files) => {
    const { loadScenarios } = await import("../load/scenarios.ts");
    const { scenarios, all, problems } = await loadScenarios(files, project, selection);
    return { scenarios, all, problems };
  };
  const { sound, ...asked } = selection;
  if (memory === null || sound !== undefined) return await load(files);
  const question = ["scenarios", json(project), json(asked)];
  return await remembered(memory, { question, codec: SCENARIOS, load });
}

/** The gate at a path. */
export async function loadGateAt(
  { files, project, memory }: Source,
  path: string,
): Promise<
  { readonly gate: Gate | null; readonly hash: string; readonly problems: readonly Problem[] }
> {
  const load = async (files: Files) => {
    const { loadGate } = await import("../load/gate.ts");
    const { gate, hash, problems } = await loadGate(files, project, path);
    return { gate, hash, problems };
  };
  if (memory === null) return await load(files);
  return await remembered(memory, {
    question: ["gate", json(project), path],
    codec: asItIs(),
    load,
  });
}

/** The baseline at a path. */
export async function loadBaselineAt(
  { files, project, memory }: Source,
  path: string,
): Promise<{ readonly baseline: Baseline | null; readonly problems: readonly Problem[] }> {
  const load = async (files: Files) => {
    const { loadBaseline } = await import("../load/baseline.ts");
    const { baseline, problems } = await loadBaseline(files, project, path);
    return { baseline, problems };
  };
  if (memory === null) return await load(files);
  return await remembered(memory, {
    question: ["baseline", json(project), path],
    codec: asItIs(),
    load,
  });
}

function json(value: unknown): Json {
  return value as Json;
}

function asItIs<T>(): Codec<T> {
  return { write: json, read: (value) => value as T };
}

/** Scenarios with their tools and collections by number: many scenarios share them. */
interface Written {
  readonly shared: readonly Json[];
  readonly scenarios: readonly {
    readonly loaded: JsonObject;
    readonly tools: number;
    /** Collections by name, null where there is no world. */
    readonly state: readonly (readonly [string, number])[] | null;
  }[];
  readonly rest: Json;
}

/** What was one object stays one: it is hashed and compiled once. */
const SCENARIOS: Codec<KnownScenarios> = {
  write({ scenarios, ...rest }) {
    const numbers = new Map<unknown, number>();
    const shared: Json[] = [];
    const numberOf = (value: unknown) => {
      const known = numbers.get(value) ?? shared.push(json(value)) - 1;
      numbers.set(value, known);
      return known;
    };
    const written: Written = {
      scenarios: scenarios.map(({ tools, state, ...loaded }) => ({
        loaded: json(loaded) as JsonObject,
        tools: numberOf(tools),
        state: state === null
          ? null
          : Object.entries(state).map(([name, records]) => [name, numberOf(records)] as const),
      })),
      shared,
      rest: json(rest),
    };
    return json(written);
  },
  read(value) {
    const { shared, scenarios, rest } = value as unknown as Written;
    const states = new Map<string, State>();
    const at = (number: number) => {
      const found = shared[number];
      if (found === undefined) throw new Error(`Nothing is shared under ${number}`);
      return found;
    };
    const stateOf = (names: readonly (readonly [string, number])[]) => {
      const key = JSON.stringify(names);
      const state = states.get(key) ??
        Object.fromEntries(names.map(([name, number]) => [name, at(number)]));
      states.set(key, state);
      return state;
    };
    return {
      ...rest as unknown as Pick<KnownScenarios, "all" | "problems">,
      scenarios: scenarios.map(({ loaded, tools, state }) => ({
        ...loaded as unknown as Omit<LoadedScenario, "tools" | "state">,
        tools: at(tools) as unknown as ToolSet,
        state: state === null ? null : stateOf(state),
      })),
    };
  },
};
