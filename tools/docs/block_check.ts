/**
 * Does the program accept an example of the docs? Each block is laid over the files of this project,
 * or of the page's own, and loaded as its info line says: `yaml scenario|part|gate|recording|config`,
 * `jsonata [refused] [crm|home|gate]`. Out: the problems, with their lines on the page.
 */
import { realFiles } from "../../lib/io/files.ts";
import { loadGate } from "../../lib/load/gate.ts";
import { findProject } from "../../lib/load/project.ts";
import { loadScenarios } from "../../lib/load/scenarios.ts";
import type { Files } from "../../lib/model/ports.ts";
import type { Problem } from "../../lib/model/problem.ts";
import { overlayFiles } from "./overlay.ts";

/** The suites of this project that examples may use, with their states. */
const STATES: Readonly<Record<string, string>> = {
  crm: "fixtures/crm/erp.json",
  home: "fixtures/home/house.json",
};

/** Keys that a scenario must have, for parts that leave them out. */
const USUAL: Readonly<Record<string, string>> = {
  id: "id: docs-example\n",
  description: "description: An example of the docs\n",
  category: "category: happy_path\n",
  setup: "setup:\n",
  conversation: 'conversation:\n  - user: "…"\n',
  expected: "expected:\n  final_response: {contains_any: [done]}\n",
};

/** A line of a block and what is wrong there. */
export interface BlockProblem {
  readonly line: number;
  readonly what: string;
  readonly code: string;
  readonly isError: boolean;
}

/** What is right to say of an expression that is shown alone, and wrong in a scenario. */
const ALONE = "holds-from-the-start";

/** Checks one block of the project at `root`; an info line that says nothing known is a problem. */
export async function checkBlock(
  root: string,
  words: readonly string[],
  text: string,
): Promise<BlockProblem[]> {
  const [language, kind = "", ...rest] = words;
  if (language === "jsonata") return await checkExpressions(root, words.slice(1), text);
  if (kind === "scenario") return await checkScenario(root, rest[0] ?? "crm", text);
  if (kind === "part") return await checkScenario(root, rest[0] ?? "crm", whole(text, rest[0]));
  if (kind === "gate") return await checkGate(root, text);
  if (kind === "config") return await checkConfig(root, text);
  if (kind === "recording") return await checkRecording(root, rest[0] ?? "", text);
  return [broken(`Unknown kind of example "${words.join(" ")}"`)];
}

/** A scenario made of a part: the obligatory keys that it lacks come after it, and a state. */
export function whole(part: string, suite = "crm"): string {
  const lacks = (key: string) => !new RegExp(`^${key}:`, "m").test(part);
  const added = Object.entries(USUAL).filter(([key]) => lacks(key)).map(([, text]) => text);
  return `${part}${added.join("")}`.replace(
    /^setup:\n((?: .*\n)*)/m,
    (setup, inside: string) =>
      /^ {2}state:/m.test(inside) ? setup : `setup:\n${inside}  state: ${STATES[suite]}\n`,
  );
}

async function checkScenario(root: string, suite: string, text: string): Promise<BlockProblem[]> {
  const id = /^id: "?([\w-]+)/m.exec(text)?.[1] ?? "docs-example";
  const file = `scenarios/${suite}/${id}.yaml`;
  const files = overlayFiles(realFiles(), { [`${root}/${file}`]: text });
  return await loaded(files, root, file, id);
}

async function loaded(
  files: Files,
  root: string,
  file: string,
  id: string,
): Promise<BlockProblem[]> {
  const { project, problems } = await findProject(files, root);
  if (project === null) return problems.map(plain);
  const found = await loadScenarios(files, project, { paths: [`${root}/${file}`], only: [] });
  const none = found.scenarios.some(({ scenario }) => scenario.id === id) ? [] : [
    broken(`Scenario "${id}" was not loaded`),
  ];
  const own = found.problems.map((problem) => atBlock(problem, file));
  return own.length > 0 ? own : none;
}

async function checkGate(root: string, text: string): Promise<BlockProblem[]> {
  const file = "gates/docs.yaml";
  const files = overlayFiles(realFiles(), { [`${root}/${file}`]: text });
  const { project, problems } = await findProject(files, root);
  if (project === null) return problems.map(plain);
  return (await loadGate(files, project, file)).problems.map((problem) => atBlock(problem, file));
}

async function checkConfig(root: string, text: string): Promise<BlockProblem[]> {
  const files = overlayFiles(realFiles(), { [`${root}/collaudo.yaml`]: text });
  return (await findProject(files, root)).problems.map(plain);
}

async function checkRecording(root: string, id: string, text: string): Promise<BlockProblem[]> {
  const file = `fixtures/recordings/${id}/docs.yaml`;
  const files = overlayFiles(realFiles(), { [`${root}/${file}`]: text });
  const { project, problems } = await findProject(files, root);
  if (project === null) return problems.map(plain);
  const found = await loadScenarios(files, project, { paths: [], only: [id] });
  return found.problems.map((problem) => atBlock(problem, file));
}

/** One expression a line; lines that are only a comment are left out. */
async function checkExpressions(
  root: string,
  words: readonly string[],
  text: string,
): Promise<BlockProblem[]> {
  const refused = words.includes("refused");
  const scope = words.find((word) => word !== "refused") ?? "crm";
  const found: BlockProblem[] = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "" || /^\s*\/\*.*\*\/\s*$/.test(line)) continue;
    const problems = scope === "gate"
      ? await checkGate(root, ruleOf(line))
      : await checkScenario(root, scope, scenarioOf(line, scope));
    const said = problems.map((problem) => ({ ...problem, line: index + 1 }));
    if (!refused) found.push(...said.filter(({ code }) => code !== ALONE));
    else if (!said.some(({ isError }) => isError)) {
      found.push(broken("Expected to be refused, and it is not", index + 1));
    }
  }
  return found;
}

function scenarioOf(expression: string, suite: string): string {
  const check = `{id: shown, required: true, check: ${JSON.stringify(expression.trim())}}`;
  return whole(`expected:\n  checkpoints:\n    - ${check}\n`, suite);
}

function ruleOf(expression: string): string {
  const rule = `{id: shown, level: block, require: ${JSON.stringify(expression.trim())}}`;
  return `gate: docs\nversion: 1\nreason: An example of the docs\nrules:\n  - ${rule}\n`;
}

function broken(what: string, line = 1): BlockProblem {
  return { line, what, code: "", isError: true };
}

function atBlock(problem: Problem, file: string): BlockProblem {
  const { line, code, severity } = problem;
  if (problem.file !== file) return plain(problem);
  return { line, what: saidOf(problem), code, isError: severity === "error" };
}

function plain(problem: Problem): BlockProblem {
  const { file, line, code, severity } = problem;
  const what = `${file}:${line}: ${saidOf(problem)}`;
  return { line: 1, what, code, isError: severity === "error" };
}

function saidOf({ what, code, fix }: Problem): string {
  return `${what} [${code}]; fix: ${fix}`;
}
