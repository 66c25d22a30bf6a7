/**
 * How is one condition told? Small makers of condition verdicts, so that every judge says expected,
 * actual and where in the same way.
 */
import type { Json } from "../model/json.ts";
import type { ConditionOutcome, ConditionVerdict } from "../model/verdict.ts";

/** What is told of a condition. */
export interface Told {
  readonly expected: Json;
  readonly actual: Json;
  readonly at: string;
  readonly expression?: string;
}

/** A required condition that passed or failed. */
export function condition(id: string, passed: boolean, told: Told): ConditionVerdict {
  return required(id, passed ? "passed" : "failed", told);
}

/** A required condition with any outcome. */
export function required(id: string, verdict: ConditionOutcome, told: Told): ConditionVerdict {
  return { id, verdict, required: true, weight: null, ...told };
}

/** An event's place as conditions name it. */
export function eventPlace(index: number): string {
  return `events[${index}]`;
}

const CRITICAL = /^(?:protected|other_record|file|unrequested_message|forbidden|revealed):/;

/** True for failed conditions that fail a scenario whatever else holds. */
export function isCritical({ id, verdict }: ConditionVerdict): boolean {
  return verdict === "failed" && CRITICAL.test(id);
}
