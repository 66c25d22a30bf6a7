/**
 * What happens when an agent calls a simulated tool? Input check, approval, fault, then the tool
 * itself. In: the world and one call. Out: the world after it and what there is to record; nothing
 * here throws for what an agent may do wrong.
 */
import { match } from "ts-pattern";
import { compileRe2 } from "../expression/re2.ts";
import { Refusal } from "../expression/refusal.ts";
import { checkArguments } from "../model/arguments.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { ModelCall } from "../model/ports.ts";
import type { Fault } from "../model/scenario.ts";
import type { ToolError, ToolSpec } from "../model/tool.ts";
import { answerApproval } from "./approvals.ts";
import { disturbAnswer, faultError, findFault, TIMEOUT_ERROR } from "./faults.ts";
import { type Deed, useTool } from "./tool_body.ts";
import { findTool, type World } from "./world.ts";

/** What the agent gets; `asks` leaves the answer to the conversation, `broken` ends the run. */
export type ToolAnswer =
  | { readonly kind: "ok"; readonly result: Json }
  | { readonly kind: "refused"; readonly status: "error" | "denied"; readonly error: ToolError }
  | { readonly kind: "asks"; readonly answered: (text: string) => Json }
  | { readonly kind: "broken"; readonly why: string };

/** One call made: the world after it and everything that a trace records of it. */
export interface ToolOutcome {
  readonly world: World;
  readonly answer: ToolAnswer;
  /** How the person answered, null where nobody was asked. */
  readonly approval: "granted" | "denied" | null;
  readonly fault: Fault["kind"] | null;
  readonly wrote: readonly string[];
}

/** Calls a tool in a world; the world given is not changed. */
export async function callTool(world: World, call: ModelCall): Promise<ToolOutcome> {
  const outcome = { world, approval: null, fault: null, wrote: [] };
  const spec = Object.hasOwn(world.tools, call.tool) ? world.tools[call.tool] : undefined;
  if (spec === undefined) return { ...outcome, answer: unknownTool(world, call.tool) };
  const bad = badArguments(spec, call);
  if (bad !== null) return { ...outcome, answer: bad };
  try {
    return await approvedCall(world, { tool: call.tool, args: call.args ?? {}, spec });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ...outcome, answer: { kind: "broken", why: error.message } };
  }
}

function unknownTool(world: World, tool: string): ToolAnswer {
  const names = Object.keys(world.tools).map((name) => `"${name}"`).join(", ");
  const known = findTool(world, tool) === undefined ? "Unknown tool" : "Not available here: tool";
  return refused("error", {
    code: "unknown_tool",
    message: `${known} ${JSON.stringify(tool)}, expected one of ${names || "none"}`,
  });
}

function badArguments(spec: ToolSpec, call: ModelCall): ToolAnswer | null {
  if (call.args === null) {
    const got = JSON.stringify(call.argsText.slice(0, 200));
    return invalid([`Arguments: expected a JSON object, got ${got}`]);
  }
  let broken: string | null = null;
  const problems = checkArguments(spec.input, call.args, (pattern, text) => {
    const re2 = compileRe2(pattern);
    if (re2.kind === "pattern") return re2.test(text);
    broken ??= `the pattern "${pattern}" of its input is not RE2: ${re2.why}`;
    return null;
  });
  if (broken !== null) return { kind: "broken", why: broken };
  return problems.length === 0 ? null : invalid(problems);
}

function invalid(problems: readonly string[]): ToolAnswer {
  return refused("error", { code: "invalid_arguments", message: problems.join("\n") });
}

interface CheckedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly spec: ToolSpec;
}

async function approvedCall(world: World, call: CheckedCall): Promise<ToolOutcome> {
  if (call.spec.approval === "none") return await passedCall(world, call, null);
  const { approvals } = world.loaded.scenario.setup;
  const { granted, uses } = answerApproval(approvals, call, world.approvalUses);
  const asked = { ...world, approvalUses: uses };
  if (granted) return await passedCall(asked, call, "granted");
  const error = { code: "denied", message: "The person did not approve this call" };
  return {
    world: asked,
    answer: refused("denied", error),
    approval: "denied",
    fault: null,
    wrote: [],
  };
}

async function passedCall(
  world: World,
  call: CheckedCall,
  approval: "granted" | null,
): Promise<ToolOutcome> {
  const { tool, args, spec } = call;
  const nth = (Object.hasOwn(world.passed, tool) ? world.passed[tool] ?? 0 : 0) + 1;
  const counted = { ...world, passed: { ...world.passed, [tool]: nth } };
  const { faults, clock } = world.loaded.scenario.setup;
  const fault = findFault(faults, { tool, args, nth });
  const base = { approval, fault: fault?.kind ?? null };
  const early = fault === null ? null : refusedByFault(fault);
  if (early !== null) return { world: counted, answer: early, wrote: [], ...base };
  const deed = await useTool({ spec, args, state: world.state, clock });
  return { ...base, ...settle(counted, { spec, fault, deed }) };
}

function refusedByFault(fault: Fault): ToolAnswer | null {
  if (fault.kind === "error") return refused("error", faultError(fault));
  if (fault.kind === "denied") return refused("denied", faultError(fault));
  return fault.kind === "timeout_before_commit" ? refused("error", TIMEOUT_ERROR) : null;
}

interface Settlement {
  readonly spec: ToolSpec;
  readonly fault: Fault | null;
  readonly deed: Deed;
}

/** A refusal of the tool itself comes through every fault undisturbed but a timeout. */
function settle(
  world: World,
  { spec, fault, deed }: Settlement,
): Pick<ToolOutcome, "world" | "answer" | "wrote"> & { readonly fault?: null } {
  if (deed.kind === "broken") return { world, answer: deed, wrote: [] };
  const timedOut = fault?.kind === "timeout_after_commit";
  if (deed.kind === "refused") {
    if (timedOut) return { world, answer: refused("error", TIMEOUT_ERROR), wrote: [] };
    return { world, answer: refused("error", deed.error), wrote: [], fault: null };
  }
  const lies = fault?.kind === "lying_success";
  const after = lies ? world : { ...world, state: deed.state };
  const wrote = lies ? [] : deed.wrote;
  if (timedOut) return { world: after, answer: refused("error", TIMEOUT_ERROR), wrote };
  return { world: after, answer: answerOf(spec, fault, deed.result), wrote };
}

function answerOf(spec: ToolSpec, fault: Fault | null, result: Json): ToolAnswer {
  const disturbed = (answer: Json): Json => fault === null ? answer : disturbAnswer(fault, answer);
  if (spec.effect !== "ask") return { kind: "ok", result: disturbed(result) };
  return { kind: "asks", answered: (text) => disturbed({ answer: text }) };
}

function refused(status: "error" | "denied", error: ToolError): ToolAnswer {
  return { kind: "refused", status, error };
}

/** The answer as a model reads it: texts as they are, everything else as JSON. */
export function answerText(answer: Exclude<ToolAnswer, { kind: "asks" | "broken" }>): string {
  return match(answer)
    .with(
      { kind: "ok" },
      ({ result }) => typeof result === "string" ? result : JSON.stringify(result),
    )
    .with({ kind: "refused" }, ({ error }) => JSON.stringify({ error }))
    .exhaustive();
}
