/**
 * Does a hard condition rest on the agent's words where the world could show the deed? Wordings
 * differ from one right run to the next, so a scenario that asks for changes or messages and is not
 * about what is said (tag `what_is_said`) gets a warning for each such condition.
 */
import type { CheckInput } from "./check_input.ts";
import type { Checker } from "./checker.ts";

/** The tag of a scenario that is about the agent's words, which no state can show. */
const ABOUT_WORDS = "what_is_said";
const TEXTS = /'[^']*'|"[^"]*"/g;
const WORDS = /(^|[^\w.])final\b|\$\$\.final\b|\btrace\.messages\b|\$says\s*\(/;

const FIX = "check the state instead, make it a checkpoint that is not required, or tag the " +
  `scenario "${ABOUT_WORDS}" where only words can show it`;

/** Warns of required conditions that match prose though the state can show what was done. */
export function checkProse(checker: Checker, { scenario, written }: CheckInput): void {
  if (!stateShows(scenario) || scenario.tags.includes(ABOUT_WORDS)) return;
  (written.expected.checkpoints ?? []).forEach(({ id, required, check }, index) => {
    if (!required || !matchesProse(check)) return;
    checker.say(["expected", "checkpoints", index, "check"], {
      code: "prose-condition",
      severity: "warning",
      what: `Required checkpoint "${id}" matches the agent's words, though the state can show it`,
      fix: FIX,
    });
  });
  for (const key of ["contains_any", "contains_all", "not_contains"] as const) {
    if (written.expected.final_response?.[key] === undefined) continue;
    checker.say(["expected", "final_response", key], {
      code: "prose-condition",
      severity: "warning",
      aim: "key",
      what: `"${key}" matches the agent's words, though the state can show what was done`,
      fix: FIX,
    });
  }
}

/** True where the right run leaves a trace in the world: a change or a message. */
function stateShows({ expected }: CheckInput["scenario"]): boolean {
  return expected.outcome === "success" &&
    (Object.keys(expected.state?.changes ?? {}).length > 0 || expected.messages.length > 0);
}

/** True where an expression reads what the agent says; words in quotes do not count. */
function matchesProse(check: string): boolean {
  return WORDS.test(check.replaceAll(TEXTS, "''"));
}
