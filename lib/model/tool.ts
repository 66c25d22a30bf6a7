/**
 * What can an agent do in a simulated world? Tools as data: input schema, effect, refusals,
 * writes, messages and answer (`fixtures/<suite>/tools.yaml`).
 */
import { z } from "zod";
import { expressionText, jsonObject, jsonValue, pathText } from "./common.ts";

/** What a tool does to the world when it goes through. */
export const toolEffect = z.enum(["read", "write", "irreversible", "message", "ask", "hand_over"])
  .describe("What the tool does to the world");

/** An error as a tool answers it. */
export const toolError = z.strictObject({
  code: z.string().min(1),
  message: z.string().optional(),
}).describe("The error that the tool answers with");

/** One simulated tool. */
export const toolSpec = z.strictObject({
  description: z.string().min(1).describe("What the model is told about the tool"),
  effect: toolEffect,
  approval: z.enum(["none", "required"]).default("none").describe("Whether a person must approve"),
  input: jsonObject.describe("JSON Schema of the arguments; unknown arguments are refused"),
  needs: z.array(pathText).optional().describe("Records that must exist, else not_found"),
  let: z.record(z.string(), expressionText).optional()
    .describe("Named values, computed in order; sees $args, $state, $clock and earlier lets"),
  refuse: z.array(z.strictObject({ if: expressionText, error: toolError })).optional()
    .describe("Conditions under which the tool refuses"),
  set: z.record(z.string(), jsonValue).optional().describe("Paths to write"),
  append: z.record(z.string(), jsonValue).optional().describe("Lists to append to"),
  delete: z.array(pathText).optional().describe("Paths to remove"),
  send: jsonObject.optional().describe("A message for the outbox: to, channel, text"),
  returns: jsonValue.optional().describe("The answer; default {ok: true}; sees the state after"),
  answers: z.array(z.strictObject({ args: jsonObject, result: jsonValue })).optional()
    .describe("Recorded answers by arguments, tried first"),
});

/** A tools file. */
export const toolsFile = z.strictObject({ tools: z.record(z.string(), toolSpec) });

export type ToolEffect = z.infer<typeof toolEffect>;
export type ToolError = z.infer<typeof toolError>;
export type ToolSpec = z.infer<typeof toolSpec>;

/** Tools by name. */
export type ToolSet = Readonly<Record<string, ToolSpec>>;
