/**
 * Which conversation does a request tell, whatever program tells it? In: a request as its interface
 * was read. Out: the canonical conversation: what programs add is gone, calls are numbered in their
 * order, each has at most one result, results of one answer stand in the order of its calls, and what
 * the user said within a result stands after them.
 */
import type {
  AgentPlace,
  AgentRequest,
  AgentTool,
  HeardResult,
  ModelApi,
} from "../../model/model_api.ts";
import type { ModelCall, ModelMessage } from "../../model/ports.ts";
import { canonicalCall, isShellName } from "./dialect_in.ts";
import type { DeclaredTool, Heard, HeardCall, RawRequest } from "./heard.ts";
import { isInvented, userWords } from "./injected.ts";
import { mapFields, withoutDates, withoutDurations, withoutPaths, withPaths } from "./run_paths.ts";
import { sideAnswer, sideOf } from "./side_requests.ts";
import { type Answering, resultWords } from "./tool_results.ts";
import { bareName, ourTool } from "./tool_names.ts";

/** The request in canonical terms, or why it is none. */
export function canonicalRequest(
  read: RawRequest | string,
  place: AgentPlace,
): ReturnType<ModelApi["readRequest"]> {
  return typeof read === "string" ? { kind: "unreadable", why: read } : agentRequest(read, place);
}

function agentRequest(raw: RawRequest, place: AgentPlace): AgentRequest {
  const telling = new Telling(place);
  for (const item of raw.items) telling.hear(item);
  const { messages, results } = telling.end();
  const system = raw.items.flatMap((item) => item.kind === "system" ? [item.text] : []).join("\n");
  return {
    kind: "request",
    messages,
    results,
    userWords: messages.flatMap((one) => one.role === "user" ? [withPaths(one.text, place)] : []),
    system: withoutDates(withoutPaths(system, place)),
    tools: raw.tools.map((tool) => placedTool(tool, place)),
    model: raw.model,
    side: sideOf(raw, system, lastUser(raw.items)),
    sideAnswer: sideAnswer(raw),
    usageWanted: raw.usageWanted,
  };
}

function placedTool(tool: DeclaredTool, place: AgentPlace): AgentTool {
  const clean = (text: string) => withoutDates(withoutPaths(text, place));
  const bare = bareName(tool.name, tool.namespace);
  return {
    ...tool,
    bare,
    description: clean(tool.description),
    input: mapFields(tool.input, clean),
  };
}

function lastUser(items: readonly Heard[]): string {
  const last = items.findLast((item) => item.kind === "user");
  return last?.kind === "user" ? last.parts.at(-1) ?? "" : "";
}

interface MadeCall {
  readonly number: number;
  readonly call: ModelCall;
  readonly nativeId: string;
  readonly nativeTool: string;
  readonly from: Answering;
  answered: boolean;
}

interface Answer {
  readonly number: number;
  readonly message: ModelMessage & { readonly role: "tool" };
  readonly said: readonly string[];
}

type AssistantMessage = ModelMessage & { readonly role: "assistant" };

class Telling {
  readonly #place: AgentPlace;
  readonly #said: readonly string[];
  readonly #messages: ModelMessage[] = [];
  readonly #results: HeardResult[] = [];
  readonly #calls: MadeCall[] = [];
  /** Results of the last answer's calls, until all of them are there. */
  #waiting: Answer[] = [];

  constructor(place: AgentPlace) {
    this.#place = place;
    this.#said = place.said();
  }

  hear(item: Heard): void {
    if (item.kind === "result") this.#result(item);
    else if (item.kind === "call") this.#call(item);
    else if (item.kind === "user") this.#user(item.parts);
    else if (item.kind === "assistant" && !isInvented(item.text)) this.#assistant(item.text, []);
  }

  end(): { messages: readonly ModelMessage[]; results: readonly HeardResult[] } {
    this.#flush();
    return { messages: this.#messages, results: this.#results };
  }

  #user(parts: readonly string[]): void {
    const text = userWords(parts, this.#said);
    if (text === "") return;
    this.#flush();
    this.#messages.push({ role: "user", text: withoutPaths(text, this.#place) });
  }

  /** Text and calls of one answer may come as several items. */
  #assistant(text: string, calls: readonly ModelCall[]): void {
    this.#flush();
    const clean = withoutPaths(text, this.#place);
    const last = this.#messages.at(-1);
    if (last?.role !== "assistant") {
      this.#messages.push({ role: "assistant", text: clean, calls });
      return;
    }
    const both = last.text === "" || clean === "" ? "" : "\n";
    const joined: AssistantMessage = {
      role: "assistant",
      text: last.text + both + clean,
      calls: [...last.calls, ...calls],
    };
    this.#messages[this.#messages.length - 1] = joined;
  }

  #call(heard: HeardCall): void {
    const number = this.#calls.length + 1;
    const call = canonicalCall(heard, `c${number}`, this.#place);
    const ours = ourTool(heard.tool, heard.namespace) !== null || heard.tool === "tool_call";
    const from = ours ? "ours" : isShellName(heard.tool) ? "shell" : "own";
    const nativeId = heard.id ?? call.id;
    const { tool: nativeTool } = heard;
    this.#calls.push({ number, call, nativeId, nativeTool, from, answered: false });
    this.#assistant("", [call]);
  }

  /** The first result of a call counts: one program repeats them after a resume. */
  #result(item: Heard & { readonly kind: "result" }): void {
    const made = this.#calls.find(({ nativeId, nativeTool, answered }) =>
      !answered && (item.id === null ? nativeTool === item.tool : nativeId === item.id)
    );
    if (made === undefined) return;
    made.answered = true;
    const { number, call, nativeId, from } = made;
    const { said, ...words } = resultWords(item.parts, { isError: item.isError, from });
    const clean = withoutPaths(words.text, this.#place);
    this.#results.push({ ...words, id: nativeId, text: clean });
    const text = from === "ours" ? clean : withoutDurations(clean);
    const message = { role: "tool", call: call.id, tool: call.tool, text, status: words.status };
    this.#waiting.push({ number, said, message: message as Answer["message"] });
  }

  #flush(): void {
    const answers = this.#waiting.toSorted((a, b) => a.number - b.number);
    this.#waiting = [];
    this.#messages.push(...answers.map(({ message }) => message));
    for (const text of answers.flatMap(({ said }) => said)) {
      this.#messages.push({ role: "user", text });
    }
  }
}
