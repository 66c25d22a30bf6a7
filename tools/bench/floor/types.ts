/** The shapes that the floor program passes on: a run's line, changes, conditions, scores. */

export type Plain = null | boolean | number | string | Plain[] | Fields;
export type Fields = { [key: string]: Plain };

export interface Call {
  kind: "call";
  tool: string;
  args: Fields;
  effect?: string;
  status: string;
  wrote?: string[];
}
export interface Message {
  kind: "message";
  role: string;
  text: string;
}
export type Event = Call | Message | { kind: "other" };
export interface Line {
  scenario: string;
  trial: number;
  ended: { kind: string; detail?: string };
  events: Event[];
  state: { before: Fields; after: Fields };
  usage?: {
    inputTokens?: number;
    outputTokens?: number;
    latencyMs?: number;
    cost?: { amount: number; currency: string };
  };
}
export interface Change {
  path: string;
  parts: readonly string[];
  op: "added" | "changed" | "deleted";
  before?: Plain;
  after?: Plain;
}
export interface Condition {
  id: string;
  verdict: "passed" | "failed";
  required: boolean;
  weight: number | null;
  expected: Plain;
  actual: Plain;
  at: string;
}
export interface Judged {
  verdict: "passed" | "failed";
  stepScore: number;
  penalty: number;
  critical: boolean;
  changes: Fields[];
  attempts: Fields[];
  conditions: Condition[];
}
export interface Score {
  scenario: string;
  trial: number;
  task: string;
  category: string;
  verdict: string;
  stepScore: number;
  penalty: number;
  critical: boolean;
  forbiddenAttempts: number;
  calls: number;
  repeatedCalls: number;
  cost: number | null;
  latencyMs: number | null;
  intervention: boolean;
}

/** The words of a text as a set. */
export function keys(words: string): ReadonlySet<string> {
  return new Set(words.split(" "));
}

/** True for a JSON object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
