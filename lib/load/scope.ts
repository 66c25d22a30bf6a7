/**
 * Which scenarios can a change of files concern? Told from the texts of the scenarios alone, without
 * reading what they name: a scenario depends on its file, its recordings, the files and folders that
 * it names, its tools, its agent's prompt and command line. What no scenario depends on concerns
 * all. Errs on the side of too many.
 */
import type { AgentConfig } from "../model/config.ts";
import type { Project } from "../model/loaded.ts";
import type { Files } from "../model/ports.ts";
import { RECORDINGS } from "./recordings.ts";
import { SCENARIOS } from "./selection.ts";

/** Scenario files, relative to the project, in the order of their paths. */
export interface Scope {
  /** Those that the change concerns. */
  readonly touched: readonly string[];
  /** Those of `risk: critical` besides: they always run. */
  readonly critical: readonly string[];
  /** How many scenarios the project has. */
  readonly of: number;
}

interface Text {
  readonly file: string;
  readonly suite: string;
  readonly id: string;
  readonly text: string;
}

/**
 * The scope of a change. `changed` are the changed files that trigger: relative to the project where
 * they lie in it, else null for a file elsewhere in the repository.
 */
export async function scopeOf(
  files: Files,
  project: Project,
  changed: readonly (string | null)[],
): Promise<Scope> {
  const texts = await readTexts(files, project.root);
  const touched = new Set<string>();
  for (const path of changed) {
    const found = path === null ? [] : texts.filter((each) => depends(each, path, project));
    for (const { file } of found.length === 0 ? texts : found) touched.add(file);
  }
  const inOrder = (wanted: (each: Text) => boolean) => texts.filter(wanted).map(({ file }) => file);
  return {
    touched: inOrder(({ file }) => touched.has(file)),
    critical: inOrder((each) => !touched.has(each.file) && isCritical(each)),
    of: texts.length,
  };
}

async function readTexts(files: Files, root: string): Promise<Text[]> {
  const texts: Text[] = [];
  for (const suite of await files.list(`${root}/${SCENARIOS}`)) {
    if (suite.kind === "file" || suite.name.startsWith(".")) continue;
    for (const { name, kind } of await files.list(`${root}/${SCENARIOS}/${suite.name}`)) {
      if (kind === "folder" || name.startsWith(".") || !name.endsWith(".yaml")) continue;
      const file = `${SCENARIOS}/${suite.name}/${name}`;
      const bytes = await files.readBytes(`${root}/${file}`);
      const text = new TextDecoder().decode(bytes);
      texts.push({ file, suite: suite.name, id: name.slice(0, -".yaml".length), text });
    }
  }
  return texts;
}

/** Also in quotes, in `{…}`, with a comment between; where letters are written by number, who knows. */
function isCritical({ text }: Text): boolean {
  return /["']?\brisk["']?(?:\s|#.*\n)*:(?:\s|#.*\n)*["']?critical\b/.test(text) ||
    /\\[xuU\r\n]/.test(text);
}

function depends(each: Text, path: string, project: Project): boolean {
  if (path === each.file || path.startsWith(`${RECORDINGS}/${each.id}/`)) return true;
  if (path === `fixtures/${each.suite}/tools.yaml`) return true;
  return names(each.text, path) || agentNames(each.text, path, project);
}

/** Ways to write a path that a search for the plain one would miss. */
const ODD_PATH = /(?:^|[\s"'[,{(])\.{1,2}\/|fixtures\/(?:\/|\.)|\\[xuU/\r\n]/m;

/** True where the text names the path or a folder above it; the topmost folders are too wide to count. */
function names(text: string, path: string): boolean {
  if (path.startsWith("fixtures/") && ODD_PATH.test(text)) return true;
  const parts = path.split("/");
  return parts.some((_, index) => index > 0 && hasWord(text, parts.slice(0, index + 1).join("/")));
}

/** True where `path` stands in the text and the path does not go on after it. */
function hasWord(text: string, path: string): boolean {
  for (let at = text.indexOf(path); at !== -1; at = text.indexOf(path, at + 1)) {
    const rest = text.slice(at + path.length, at + path.length + 2);
    if (/^(?:\/?[\s"',\]})]|\/?$)/.test(rest)) return true;
  }
  return false;
}

function agentNames(text: string, path: string, { config }: Project): boolean {
  const own = /^agent\s*:\s*["']?([^\s"'#]+)/m.exec(text)?.[1] ?? config.agent;
  const agent = own === undefined ? undefined : config.agents[own];
  return agent !== undefined && filesOf(agent).includes(path);
}

function filesOf(agent: AgentConfig): readonly string[] {
  if (agent.kind === "loop") return agent.system === undefined ? [] : [agent.system];
  return agent.kind === "command" ? agent.argv : [];
}
