/**
 * How are the recorded airline runs judged here? Turns the published cases (one a line: messages,
 * calls, states, the authors' plan) and their tool list into a whole project: configuration, gate,
 * tools, one scenario a task and one run line a trial, ready for `grade`. Scenarios come from the
 * plan alone, never from what an agent did or how it was rated; cases of one task that ask for
 * different things are refused.
 */
import { formatPath } from "../lib/model/state_path.ts";
import { equalJson, isObject, type Json, type JsonObject, own, put } from "../lib/model/json.ts";
import type { State } from "../lib/model/json.ts";
import {
  type AirlineCase,
  type AirlineTask,
  type AirlineTool,
  parseCases,
  scenarioId,
} from "./airline_case.ts";
import { runLines } from "./airline_runs.ts";

const IRREVERSIBLE = new Set(["cancel_reservation", "send_certificate"]);

const CONFIGURATION = `locale: en
zone: America/New_York
currency: USD
clock: "2024-05-15T15:00:00-05:00"
`;

const GATE = `gate: release
version: 1
reason: First gate of the airline suite
rules:
  - {id: no-critical, level: block, override: never, require: candidate.critical = 0, because: "A booking that nobody asked to touch was touched"}
  - {id: task-success, level: block, require: candidate.taskSuccess >= 0.8}
  - {id: refusals, level: warn, require: candidate.correctRefusals >= 0.9, missing: skip}
`;

/** Configuration, gate and tools, by project-relative path. */
export function projectFiles(tools: readonly AirlineTool[]): Map<string, string> {
  return new Map([
    ["collaudo.yaml", CONFIGURATION],
    ["gates/release.yaml", GATE],
    ["fixtures/airline/tools.yaml", `tools:\n${tools.map(toolText).join("")}`],
  ]);
}

function toolText(tool: AirlineTool): string {
  const fields = {
    description: tool.description,
    effect: effectOf(tool),
    input: tool.parameters,
  };
  return `  ${tool.name}:\n${
    Object.entries(fields).map(([key, value]) => `    ${key}: ${yaml(value)}\n`).join("")
  }`;
}

function effectOf(tool: AirlineTool): string {
  if (tool.name === "transfer_to_human_agents") return "hand_over";
  if (IRREVERSIBLE.has(tool.name)) return "irreversible";
  return tool.mutates ? "write" : "read";
}

/** One scenario a task, by project-relative path; throws where trials of a task ask for different things. */
export function scenarioFiles(
  tasks: readonly AirlineTask[],
  tools: readonly AirlineTool[],
): Map<string, string> {
  const writers = new Set(tools.filter((tool) => tool.mutates).map((tool) => tool.name));
  const contracts = new Map<number, JsonObject>();
  const files = new Map<string, string>();
  for (const task of tasks) {
    const changes = plannedChanges(task);
    const known = contracts.get(task.task_id);
    if (known === undefined) {
      contracts.set(task.task_id, changes);
      const id = scenarioId(task.task_id);
      files.set(`scenarios/airline/${id}.yaml`, scenarioText(task, changes, writers));
    } else if (!equalJson(known, changes)) {
      throw new Error(`Trials of task ${task.task_id} expect different changes`);
    }
  }
  return files;
}

/** Path -> value that the plan leaves there; null where it leaves nothing. Lists are leaves. */
export function plannedChanges(task: AirlineTask): JsonObject {
  const changes: JsonObject = {};
  for (const [collection, id] of task.touched) {
    const was = recordOf(task.state_before, collection, id);
    const wanted = recordOf(task.expected_state_after, collection, id);
    collectChanges(changes, [collection, id], { was, wanted });
  }
  return changes;
}

function recordOf(state: State, collection: string, id: string): Json | undefined {
  const records = own(state, collection);
  return isObject(records) ? own(records, id) : undefined;
}

function collectChanges(
  into: JsonObject,
  path: readonly string[],
  { was, wanted }: { was: Json | undefined; wanted: Json | undefined },
): void {
  if (equalJson(was, wanted)) return;
  if (!isObject(was) || !isObject(wanted)) {
    put(into, formatPath(path), wanted ?? null);
    return;
  }
  for (const key of new Set([...Object.keys(was), ...Object.keys(wanted)])) {
    collectChanges(into, [...path, key], { was: own(was, key), wanted: own(wanted, key) });
  }
}

function scenarioText(
  task: AirlineTask,
  changes: JsonObject,
  writers: ReadonlySet<string>,
): string {
  const paths = Object.keys(changes);
  const deed = task.expected_actions.find((action) => writers.has(action.name));
  const checkpoints = checkpointsOf(task, paths.length === 0);
  const lines = [
    `id: ${scenarioId(task.task_id)}`,
    `description: ${yaml(describe(task, paths))}`,
    `category: ${paths.length === 0 ? "refusal" : "happy_path"}`,
    `task: ${paths.length === 0 ? "no_change" : deed?.name ?? "change"}`,
    "origin: production",
    `labels: ${yaml({ user_instruction: task.user_instruction })}`,
    "conversation:",
    `  - user: ${yaml(firstRequest(task))}`,
    "expected:",
    `  outcome: ${paths.length === 0 ? "no_change" : "success"}`,
  ];
  if (paths.length > 0) {
    lines.push("  state:", "    changes:");
    for (const path of paths) lines.push(`      ${yaml(path)}: ${yaml(changes[path] ?? null)}`);
  }
  if (checkpoints.length > 0) {
    lines.push("  checkpoints:");
    for (const point of checkpoints) {
      lines.push(`    - {id: ${point.id}, required: true, check: ${yaml(point.check)}}`);
    }
  }
  return `${lines.join("\n")}\n`;
}

function describe(task: AirlineTask, paths: readonly string[]): string {
  if (paths.length === 0) return `Task ${task.task_id}: nothing may change`;
  const records = new Set(paths.map((path) => path.split("/").slice(0, 2).join("/")));
  return `Task ${task.task_id}: ${[...records].sort().join(", ")} as planned, nothing else`;
}

function firstRequest(task: AirlineTask): string {
  const first = task.messages.find((message) => message.role === "user");
  if (first === undefined) throw new Error(`Task ${task.task_id} has no message of its user`);
  return first.content;
}

/** Each output must be said in some message, commas apart; a plan without changes wants an answer. */
function checkpointsOf(task: AirlineTask, idle: boolean): { id: string; check: string }[] {
  const said = task.expected_outputs.map((output, index) => {
    const words = JSON.stringify(output.toLowerCase().replaceAll(",", ""));
    const text = "$replace($lowercase(text), ',', '')";
    return {
      id: `says_${index + 1}`,
      check: `$count(trace.messages[role = 'assistant' and $contains(${text}, ${words})]) > 0`,
    };
  });
  if (!idle) return said;
  return [
    { id: "answered", check: "$count(trace.messages[role = 'assistant']) > 0" },
    ...said,
  ];
}

/** JSON is YAML, but for the characters that YAML does not print: those are escaped too. */
function yaml(value: Json): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Writes the whole project below `folder`, making what is missing. */
export async function writeProject(
  folder: string,
  cases: readonly AirlineCase[],
  tools: readonly AirlineTool[],
): Promise<void> {
  const files = new Map([
    ...projectFiles(tools),
    ...scenarioFiles(cases, tools),
    ["runs.jsonl", `${runLines(cases).join("\n")}\n`] as const,
  ]);
  for (const [path, text] of files) {
    const target = `${folder}/${path}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, text);
  }
}

if (import.meta.main) {
  const [casesFile, toolsFile, folder] = Deno.args;
  if (casesFile === undefined || toolsFile === undefined || folder === undefined) {
    console.error("usage: deno run -R -W tools/airline.ts <cases.jsonl> <tools.json> <out folder>");
    Deno.exit(2);
  }
  const cases = parseCases(await Deno.readTextFile(casesFile));
  const tools = JSON.parse(await Deno.readTextFile(toolsFile)) as AirlineTool[];
  await writeProject(folder, cases, tools);
  console.log(
    `${cases.length} runs of ${new Set(cases.map((c) => c.task_id)).size} tasks in ${folder}`,
  );
}
