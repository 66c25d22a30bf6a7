/**
 * Can the recordings of a scenario be played, and can the conditions that they break be broken?
 * Tools, arguments, user turns and the ids under `fails` are checked against the scenario.
 */
import { compilePattern, relate } from "../expression/paths.ts";
import { parsePath } from "../model/state_path.ts";
import type { Problem } from "../model/problem.ts";
import type { RecordedTurn } from "../model/recording.ts";
import { LIMITS } from "../model/selectors.ts";
import { WRITING_EFFECTS } from "../model/effects.ts";
import { WORKSPACE_TOOLS } from "../model/workspace_tools.ts";
import { checkLiteral } from "./check_arguments.ts";
import type { CheckInput } from "./check_input.ts";
import { Checker } from "./checker.ts";
import type { ReadRecording } from "./recordings.ts";
import type { KeyPath } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** Problems of all recordings of a scenario. */
export function checkRecordings(input: CheckInput): Problem[] {
  return input.recordings.flatMap((recording) => checkRecording(input, recording));
}

function checkRecording(input: CheckInput, read: ReadRecording): Problem[] {
  const checker = new Checker(read.source);
  checkOrigin(checker, read);
  checkFails(checker, input, read);
  const turns = read.recording.turns;
  if (!turns.some((turn) => "say" in turn || "calls" in turn)) {
    checker.say(["turns"], {
      code: "recording-says-nothing",
      aim: "key",
      what: "The agent neither says nor calls anything in this recording",
      fix: 'add what it says or calls; `say: ""` ends a turn in silence',
    });
  }
  checkUserTurns(checker, input, turns);
  checkEnd(checker, input, turns);
  // What a model really called is a fact, whatever it called: it is no slip of an author.
  if (input.toolsComplete && read.recording.origin === "handmade") {
    turns.forEach((turn, index) => checkCalls(checker, input, { turn, index }));
  }
  return checker.problems;
}

function checkOrigin(checker: Checker, { recording, name }: ReadRecording): void {
  if (recording.origin === "recorded") {
    for (const key of ["model", "at", "agent", "system", "tools"] as const) {
      if (recording[key] !== undefined) continue;
      checker.say(["origin"], {
        code: "recorded-without-source",
        what: `The recording says that it was recorded, but not its "${key}"`,
        fix: "record it anew, or write `origin: handmade`",
      });
      return;
    }
  }
  if (name === "pass" && recording.fails !== undefined) {
    checker.say(["fails"], {
      code: "pass-that-fails",
      aim: "key",
      what: 'The recording "pass" is the one that must pass, but it lists conditions that fail',
      fix: "give the file another name, or remove `fails`",
    });
  }
}

/** User turns of a recording must be said by the scenario, in its order. */
function checkUserTurns(
  checker: Checker,
  { scenario }: CheckInput,
  turns: readonly RecordedTurn[],
): void {
  let next = 0;
  turns.forEach((turn, index) => {
    if (!("user" in turn)) return;
    const found = scenario.conversation.findIndex((said, at) =>
      at >= next && said.user === turn.user
    );
    if (found === -1) {
      checker.say(["turns", index, "user"], {
        code: "recording-user-differs",
        severity: "warning",
        what: "The scenario does not say this here: the recording would be stale",
        fix: "copy the words of the scenario's conversation, or leave the turn out",
      });
    } else next = found + 1;
  });
}

/** What the agent says without calls ends its turn: it is asked again where a user turn follows. */
function checkEnd(
  checker: Checker,
  { scenario }: CheckInput,
  turns: readonly RecordedTurn[],
): void {
  let ended = 0;
  for (const [index, turn] of turns.entries()) {
    if ("user" in turn || "notice" in turn) continue;
    if (turn.after === undefined && ended >= scenario.conversation.length) {
      checker.say(["turns", index], {
        code: "recording-after-the-end",
        severity: "warning",
        what: "No user turn of the scenario is left before this: the recording would be stale",
        fix: "add a `user` turn to the scenario's conversation, or take this turn out",
      });
      return;
    }
    if (turn.after === undefined && (turn.calls ?? []).length === 0) ended++;
  }
}

function checkCalls(
  checker: Checker,
  { tools, scenario }: CheckInput,
  { turn, index }: { readonly turn: RecordedTurn; readonly index: number },
): void {
  const known = scenario.setup.workspace === undefined ? tools : { ...tools, ...WORKSPACE_TOOLS };
  const isKnown = (path: KeyPath, name: string) =>
    checker.known(path, name, { words: Object.keys(known), code: "unknown-tool", noun: "tool" });
  if ("after" in turn && turn.after !== undefined) {
    isKnown(["turns", index, "after", "tool"], turn.after.tool);
  }
  if (!("calls" in turn)) return;
  turn.calls?.forEach((call, at) => {
    const path = ["turns", index, "calls", at];
    if (!isKnown([...path, "tool"], call.tool)) return;
    const tool = known[call.tool];
    if (tool === undefined) return;
    if (!(call.tool in WORKSPACE_TOOLS) && !scenario.setup.available_tools.includes(call.tool)) {
      checker.say([...path, "tool"], {
        code: "tool-not-available",
        severity: "warning",
        what: `Tool "${call.tool}" is not available to the agent: the call only gets an error`,
        fix: 'call another tool, or add it to "available_tools"',
      });
    }
    const hasArgs = checker.source.at([...path, "args"]) !== null;
    const place = hasArgs ? [...path, "args"] : [...path, "tool"];
    checkLiteral(checker, { path: place, name: call.tool, tool, args: call.args, kind: "whole" });
  });
}

function checkFails(checker: Checker, input: CheckInput, { recording }: ReadRecording): void {
  const fails = recording.fails ?? [];
  checker.unique(fails, (index) => ["fails", index], "Condition");
  const fixed = fixedIds(input);
  fails.forEach((id, index) => {
    const why = impossible(input, id, fixed);
    if (why === null) return;
    checker.say(["fails", index], {
      code: "impossible-condition",
      what: `Condition "${id}" cannot fail in this scenario: ${why}`,
      fix: didYouMean(id, fixed, "name a condition that the scenario has, as the report names it"),
    });
  });
}

/** The ids of the conditions that the scenario itself names. */
function fixedIds({ scenario }: CheckInput): string[] {
  const { expected } = scenario;
  const ids = ["ended", "outcome", "evidence_conflict"];
  ids.push(...Object.keys(expected.state?.changes ?? {}).map((path) => `missing:${path}`));
  ids.push(...expected.messages.map(({ to }) => `missing_message:${to}`));
  ids.push(...(expected.never_revealed ?? []).map((_, index) => `revealed:${index + 1}`));
  ids.push(...expected.tools_called.map((_, index) => `tools_called:${index + 1}`));
  ids.push(...Object.keys(expected.final_response).map((key) => `final_response:${key}`));
  const { replies } = expected;
  const reply = "final_response:expected_agent_partial";
  ids.push(...replies.map((_, index) => replies.length === 1 ? reply : `${reply}:${index + 1}`));
  if (expected.approvals_requested !== undefined) ids.push("approvals_requested");
  for (const key of LIMITS) if (expected[key] !== undefined) ids.push(`limit:${key}`);
  ids.push(...(expected.checkpoints ?? []).map(({ id }) => `checkpoint:${id}`));
  ids.push(...(expected.proof ?? []).map(({ id }) => `proof:${id}`));
  for (const rule of expected.forbidden ?? []) {
    ids.push(
      `forbidden:${typeof rule === "string" ? rule : "tool" in rule ? rule.tool : rule.command}`,
    );
  }
  return ids;
}

/** Why a condition cannot fail, null where it can. */
function impossible(input: CheckInput, id: string, fixed: readonly string[]): string | null {
  if (fixed.includes(id)) return null;
  const colon = id.indexOf(":");
  const kind = colon === -1 ? id : id.slice(0, colon);
  const rest = id.slice(colon + 1);
  switch (kind) {
    case "protected":
      return touchesProtected(input, rest) ? null : "no protected path is touched by it";
    case "other_record":
    case "unrequested_message":
    case "file":
      return colon !== -1 && rest !== "" ? null : "it names nothing";
    case "forbidden":
      return isForbiddenByOutcome(input, rest) ? null : "the scenario does not forbid it";
    case "missing":
      return "the scenario does not expect that change";
    case "checkpoint":
    case "proof":
      return `it has no ${kind} of that id`;
    default:
      return "it has no such condition";
  }
}

function touchesProtected({ scenario }: CheckInput, path: string): boolean {
  return (scenario.expected.state?.protected ?? [])
    .some((text) => relate(compilePattern(text), parsePath(path)) !== "none");
}

/** Where a request must be refused, writing tools are forbidden unless they are needed. */
function isForbiddenByOutcome({ scenario, tools }: CheckInput, tool: string): boolean {
  const effect = Object.hasOwn(tools, tool) ? tools[tool]?.effect : undefined;
  return scenario.expected.outcome === "refused" && effect !== undefined &&
    WRITING_EFFECTS.has(effect);
}
