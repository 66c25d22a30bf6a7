/**
 * What is known of a value before anything runs? Shapes: the fields that a record may have, what a
 * list holds, or nothing at all. Used at load to find paths that can never lead anywhere.
 */
import type { Json } from "../model/json.ts";

export type ScalarType = "text" | "number" | "boolean" | "null" | "any";

/** What is known of a value. */
export type Shape =
  | { readonly kind: "unknown" }
  | { readonly kind: "function" }
  | {
    readonly kind: "scalar";
    /** `null`: nothing else is known to stand there. */
    readonly type: ScalarType;
    /** All the values that it can have, where they are few and known. */
    readonly values?: readonly Json[];
  }
  | {
    readonly kind: "record";
    readonly fields: ReadonlyMap<string, Shape>;
    /** What a field of any other name is; null where there is none. */
    readonly rest: Shape | null;
  }
  | {
    readonly kind: "list";
    readonly of: Shape;
    /** True where a condition has selected from it: one of them may stand alone. */
    readonly selected: boolean;
  };

export type RecordShape = Shape & { readonly kind: "record" };

/** Nothing is known. */
export const UNKNOWN: Shape = { kind: "unknown" };
/** A function that is named, not called. */
export const FUNCTION: Shape = { kind: "function" };
/** Text, number, boolean or null. */
export const ANY_SCALAR: Shape = { kind: "scalar", type: "any" };
export const TEXT: Shape = { kind: "scalar", type: "text" };
export const NUMBER: Shape = { kind: "scalar", type: "number" };
export const BOOLEAN: Shape = { kind: "scalar", type: "boolean" };
export const NULL: Shape = { kind: "scalar", type: "null" };

const SCALARS: Readonly<Record<string, Shape>> = {
  string: TEXT,
  number: NUMBER,
  boolean: BOOLEAN,
};

/** The shape of a value that is neither a list nor an object, by its kind alone. */
export function scalarShape(value: Json): Shape {
  return SCALARS[typeof value] ?? NULL;
}

/** A list of a shape. */
export function listOf(of: Shape, selected = false): Shape {
  return { kind: "list", of, selected };
}

/** A record of these fields alone, or with others of the shape `rest`. */
export function recordOf(
  fields: Readonly<Record<string, Shape>> | ReadonlyMap<string, Shape>,
  rest: Shape | null = null,
): RecordShape {
  const known = fields instanceof Map ? fields : new Map(Object.entries(fields));
  return { kind: "record", fields: known, rest };
}

/** The shape of one item: of a list its items', of anything else its own. */
export function itemOf(shape: Shape): Shape {
  return shape.kind === "list" ? itemOf(shape.of) : shape;
}

/** What a value of either shape may be. */
export function mergeShapes(a: Shape, b: Shape): Shape {
  if (a === b) return a;
  if (a.kind === "scalar" && b.kind === "scalar") return mergeScalars(a, b);
  if (a.kind === "list" && b.kind === "list") {
    return listOf(mergeShapes(a.of, b.of), a.selected && b.selected);
  }
  if (a.kind !== "record" || b.kind !== "record") return UNKNOWN;
  const fields = new Map(a.fields);
  for (const [name, shape] of b.fields) {
    const known = fields.get(name);
    fields.set(name, known === undefined ? shape : mergeShapes(known, shape));
  }
  const rest = a.rest === null || b.rest === null ? a.rest ?? b.rest : mergeShapes(a.rest, b.rest);
  return { kind: "record", fields, rest };
}

/** What a value of any of the shapes may be, unknown where there is none; linear in their size. */
export function mergeAll(shapes: Iterable<Shape>): Shape {
  const distinct = [...new Set(shapes)];
  const [first, ...others] = distinct;
  if (first === undefined) return UNKNOWN;
  const records = distinct.filter((shape) => shape.kind === "record");
  if (records.length < distinct.length || others.length === 0) {
    return others.reduce(mergeShapes, first);
  }
  const gathered = new Map<string, Shape[]>();
  for (const { fields } of records) {
    for (const [name, shape] of fields) {
      const known = gathered.get(name);
      if (known === undefined) gathered.set(name, [shape]);
      else known.push(shape);
    }
  }
  const rests = records.flatMap(({ rest }) => rest === null ? [] : [rest]);
  const fields = [...gathered].map(([name, all]): [string, Shape] => [name, mergeAll(all)]);
  return recordOf(new Map(fields), rests.length === 0 ? null : mergeAll(rests));
}

function mergeScalars(a: Shape & { kind: "scalar" }, b: Shape & { kind: "scalar" }): Shape {
  if (a.type === "null") return b;
  if (b.type === "null") return a;
  if (a.type !== b.type) return ANY_SCALAR;
  if (a.values === undefined || b.values === undefined) return { kind: "scalar", type: a.type };
  return { kind: "scalar", type: a.type, values: [...new Set([...a.values, ...b.values])] };
}

/** True where the shape can never be `true` or `false`. */
export function isNeverBoolean(shape: Shape): boolean {
  if (shape.kind === "scalar") return shape.type === "text" || shape.type === "number";
  if (shape.kind === "list") return !shape.selected || isNeverBoolean(shape.of);
  return shape.kind === "record" || shape.kind === "function";
}

/** The kind of value that always stands there, null where it may be of several or is not known. */
export function onlyType(shape: Shape): "text" | "number" | "boolean" | null {
  if (shape.kind !== "scalar" || shape.type === "any" || shape.type === "null") return null;
  return shape.type;
}

/** A word for people: `a list`, `a number`. */
export function shapeName(shape: Shape): string {
  if (shape.kind === "list") return "a list";
  if (shape.kind === "record") return "an object";
  if (shape.kind === "function") return "a function";
  if (shape.kind !== "scalar" || shape.type === "any") return "a value";
  return SCALAR_NAMES[shape.type];
}

const SCALAR_NAMES = {
  text: "a text",
  number: "a number",
  boolean: "true or false",
  null: "null",
} as const;
