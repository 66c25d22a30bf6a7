/**
 * How is an agent with an interface of its own talked to? By two expressions of its entry: one makes
 * the body of a request, one reads the answer. What the agent says that it did is an attempt, never a
 * deed: only our own tools and the state show deeds.
 */
import { evaluateExpression } from "../expression/compile.ts";
import { isObject, type Json, type JsonObject, own } from "../model/json.ts";
import type { Usage } from "../model/run.ts";

/** What the user says now, with what came before. */
export interface AgentTurn {
  readonly text: string;
  /** From 1. */
  readonly turn: number;
  /** The run's own name at first, then what the agent called it. */
  readonly session: string;
  /** What the scenario tells of its setup, one line `name: value` each. */
  readonly setting: string;
  /** Everything said so far and now, in order. */
  readonly messages: readonly {
    readonly role: "user" | "assistant";
    readonly text: string;
  }[];
}

/** A call that the agent tells of; `args` null where they were no JSON object. */
export interface ToldCall {
  readonly tool: string;
  readonly args: JsonObject | null;
  readonly argsText: string;
  /** `unfinished` where it tells of no failure: that it was done would have to be seen. */
  readonly status: "unfinished" | "error" | "denied";
}

/** What an agent answered to one turn. */
export interface AgentSaid {
  readonly kind: "said";
  readonly text: string;
  /** Null where the agent names none. */
  readonly session: string | null;
  readonly calls: readonly ToldCall[];
  readonly usage: Usage | null;
  readonly model: string | null;
}

/** Why there is nothing of that kind. */
export interface Unmapped {
  readonly kind: "unmapped";
  readonly why: string;
}

/** The body that the expression `request` makes of a turn. */
export async function mapRequest(
  expression: string,
  turn: AgentTurn,
): Promise<{ readonly kind: "body"; readonly body: Json } | Unmapped> {
  const { messages, ...rest } = turn;
  const input = {
    ...rest,
    messages: messages.map((message) => ({ ...message })),
  };
  const made = await evaluateExpression(expression, { input, bindings: {} });
  if (made.kind === "error") return unmapped(`its \`request\` cannot be made: ${made.why}`);
  if (made.value === undefined) return unmapped("its `request` comes to nothing");
  return { kind: "body", body: made.value };
}

/** What the expression `response` reads in an answer. */
export async function mapResponse(expression: string, answer: Json): Promise<AgentSaid | Unmapped> {
  if (!isObject(answer)) return unmapped("its answer is no JSON object");
  const read = await evaluateExpression(expression, { input: answer, bindings: {} });
  if (read.kind === "error") return unmapped(`its \`response\` cannot be read: ${read.why}`);
  const { value } = read;
  const text = isObject(value) ? own(value, "text") : undefined;
  if (!isObject(value) || typeof text !== "string") {
    return unmapped("its `response` finds no `text` in the answer");
  }
  const session = own(value, "session");
  if (session !== undefined && session !== null && typeof session !== "string") {
    return unmapped("the `session` that its `response` finds is no text");
  }
  const calls = callsOf(own(value, "calls"));
  if (calls === null) {
    return unmapped("the `calls` that its `response` finds are no list of {tool, args}");
  }
  return { kind: "said", text, session: session || null, calls, usage: null, model: null };
}

/** One call alone is a list of one; null for what is none. */
function callsOf(value: Json | undefined): ToldCall[] | null {
  if (value === undefined || value === null) return [];
  const calls: ToldCall[] = [];
  for (const one of Array.isArray(value) ? value : [value]) {
    const tool = isObject(one) ? own(one, "tool") : undefined;
    if (!isObject(one) || typeof tool !== "string" || tool === "") return null;
    const status = own(one, "status");
    const { args, argsText } = argsOf(own(one, "args"));
    calls.push({
      tool,
      args,
      argsText,
      status: status === "error" || status === "denied" ? status : "unfinished",
    });
  }
  return calls;
}

/** Arguments as an object, or as the text of one. */
function argsOf(value: Json | undefined): Pick<ToldCall, "args" | "argsText"> {
  if (value === undefined || value === null) return { args: {}, argsText: "{}" };
  if (typeof value !== "string") {
    return { args: isObject(value) ? value : null, argsText: JSON.stringify(value) };
  }
  try {
    const parsed: Json = JSON.parse(value);
    return { args: isObject(parsed) ? parsed : null, argsText: value };
  } catch {
    return { args: null, argsText: value };
  }
}

function unmapped(why: string): Unmapped {
  return { kind: "unmapped", why };
}
