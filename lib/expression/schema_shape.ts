/**
 * What shape does a schema describe? Our own zod schemas, read by their definition, and the JSON
 * Schemas of tools' arguments. What is not understood is unknown, which allows everything.
 */
import { isObject, type Json, type JsonObject, own } from "../model/json.ts";
import {
  ANY_SCALAR,
  BOOLEAN,
  listOf,
  mergeAll,
  NUMBER,
  recordOf,
  type Shape,
  TEXT,
  UNKNOWN,
} from "./shape.ts";

/** The part of a zod schema that is read here. */
interface Schema {
  readonly def: {
    readonly type: string;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly innerType?: Schema;
    readonly element?: Schema;
    readonly options?: readonly Schema[];
    readonly valueType?: Schema;
    readonly entries?: Readonly<Record<string, string | number>>;
    readonly values?: readonly unknown[];
  };
}

/** The shape of a zod schema of `lib/model`. */
export function shapeOfSchema(schema: unknown): Shape {
  return isSchema(schema) ? fromDefinition(schema.def) : UNKNOWN;
}

/** The options of a union by the literal of their field `kind`. */
export function shapesByKind(schema: unknown): ReadonlyMap<string, Shape> {
  const shapes = new Map<string, Shape>();
  const options = isSchema(schema) ? schema.def.options ?? [] : [];
  for (const option of options) {
    const kind = option.def.shape?.kind?.def.values?.[0];
    if (typeof kind === "string") shapes.set(kind, shapeOfSchema(option));
  }
  return shapes;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && "def" in value && isObject(value.def);
}

const SCALARS: Readonly<Record<string, Shape>> = {
  string: TEXT,
  number: NUMBER,
  int: NUMBER,
  boolean: BOOLEAN,
  null: ANY_SCALAR,
};

function fromDefinition(def: Schema["def"]): Shape {
  if (def.innerType !== undefined) return shapeOfSchema(def.innerType);
  if (def.shape !== undefined) {
    const fields = Object.entries(def.shape).map(([name, field]) =>
      [name, shapeOfSchema(field)] as const
    );
    return recordOf(new Map(fields));
  }
  if (def.element !== undefined) return listOf(shapeOfSchema(def.element));
  if (def.type === "record") return recordOf({}, shapeOfSchema(def.valueType));
  if (def.options !== undefined) return mergeAll(def.options.map(shapeOfSchema));
  if (def.type === "enum") return scalarOf(Object.values(def.entries ?? {}));
  if (def.type === "literal") return scalarOf((def.values ?? []) as Json[]);
  return SCALARS[def.type] ?? UNKNOWN;
}

function scalarOf(values: readonly Json[]): Shape {
  const types = new Set(values.map((value) => typeof value));
  if (types.size === 1 && types.has("string")) return { kind: "scalar", type: "text", values };
  if (types.size === 1 && types.has("number")) return { kind: "scalar", type: "number", values };
  return { kind: "scalar", type: "any", values };
}

/** The shape of a tool's arguments: unknown arguments are refused, so its fields are all there are; remembered by the object. */
export function shapeOfJsonSchema(schema: JsonObject): Shape {
  const shape = knownSchemas.get(schema) ?? fromJsonSchema(schema);
  knownSchemas.set(schema, shape);
  return shape;
}

const knownSchemas = new WeakMap<JsonObject, Shape>();

function fromJsonSchema(schema: JsonObject): Shape {
  const values = own(schema, "enum");
  if (Array.isArray(values)) return scalarOf(values);
  const constant = own(schema, "const");
  if (constant !== undefined && !isObject(constant)) return scalarOf([constant]);
  const type = own(schema, "type");
  if (type === "array") {
    const items = own(schema, "items");
    return listOf(isObject(items) ? shapeOfJsonSchema(items) : UNKNOWN);
  }
  if (type === "object" || own(schema, "properties") !== undefined) return objectShape(schema);
  return typeof type === "string" ? SCALARS[type === "integer" ? "int" : type] ?? UNKNOWN : UNKNOWN;
}

/** An object inside the arguments that names no properties is free. */
function fieldShape(property: JsonObject): Shape {
  const free = own(property, "type") === "object" && own(property, "properties") === undefined;
  return free && own(property, "additionalProperties") !== false
    ? UNKNOWN
    : shapeOfJsonSchema(property);
}

function objectShape(schema: JsonObject): Shape {
  for (const key of ["$ref", "allOf", "anyOf", "oneOf", "patternProperties"]) {
    if (Object.hasOwn(schema, key)) return UNKNOWN;
  }
  const fields = new Map<string, Shape>();
  const properties = own(schema, "properties");
  for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
    fields.set(name, isObject(property) ? fieldShape(property) : UNKNOWN);
  }
  const others = own(schema, "additionalProperties");
  return recordOf(fields, others === true || isObject(others) ? UNKNOWN : null);
}
