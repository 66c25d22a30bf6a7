/**
 * What did a program send, in the terms of no particular interface but before anything is made
 * canonical? The flat list that the codecs read requests into, and reads of bodies that refuse what
 * could not be walked.
 */
import { isNestedWithin, isObject, type Json, type JsonObject } from "../../model/json.ts";
import type { AgentTool } from "../../model/model_api.ts";
import type { GivenAnswer, HeardRequest } from "../../model/serving.ts";
import { nameAt } from "../streams/fields.ts";

/** One thing of a conversation, in its order. */
export type Heard =
  | { readonly kind: "system"; readonly text: string }
  | { readonly kind: "user"; readonly parts: readonly string[] }
  | { readonly kind: "assistant"; readonly text: string }
  | HeardCall
  | {
    readonly kind: "result";
    /** Null where the interface has none: the first call of that tool without an answer is meant. */
    readonly id: string | null;
    readonly tool: string | null;
    readonly parts: readonly string[];
    readonly isError: boolean;
  };

/** A call as it stands in a conversation or an answer. */
export interface HeardCall {
  readonly kind: "call";
  readonly id: string | null;
  readonly tool: string;
  readonly namespace: string | null;
  /** An object, or the text that should hold one. */
  readonly args: Json;
}

/** A tool as it is declared, before its name is looked at. */
export type DeclaredTool = Omit<AgentTool, "bare">;

/** A request read by its interface. */
export interface RawRequest {
  readonly items: readonly Heard[];
  readonly tools: readonly DeclaredTool[];
  readonly model: string;
  /** The schema of the JSON that the answer must be, null where it may be any text. */
  readonly wanted: Json | null;
  /** The one tool that must be called, null where the model chooses. */
  readonly forced: string | null;
  readonly tokensMax: number | null;
  readonly usageWanted: boolean;
}

/** Deeper JSON is none of a model's: nothing could walk it. */
const DEPTH_MAX = 250;

/** The body as JSON, null where it is none, or nested too deep. */
export function readBody(text: string): JsonObject | null {
  try {
    const body = JSON.parse(text) as Json;
    return isObject(body) && isNestedWithin(body, DEPTH_MAX) ? body : null;
  } catch {
    return null;
  }
}

/** The path without its query, and the query. */
export function splitPath({ path }: HeardRequest): { path: string; query: URLSearchParams } {
  const mark = path.indexOf("?");
  const query = new URLSearchParams(mark === -1 ? "" : path.slice(mark + 1));
  return { path: (mark === -1 ? path : path.slice(0, mark)).replace(/\/+$/, ""), query };
}

/** An answer of JSON. */
export function jsonAnswer(body: Json, status = 200): GivenAnswer {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

/** An answer of events. */
export function eventAnswer(body: string): GivenAnswer {
  const headers = {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
  };
  return { status: 200, headers, body };
}

/** Tokens that a text may be, where only a number is wanted and none is true. */
export function likelyTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The texts of content parts, one each; a text is one part; parts without text are left out. */
export function textParts(content: Json | undefined): string[] {
  if (typeof content === "string") return content === "" ? [] : [content];
  if (!Array.isArray(content)) return [];
  return content.flatMap((part) => nameAt(part, "text") ?? (typeof part === "string" ? part : []));
}
