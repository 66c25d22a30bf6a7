/**
 * What else is wrong around a scenario that cannot be used? Its id, the files that it names, and,
 * where only unknown keys are wrong, the names, paths and expressions of the rest: so that all is
 * told in one go. What follows from the missing part alone is not judged.
 */
import type { Config } from "../model/config.ts";
import { isObject, type Json, own } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import { type ScenarioFile, scenarioFile, setup } from "../model/scenario.ts";
import { checkExpressions } from "./check_expressions.ts";
import { checkNames } from "./check_names.ts";
import { checkPaths } from "./check_paths.ts";
import { checkId } from "./check_setup.ts";
import { Checker } from "./checker.ts";
import { resolveScenario } from "./resolve.ts";
import type { SourceFile } from "./source.ts";
import type { ToolsReader } from "./tools.ts";
import type { WorldReader } from "./world.ts";

/** A scenario's file that is no scenario; `source` null: it is not even YAML. */
export interface PartialScenario {
  readonly file: string;
  readonly suite: string;
  readonly source: SourceFile | null;
}

/** Problems of such a scenario besides those of its shape. */
export async function partialProblems(
  readers: { readonly tools: ToolsReader; readonly worlds: WorldReader; readonly config: Config },
  partial: PartialScenario,
): Promise<Problem[]> {
  const { suite } = partial;
  const source = partial.source ?? blank(partial.file);
  const value = isObject(source.value) ? source.value : {};
  const checker = new Checker(source);
  const id = own(value, "id");
  if (typeof id === "string" && scenarioFile.shape.id.safeParse(id).success) checkId(checker, id);
  const named = namedFiles(own(value, "setup") ?? null);
  const tools = await readers.tools.tools(source, suite, named.tools);
  const world = await readers.worlds.world(source, named);
  const problems = [...checker.problems, ...tools.problems, ...world.problems];
  const written = withoutUnknownKeys(value);
  if (written === null) return problems;
  const { scenario } = resolveScenario(written, {
    source,
    suite,
    clock: readers.config.clock,
    toolsFiles: tools.files,
    toolNames: Object.keys(tools.tools),
  });
  const input = {
    source,
    suite,
    written,
    scenario,
    tools: tools.tools,
    toolsComplete: tools.complete,
    state: world.state,
    recordings: [],
    config: readers.config,
  };
  const rest = new Checker(source);
  checkNames(rest, input);
  checkPaths(rest, input);
  return [...problems, ...rest.problems, ...await checkExpressions(input)];
}

function blank(file: string): SourceFile {
  return { file, text: "", value: null, key: () => null, at: () => null };
}

/** What of `setup` names files, as far as it has the right form. */
function namedFiles(value: Json): NonNullable<ScenarioFile["setup"]> {
  const whole = setup.safeParse(value);
  if (whole.success) return whole.data;
  const parts = setup.pick({ state: true, tools: true, workspace: true, fixtures: true });
  const found: Record<string, unknown> = {};
  for (const key of Object.keys(parts.shape) as (keyof typeof parts.shape)[]) {
    const part = isObject(value) ? own(value, key) : undefined;
    const parsed = parts.shape[key].safeParse(part);
    if (part !== undefined && parsed.success) found[key] = parsed.data;
  }
  return parts.parse(found);
}

/** The scenario without the keys that it does not know, null where more than these is wrong. */
function withoutUnknownKeys(value: Json): ScenarioFile | null {
  const copy: Json = structuredClone(value);
  const issues = scenarioFile.safeParse(copy).error?.issues ?? [];
  for (const issue of issues) {
    if (issue.code !== "unrecognized_keys") return null;
    let group: Json | undefined = copy;
    for (const part of issue.path) group = stepInto(group, part);
    if (!isObject(group ?? null)) return null;
    for (const key of issue.keys) delete (group as Record<string, Json>)[key];
  }
  return scenarioFile.safeParse(copy).data ?? null;
}

function stepInto(value: Json | undefined, part: PropertyKey): Json | undefined {
  if (Array.isArray(value)) return value[Number(part)];
  return isObject(value ?? null) ? own(value as Record<string, Json>, String(part)) : undefined;
}
