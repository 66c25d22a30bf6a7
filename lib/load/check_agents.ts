/**
 * Can the agents of `collaudo.yaml` be started? Their models and files exist, the words between
 * braces are known, arguments hold no key, and a scenario of several user turns has an agent that
 * can be resumed.
 */
import { type Braces, bracesIn, PLACEHOLDERS } from "../model/agent_placeholders.ts";
import type { CommandAgentConfig, Config } from "../model/config.ts";
import { holdsKey } from "../model/key_shapes.ts";
import { wordList } from "../model/near_words.ts";
import type { Problem } from "../model/problem.ts";
import type { CheckInput } from "./check_input.ts";
import { Checker } from "./checker.ts";
import { isLocated, normalise, type ProjectFiles } from "./project_files.ts";
import { type Finding, type KeyPath, problemOn, type SourceFile, spanInText } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** Problems of all agents of a configuration. */
export async function checkAgents(
  reader: ProjectFiles,
  source: SourceFile,
  config: Config,
): Promise<Problem[]> {
  const checker = new Checker(source);
  for (const [name, agent] of Object.entries(config.agents)) {
    const at = ["agents", name];
    if (agent.kind !== "http" && agent.model !== undefined) {
      checkModel(checker, config, { at, model: agent.model });
    }
    const named: (readonly [KeyPath, string, "file" | "any"])[] = [];
    if (agent.kind === "loop" && agent.system !== undefined) {
      named.push([[...at, "system"], agent.system, "file"]);
    }
    if (agent.kind === "command") {
      checkCommand(checker, at, agent);
      for (const [place, file] of Object.entries(agent.files ?? {})) {
        named.push([[...at, "files", place], file, "any"]);
      }
      agent.source?.forEach((file, index) => named.push([[...at, "source", index], file, "any"]));
    }
    if (agent.kind === "http") {
      // Expressions are large, and most projects have no such agent.
      const { checkMapping } = await import("./check_mapping.ts");
      checkMapping(checker, at, agent);
    }
    for (const one of named) await checkFile(reader, checker, one);
  }
  return checker.problems;
}

function checkModel(
  checker: Checker,
  config: Config,
  { at, model }: { readonly at: readonly string[]; readonly model: string },
): void {
  const models = Object.keys(config.models);
  if (models.includes(model)) return;
  checker.say([...at, "model"], {
    code: "unknown-model",
    what: `Agent "${at[1]}" names the model "${model}": expected one of ${wordList(models)}`,
    fix: didYouMean(model, models, `describe "${model}" under "models"`),
  });
}

async function checkFile(
  reader: ProjectFiles,
  checker: Checker,
  [path, name, wanted]: readonly [KeyPath, string, "file" | "any"],
): Promise<void> {
  const { source } = checker;
  const found = await reader.locate(name, "file", { source, path });
  if (isLocated(found)) return;
  if (wanted === "any" && found.code === "wrong-file-kind") return;
  checker.problems.push(found);
}

function checkCommand(
  checker: Checker,
  at: readonly string[],
  { argv, resume, env, files }: CommandAgentConfig,
): void {
  const lists = { argv, ...(resume === undefined ? {} : { resume }) };
  for (const [list, words] of Object.entries(lists)) {
    words.forEach((word, index) => {
      const path = [...at, list, index];
      checkWords(checker, path, { text: word, session: list === "resume" });
      if (holdsKey(word)) checker.say(path, KEY_IN_ARGUMENT);
    });
    const program = words[0] ?? "";
    if (program.trim() === "" || bracesIn(program).length > 0) {
      checker.say([...at, list, 0], {
        code: "no-program",
        what: `"${program}" is no program: expected its name or path`,
        fix: "name the program first, then its arguments",
      });
    }
  }
  for (const [name, value] of Object.entries(env ?? {})) {
    if (typeof value !== "string") continue;
    checkWords(checker, [...at, "env", name], { text: value, session: false });
  }
  for (const place of Object.keys(files ?? {})) checkPlace(checker, [...at, "files", place], place);
}

const KEY_IN_ARGUMENT: Finding = {
  code: "key-in-argument",
  what: "A key seems to stand in an argument: arguments are saved with every run",
  fix: "hand it on as a variable, `env: {NAME: {env: NAME}}`; renew the key if it was shared",
};

function checkPlace(checker: Checker, path: KeyPath, place: string): void {
  const below = /^\{(?:home|workspace)\}\/(.+)$/.exec(place)?.[1];
  const inside = below === undefined ? null : normalise(below);
  if (inside !== null && inside !== "" && bracesIn(below ?? "").length === 0) return;
  checker.say(path, {
    code: "place-outside",
    aim: "key",
    what: `"${place}" is no place below {home} or {workspace}`,
    fix: "write a place such as {home}/.agent/config.json",
  });
}

/** Every word between braces must be one that is filled in. */
function checkWords(
  checker: Checker,
  path: KeyPath,
  { text, session }: { readonly text: string; readonly session: boolean },
): void {
  for (const braces of bracesIn(text)) {
    const finding = wrongWord(braces, session);
    if (finding === null) continue;
    const span = spanInText(checker.source, path, braces);
    checker.problems.push(problemOn(checker.source, span, finding));
  }
}

function wrongWord({ word, doubled }: Braces, session: boolean): Finding | null {
  const known = Object.keys(PLACEHOLDERS).filter((each) => session || each !== "session");
  if (doubled) {
    return {
      code: "doubled-braces",
      what: `"{{${word}}" is not filled in: a placeholder has one brace on each side`,
      fix: `write {${word}}`,
    };
  }
  if (known.includes(word)) return null;
  if (word === "session") {
    return {
      code: "session-too-early",
      what: "{session} is known after the first turn only",
      fix: "use it in `resume`",
    };
  }
  return {
    code: "unknown-placeholder",
    what: `Unknown placeholder "{${word}}": expected one of ${wordList(known)}`,
    fix: didYouMean(word, known, "use one of those, or pass the value as it is"),
  };
}

/**
 * An agent that is started anew for each user turn must be told how. Turns that answer a question of
 * a tool need no start: where such a tool is there, nobody can know before.
 */
export function checkResume(
  checker: Checker,
  { written, scenario, config, tools }: CheckInput,
): void {
  const name = written.agent ?? config.agent ?? "";
  const agent = Object.hasOwn(config.agents, name) ? config.agents[name] : undefined;
  if (agent?.kind !== "command" || agent.resume !== undefined) return;
  const mayAsk = scenario.setup.available_tools.some((tool) => tools[tool]?.effect === "ask");
  const later = written.conversation.findIndex((turn, index) =>
    index > 0 && "user" in turn && turn.after_calls === undefined
  );
  if (later === -1 || mayAsk) return;
  checker.say(["conversation", later], {
    code: "no-resume",
    what: `The user speaks again, and agent "${name}" says nothing of how its program goes on`,
    fix: "add `resume` with the program's arguments for a later turn to the agent",
  });
}
