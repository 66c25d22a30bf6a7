/**
 * Which calls does an answer ask for, in the program's terms and in ours? Both ways: an answer of ours
 * that is written for a program, and a real model's answer that was read.
 */
import type { AnswerPlace, IssuedCall, WrittenAnswer } from "../../model/model_api.ts";
import { canonicalCall } from "./dialect_in.ts";
import { type NativeCall, nativeCall } from "./dialect_out.ts";
import type { HeardCall } from "./heard.ts";
import { withoutPaths, withPaths } from "./run_paths.ts";

/** A call in the program's terms, with its id. */
export interface WrittenCall extends NativeCall {
  readonly id: string;
}

/** The calls of an answer as they are written; ids are letters and digits, which no program changes. */
export function writtenCalls(
  answer: WrittenAnswer,
  { request, place }: AnswerPlace,
): { readonly calls: readonly WrittenCall[]; readonly issued: readonly IssuedCall[] } {
  const calls = answer.calls.map((call, i) => ({
    ...nativeCall(call, request.tools, place),
    id: `call${answer.id}x${i + 1}`,
  }));
  const issued = calls.flatMap(({ id, tool, form, args }, i): IssuedCall[] => {
    const call = answer.calls[i];
    const text = form === "text" ? JSON.stringify({ input: args }) : args;
    return call === undefined ? [] : [{ id, call, native: { tool, args: text } }];
  });
  return { calls, issued };
}

/** The answer with the paths of this run in its text. */
export function placedAnswer(
  answer: WrittenAnswer,
  { place }: Pick<AnswerPlace, "place">,
): WrittenAnswer {
  return { ...answer, text: withPaths(answer.text, place) };
}

/** The calls of an answer that a real model gave; one without an id gets one of its place. */
export function heardCalls(
  calls: readonly HeardCall[],
  { place }: Pick<AnswerPlace, "place">,
): readonly IssuedCall[] {
  return calls.map((heard, i) => {
    const id = heard.id ?? `c${i + 1}`;
    const call = canonicalCall(heard, id, place);
    const args = typeof heard.args === "string" ? heard.args : JSON.stringify(heard.args);
    return { id, call, native: { tool: heard.tool, args } };
  });
}

/** What a real model said, without paths of this run. */
export function heardText(text: string, { place }: Pick<AnswerPlace, "place">): string {
  return withoutPaths(text, place);
}
