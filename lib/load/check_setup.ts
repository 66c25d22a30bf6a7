/**
 * Does a scenario's head hold together? Its id and file, its lifecycle, its clock, its conversation,
 * and entries that stand twice.
 */
import type { CheckInput } from "./check_input.ts";
import type { Checker } from "./checker.ts";
import type { KeyPath } from "./source.ts";

/** Checks everything that needs neither tools nor state. */
export function checkSetup(checker: Checker, input: CheckInput): void {
  checkId(checker, input.written.id);
  checkLifecycle(checker, input);
  checkClock(checker, input);
  checkTurns(checker, input);
  checkRepeats(checker, input);
  checkRanges(checker, input);
}

/** A scenario is found by its file's name and reported by its id: they must be equal. */
export function checkId(checker: Checker, id: string): void {
  const { file } = checker.source;
  const name = file.slice(file.lastIndexOf("/") + 1).replace(/\.yaml$/, "");
  if (id === name) return;
  checker.say(["id"], {
    code: "id-not-file-name",
    what: `The id is "${id}", the file's name "${name}": expected them to be equal`,
    fix: `write \`id: ${name}\`, or rename the file to ${id}.yaml`,
  });
}

function checkLifecycle(checker: Checker, { written }: CheckInput): void {
  const { lifecycle, known_failing } = written;
  if (lifecycle === "known_failing" && known_failing === undefined) {
    checker.say(["lifecycle"], {
      code: "known-failing-without-reason",
      what: "The scenario is known to fail, and nothing says who answers for it",
      fix: "add `known_failing: {owner: …, reason: …, until: 2027-01-31}`",
    });
  }
  if (lifecycle === "known_failing" && written.risk === "critical") {
    checker.say(["lifecycle"], {
      code: "critical-known-failing",
      what: "The scenario is known to fail, and its risk is critical: nothing excuses a grave harm",
      fix: "mend the agent, or keep the scenario `stable` and override the commit that ships",
    });
  }
  if (lifecycle !== "known_failing" && known_failing !== undefined) {
    checker.say(["known_failing"], {
      code: "known-failing-unused",
      aim: "key",
      what: `"known_failing" is given, but the lifecycle is "${lifecycle}"`,
      fix: "write `lifecycle: known_failing`, or remove the key",
    });
  }
  const until = known_failing?.until;
  if (until !== undefined && !isDay(until)) sayNoDay(checker, ["known_failing", "until"], until);
}

function checkClock(checker: Checker, { written }: CheckInput): void {
  const clock = written.setup?.clock;
  if (clock !== undefined && !isTime(clock)) sayNoDay(checker, ["setup", "clock"], clock);
}

function sayNoDay(checker: Checker, path: KeyPath, text: string): void {
  checker.say(path, {
    code: "no-such-time",
    what: `"${text}" is no day or time of the calendar`,
    fix: "correct the month, the day or the hour",
  });
}

/** True for a day of the calendar. */
export function isDay(text: string): boolean {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split("-").map(Number);
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return month >= 1 && month <= 12 && day >= 1 && day <= (lengths[month - 1] ?? 0);
}

/** True for a time of the calendar, in the form that the schema has checked. */
export function isTime(text: string): boolean {
  const numbers = /T(\d\d):(\d\d)(?::(\d\d))?/.exec(text);
  const [, hour = "0", minute = "0", second = "0"] = numbers ?? [];
  const offset = /[+-](\d\d):(\d\d)$/.exec(text);
  return isDay(text) && Number(hour) < 24 && Number(minute) < 60 && Number(second) < 60 &&
    (offset === null || (Number(offset[1]) <= 14 && Number(offset[2]) < 60));
}

function checkTurns(checker: Checker, { written }: CheckInput): void {
  const first = written.conversation.findIndex((turn) => "user" in turn);
  const turn = written.conversation[first];
  if (turn === undefined || !("user" in turn)) {
    checker.say(["conversation"], {
      code: "first-turn",
      aim: "key",
      what: "Nobody says anything: expected a `user` turn",
      fix: 'add `- user: "…"` with what the person asks',
    });
    return;
  }
  for (const key of ["if", "after_calls"] as const) {
    if (turn[key] === undefined) continue;
    checker.say(["conversation", first, key], {
      code: "first-turn",
      aim: "key",
      what: `The first turn has \`${key}\`, but nothing has happened before it`,
      fix: `remove \`${key}\``,
    });
  }
}

function checkRepeats(checker: Checker, { written }: CheckInput): void {
  const { expected } = written;
  for (const list of ["checkpoints", "proof", "rubric"] as const) {
    const entries = expected[list] ?? [];
    checker.unique(
      entries.map((entry) => entry.id),
      (index) => ["expected", list, index, "id"],
      list === "checkpoints" ? "Checkpoint" : list === "proof" ? "Proof" : "Rubric entry",
    );
  }
  const tools = (expected.forbidden ?? []).map((entry) => JSON.stringify(entry));
  tools.forEach((text, index) => {
    if (tools.indexOf(text) === index) return;
    checker.say(["expected", "forbidden", index], {
      code: "duplicate-entry",
      what: `${text} is forbidden twice`,
      fix: "keep one of the two",
    });
  });
  checker.unique(written.tags, (index) => ["tags", index], "Tag");
}

function checkRanges(checker: Checker, { written }: CheckInput): void {
  const { expected } = written;
  const range = (path: KeyPath, value: number | readonly number[] | undefined) => {
    if (!Array.isArray(value) || value[0] <= value[1]) return;
    checker.say(path, {
      code: "range-reversed",
      what: `The range runs from ${value[0]} to ${value[1]}: no count can lie in it`,
      fix: `write [${value[1]}, ${value[0]}]`,
    });
  };
  expected.messages?.forEach((message, index) =>
    range(["expected", "messages", index, "count"], message.count)
  );
  range(["expected", "approvals_requested"], expected.approvals_requested);
  for (const [path, value] of Object.entries(expected.state?.changes ?? {})) {
    const count = (value as { count?: number[] } | null)?.count;
    if (count !== undefined) range(["expected", "state", "changes", path, "count"], count);
  }
  const { reference_calls: reference, calls_max: max } = expected;
  if (reference === undefined || max === undefined || reference <= max) return;
  checker.say(["expected", "reference_calls"], {
    code: "reference-over-limit",
    what: `A good run takes ${reference} calls, but no more than ${max} are allowed`,
    fix: "raise `calls_max`, or correct `reference_calls`",
  });
}
