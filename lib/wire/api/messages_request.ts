/**
 * What does a request of Anthropic Messages hold? In: its body. Out: messages, tools and wishes in
 * their order, in the program's own terms; a body without messages is refused.
 */
import type { Json } from "../../model/json.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "../streams/fields.ts";
import {
  type DeclaredTool,
  type Heard,
  type HeardCall,
  type RawRequest,
  textParts,
} from "./heard.ts";

/** The request, or why it is none. */
export function messagesRequestOf(body: Json): RawRequest | string {
  const messages = fieldAt(body, "messages");
  if (!Array.isArray(messages)) return "It has no list `messages`";
  const system = textParts(fieldAt(body, "system")).map((text): Heard => ({
    kind: "system",
    text,
  }));
  const choice = objectAt(body, "tool_choice");
  return {
    items: [...system, ...messages.flatMap(itemsOf)],
    tools: listAt(body, "tools").flatMap(toolOf),
    model: textAt(body, "model") ?? "",
    wanted: wantedOf(body),
    forced: textAt(choice, "type") === "tool" ? textAt(choice, "name") : null,
    tokensMax: countAt(body, "max_tokens"),
    usageWanted: true,
  };
}

/** Results stand in messages of the user, before what the user says. */
function itemsOf(message: Json): Heard[] {
  const role = textAt(message, "role");
  const content = fieldAt(message, "content");
  const blocks: readonly Json[] = Array.isArray(content) ? content : [];
  const parts = textParts(content);
  if (role === "user") {
    const results = blocks.flatMap(resultOf);
    return parts.length === 0 ? results : [...results, { kind: "user", parts }];
  }
  if (role === "system") return [{ kind: "system", text: parts.join("\n") }];
  if (role !== "assistant") return [];
  const calls = blocks.map(messagesCall).filter((call) => call !== null);
  return [{ kind: "assistant", text: parts.join("") }, ...calls];
}

function resultOf(block: Json): Heard[] {
  if (textAt(block, "type") !== "tool_result") return [];
  const isError = fieldAt(block, "is_error") === true;
  const parts = textParts(fieldAt(block, "content"));
  return [{ kind: "result", id: textAt(block, "tool_use_id"), tool: null, parts, isError }];
}

/** A call of a conversation or of an answer, null for a block that is none. */
export function messagesCall(block: Json): HeardCall | null {
  if (textAt(block, "type") !== "tool_use") return null;
  return {
    kind: "call",
    id: textAt(block, "id"),
    tool: textAt(block, "name") ?? "",
    namespace: null,
    args: fieldAt(block, "input") ?? {},
  };
}

/** Tools that the server itself would run have a type of their own and no schema. */
function toolOf(tool: Json): DeclaredTool[] {
  const name = textAt(tool, "name");
  const input = objectAt(tool, "input_schema");
  if (name === null || input === undefined) return [];
  const description = textAt(tool, "description") ?? "";
  return [{ name, namespace: null, description, input, form: "function" }];
}

function wantedOf(body: Json): Json | null {
  const format = objectAt(objectAt(body, "output_config"), "format") ??
    objectAt(body, "output_format");
  return textAt(format, "type") === "json_schema" ? objectAt(format, "schema") ?? {} : null;
}
