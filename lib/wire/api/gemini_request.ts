/**
 * What does a request of Gemini's `generateContent` hold? In: its body. Out: contents, tools and
 * wishes in their order, in the program's own terms; a body without contents is refused.
 */
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "../streams/fields.ts";
import {
  type DeclaredTool,
  type Heard,
  type HeardCall,
  type RawRequest,
  textParts,
} from "./heard.ts";

/** The request, or why it is none. */
export function geminiRequestOf(body: Json, model: string): RawRequest | string {
  const contents = fieldAt(body, "contents");
  if (typeof contents !== "string" && !Array.isArray(contents)) return "It has no `contents`";
  const items = typeof contents === "string"
    ? [{ kind: "user" as const, parts: textParts(contents) }]
    : contents.flatMap(itemsOf);
  const system = fieldAt(body, "systemInstruction") ?? fieldAt(body, "system_instruction");
  const texts = typeof system === "string" ? [system] : textParts(fieldAt(system, "parts"));
  const config = objectAt(body, "generationConfig") ?? objectAt(body, "generation_config");
  return {
    items: [...texts.map((text): Heard => ({ kind: "system", text })), ...items],
    tools: listAt(body, "tools").flatMap(toolsOf),
    model,
    wanted: wantedOf(config),
    forced: forcedOf(body),
    tokensMax: countAt(config, "maxOutputTokens"),
    usageWanted: true,
  };
}

function itemsOf(content: Json): Heard[] {
  const parts = listAt(content, "parts");
  const results = parts.flatMap(resultOf);
  if (textAt(content, "role") === "model") {
    const texts = parts.filter((part) => fieldAt(part, "thought") !== true);
    const calls = parts.map(geminiCall).filter((call) => call !== null);
    return [{ kind: "assistant", text: textParts([...texts]).join("") }, ...calls];
  }
  const said = textParts([...parts]);
  return said.length === 0 ? results : [...results, { kind: "user", parts: said }];
}

/** A call of a conversation or of an answer, null for a part that is none. */
export function geminiCall(part: Json): HeardCall | null {
  const call = objectAt(part, "functionCall");
  if (call === undefined) return null;
  const [id, tool] = [textAt(call, "id"), textAt(call, "name") ?? ""];
  return { kind: "call", id, tool, namespace: null, args: fieldAt(call, "args") ?? {} };
}

function resultOf(part: Json): Heard[] {
  const result = objectAt(part, "functionResponse");
  if (result === undefined) return [];
  const response = objectAt(result, "response") ?? {};
  const isError = Object.hasOwn(response, "error");
  const id = textAt(result, "id");
  return [{ kind: "result", id, tool: textAt(result, "name"), parts: wordsOf(response), isError }];
}

function wordsOf(response: JsonObject): string[] {
  const output = fieldAt(response, "output") ?? fieldAt(response, "error") ??
    fieldAt(response, "result");
  if (typeof output === "string") return [output];
  const content = textParts(fieldAt(response, "content") ?? fieldAt(output, "content"));
  if (content.length > 0) return content;
  return [JSON.stringify(output ?? response)];
}

function toolsOf(tool: Json): DeclaredTool[] {
  const declared = [
    ...listAt(tool, "functionDeclarations"),
    ...listAt(tool, "function_declarations"),
  ];
  return declared.flatMap((one): DeclaredTool[] => {
    const name = textAt(one, "name");
    if (name === null) return [];
    const input = objectAt(one, "parametersJsonSchema") ?? objectAt(one, "parameters") ?? {};
    const description = textAt(one, "description") ?? "";
    return [{ name, namespace: null, description, input, form: "function" }];
  });
}

function wantedOf(config: JsonObject | undefined): Json | null {
  const schema = fieldAt(config, "responseJsonSchema") ?? fieldAt(config, "responseSchema");
  if (isObject(schema)) return schema;
  return textAt(config, "responseMimeType") === "application/json" ? {} : null;
}

function forcedOf(body: Json): string | null {
  const config = objectAt(objectAt(body, "toolConfig"), "functionCallingConfig");
  const names = listAt(config, "allowedFunctionNames");
  const [name] = names;
  const one = textAt(config, "mode") === "ANY" && names.length === 1;
  return one && typeof name === "string" ? name : null;
}
