/**
 * Which fault disturbs this call, and what does the agent see then? In: the scenario's faults and
 * which call of the tool this is. Out: the first fault that fits, and the disturbed answer.
 */
import { matchArgs } from "../expression/args.ts";
import { isObject, type Json, type JsonObject, own } from "../model/json.ts";
import type { Fault } from "../model/scenario.ts";
import type { ToolError } from "../model/tool.ts";

/** One call as faults see it: `nth` counts the tool's calls that passed input check and approval, from 1. */
export interface FaultedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly nth: number;
}

/** The first fault that fits the call, null where none does; throws `Refusal` as `matchArgs`. */
export function findFault(faults: readonly Fault[], call: FaultedCall): Fault | null {
  return faults.find((fault) =>
    fault.tool === call.tool && (fault.call === undefined || fault.call === call.nth) &&
    (fault.args === undefined || matchArgs(fault.args, call.args))
  ) ?? null;
}

/** The same words before and after the commit: the agent cannot know which it was. */
export const TIMEOUT_ERROR: ToolError = {
  code: "timeout",
  message: "The call timed out; it is not known whether it took effect",
};

/** The error of a fault that refuses the call. */
export function faultError(fault: Fault & { readonly kind: "error" | "denied" }): ToolError {
  return fault.error ?? { code: fault.kind, message: REFUSALS[fault.kind] };
}

const REFUSALS = {
  error: "The tool failed, nothing was done",
  denied: "The system denied this call, nothing was done",
} as const;

/** The answer as the agent sees it through a `malformed`, `empty` or `inject` fault. */
export function disturbAnswer(fault: Fault, answer: Json): Json {
  if (fault.kind === "empty") return null;
  if (fault.kind === "malformed") {
    return firstHalf(typeof answer === "string" ? answer : JSON.stringify(answer));
  }
  if (fault.kind !== "inject") return answer;
  if (typeof answer === "string") return `${answer}\n${fault.text}`;
  if (!isObject(answer)) return { answer, text: fault.text };
  const said = own(answer, "text");
  return { ...answer, text: typeof said === "string" ? `${said}\n${fault.text}` : fault.text };
}

function firstHalf(text: string): string {
  const points = [...text];
  return points.slice(0, Math.ceil(points.length / 2)).join("");
}
