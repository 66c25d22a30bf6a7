/**
 * How was a passing run spoilt on purpose, and did its scenario notice? The vocabulary of the
 * strength of a suite: mutations of what an agent said and called, what became of each, and the
 * figures over them.
 */
import type { Json, JsonObject } from "./json.ts";
import type { Risk } from "./scenario.ts";

/** One call of a script. */
export interface ScriptCall {
  readonly tool: string;
  readonly args: JsonObject;
}

/** One answer of a scripted agent: text, calls, or both; text alone ends the agent's turn. */
export interface ScriptAnswer {
  readonly say: string;
  readonly calls: readonly ScriptCall[];
}

/** Everything that a scripted agent says and calls, in order. */
export type Script = readonly ScriptAnswer[];

/** A call of the passing run; `nth` counts its calls from 1, 0 for a call that it does not make. */
export interface CallAt extends ScriptCall {
  readonly nth: number;
}

/** One mechanical change of a passing run. `to` undefined: the argument is left out. */
export type Mutation =
  | { readonly kind: "drop_call"; readonly call: CallAt }
  | { readonly kind: "swap_calls"; readonly call: CallAt; readonly other: CallAt }
  | {
    readonly kind: "change_argument";
    readonly call: CallAt;
    readonly argument: string;
    readonly from: Json;
    readonly to: Json | undefined;
  }
  | { readonly kind: "repeat_write"; readonly call: CallAt }
  | { readonly kind: "early_write"; readonly call: CallAt; readonly before: string }
  | { readonly kind: "forbidden_attempt"; readonly call: CallAt; readonly times: number }
  | { readonly kind: "unrelated_write"; readonly call: CallAt }
  | { readonly kind: "no_confirmation"; readonly call: CallAt; readonly question: string }
  | { readonly kind: "final_text"; readonly how: "opposite" | "empty"; readonly text: string };

export type MutationKind = Mutation["kind"];

/** A mutation with the script that plays it, and the recording that it was made from. */
export interface Mutant {
  readonly mutation: Mutation;
  readonly script: Script;
  readonly recording: string;
}

/** `equivalent`: nothing that counts differs; `invalid`: its run could not be judged. */
export type MutantOutcome = "killed" | "survived" | "equivalent" | "invalid";

/** A mutant that was run and judged. */
export interface TriedMutant {
  readonly mutation: Mutation;
  readonly recording: string;
  readonly outcome: MutantOutcome;
  /** Ids of required conditions that failed. */
  readonly failed: readonly string[];
  /** Ids of conditions that failed and are not required. */
  readonly soft: readonly string[];
  /** Why it is invalid, in words; empty elsewhere. */
  readonly why: string;
}

/** Counts of mutants; strength is killed / counted in [0,1], null where none counts. */
export interface StrengthFigures {
  readonly killed: number;
  /** All but equivalent, invalid and those of the final text. */
  readonly counted: number;
  readonly equivalent: number;
  readonly invalid: number;
  readonly strength: number | null;
  /** Mutants of the final text, which are no part of the strength. */
  readonly voice: { readonly killed: number; readonly counted: number };
}

/** The strength of one scenario; `survivors` are those that count. */
export interface ScenarioStrength extends StrengthFigures {
  readonly id: string;
  readonly suite: string;
  readonly risk: Risk;
  readonly survivors: readonly TriedMutant[];
  readonly voiceSurvivors: readonly TriedMutant[];
  readonly invalids: readonly TriedMutant[];
  /** What its killed mutants have in common with those of others, ids left out; sorted. */
  readonly marks: readonly string[];
}

/** The strength of a suite: of all its mutants together. */
export interface SuiteStrength extends StrengthFigures {
  readonly id: string;
  readonly scenarios: readonly ScenarioStrength[];
}

/** What one suite leaves untouched, and its duplicates. */
export interface SuiteCoverage {
  readonly suite: string;
  readonly scenarios: number;
  readonly tools: readonly string[];
  readonly effects: readonly string[];
  readonly faults: readonly string[];
  readonly categories: readonly string[];
  readonly risks: readonly string[];
  readonly outcomes: readonly string[];
  /** Groups of scenarios with the same marks; each has two or more ids. */
  readonly duplicates: readonly (readonly string[])[];
}

/** Fewest mutants that must count for a scenario's strength to say much. */
export const MUTANTS_MIN = 15;
