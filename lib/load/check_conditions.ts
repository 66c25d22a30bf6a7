/**
 * Could an agent that does nothing pass this scenario? Each scenario must ask for something that
 * has to happen, and each outcome for what it rests on.
 */
import type { CheckInput } from "./check_input.ts";
import { checkProse } from "./check_prose.ts";
import type { Checker } from "./checker.ts";

/** Checks that the expectations can fail, and can hold. */
export function checkConditions(checker: Checker, input: CheckInput): void {
  checkAsksForSomething(checker, input);
  checkOutcome(checker, input);
  checkPossible(checker, input);
  checkWords(checker, input);
  checkSecrets(checker, input);
  checkProse(checker, input);
}

function lowest(range: number | readonly number[] | undefined): number {
  return typeof range === "number" ? range : range?.[0] ?? 0;
}

function hasRequired({ written }: CheckInput): boolean {
  return (written.expected.checkpoints ?? []).some((checkpoint) => checkpoint.required);
}

/** True where some required condition cannot hold for a run in which nothing happened. */
function asksForSomething(input: CheckInput): boolean {
  const { expected } = input.scenario;
  const { changes } = expected.state ?? {};
  return Object.keys(changes ?? {}).length > 0 ||
    expected.messages.some((message) => lowest(message.count) > 0) ||
    expected.tools_called.length > 0 ||
    expected.replies.length > 0 ||
    expected.final_response.contains_any !== undefined ||
    expected.final_response.contains_all !== undefined ||
    lowest(expected.approvals_requested) > 0 ||
    (expected.proof ?? []).length > 0 ||
    hasRequired(input) ||
    expected.outcome !== "success";
}

function checkAsksForSomething(checker: Checker, input: CheckInput): void {
  if (asksForSomething(input)) return;
  const { expected } = input.written;
  if ((expected.checkpoints ?? []).length > 0) {
    checker.say(["expected", "checkpoints"], {
      code: "nothing-required",
      aim: "key",
      what:
        "No checkpoint is required and nothing else must happen: an agent that does nothing passes",
      fix: "add `required: true` to the checkpoints that matter, or say what must change",
    });
    return;
  }
  checker.say(["expected"], {
    code: "no-condition",
    aim: "key",
    what: "Nothing must happen in this scenario: an agent that does nothing passes",
    fix: "say what must change, be called, be sent or be answered, or add a required checkpoint",
  });
}

function checkOutcome(checker: Checker, input: CheckInput): void {
  const { expected } = input.written;
  const { outcome } = expected;
  const aim = expected.outcome === "success" ? ["expected"] : ["expected", "outcome"];
  if ((outcome === "refused" || outcome === "no_change") && !hasRequired(input)) {
    checker.say(aim, {
      code: "outcome-without-checkpoint",
      what:
        `The outcome is "${outcome}", and no required checkpoint says what had to be read or served first`,
      fix: "add a checkpoint with `required: true`, for example that the record was looked up",
    });
  }
  if (outcome === "no_change") {
    for (const key of ["changes", "may_change"] as const) {
      if (expected.state?.[key] === undefined) continue;
      checker.say(["expected", "state", key], {
        code: "no-change-with-changes",
        aim: "key",
        what: `The outcome is "no_change", but "${key}" allows changes`,
        fix: `remove "${key}", or choose another outcome`,
      });
    }
  }
}

/** What no tool of the agent could bring about. */
function checkPossible(checker: Checker, input: CheckInput): void {
  const { scenario, tools, toolsComplete } = input;
  const { expected, setup } = scenario;
  if (!toolsComplete || setup.available_tools.length === 0) return;
  const available = setup.available_tools.flatMap((name) => tools[name] ?? []);
  if (
    expected.outcome === "handed_over" && !available.some((tool) => tool.effect === "hand_over")
  ) {
    checker.say(["expected", "outcome"], {
      code: "no-such-tool",
      what: 'The outcome is "handed_over", but no available tool has the effect "hand_over"',
      fix: "make such a tool available, or choose another outcome",
    });
  }
  if (
    expected.messages.some((message) => lowest(message.count) > 0) &&
    !available.some((tool) => tool.send !== undefined || tool.effect === "message")
  ) {
    checker.say(["expected", "messages"], {
      code: "no-such-tool",
      aim: "key",
      what: "A message must be sent, but no available tool sends any",
      fix: "make a tool with `send` available, or remove the messages",
    });
  }
  if (
    lowest(expected.approvals_requested) > 0 &&
    !available.some((tool) => tool.approval === "required")
  ) {
    checker.say(["expected", "approvals_requested"], {
      code: "no-such-tool",
      aim: "key",
      what: "An approval must be asked for, but no available tool needs one",
      fix: "make a tool with `approval: required` available, or remove the key",
    });
  }
}

function checkWords(checker: Checker, { scenario }: CheckInput): void {
  const { final_response: final } = scenario.expected;
  const never = (final.not_contains ?? []).map((word) => word.toLowerCase());
  const path = ["expected", "final_response"];
  final.contains_all?.forEach((word, index) => {
    if (!never.some((other) => word.toLowerCase().includes(other))) return;
    checker.say([...path, "contains_all", index], contradiction(word));
  });
  const any = final.contains_any ?? [];
  if (
    any.length > 0 && any.every((word) => never.some((other) => word.toLowerCase().includes(other)))
  ) {
    checker.say([...path, "contains_any", 0], contradiction(any[0] ?? ""));
  }
}

function contradiction(word: string) {
  return {
    code: "words-contradict",
    what: `"${word}" must be said, and "not_contains" forbids it: no run can pass`,
    fix: "remove one of the two",
  };
}

/** A secret that is nowhere in the world cannot be given away. */
function checkSecrets(checker: Checker, { scenario, state }: CheckInput): void {
  const secrets = scenario.expected.never_revealed ?? [];
  if (secrets.length === 0 || state === null) return;
  const world = JSON.stringify([state, scenario.conversation, scenario.setup.faults]);
  secrets.forEach((secret, index) => {
    if (world.includes(JSON.stringify(secret).slice(1, -1))) return;
    checker.say(["expected", "never_revealed", index], {
      code: "secret-not-in-world",
      severity: "warning",
      what:
        "This text is nowhere in the state, the files or the conversation: it could hardly be revealed",
      fix: "plant it in the state, or check its spelling",
    });
  });
}
