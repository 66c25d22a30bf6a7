/**
 * Does everything that a scenario names exist, and could it happen? Its agent, its tools, and the
 * literal arguments of forbidden, expected, approved and disturbed calls.
 */
import type { JsonObject } from "../model/json.ts";
import type { ToolSpec } from "../model/tool.ts";
import { checkLiteral, checkPattern } from "./check_arguments.ts";
import type { CheckInput } from "./check_input.ts";
import type { Checker } from "./checker.ts";
import type { KeyPath } from "./source.ts";

/** Checks names and literal arguments. */
export function checkNames(checker: Checker, input: CheckInput): void {
  checkAgent(checker, input);
  checkAvailable(checker, input);
  for (const named of namedCalls(input)) checkCall(checker, input, named);
  checkCommands(checker, input);
}

function checkAgent(checker: Checker, { written, config }: CheckInput): void {
  if (written.agent === undefined) return;
  checker.known(["agent"], written.agent, {
    words: Object.keys(config.agents),
    code: "unknown-agent",
    noun: "agent",
  });
}

function checkAvailable(checker: Checker, { written, tools, toolsComplete }: CheckInput): void {
  const named = written.setup?.available_tools ?? [];
  const path = (index: number): KeyPath => ["setup", "available_tools", index];
  checker.unique(named, path, "Tool");
  if (!toolsComplete) return;
  named.forEach((name, index) => {
    if (name === "supra_llm") return;
    checker.known(path(index), name, {
      words: Object.keys(tools),
      code: "unknown-tool",
      noun: "tool",
    });
  });
}

/** A call that a scenario speaks of. */
interface NamedCall {
  readonly where: "forbidden" | "tools_called" | "approvals" | "faults";
  readonly path: KeyPath;
  readonly toolPath: KeyPath;
  readonly tool: string;
  readonly args: JsonObject | undefined;
  readonly place?: (argument: string) => KeyPath;
}

function namedCalls({ written, scenario }: CheckInput): NamedCall[] {
  const calls: NamedCall[] = [];
  const add = (where: NamedCall["where"], path: KeyPath, call: string | CallPattern) => {
    if (typeof call === "string") {
      calls.push({ where, path, toolPath: path, tool: call, args: undefined });
    } else {calls.push({
        where,
        path,
        toolPath: [...path, "tool"],
        tool: call.tool,
        args: call.args,
      });}
  };
  written.expected.forbidden?.forEach((entry, index) => {
    if (typeof entry === "string" || "tool" in entry) {
      add("forbidden", ["expected", "forbidden", index], entry);
    }
  });
  for (const side of ["grant", "deny"] as const) {
    written.setup?.approvals?.[side]?.forEach((entry, index) =>
      add("approvals", ["setup", "approvals", side, index], entry)
    );
  }
  written.setup?.faults?.forEach((entry, index) =>
    add("faults", ["setup", "faults", index], entry)
  );
  scenario.expected.tools_called.forEach((called, index) => {
    const path = ["expected", "tools_called", index];
    const given = written.expected.tools_called?.[index]?.args ?? {};
    calls.push({
      where: "tools_called",
      path,
      toolPath: [...path, "name"],
      tool: called.name,
      args: called.args,
      place: (argument) =>
        Object.hasOwn(given, argument)
          ? [...path, "args", argument]
          : [...path, `${argument}_matches`],
    });
  });
  return calls;
}

interface CallPattern {
  readonly tool: string;
  readonly args?: JsonObject | undefined;
}

const NOT_AVAILABLE: Readonly<Record<NamedCall["where"], string>> = {
  forbidden: "forbidding it could never fail",
  tools_called: "it can never be called",
  approvals: "it is never asked for",
  faults: "the fault never happens",
};

function checkCall(checker: Checker, input: CheckInput, call: NamedCall): void {
  const { tools, toolsComplete, scenario } = input;
  if (!toolsComplete) return;
  const names = Object.keys(tools);
  const { toolPath, tool } = call;
  const isKnown = checker.known(toolPath, tool, {
    words: names,
    code: "unknown-tool",
    noun: "tool",
  });
  if (!isKnown) return;
  if (!scenario.setup.available_tools.includes(tool)) {
    checker.say(toolPath, {
      code: call.where === "forbidden" ? "forbidden-not-available" : "tool-not-available",
      severity: call.where === "approvals" ? "warning" : "error",
      what: `Tool "${tool}" is not available to the agent: ${NOT_AVAILABLE[call.where]}`,
      fix: `add "${tool}" to "available_tools", or remove it here`,
    });
  }
  const spec = Object.hasOwn(tools, tool) ? tools[tool] : undefined;
  if (spec === undefined) return;
  if (call.args !== undefined) {
    checkLiteral(checker, {
      path: [...call.path, "args"],
      name: tool,
      tool: spec,
      args: call.args,
      kind: "subset",
      ...(call.place === undefined ? {} : { place: call.place }),
    });
  }
  if (call.where === "approvals") checkApproval(checker, call, spec);
  if (call.where === "tools_called") checkContradiction(checker, input, call);
}

function checkApproval(checker: Checker, { toolPath, tool }: NamedCall, spec: ToolSpec): void {
  if (spec.approval === "required") return;
  checker.say(toolPath, {
    code: "approval-not-needed",
    severity: "warning",
    what: `Tool "${tool}" needs no approval, so that nobody is asked`,
    fix: "remove it here, or write `approval: required` in the tool's description",
  });
}

function checkContradiction(checker: Checker, { written }: CheckInput, call: NamedCall): void {
  const isForbidden = (written.expected.forbidden ?? []).some((entry) =>
    entry === call.tool ||
    (typeof entry === "object" && "tool" in entry && entry.tool === call.tool &&
      entry.args === undefined && entry.more_than === undefined)
  );
  if (!isForbidden) return;
  checker.say(call.toolPath, {
    code: "forbidden-and-expected",
    what: `Tool "${call.tool}" must be called and is forbidden: no run can pass`,
    fix: 'remove one of the two, or narrow "forbidden" with args',
  });
}

function checkCommands(checker: Checker, { written }: CheckInput): void {
  written.expected.forbidden?.forEach((entry, index) => {
    if (typeof entry === "string" || !("command" in entry)) return;
    checkPattern(checker, ["expected", "forbidden", index, "command"], entry.command);
  });
}
