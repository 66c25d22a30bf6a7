/**
 * Where is the project, and how is it set up? The nearest `collaudo.yaml` upwards, checked against
 * its schema, with the names that it uses and without secrets in clear.
 */
import { type Config, configFile } from "../model/config.ts";
import { isObject, type Json } from "../model/json.ts";
import type { Project } from "../model/loaded.ts";
import { wordList } from "../model/near_words.ts";
import type { Files } from "../model/ports.ts";
import { hasErrors, type Problem, sortProblems } from "../model/problem.ts";
import { checkAgents } from "./check_agents.ts";
import { checkNotify } from "./check_notify.ts";
import { checkSchedule } from "./check_schedule.ts";
import { shapeParsed } from "./issues.ts";
import { ProjectFiles } from "./project_files.ts";
import { CONFIG, nearestRoot } from "./project_root.ts";
import { type KeyPath, problemAt, problemOfFile, type SourceFile } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** What a load gives besides its value: the problems, and the texts to show them with. */
export interface Gathered {
  readonly problems: readonly Problem[];
  readonly sources: ReadonlyMap<string, string>;
}

/** The nearest project upwards from `cwd`; null where there is none or its file has errors. */
export async function findProject(
  files: Files,
  cwd: string,
): Promise<{ project: Project | null } & Gathered> {
  const root = await nearestRoot(files, cwd);
  if (root === null) {
    return { project: null, problems: [problemOfFile(CONFIG, NO_PROJECT)], sources: new Map() };
  }
  const reader = new ProjectFiles(files, root);
  const parsed = await reader.yaml(CONFIG);
  const problems: Problem[] = [...parsed.problems];
  let config: Config | null = null;
  if (parsed.source !== null) {
    problems.push(...secretProblems(parsed.source));
    const shaped = shapeParsed(parsed, parsed.source, {
      schema: configFile,
      noun: "the configuration",
    });
    config = shaped.value;
    problems.push(...shaped.problems);
    if (config !== null) problems.push(...await configProblems(reader, parsed.source, config));
  }
  const sorted = sortProblems(withoutShadowed(problems));
  const project = config === null || hasErrors(sorted) ? null : { root, config };
  return { project, problems: sorted, sources: reader.sources };
}

const NO_PROJECT = {
  code: "no-project",
  what: "No collaudo.yaml in this folder or any above it",
  fix: "go to the project's folder, or begin one with `init`",
};

/** A secret in clear says all that is wrong with its value: the other problems there are noise. */
function withoutShadowed(problems: readonly Problem[]): Problem[] {
  const secrets = new Set(
    problems.filter((problem) => problem.code === "secret-in-clear").map(placeKey),
  );
  return problems.filter((problem) =>
    problem.code === "secret-in-clear" || !secrets.has(placeKey(problem))
  );
}

function placeKey(problem: Problem): string {
  return `${problem.line}:${problem.col}`;
}

const SECRET_KEYS =
  /^(?:.*[_-])?(?:api[_-]?key|key|token|secret|password|authorization|cookie)$|^chat$/i;
const SECRET_SHAPES = [
  /^(?:sk|pk|rk|key)[-_][A-Za-z0-9_-]{16,}$/,
  /^gh[pousr]_[A-Za-z0-9]{20,}$/,
  /^github_pat_\w{20,}$/,
  /^xox[abprs]-[A-Za-z0-9-]{10,}$/,
  /^AKIA[0-9A-Z]{16}$/,
  /^AIza[0-9A-Za-z_-]{30,}$/,
  /^\d{6,12}:[A-Za-z0-9_-]{30,}$/,
  /^eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/,
  /^Bearer\s+\S{12,}$/i,
  /:\/\/[^/\s:@]+:[^/\s@]+@/,
  /:\/\/hooks\.slack\.com\/(?:services|workflows)\/\S{10,}/i,
  /:\/\/(?:\w+\.)?discord(?:app)?\.com\/api\/webhooks\/\d+\/\S{20,}/i,
  /:\/\/[\w.-]+\.webhook\.office\.com\/\S{20,}/i,
  /:\/\/\S+[?&](?:\w*[_-])?(?:key|token|secret|password|sig|signature)=[^&\s]{8,}/i,
];

/** Texts that look like secrets, and texts under keys that hold them; never shown in the message. */
function secretProblems(source: SourceFile): Problem[] {
  const problems: Problem[] = [];
  const visit = (value: Json, path: KeyPath): void => {
    if (Array.isArray(value)) value.forEach((item, index) => visit(item, [...path, index]));
    else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, [...path, key]);
    } else if (typeof value === "string" && isSecret(path, value)) {
      problems.push(problemAt(source, path, {
        code: "secret-in-clear",
        what: `A secret seems to stand in clear in "${path.at(-1)}": expected {env: NAME}`,
        fix:
          "put the value into an environment variable and write {env: ITS_NAME}; renew the secret if it was shared",
      }));
    }
  };
  visit(source.value, []);
  return problems;
}

/** What a program is given that wants a key and needs none: our own servers ask for no key. */
const NO_KEY = "dummy";

function isSecret(path: KeyPath, value: string): boolean {
  const key = String(path.at(-1) ?? "");
  const place = path[0] === "agents" ? path[2] : undefined;
  // Arguments have a check of their own, with a fix of their own.
  if (place === "argv" || place === "resume" || (place === "env" && value === NO_KEY)) return false;
  return SECRET_KEYS.test(key) || SECRET_SHAPES.some((form) => form.test(value.trim()));
}

async function configProblems(
  reader: ProjectFiles,
  source: SourceFile,
  config: Config,
): Promise<Problem[]> {
  const problems = nameProblems(source, config);
  problems.push(...await checkNotify(source, config));
  const given = isObject(source.value) && source.value["zone"] !== undefined;
  if (given && !isZone(config.zone)) {
    problems.push(problemAt(source, ["zone"], {
      code: "unknown-zone",
      what: `"${config.zone}" is not a time zone`,
      fix: "write a zone such as Europe/Rome",
    }));
  } else problems.push(...checkSchedule(source, config));
  return [...problems, ...await checkAgents(reader, source, config)];
}

function nameProblems(source: SourceFile, config: Config): Problem[] {
  const problems: Problem[] = [];
  const agents = Object.keys(config.agents);
  if (config.agent !== undefined && !agents.includes(config.agent)) {
    problems.push(problemAt(source, ["agent"], {
      code: "unknown-agent",
      what: `"agent" names "${config.agent}": expected one of ${wordList(agents)}`,
      fix: didYouMean(config.agent, agents, `describe "${config.agent}" under "agents"`),
    }));
  }
  return problems;
}

function isZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return true;
  } catch {
    return false;
  }
}
