/**
 * Are the expressions of a scenario worth evaluating? Each is checked against what it may name, and
 * a checkpoint that already holds where the agent has done nothing is pointed out.
 */
import { decideExpression } from "../expression/compile.ts";
import { entryShape, type ExpressionShape, scenarioShape } from "../expression/expression_shape.ts";
import { runScope } from "../expression/run_scope.ts";
import { hasErrors, type Problem } from "../model/problem.ts";
import { isValueSelector } from "../model/selectors.ts";
import { type CheckInput, listKeysOf } from "./check_input.ts";
import { expressionProblems } from "./expression_problems.ts";
import { type KeyPath, problemAt } from "./source.ts";

interface Site {
  readonly path: KeyPath;
  readonly text: string;
  readonly shape: ExpressionShape;
}

/** Problems of all expressions of a scenario. */
export async function checkExpressions(input: CheckInput): Promise<Problem[]> {
  const sites = expressionSites(input);
  const problems = sites.flatMap((site) => expressionProblems(input.source, site));
  if (hasErrors(problems)) return problems;
  return [...problems, ...await heldFromTheStart(input)];
}

function expressionSites(input: CheckInput): Site[] {
  const { written, scenario, state, tools, toolsComplete } = input;
  const { expected } = written;
  const shape = scenarioShape({
    tools: toolsComplete ? tools : {},
    available: scenario.setup.available_tools,
    state,
    keys: listKeysOf(input),
    workspace: scenario.setup.workspace !== undefined,
  });
  const sites: Site[] = [];
  written.conversation.forEach((turn, index) => {
    if (!("user" in turn) || turn.if === undefined) return;
    sites.push({ path: ["conversation", index, "if"], text: turn.if, shape });
  });
  expected.checkpoints?.forEach((checkpoint, index) => {
    sites.push({
      path: ["expected", "checkpoints", index, "check"],
      text: checkpoint.check,
      shape,
    });
  });
  const change = entryShape(shape, "change");
  for (const [path, wanted] of Object.entries(expected.state?.changes ?? {})) {
    if (!isValueSelector(wanted) || typeof wanted.where !== "string") continue;
    const at = ["expected", "state", "changes", path, "where"];
    sites.push({ path: at, text: wanted.where, shape: change });
  }
  const message = entryShape(shape, "message");
  expected.messages?.forEach(({ where }, index) => {
    if (where === undefined) return;
    sites.push({ path: ["expected", "messages", index, "where"], text: where, shape: message });
  });
  return sites;
}

/** Checkpoints that hold in a run in which the person spoke and nothing else happened. */
async function heldFromTheStart(input: CheckInput): Promise<Problem[]> {
  const { source, scenario, tools } = input;
  const state = input.state ?? {};
  const [first] = scenario.conversation;
  const scope = runScope({
    events: first === undefined
      ? []
      : [{ kind: "message", role: "user", text: first.user, turn: 1, atMs: 0 }],
    before: state,
    after: state,
    changes: [],
    usage: {
      calls: 0,
      turns: 1,
      inputTokens: null,
      outputTokens: null,
      costEur: null,
      costUsd: null,
      latencyMs: null,
    },
    scenario,
    tools,
  });
  const problems: Problem[] = [];
  for (const [index, checkpoint] of (scenario.expected.checkpoints ?? []).entries()) {
    const decided = await decideExpression(checkpoint.check, scope);
    if (decided.kind !== "decided" || !decided.value) continue;
    problems.push(problemAt(source, ["expected", "checkpoints", index, "check"], {
      code: "holds-from-the-start",
      severity: "warning",
      what: `Checkpoint "${checkpoint.id}" holds already where the agent has done nothing`,
      fix: "join it with what must have happened, for example `$called('…') and …`",
    }));
  }
  return problems;
}
