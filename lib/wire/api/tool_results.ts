/**
 * What did a tool answer, without what the program put around it? In: the texts of a result and what
 * is known of its call. Out: the tool's own words, how it ended, the exit code of a command where the
 * program tells it. A command's answer has the form `Exit code N` and its output, in every program.
 */
import { splitInterruptions } from "../../model/interruption.ts";
import { isObject, type Json, own } from "../../model/json.ts";
import { listAt, objectAt, textAt } from "../streams/fields.ts";

/** What became of a call. */
export interface ResultWords {
  readonly text: string;
  readonly status: "ok" | "error" | "denied";
  readonly exitCode: number | null;
}

/** Whose tool answered: ours, the program's shell, another of the program's own. */
export type Answering = "ours" | "shell" | "own";

/**
 * Takes a result out of its wrapping; `isError` is what the interface itself says, `said` what the
 * user said after the answer.
 */
export function resultWords(
  parts: readonly string[],
  { isError, from }: { readonly isError: boolean; readonly from: Answering },
): ResultWords & { readonly said: readonly string[] } {
  const told = parts.filter((part) => !WALL_TIME_ONLY.test(part)).map(bare).join("\n");
  const { answer, said } = splitInterruptions(told);
  if (from === "shell") return { ...shellWords(answer, isError), said };
  const { text, exitCode } = withoutHead(answer);
  if (exitCode !== null && from === "own") return { ...ended(text, exitCode), text, said };
  const status = statusOf(text, isError || isWrappedError(parts));
  return { text, status, exitCode: null, said };
}

const WALL_TIME_ONLY = /^Wall time: [\d.]+ seconds\s*\nOutput:\s*$/;
const UNTRUSTED = /^<untrusted_context>\n([\s\S]*)\n<\/untrusted_context>$/;
const STRUCTURED = /^structuredContent:\n\{[\s\S]*?\n\}\n/;
const MCP_ERROR = /^MCP tool '[^']*' reported tool error for function call: /;
const WITH_RESPONSE =
  /^MCP tool '[^']*' reported tool error for function call: [\s\S]* with response: (\[\{[\s\S]*\}\])$/;

function bare(part: string): string {
  const text = UNTRUSTED.exec(part)?.[1] ?? part;
  return withoutSentence(text).replace(STRUCTURED, "");
}

function isWrappedError(parts: readonly string[]): boolean {
  return parts.some((part) => MCP_ERROR.test(UNTRUSTED.exec(part)?.[1] ?? part));
}

/** Two programs put a tool's error into a sentence of their own, as JSON. */
function withoutSentence(text: string): string {
  const json = WITH_RESPONSE.exec(text)?.[1];
  if (json === undefined) return text;
  const [first] = parsedList(json);
  const response = objectAt(objectAt(first, "functionResponse"), "response");
  const error = objectAt(response, "error");
  const content = listAt(response, "content").length > 0 ? response : error;
  const words = listAt(content, "content").map((part) => textAt(part, "text") ?? "").join("\n");
  return words !== "" ? words : textAt(error, "message") ?? text;
}

function parsedList(text: string): readonly Json[] {
  try {
    const value = JSON.parse(text) as Json;
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

const CODEX_HEAD =
  /^(?:Chunk ID: \w+\n)?(?:Exit code: (-?\d+)\n)?Wall time: [\d.]+ seconds\n(?:Process (?:exited with code (-?\d+)|running with session ID \S+)\n)?(?:Original token count: \d+\n)?(?:Total output lines: \d+\n)?Output:(?:\n|$)/;
const CODEX_HEADS_MAX = 3;

/** Codex tells time and exit code before the output, more than once for a patch. */
function withoutHead(told: string): { text: string; exitCode: number | null } {
  let text = told;
  let exitCode: number | null = null;
  for (let i = 0; i < CODEX_HEADS_MAX; i++) {
    const head = CODEX_HEAD.exec(text);
    if (head === null) break;
    const code = head[1] ?? head[2];
    if (code !== undefined) exitCode = Number(code);
    text = text.slice(head[0].length);
  }
  return { text, exitCode };
}

const QWEN =
  /^Command: [\s\S]*?\nDirectory: .*\nOutput: ([\s\S]*?)\nError: ([\s\S]*?)\nExit Code: (.*)\n/;
const GEMINI_EXIT = /\n?Exit Code: (\d+)(?:\n[\s\S]*)?$/;
const PI_EXIT = /\n*Command exited with code (\d+)\s*$/;
const CLAUDE_EXIT = /^(?:Error: )?Exit code (\d+)(?:\n|$)/;
const NOTHING: ReadonlySet<string> = new Set(["(no output)", "(empty)", "(none)"]);

function shellWords(told: string, isError: boolean): ResultWords {
  const codex = withoutHead(told);
  if (codex.exitCode !== null) return ended(codex.text, codex.exitCode);
  const json = jsonOutput(told);
  if (json !== null) return json;
  const qwen = QWEN.exec(told);
  if (qwen !== null) return qwenWords(qwen);
  for (const pattern of [PI_EXIT, CLAUDE_EXIT]) {
    const exit = pattern.exec(told);
    if (exit !== null) return ended(told.replace(pattern, ""), Number(exit[1]));
  }
  const output = /^Output: ([\s\S]*)$/.exec(told);
  if (output !== null) return geminiWords(output[1] ?? "");
  const text = said(codex.text);
  return { text, status: statusOf(text, isError), exitCode: null };
}

function ended(output: string, exitCode: number): ResultWords {
  const text = `Exit code ${exitCode}\n${said(output)}`;
  return { text, status: exitCode === 0 ? "ok" : "error", exitCode };
}

function said(output: string): string {
  const text = output.trimEnd();
  return NOTHING.has(text.trim()) ? "" : text;
}

function qwenWords([, output = "", error = "", code = ""]: readonly string[]): ResultWords {
  const more = said(error) === "" ? "" : `\n${error}`;
  const text = said(output) + more;
  if (/^-?\d+$/.test(code)) return ended(text, Number(code));
  return { text, status: more === "" ? "ok" : "error", exitCode: null };
}

/** Without a line for the exit code the command ended with 0. */
function geminiWords(output: string): ResultWords {
  const exit = GEMINI_EXIT.exec(output);
  if (exit === null) return ended(output.replace(/\nProcess Group PGID: .*$/, ""), 0);
  return ended(output.slice(0, exit.index), Number(exit[1]));
}

/** An older form of Codex: `{"output": …, "metadata": {"exit_code": …}}`. */
function jsonOutput(told: string): ResultWords | null {
  if (!told.startsWith("{")) return null;
  try {
    const value = JSON.parse(told) as Json;
    const output = textAt(value, "output");
    const metadata = objectAt(value, "metadata");
    const code = metadata === undefined ? undefined : own(metadata, "exit_code");
    return output === null || typeof code !== "number" ? null : ended(output, code);
  } catch {
    return null;
  }
}

const DENIED =
  /permission (?:was|to use .* (?:was|has been)) (?:declined|denied)|rejected permission|(?:user|policy|rule) (?:has )?(?:rejected|denied)|requires approval, but|approval policy is never|\bRejected\(|blocked by policy|denied by policy|was declined/i;
const FAILED =
  /^(?:unsupported call\b|Tool \S+ not found|Error: No such tool|Unknown tool\b|The arguments provided to the tool are invalid|<tool_use_error>|exec_command failed|apply_patch verification failed)/;

function statusOf(text: string, isError: boolean): ResultWords["status"] {
  const code = ownErrorCode(text);
  if (code !== null) return code === "denied" ? "denied" : "error";
  if (isError || FAILED.test(text)) return DENIED.test(text) ? "denied" : "error";
  return /^[^\n]{0,400}$/.test(text) && DENIED.test(text) ? "denied" : "ok";
}

/** The code of an error as our tools answer it: `{"error": {"code": …}}` and nothing else. */
function ownErrorCode(text: string): string | null {
  if (!text.startsWith('{"error":')) return null;
  try {
    const value = JSON.parse(text) as Json;
    const error = isObject(value) && Object.keys(value).length === 1 ? own(value, "error") : null;
    return textAt(error ?? undefined, "code");
  } catch {
    return null;
  }
}
