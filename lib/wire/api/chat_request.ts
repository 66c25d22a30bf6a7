/**
 * What does a request of Chat Completions hold? In: its body. Out: messages, tools and wishes in
 * their order, in the program's own terms; a body without messages is refused.
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
export function chatRequestOf(body: Json): RawRequest | string {
  const messages = fieldAt(body, "messages");
  if (!Array.isArray(messages)) return "It has no list `messages`";
  return {
    items: messages.flatMap(itemsOf),
    tools: listAt(body, "tools").flatMap(toolOf),
    model: textAt(body, "model") ?? "",
    wanted: wantedOf(objectAt(body, "response_format")),
    forced: textAt(objectAt(objectAt(body, "tool_choice"), "function"), "name"),
    tokensMax: countAt(body, "max_completion_tokens") ?? countAt(body, "max_tokens"),
    usageWanted: fieldAt(objectAt(body, "stream_options"), "include_usage") === true,
  };
}

function itemsOf(message: Json): Heard[] {
  const role = textAt(message, "role");
  const content = fieldAt(message, "content");
  const parts = textParts(content);
  if (role === "system" || role === "developer") {
    return [{ kind: "system", text: parts.join("\n") }];
  }
  if (role === "user") return [{ kind: "user", parts }];
  if (role === "tool") {
    const id = textAt(message, "tool_call_id");
    return [{ kind: "result", id, tool: textAt(message, "name"), parts, isError: false }];
  }
  if (role !== "assistant") return [];
  const calls = listAt(message, "tool_calls").flatMap(chatCall);
  return [{ kind: "assistant", text: parts.join("") }, ...calls];
}

/** A call of a message or of an answer; one without a name is kept, nameless. */
export function chatCall(call: Json): HeardCall[] {
  if (!isObject(call)) return [];
  const called = objectAt(call, "function") ?? objectAt(call, "custom");
  const input = textAt(objectAt(call, "custom"), "input");
  return [{
    kind: "call",
    id: textAt(call, "id"),
    tool: textAt(called, "name") ?? "",
    namespace: null,
    args: input === null ? fieldAt(called, "arguments") ?? "" : { input },
  }];
}

function toolOf(tool: Json): DeclaredTool[] {
  const declared = objectAt(tool, "function") ?? objectAt(tool, "custom");
  const name = textAt(declared, "name");
  if (name === null) return [];
  const input = objectAt(declared, "parameters") ?? {};
  const form = textAt(tool, "type") === "custom" ? "text" : "function";
  const description = textAt(declared, "description") ?? "";
  return [{ name, namespace: null, description, input, form }];
}

function wantedOf(format: JsonObject | undefined): Json | null {
  if (textAt(format, "type") === "json_object") return {};
  const schema = objectAt(objectAt(format, "json_schema"), "schema");
  return schema ?? null;
}
