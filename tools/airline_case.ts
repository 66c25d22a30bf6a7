/** What does a published airline case hold? Its shapes, as far as they are read here. */
import type { JsonObject, State } from "../lib/model/json.ts";

/** What a scenario is made from: the task and its plan. */
export interface AirlineTask {
  readonly task_id: number;
  readonly trial: number;
  readonly user_instruction: string;
  readonly messages: readonly { readonly t: number; readonly role: string; content: string }[];
  readonly state_before: State;
  /** The touched records only; a touched id that is absent must not exist. */
  readonly expected_state_after: { readonly [collection: string]: JsonObject };
  readonly touched: readonly (readonly [collection: string, id: string])[];
  readonly expected_actions: readonly { readonly name: string }[];
  readonly expected_outputs: readonly string[];
}

/** What a run line is made from: what one agent did in one trial. */
export interface AirlineCase extends AirlineTask {
  readonly agent: string;
  readonly tool_calls: readonly {
    readonly t: number;
    readonly name: string;
    readonly args: JsonObject;
    readonly result: string;
    readonly error: boolean;
  }[];
  readonly terminated: boolean;
  readonly ended_by: string;
  readonly state_after: State;
}

/** One tool as published; `mutates` tells writers from readers. */
export interface AirlineTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  readonly mutates: boolean;
}

/** The scenario id of a task: `airline-07`. */
export function scenarioId(task: number): string {
  return `airline-${String(task).padStart(2, "0")}`;
}

/** Reads the published cases, one JSON object a line. */
export function parseCases(text: string): AirlineCase[] {
  return text.split("\n").filter((line) => line !== "").map((line) =>
    JSON.parse(line) as AirlineCase
  );
}
