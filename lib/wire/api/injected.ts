/**
 * Which words of a conversation did the program add by itself? Reminders, folder trees, dates,
 * instructions of skills: they differ from day to day and from program to program, and nobody said
 * them. In: the texts of a user's message. Out: what the user said.
 */
const WHOLE = [
  ...["system-reminder", "session_context", "environment_context", "user_instructions"],
  ...["turn_aborted", "subagent_notification"],
];
const INJECTED: readonly RegExp[] = [
  ...WHOLE.map((tag) => new RegExp(`^\\s*<${tag}>[\\s\\S]*</${tag}>\\s*$`)),
  /^\s*<(?:skills_instructions|permissions instructions|skill|apps_instructions)>/,
  /^\s*# AGENTS\.md instructions/,
  /^\[Request interrupted by user(?: for tool use)?\]$/,
  /^<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>/,
  /^This is the (?:Qwen Code|Gemini CLI)\. We are setting up/,
];

/** True for a text that the program put there. */
export function isInjected(text: string): boolean {
  return INJECTED.some((pattern) => pattern.test(text));
}

/** An answer that a program invents beside its own context. */
export function isInvented(text: string): boolean {
  return text.trim() === "Got it. Thanks for the context!";
}

const STAMP = /^\[[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d [A-Z]+\] /;
const RUNTIME = /\n\nRuntime: agent=[^\n]*$/;
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>\s*/g;

/** What the user said in a message; empty where all of it was added. */
export function userWords(parts: readonly string[], said: readonly string[]): string {
  const kept = parts.filter((part) => !isInjected(part))
    .map((part) => part.replace(REMINDER, "").replace(STAMP, "").replace(RUNTIME, "").trim())
    .filter((part) => part !== "");
  return unquoted(kept.join("\n"), said);
}

/** One program puts an argument with blanks in quotes: they fall where nobody said them. */
function unquoted(text: string, said: readonly string[]): string {
  if (!/^"[\s\S]*"$/.test(text) || text.length < 2) return text;
  if (said.some((one) => one.trim() === text)) return text;
  return text.slice(1, -1).replaceAll('\\"', '"');
}
