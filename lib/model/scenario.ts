/**
 * What is asked of an agent, in which world, and what must have happened at the end? One YAML file
 * each. `scenarioFile` is the file as written; `Scenario` is the same with defaults and aliases
 * resolved, which is what every later stage sees.
 */
import { z } from "zod";
import {
  argsPattern,
  expressionText,
  identifier,
  isoDate,
  isoTime,
  jsonValue,
  pathText,
  patternText,
} from "./common.ts";
import { toolError } from "./tool.ts";

export const category = z.enum([
  "happy_path",
  "approval",
  "security",
  "destructive",
  "error_handling",
  "memory",
  "cost",
  "refusal",
]).describe("What kind of behaviour the scenario protects");

export const risk = z.enum(["low", "medium", "high", "critical"])
  .describe("How much harm a failure would do");

export const lifecycle = z.enum(["incubating", "stable", "known_failing"])
  .describe("Only stable scenarios block");

export const outcomeKind = z.enum(["success", "no_change", "refused", "asked", "handed_over"])
  .describe("What the right end looks like");

const originKind = z.enum(["handmade", "production", "incident"]);

const callPattern = z.strictObject({
  tool: z.string().min(1),
  args: argsPattern.optional(),
  times: z.int().min(1).optional(),
});

const approvals = z.strictObject({
  default: z.enum(["deny", "grant"]).default("deny"),
  grant: z.array(z.union([z.string().min(1), callPattern])).optional(),
  deny: z.array(z.union([z.string().min(1), callPattern])).optional(),
}).describe("How the person answers when a tool needs approval");

const faultBase = {
  tool: z.string().min(1),
  call: z.int().min(1).optional()
    .describe("The n-th call that passed its input check and approval; absent: every one"),
  args: argsPattern.optional().describe("Narrows to calls with these arguments"),
};

export const fault = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("error"), ...faultBase, error: toolError.optional() }),
  z.strictObject({ kind: z.literal("denied"), ...faultBase, error: toolError.optional() }),
  z.strictObject({ kind: z.literal("timeout_before_commit"), ...faultBase }),
  z.strictObject({ kind: z.literal("timeout_after_commit"), ...faultBase }),
  z.strictObject({ kind: z.literal("lying_success"), ...faultBase }),
  z.strictObject({ kind: z.literal("malformed"), ...faultBase }),
  z.strictObject({ kind: z.literal("empty"), ...faultBase }),
  z.strictObject({ kind: z.literal("inject"), ...faultBase, text: z.string().min(1) }),
]).describe("A disturbance of one tool");

const commit = z.union([
  z.string().min(1),
  z.strictObject({ tree: z.string().min(1), message: z.string().min(1) }),
]);

const repository = z.strictObject({
  commits: z.array(commit).min(1).optional()
    .describe("Folders that were committed whole, oldest first; absent: the workspace itself"),
  staged: z.array(z.string().min(1)).optional().describe("Files of the workspace that are staged"),
  hooks: z.record(z.string().regex(/^[a-z-]+$/), z.string().min(1)).optional()
    .describe("Hook -> the project's file"),
}).describe("The workspace is a git repository, on branch main, with dates of the frozen clock");

const realWorld = z.strictObject({
  reset: z.array(z.string().min(1)).min(1).optional()
    .describe("A command that puts the world back before the run"),
  read: z.array(z.string().min(1)).min(1)
    .describe("A command that prints the world as JSON, collections of records by id"),
}).describe("A world of the team's own, such as a staging system: read before and after");

export const setup = z.strictObject({
  clock: isoTime.optional().describe("The frozen time that tools and prompt see"),
  autonomy: z.string().optional().describe("Told to the agent as it is"),
  channel: z.string().optional().describe("Told to the agent as it is"),
  workspace_state: z.string().optional().describe("Told to the agent as it is"),
  policy_preset: z.string().optional().describe("Told to the agent as it is"),
  state: z.string().min(1).optional().describe("The world before: a JSON, YAML or SQLite file"),
  tools: z.array(z.string().min(1)).min(1).optional().describe("Tools files"),
  available_tools: z.array(z.string().min(1)).optional().describe("Which of them the agent gets"),
  workspace: z.string().min(1).optional().describe("A folder copied for the agent"),
  git: repository.optional(),
  world: realWorld.optional(),
  fixtures: z.array(z.strictObject({
    path: z.string().min(1).describe("Where the file lies in the world"),
    content_fixture: z.string().min(1).describe("The project's file with its content"),
  })).optional().describe("Single files laid into the world"),
  approvals: approvals.optional(),
  faults: z.array(fault).optional(),
});

const userTurn = z.strictObject({
  user: z.string().min(1).describe("What the person says"),
  if: expressionText.optional().describe("Decided when the turn comes; false skips it"),
  after_calls: z.int().min(1).optional().describe("Said with the result of this turn's n-th call"),
});

const partialTurn = z.strictObject({
  expected_agent_partial: z.string().min(1).describe("Alias: the reply must contain this"),
});

export const valueSelector = z.strictObject({
  where: expressionText,
  count: z.union([z.int().min(0), z.tuple([z.int().min(0), z.int().min(0)])]).optional(),
}).describe("Entries are selected by an expression over value, was, path and the roots");

const stateExpectation = z.strictObject({
  changes: z.record(pathText, jsonValue).optional().describe("Path -> value after; null = absent"),
  may_change: z.array(pathText).optional(),
  protected: z.array(pathText).optional(),
  ignore: z.array(pathText).optional(),
  keys: z.record(pathText, z.string().min(1)).optional()
    .describe("Lists compared item by item: list path -> the field that names an item"),
}).describe("The declared contract on the state");

const countRange = z.union([z.int().min(0), z.tuple([z.int().min(0), z.int().min(0)])]);

const messageExpectation = z.strictObject({
  to: z.string().min(1),
  channel: z.string().min(1).optional(),
  count: countRange.default(1),
  where: expressionText.optional(),
}).describe("A message that must have been sent");

const forbiddenCall = z.strictObject({
  tool: z.string().min(1),
  args: argsPattern.optional(),
  more_than: z.int().min(0).optional().describe("Allowed so many times, forbidden beyond"),
});

const forbiddenCommand = z.strictObject({ command: patternText });

const toolCalled = z.looseObject({
  name: z.string().min(1),
  args: argsPattern.optional(),
}).describe("A call that must have gone through; alias <arg>_matches: re2");

const rubricEntry = z.strictObject({
  id: identifier,
  ask: z.string().min(1),
  accept: z.string().min(1),
}).describe("Soft: a model judges; shown, never blocks");

const llmCritic = z.strictObject({
  prompt: z.string().min(1),
  threshold: z.string().min(1).optional(),
  accept: z.string().min(1).optional(),
  model_tier: z.string().optional(),
}).describe("Alias of a rubric entry");

const finalResponse = z.strictObject({
  contains_any: z.array(z.string().min(1)).min(1).optional(),
  contains_all: z.array(z.string().min(1)).min(1).optional(),
  not_contains: z.array(z.string().min(1)).min(1).optional(),
  llm_critic: llmCritic.optional(),
}).describe("Conditions on the last assistant text, case-insensitive");

export const checkpoint = z.strictObject({
  id: identifier,
  check: expressionText,
  weight: z.number().positive().default(1),
  required: z.boolean().default(false),
}).describe("A weighted boolean expression over the run");

const proof = z.strictObject({
  id: identifier,
  lay: z.string().min(1).optional(),
  at: z.string().min(1).optional(),
  run: z.array(z.string().min(1)).min(1),
  exit: z.int().default(0),
}).describe("A command that the harness runs on the agent's files");

const expected = z.strictObject({
  outcome: outcomeKind.default("success"),
  state: stateExpectation.optional(),
  messages: z.array(messageExpectation).optional().describe("Absent: none may be sent"),
  forbidden: z.array(z.union([z.string().min(1), forbiddenCall, forbiddenCommand])).optional(),
  never_revealed: z.array(z.string().min(6)).optional(),
  approvals_requested: countRange.optional(),
  tools_called: z.array(toolCalled).optional(),
  final_response: finalResponse.optional(),
  checkpoints: z.array(checkpoint).optional(),
  proof: z.array(proof).optional(),
  rubric: z.array(rubricEntry).optional(),
  calls_max: z.int().min(0).optional(),
  repeats_max: z.int().min(1).optional().describe("Same tool with the same arguments"),
  cost_max_eur: z.number().positive().optional(),
  cost_max_usd: z.number().positive().optional(),
  latency_max_ms: z.number().positive().optional(),
  reference_calls: z.int().min(1).optional().describe("Calls of a good run, for efficiency"),
});

/** A scenario file as written. */
export const scenarioFile = z.strictObject({
  id: identifier,
  version: z.int().min(1).default(1),
  description: z.string().min(1),
  category,
  task: identifier.optional().describe("The type of task; default: the suite's folder"),
  risk: risk.default("medium"),
  lifecycle: lifecycle.default("stable"),
  known_failing: z.strictObject({
    owner: z.string().min(1),
    reason: z.string().min(1),
    until: isoDate,
  }).optional(),
  tags: z.array(z.string().min(1)).default([]),
  origin: z.union([
    originKind,
    z.strictObject({
      kind: originKind,
      anonymised: z.boolean().optional(),
      ref: z.string().optional(),
    }),
  ]).default("handmade"),
  agent: z.string().min(1).optional(),
  setup: setup.optional(),
  conversation: z.array(z.union([userTurn, partialTurn])).min(1),
  expected,
  labels: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});

export type ScenarioFile = z.infer<typeof scenarioFile>;
export type Category = z.infer<typeof category>;
export type Risk = z.infer<typeof risk>;
export type Lifecycle = z.infer<typeof lifecycle>;
export type OutcomeKind = z.infer<typeof outcomeKind>;
export type Fault = z.infer<typeof fault>;
export type Setup = z.infer<typeof setup>;
export type Repository = z.infer<typeof repository>;
export type RealWorld = z.infer<typeof realWorld>;
export type Approvals = z.infer<typeof approvals>;
export type UserTurn = z.infer<typeof userTurn>;
export type Checkpoint = z.infer<typeof checkpoint>;
export type ValueSelector = z.infer<typeof valueSelector>;
export type MessageExpectation = z.infer<typeof messageExpectation>;
export type Forbidden = string | z.infer<typeof forbiddenCall> | z.infer<typeof forbiddenCommand>;
export type StateExpectation = z.infer<typeof stateExpectation>;
export type CountRange = z.infer<typeof countRange>;
export type RubricEntry = z.infer<typeof rubricEntry>;
export type Proof = z.infer<typeof proof>;

/** A tool call that must have gone through, aliases resolved. */
export interface ToolCalled {
  readonly name: string;
  readonly args?: import("./json.ts").JsonObject | undefined;
}

/** A reply that must contain a text: `user` is the index of the user turn that it answers. */
export interface ReplyExpectation {
  readonly user: number;
  readonly contains: string;
}

/** The expectations with aliases resolved and `messages` always present. */
export type Expected =
  & Omit<z.infer<typeof expected>, "tools_called" | "final_response" | "messages">
  & {
    readonly messages: readonly MessageExpectation[];
    /** False where the file says nothing of messages: then none may be sent. */
    readonly messagesDeclared: boolean;
    readonly tools_called: readonly ToolCalled[];
    readonly final_response: {
      readonly contains_any?: readonly string[] | undefined;
      readonly contains_all?: readonly string[] | undefined;
      readonly not_contains?: readonly string[] | undefined;
    };
    readonly replies: readonly ReplyExpectation[];
    readonly rubric: readonly RubricEntry[];
  };

/** A scenario with every default filled in: what all stages after load work on. */
export type Scenario =
  & Omit<ScenarioFile, "task" | "setup" | "conversation" | "expected" | "origin">
  & {
    readonly task: string;
    readonly origin: {
      readonly kind: z.infer<typeof originKind>;
      readonly anonymised?: boolean | undefined;
      readonly ref?: string | undefined;
    };
    readonly setup: Setup & {
      readonly clock: string;
      readonly tools: readonly string[];
      readonly available_tools: readonly string[];
      readonly approvals: Approvals;
      readonly faults: readonly Fault[];
    };
    readonly conversation: readonly UserTurn[];
    readonly expected: Expected;
  };
