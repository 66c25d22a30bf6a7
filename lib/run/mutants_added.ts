/**
 * What if the agent did more than it was asked: tried what is forbidden, or wrote something that
 * nobody asked for? Attempts are made so that the tool refuses them, writes so that it accepts them;
 * both come after everything else, so that nothing but themselves is wrong.
 */
import { matchArgs, re2Of } from "../expression/args.ts";
import { compileRe2 } from "../expression/re2.ts";
import { checkArguments } from "../model/arguments.ts";
import { equalJson, isObject, type Json, type JsonObject, own, put } from "../model/json.ts";
import type { State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Script, ScriptCall } from "../model/mutation.ts";
import type { Forbidden } from "../model/scenario.ts";
import type { ToolSpec } from "../model/tool.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";
import { SHELL } from "../model/workspace_tools.ts";
import { changedArguments } from "./argument_changes.ts";
import { callTool } from "./call_tool.ts";
import { acceptedArguments } from "./likely_arguments.ts";
import type { Made, PassingRun } from "./mutants.ts";
import { sampleValues } from "./sample_values.ts";
import { callsOf, endOf, insertCalls } from "./script.ts";
import { seededNumbers } from "./seeded.ts";
import { createWorld, isBuiltIn, type World } from "./world.ts";

/** A name that no tool's input knows: it makes any call refused. */
const UNKNOWN_ARGUMENT = "not_an_argument";

/** One attempt for each forbidden call; commands and those without fitting arguments give none. */
export function forbiddenAttempts(loaded: LoadedScenario, passing: PassingRun): Made[] {
  return (loaded.scenario.expected.forbidden ?? []).flatMap((rule): Made[] => {
    const call = refusedCall(loaded, passing, rule);
    if (call === null) return [];
    const times = typeof rule === "object" && "tool" in rule ? (rule.more_than ?? 0) + 1 : 1;
    const calls = Array.from({ length: times }, () => call);
    return [{
      mutation: { kind: "forbidden_attempt", call: { ...call, nth: 0 }, times },
      script: added(passing.script, calls),
    }];
  });
}

function added(script: Script, calls: readonly ScriptCall[]): Script {
  // A script that ends with a call ends with a question: what comes after it is never called.
  const end = endOf(script);
  return insertCalls(script, end === script.length ? Math.max(0, end - 1) : end, calls);
}

function refusedCall(
  loaded: LoadedScenario,
  passing: PassingRun,
  rule: Forbidden,
): ScriptCall | null {
  if (typeof rule === "object" && "command" in rule) return null;
  const tool = typeof rule === "string" ? rule : rule.tool;
  const pattern = typeof rule === "string" ? {} : rule.args ?? {};
  const spec = Object.hasOwn(loaded.tools, tool) ? loaded.tools[tool] : undefined;
  if (spec === undefined) return null;
  const args = fittingArguments(pattern, spec, textsOf(passing, loaded.state ?? {}));
  if (args === null) return null;
  if (checkArguments(spec.input, args).length === 0) put(args, UNKNOWN_ARGUMENT, true);
  return { tool, args };
}

/** Arguments that a pattern matches, null where no text is found for one of its expressions. */
function fittingArguments(
  pattern: JsonObject,
  spec: ToolSpec,
  texts: () => readonly string[],
): JsonObject | null {
  const args: JsonObject = {};
  for (const [name, wanted] of Object.entries(pattern)) {
    const re2 = isObject(wanted) ? re2Of(wanted) : null;
    const value = re2 === null ? wanted : textFor(re2, samplesOf(spec, name, re2), texts);
    if (value === null && re2 !== null) return null;
    put(args, name, value);
  }
  return matchArgs(pattern, args) ? args : null;
}

function samplesOf(spec: ToolSpec, name: string, re2: string): Json[] {
  const properties = own(spec.input, "properties");
  const schema = isObject(properties) ? own(properties, name) ?? true : true;
  const plain = re2.replace(/^\(\?[a-z]+\)/, "");
  return [...sampleValues(schema, spec.input), ...sampleValues({ pattern: plain }, spec.input)];
}

function textFor(
  re2: string,
  samples: readonly Json[],
  texts: () => readonly string[],
): string | null {
  const compiled = compileRe2(re2);
  if (compiled.kind === "broken") return null;
  const fits = (text: Json): text is string => typeof text === "string" && compiled.test(text);
  return samples.find(fits) ?? texts().find(fits) ?? null;
}

/** Texts of the passing calls, ids of the world's records and the texts in them. */
function textsOf({ script }: PassingRun, state: State): () => string[] {
  return () =>
    [
      ...callsOf(script).flatMap(({ args }) => Object.values(args)),
      ...Object.values(state).flatMap((records) =>
        isObject(records)
          ? Object.entries(records).flatMap(([id, record]) => [
            id,
            ...(isObject(record) ? Object.values(record) : []),
          ])
          : []
      ),
    ].filter((value) => typeof value === "string");
}

/** For each writing tool calls that the passing run does not make and the tool accepts, `most` at best. */
export async function unrelatedWrites(
  loaded: LoadedScenario,
  passing: PassingRun,
  most: number,
): Promise<Made[]> {
  const world = calm({ ...createWorld(loaded), state: passing.after });
  const made: Made[] = [];
  for (const [tool, spec] of Object.entries(world.tools)) {
    if (!WRITING_EFFECTS.has(spec.effect)) continue;
    if (tool === SHELL && isBuiltIn(loaded, tool)) continue;
    for (const args of await otherArguments(world, { tool, spec, passing, most })) {
      made.push({
        mutation: { kind: "unrelated_write", call: { tool, args, nth: 0 } },
        script: added(passing.script, [{ tool, args }]),
      });
    }
  }
  return made;
}

/** Arguments that the tool accepts and that no call of the run has. */
async function otherArguments(
  world: World,
  { tool, spec, passing, most }: {
    readonly tool: string;
    readonly spec: ToolSpec;
    readonly passing: PassingRun;
    readonly most: number;
  },
): Promise<JsonObject[]> {
  const known = callsOf(passing.script).filter((call) => call.tool === tool)
    .map(({ args }) => args);
  const [first] = known;
  const likely = first ?? await acceptedArguments(world, tool);
  const numbers = seededNumbers(`${world.loaded.scenario.id}/${tool}`);
  const changes = changedArguments(likely, {
    spec,
    state: world.state,
    numbers,
    most: Math.max(3, most),
    otherText: "x",
  });
  const found: JsonObject[] = [];
  for (const args of [likely, ...changes.map((change) => change.args)]) {
    if (found.length >= most) break;
    if ([...known, ...found].some((one) => equalJson(one, args))) continue;
    if (checkArguments(spec.input, args).length > 0) continue;
    const { answer } = await callTool(world, { id: "try", tool, args, argsText: "" });
    if (answer.kind === "ok") found.push(args);
  }
  return found;
}

/** The same world where everything is approved and nothing disturbed: what the tools themselves accept. */
function calm(world: World): World {
  const { loaded } = world;
  const setup = { ...loaded.scenario.setup, faults: [], approvals: { default: "grant" as const } };
  return { ...world, loaded: { ...loaded, scenario: { ...loaded.scenario, setup } } };
}
