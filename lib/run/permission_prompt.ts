/**
 * How does a program that asks for permissions by a tool (Claude Code's `--permission-prompt-tool`)
 * get its answer? From the scenario's approvals, as a person would give it. In: what the program wants
 * to do, in its own names. Out: the answer in its own form. The scenario's tools are always allowed
 * here: they ask for approval themselves.
 */
import { Refusal } from "../expression/refusal.ts";
import { isObject, type JsonObject, own } from "../model/json.ts";
import type { ModelTool } from "../model/ports.ts";
import { TOOL_SERVER } from "../model/serving.ts";
import { answerApproval, type ApprovalRequest } from "./approvals.ts";
import type { Episode } from "./episode.ts";

/** Name of the tool that answers; programs see it as `mcp__tools__permission_prompt`. */
export const PERMISSION_PROMPT = "permission_prompt";

/** The tool as programs are told of it. */
export const PERMISSION_TOOL: ModelTool = {
  name: PERMISSION_PROMPT,
  description: "Asks the person whether the program may do something",
  input: {
    type: "object",
    required: ["tool_name", "input"],
    properties: {
      tool_name: { type: "string" },
      input: { type: "object" },
      tool_use_id: { type: "string" },
    },
  },
};

/** The program's own tools that stand for the built-in ones, and their arguments' names there. */
const OWN_TOOLS: Readonly<
  Record<string, { tool: string; args: Readonly<Record<string, string>> }>
> = {
  Bash: { tool: "shell", args: { command: "command" } },
  Write: { tool: "write_file", args: { file_path: "path", content: "text" } },
};

/** The answer as JSON text; asking is recorded as an approval. Unreadable questions are denied. */
export function answerPermission(episode: Episode, question: JsonObject): string {
  const { tool_name, input, tool_use_id } = question;
  const args = isObject(input) ? input : {};
  if (typeof tool_name !== "string") return denied("The question names no tool");
  const asked = ourNames(tool_name, args);
  if (Object.hasOwn(episode.world.tools, asked.tool)) return allowed(args);
  const answer = answerOf(episode, asked);
  if (answer.kind === "undecided") return denied(answer.why);
  const call = typeof tool_use_id === "string" && tool_use_id !== ""
    ? tool_use_id
    : `permission-${episode.events.length}`;
  const { granted } = answer;
  episode.record({ kind: "approval", call, ...asked, answer: granted ? "granted" : "denied" });
  return granted ? allowed(args) : denied("The person did not approve this");
}

type Answer =
  | { readonly kind: "answered"; readonly granted: boolean }
  | { readonly kind: "undecided"; readonly why: string };

function answerOf(episode: Episode, asked: ApprovalRequest): Answer {
  const { approvals } = episode.loaded.scenario.setup;
  try {
    const { granted, uses } = answerApproval(approvals, asked, episode.world.approvalUses);
    episode.world = { ...episode.world, approvalUses: uses };
    return { kind: "answered", granted };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: "undecided", why: error.message };
  }
}

function ourNames(name: string, args: JsonObject): ApprovalRequest {
  const served = `mcp__${TOOL_SERVER}__`;
  if (name.startsWith(served)) return { tool: name.slice(served.length), args };
  const known = Object.hasOwn(OWN_TOOLS, name) ? OWN_TOOLS[name] : undefined;
  if (known === undefined) return { tool: name, args };
  const named: JsonObject = {};
  for (const [theirs, ours] of Object.entries(known.args)) {
    const value = own(args, theirs);
    if (value !== undefined) named[ours] = value;
  }
  return { tool: known.tool, args: named };
}

function allowed(input: JsonObject): string {
  return JSON.stringify({ behavior: "allow", updatedInput: input });
}

function denied(message: string): string {
  return JSON.stringify({ behavior: "deny", message });
}
