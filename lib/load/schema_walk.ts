/**
 * Which part of a schema judges a value? Walks zod schemas along a key path; a union is entered by
 * the branch that is nearest to the value, so that messages speak of what was meant.
 */
import type { z } from "zod";
import { isObject, type Json } from "../model/json.ts";
import { type KeyPath, valueIn } from "./source.ts";
import { nearest } from "./suggest.ts";

export type Issue = z.core.$ZodIssue;
export type Schema = z.core.$ZodType;

/** The score of a value of another type than a branch wants: no slip of the hand. */
export const MISMATCH = 100;

/** True where the value as a whole is of another type. */
export function isTypeAtTop(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code === "invalid_type";
}

/** How far a value is from a branch: another type is far, a slip in a key's name is near. */
export function score(issues: readonly Issue[], branch: Schema | null, value: Json): number {
  let sum = 0;
  for (const issue of issues) {
    if (isTypeAtTop(issue)) sum += MISMATCH;
    else if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
      const known = branch === null ? [] : shapeKeys(branch);
      for (const key of issue.keys) sum += nearest(key, known) === null ? 3 : 0.5;
    } else if (issue.path.length === 1 && isObject(value) && !(String(issue.path[0]) in value)) {
      sum += 2;
    } else sum += 1;
  }
  return sum;
}

/** The keys that a schema of an object allows. */
export function shapeKeys(schema: Schema): string[] {
  const def = unwrap(schema)._zod.def as { type: string; shape?: Record<string, Schema> };
  return def.shape === undefined ? [] : Object.keys(def.shape);
}

/** The schema that judges the value at a path; a union is entered by the branch nearest to it. */
export function schemaAt(
  schema: Schema,
  value: Json | undefined,
  path: KeyPath,
  keepUnion = false,
): Schema | null {
  let at = unwrap(schema);
  let here = value;
  for (const part of path) {
    if (at._zod.def.type === "union") at = branchFor(at, here);
    const next = childSchema(at, part);
    if (next === null) return null;
    at = unwrap(next);
    here = here === undefined ? undefined : valueIn(here, [part]);
  }
  return at._zod.def.type === "union" && !keepUnion ? branchFor(at, here) : at;
}

/** The schema without optional, default and nullable around it. */
export function unwrap(schema: Schema): Schema {
  let at = schema;
  for (;;) {
    const def = at._zod.def as { innerType?: Schema };
    if (def.innerType === undefined) return at;
    at = def.innerType;
  }
}

function branchFor(union: Schema, value: Json | undefined): Schema {
  const def = union._zod.def as unknown as { options: readonly Schema[]; discriminator?: string };
  const scored = def.options.map((option) => {
    const parsed = (option as z.ZodType).safeParse(value);
    const penalty = parsed.success ? 0 : score(parsed.error.issues, option, value ?? null);
    return {
      option: unwrap(option),
      penalty: penalty + wrongKind(option, def.discriminator, value),
    };
  });
  return scored.reduce((a, b) => b.penalty < a.penalty ? b : a).option;
}

function wrongKind(
  option: Schema,
  discriminator: string | undefined,
  value: Json | undefined,
): number {
  if (discriminator === undefined || !isObject(value)) return 0;
  const def = unwrap(option)._zod.def as { shape?: Record<string, z.ZodType> };
  return def.shape?.[discriminator]?.safeParse(value[discriminator]).success === true
    ? 0
    : MISMATCH;
}

function childSchema(schema: Schema, part: string | number): Schema | null {
  const def = schema._zod.def as {
    type: string;
    shape?: Record<string, Schema>;
    valueType?: Schema;
    element?: Schema;
    items?: readonly Schema[];
  };
  if (def.type === "object") return def.shape?.[String(part)] ?? null;
  if (def.type === "record") return def.valueType ?? null;
  if (def.type === "array") return def.element ?? null;
  if (def.type === "tuple" && typeof part === "number") return def.items?.[part] ?? null;
  return null;
}
