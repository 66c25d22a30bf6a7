/**
 * What does a scenario say once nothing is left unsaid? Defaults filled in, aliases of other
 * formats rewritten (`<arg>_matches`, `llm_critic`, `expected_agent_partial`, `supra_llm`).
 */
import { isObject, type Json, type JsonObject, put } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import type {
  Expected,
  ReplyExpectation,
  RubricEntry,
  Scenario,
  ScenarioFile,
  ToolCalled,
  UserTurn,
} from "../model/scenario.ts";
import { type KeyPath, placeOf, problemAt, type SourceFile, spanOf } from "./source.ts";
import { nearest } from "./suggest.ts";

/** What resolving needs besides the file. */
export interface Surroundings {
  readonly source: SourceFile;
  readonly suite: string;
  readonly clock: string;
  /** Tools files that are there: named ones, or the suite's own. */
  readonly toolsFiles: readonly string[];
  readonly toolNames: readonly string[];
}

/** The word of another format that stands for no tool of ours. */
const IGNORED_TOOL = "supra_llm";

/** Resolves a scenario file; `positions` are those of the resolved keys. */
export function resolveScenario(
  file: ScenarioFile,
  around: Surroundings,
): { scenario: Scenario; positions: Record<string, string>; problems: Problem[] } {
  const problems: Problem[] = [];
  const { conversation, replies, turnIndexes } = resolveTurns(file, around.source, problems);
  const expected = resolveExpected(file, { source: around.source, replies, problems });
  const scenario: Scenario = {
    ...file,
    task: file.task ?? around.suite,
    origin: typeof file.origin === "string" ? { kind: file.origin } : file.origin,
    setup: {
      ...file.setup,
      clock: file.setup?.clock ?? around.clock,
      tools: [...around.toolsFiles],
      available_tools: availableTools(file, around, problems),
      approvals: file.setup?.approvals ?? { default: "deny" },
      faults: file.setup?.faults ?? [],
    },
    conversation,
    expected,
  };
  return { scenario, positions: positionsOf(around.source, turnIndexes, file), problems };
}

function availableTools(file: ScenarioFile, around: Surroundings, problems: Problem[]): string[] {
  const named = file.setup?.available_tools;
  if (named === undefined) return [...around.toolNames];
  const ignored = named.indexOf(IGNORED_TOOL);
  if (ignored !== -1) {
    problems.push(problemAt(around.source, ["setup", "available_tools", ignored], {
      code: "ignored-tool",
      severity: "notice",
      what: `"${IGNORED_TOOL}" names no tool of this world and is passed over`,
      fix: "remove it, unless the file is shared with a program that needs it",
    }));
  }
  return named.filter((name) => name !== IGNORED_TOOL);
}

function resolveTurns(file: ScenarioFile, source: SourceFile, problems: Problem[]) {
  const conversation: UserTurn[] = [];
  const replies: ReplyExpectation[] = [];
  const turnIndexes: number[] = [];
  for (const [index, turn] of file.conversation.entries()) {
    if ("user" in turn) {
      conversation.push(turn);
      turnIndexes.push(index);
    } else if (conversation.length > 0) {
      replies.push({ user: conversation.length - 1, contains: turn.expected_agent_partial });
    } else {
      problems.push(problemAt(source, ["conversation", index], {
        code: "first-turn",
        what: "A reply is expected before the person has said anything",
        fix: "begin the conversation with a `user` turn",
      }));
    }
  }
  return { conversation, replies, turnIndexes };
}

function resolveExpected(
  file: ScenarioFile,
  { source, replies, problems }: {
    readonly source: SourceFile;
    readonly replies: readonly ReplyExpectation[];
    readonly problems: Problem[];
  },
): Expected {
  const { tools_called, final_response, messages, rubric, ...rest } = file.expected;
  const { llm_critic, ...final } = final_response ?? {};
  const critic: RubricEntry[] = llm_critic === undefined ? [] : [{
    id: "llm_critic",
    ask: llm_critic.prompt,
    accept: llm_critic.accept ?? llm_critic.threshold ?? "yes",
  }];
  return {
    ...rest,
    messages: messages ?? [],
    messagesDeclared: messages !== undefined,
    tools_called: (tools_called ?? []).map((called, index) =>
      resolveCalled(called, { source, path: ["expected", "tools_called", index], problems })
    ),
    final_response: final,
    replies,
    rubric: [...(rubric ?? []), ...critic],
  };
}

const MATCHES = "_matches";

function resolveCalled(
  called: { readonly name: string; readonly args?: JsonObject | undefined },
  at: { readonly source: SourceFile; readonly path: KeyPath; readonly problems: Problem[] },
): ToolCalled {
  const args: JsonObject = {};
  for (const [name, value] of Object.entries(called.args ?? {})) put(args, name, value);
  for (const [key, value] of Object.entries(called)) {
    if (key === "name" || key === "args") continue;
    if (!key.endsWith(MATCHES) || key === MATCHES) at.problems.push(unknownCallKey(at, key));
    else if (typeof value !== "string") at.problems.push(patternWanted(at, key));
    else takePattern(args, { key, value, at });
  }
  return Object.keys(args).length === 0 ? { name: called.name } : { name: called.name, args };
}

function takePattern(
  args: JsonObject,
  { key, value, at }: {
    readonly key: string;
    readonly value: string;
    readonly at: { source: SourceFile; path: KeyPath; problems: Problem[] };
  },
): void {
  const name = key.slice(0, -MATCHES.length);
  if (Object.hasOwn(args, name)) {
    at.problems.push(problemAt(at.source, [...at.path, key], {
      code: "duplicate-entry",
      aim: "key",
      what: `Argument "${name}" is given twice: in "args" and as "${key}"`,
      fix: "keep one of the two",
    }));
  }
  put(args, name, { matches: value });
}

function unknownCallKey(at: { source: SourceFile; path: KeyPath }, key: string): Problem {
  const near = nearest(key, ["name", "args"]);
  return problemAt(at.source, [...at.path, key], {
    code: "unknown-key",
    aim: "key",
    what: `Unknown key "${key}" in a tool call: expected "name", "args" or "<argument>_matches"`,
    fix: near === null ? `write it below "args"` : `did you mean "${near}"?`,
  });
}

function patternWanted(at: { source: SourceFile; path: KeyPath }, key: string): Problem {
  return problemAt(at.source, [...at.path, key], {
    code: "wrong-type",
    what: `"${key}" is no text: expected a pattern`,
    fix: "quote it",
  });
}

/** `file:line:col` of every key path of the file; conversation entries count user turns only. */
function positionsOf(
  source: SourceFile,
  turnIndexes: readonly number[],
  file: ScenarioFile,
): Record<string, string> {
  const positions: Record<string, string> = {};
  const note = (name: KeyPath, path: KeyPath): void => {
    const { line, col } = placeOf(source.text, spanOf(source, path, "value"));
    positions[name.join("/")] = `${source.file}:${line}:${col}`;
  };
  const visit = (value: Json, name: KeyPath, path: KeyPath): void => {
    note(name, path);
    if (Array.isArray(value)) {
      value.forEach((item, index) => visit(item, [...name, index], [...path, index]));
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) visit(item, [...name, key], [...path, key]);
    }
  };
  const { conversation, ...others } = isObject(source.value) ? source.value : {};
  for (const [key, value] of Object.entries(others)) visit(value, [key], [key]);
  const turns = Array.isArray(conversation) ? conversation : [];
  turnIndexes.forEach((index, user) =>
    visit(turns[index] ?? null, ["conversation", user], ["conversation", index])
  );
  let reply = 0;
  file.conversation.forEach((turn, index) => {
    if (!("user" in turn)) note(["expected", "replies", reply++], ["conversation", index]);
  });
  if (file.expected.final_response?.llm_critic !== undefined) {
    note(["expected", "rubric", file.expected.rubric?.length ?? 0], [
      "expected",
      "final_response",
      "llm_critic",
    ]);
  }
  return positions;
}
