/**
 * How does a program speak to a model? A small client of each interface for the tests: it writes the
 * requests as the public contracts have them and reads answers back, so that a whole conversation can
 * be led over any of the four.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import type {
  AgentPlace,
  AgentRequest,
  ModelApiName,
  UpstreamAnswer,
} from "../../model/model_api.ts";
import type { ModelTool } from "../../model/ports.ts";
import type { GivenAnswer, HeardRequest } from "../../model/serving.ts";
import { MODEL_APIS } from "./apis.ts";

/** What a program tells its model, in order. */
export type Told =
  | { readonly user: string }
  | {
    readonly assistant: string;
    readonly calls: readonly {
      readonly id: string;
      readonly tool: string;
      readonly args: string;
    }[];
  }
  | {
    readonly result: string;
    readonly id: string;
    readonly tool: string;
    readonly isError?: boolean;
  };

/** What a program says besides its conversation. */
export interface ProgramSettings {
  readonly system: string;
  readonly tools: readonly ModelTool[];
  readonly stream: boolean;
}

/** A place without a run. */
export const NOWHERE: AgentPlace = {
  workspace: "/run/one/work",
  home: "/run/one/home",
  said: () => [],
  issued: () => undefined,
};

/** The interface of a name. */
export function apiOf(name: ModelApiName) {
  const api = MODEL_APIS.find((one) => one.name === name);
  if (api === undefined) throw new Error(`No interface "${name}"`);
  return api;
}

/** A request as a server hears it. */
export function heard(path: string, body: Json, method = "POST"): HeardRequest {
  const headers = { "content-type": "application/json", authorization: "Bearer dummy" };
  const signal = new AbortController().signal;
  return { method, path, headers, body: JSON.stringify(body), signal };
}

/** The body of an answer as one text. */
export async function bodyOf({ body }: GivenAnswer): Promise<string> {
  if (typeof body === "string") return body;
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of body) {
    text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
  }
  return text;
}

/** The request by which a program goes on with its conversation. */
export function requestOf(
  name: ModelApiName,
  told: readonly Told[],
  settings: ProgramSettings,
): HeardRequest {
  const { stream } = settings;
  if (name === "chat") return heard("/v1/chat/completions", chatBody(told, settings));
  if (name === "responses") return heard("/v1/responses", responsesBody(told, settings));
  if (name === "messages") return heard("/v1/messages", messagesBody(told, settings));
  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return heard(`/v1beta/models/test-model:${verb}`, geminiBody(told, settings));
}

/** Reads what the server gave, in the program's own terms. */
export function answerOf(name: ModelApiName, body: string, stream: boolean): UpstreamAnswer {
  const streaming = stream ? "events" : "no";
  return apiOf(name).readAnswer(body, { streaming, request: NO_REQUEST, place: NOWHERE });
}

const NO_REQUEST: AgentRequest = {
  kind: "request",
  messages: [],
  userWords: [],
  system: "",
  tools: [],
  model: "",
  side: null,
  results: [],
  sideAnswer: { text: "", calls: [] },
  usageWanted: true,
};

function chatBody(told: readonly Told[], { system, tools, stream }: ProgramSettings): JsonObject {
  return {
    model: "test-model",
    stream,
    stream_options: { include_usage: true },
    messages: [{ role: "system", content: system }, ...told.map(chatMessage)],
    tools: tools.map(({ name, description, input }) => ({
      type: "function",
      function: { name, description, parameters: input },
    })),
  };
}

function chatMessage(one: Told): JsonObject {
  if ("user" in one) return { role: "user", content: one.user };
  if ("result" in one) return { role: "tool", tool_call_id: one.id, content: one.result };
  const tool_calls = one.calls.map(({ id, tool, args }) => ({
    id,
    type: "function",
    function: { name: tool, arguments: args },
  }));
  return {
    role: "assistant",
    content: one.assistant,
    ...(tool_calls.length > 0 && { tool_calls }),
  };
}

function responsesBody(
  told: readonly Told[],
  { system, tools, stream }: ProgramSettings,
): JsonObject {
  return {
    model: "test-model",
    stream,
    instructions: system,
    input: told.flatMap(responsesItems),
    tools: tools.map(({ name, description, input }) => ({
      type: "function",
      name,
      description,
      parameters: input,
    })),
  };
}

function responsesItems(one: Told): JsonObject[] {
  const message = (role: string, type: string, text: string): JsonObject => ({
    type: "message",
    role,
    content: [{ type, text }],
  });
  if ("user" in one) return [message("user", "input_text", one.user)];
  if ("result" in one) {
    return [{ type: "function_call_output", call_id: one.id, output: one.result }];
  }
  const calls = one.calls.map(({ id, tool, args }) => ({
    type: "function_call",
    call_id: id,
    name: tool,
    arguments: args,
  }));
  return [
    ...(one.assistant === "" ? [] : [message("assistant", "output_text", one.assistant)]),
    ...calls,
  ];
}

function messagesBody(
  told: readonly Told[],
  { system, tools, stream }: ProgramSettings,
): JsonObject {
  return {
    model: "test-model",
    max_tokens: 4096,
    stream,
    system: [{ type: "text", text: system }],
    messages: told.map(messagesMessage),
    tools: tools.map(({ name, description, input }) => ({
      name,
      description,
      input_schema: input,
    })),
  };
}

function messagesMessage(one: Told): JsonObject {
  if ("user" in one) return { role: "user", content: [{ type: "text", text: one.user }] };
  if ("result" in one) {
    const { id, result, isError = false } = one;
    const block = { type: "tool_result", tool_use_id: id, content: result, is_error: isError };
    return { role: "user", content: [block] };
  }
  const text = one.assistant === "" ? [] : [{ type: "text", text: one.assistant }];
  const calls = one.calls.map(({ id, tool, args }) => ({
    type: "tool_use",
    id,
    name: tool,
    input: JSON.parse(args) as Json,
  }));
  return { role: "assistant", content: [...text, ...calls] };
}

function geminiBody(told: readonly Told[], { system, tools }: ProgramSettings): JsonObject {
  const functionDeclarations = tools.map(({ name, description, input }) => ({
    name,
    description,
    parametersJsonSchema: input,
  }));
  return {
    systemInstruction: { parts: [{ text: system }] },
    contents: told.map(geminiContent),
    tools: [{ functionDeclarations }],
  };
}

function geminiContent(one: Told): JsonObject {
  if ("user" in one) return { role: "user", parts: [{ text: one.user }] };
  if ("result" in one) {
    const { id, tool: name, result, isError = false } = one;
    const response: JsonObject = isError ? { error: result } : { output: result };
    return { role: "user", parts: [{ functionResponse: { id, name, response } }] };
  }
  const text = one.assistant === "" ? [] : [{ text: one.assistant }];
  const calls = one.calls.map(({ id, tool: name, args }) => ({
    functionCall: { id, name, args: JSON.parse(args) as Json },
  }));
  return { role: "model", parts: [...text, ...calls] };
}
