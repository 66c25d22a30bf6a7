/**
 * What does a request of OpenAI Responses hold? In: its body. Out: items, tools and wishes in their
 * order, in the program's own terms. Refuses a request that leans on answers kept at the server.
 */
import { isObject, type Json, type JsonObject } from "../../model/json.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "../streams/fields.ts";
import { localShellArgs } from "./dialect_in.ts";
import {
  type DeclaredTool,
  type Heard,
  type HeardCall,
  type RawRequest,
  textParts,
} from "./heard.ts";

/** The request, or why it is none. */
export function responsesRequestOf(body: Json): RawRequest | string {
  if (textAt(body, "previous_response_id") !== null) {
    return "It continues `previous_response_id`, expected the whole conversation in `input`";
  }
  const input = fieldAt(body, "input");
  if (typeof input !== "string" && !Array.isArray(input)) return "It has no `input`";
  const items = typeof input === "string"
    ? [{ kind: "user" as const, parts: textParts(input) }]
    : input.flatMap(itemsOf);
  const instructions = textAt(body, "instructions");
  return {
    items: instructions === null ? items : [{ kind: "system", text: instructions }, ...items],
    tools: listAt(body, "tools").flatMap((tool) => toolsOf(tool, null)),
    model: textAt(body, "model") ?? "",
    wanted: wantedOf(objectAt(objectAt(body, "text"), "format")),
    forced: textAt(objectAt(body, "tool_choice"), "name"),
    tokensMax: countAt(body, "max_output_tokens"),
    usageWanted: true,
  };
}

function itemsOf(item: Json): Heard[] {
  const type = textAt(item, "type") ?? "message";
  if (type === "message") return messageOf(item);
  const call = responsesCall(item);
  if (call !== null) return [call];
  if (!type.endsWith("_output")) return [];
  const output = fieldAt(item, "output");
  const inner = isObject(output) ? fieldAt(output, "content") ?? fieldAt(output, "body") : output;
  const isError = fieldAt(output, "success") === false;
  return [{
    kind: "result",
    id: textAt(item, "call_id"),
    tool: null,
    parts: textParts(inner),
    isError,
  }];
}

function messageOf(item: Json): Heard[] {
  const role = textAt(item, "role");
  const parts = textParts(fieldAt(item, "content"));
  if (role === "user") return [{ kind: "user", parts }];
  if (role === "assistant") return [{ kind: "assistant", text: parts.join("") }];
  return role === "system" || role === "developer"
    ? [{ kind: "system", text: parts.join("\n") }]
    : [];
}

/** A call of a conversation or of an answer, null for an item that is none. */
export function responsesCall(item: Json): HeardCall | null {
  const call = { kind: "call", id: textAt(item, "call_id") } as const;
  const namespace = textAt(item, "namespace");
  const tool = textAt(item, "name") ?? "";
  const type = textAt(item, "type");
  if (type === "function_call") {
    return { ...call, namespace, tool, args: fieldAt(item, "arguments") ?? "" };
  }
  if (type === "custom_tool_call") {
    return { ...call, namespace, tool, args: { input: textAt(item, "input") ?? "" } };
  }
  if (type !== "local_shell_call") return null;
  return { ...call, namespace: null, tool: "local_shell", args: localShellArgs(item) };
}

/** Tools that the server itself would run are none of the program's. */
function toolsOf(tool: Json, namespace: string | null): DeclaredTool[] {
  const type = textAt(tool, "type");
  const name = textAt(tool, "name");
  const description = textAt(tool, "description") ?? "";
  if (type === "namespace") {
    return namespace === null ? listAt(tool, "tools").flatMap((one) => toolsOf(one, name)) : [];
  }
  if (type === "local_shell") {
    return [{ name: "local_shell", namespace, description, input: {}, form: "local_shell" }];
  }
  if (name === null || (type !== "function" && type !== "custom")) return [];
  const input = objectAt(tool, "parameters") ?? {};
  return [{ name, namespace, description, input, form: type === "custom" ? "text" : "function" }];
}

function wantedOf(format: JsonObject | undefined): Json | null {
  const type = textAt(format, "type");
  if (type === "json_object") return {};
  return type === "json_schema" ? objectAt(format, "schema") ?? {} : null;
}
