/**
 * Is a request no turn of the conversation? Programs also ask for titles, memories, checks and
 * classifications; each is answered, none uses up a recorded turn. In: a request as it was read. Out:
 * what it is, or null, and an answer of the shape that it wants.
 */
import { isObject, type Json, type JsonObject, own, put } from "../../model/json.ts";
import type { AgentRequest } from "../../model/model_api.ts";
import { listAt, objectAt, textAt } from "../streams/fields.ts";
import type { RawRequest } from "./heard.ts";

/** What a system text says at its start, whatever tools are offered. */
const ROLES: readonly (readonly [RegExp, string])[] = [
  [/^\s*You are a title generator/i, "title"],
  [/^\s*You are now acting as the managed memory/i, "memory extraction"],
  [
    /^\s*You are (?:a|an|the) [\w -]{0,40}\b(?:summari[sz]er|classifier|memory extraction)/i,
    "side",
  ],
];
/** What a system text without tools says somewhere at its start. */
const TASKS = /\b(?:title|topic|summari[sz]e|summary|classif\w+|memor(?:y|ies)|next speaker)\b/i;
const HEAD = 600;

/** What the request is beside the conversation, null for a turn of it. */
export function sideOf(request: RawRequest, system: string, lastUser: string): string | null {
  const role = ROLES.find(([pattern]) => pattern.test(system));
  if (role !== undefined) return role[1];
  if (request.forced === "respond_in_schema") return "structured answer";
  if (request.tokensMax === 1) return "quota";
  if (/^Warmup$/.test(lastUser.trim())) return "warm-up";
  if (request.tools.length > 0) return null;
  if (request.wanted !== null) return "structured answer";
  return TASKS.test(system.slice(0, HEAD)) || /^Generate a title\b/i.test(lastUser)
    ? "title"
    : null;
}

/** What answers it: the least JSON of a schema, as a text or as the call that it wants, or a word. */
export function sideAnswer({ forced, tools, wanted }: RawRequest): AgentRequest["sideAnswer"] {
  const tool = tools.find(({ name }) => name === forced);
  if (tool !== undefined) {
    const least = leastOf(tool.input, 0);
    const args = isObject(least) ? least : {};
    const call = { id: "side", tool: tool.name, args, argsText: JSON.stringify(args) };
    return { text: "", calls: [call] };
  }
  const text = wanted === null ? "Conversation" : JSON.stringify(leastOf(wanted, 0));
  return { text, calls: [] };
}

const DEPTH_MAX = 8;

/** The least value that a JSON Schema allows, as far as it is a simple one. */
function leastOf(schema: Json, depth: number): Json {
  if (!isObject(schema) || depth > DEPTH_MAX) return {};
  const [first] = listAt(schema, "enum");
  if (first !== undefined) return first;
  const fixed = own(schema, "const");
  if (fixed !== undefined) return fixed;
  const [choice] = [...listAt(schema, "anyOf"), ...listAt(schema, "oneOf")];
  if (choice !== undefined) return leastOf(choice, depth + 1);
  const type = (textAt(schema, "type") ?? "object").toLowerCase();
  if (type === "object") return leastObject(schema, depth);
  if (type === "array") return [];
  return Object.hasOwn(LEAST, type) ? LEAST[type] ?? null : {};
}

const LEAST: Readonly<Record<string, Json>> = {
  string: "",
  number: 0,
  integer: 0,
  boolean: false,
  null: null,
};

function leastObject(schema: JsonObject, depth: number): JsonObject {
  const fields = objectAt(schema, "properties") ?? {};
  const value: JsonObject = {};
  for (const name of listAt(schema, "required")) {
    if (typeof name !== "string") continue;
    put(value, name, leastOf(own(fields, name) ?? {}, depth + 1));
  }
  return value;
}
