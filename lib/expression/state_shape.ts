/**
 * What can be in a state, before and after a run? Collections and fields of the fixture (records of
 * a collection being the union of theirs), and for the state after what the tools may write.
 */
import { FILES, isObject, type Json, type JsonObject, OUTBOX, type State } from "../model/json.ts";
import type { ToolSet, ToolSpec } from "../model/tool.ts";
import { parsePath } from "../model/state_path.ts";
import { compilePattern, relate } from "./paths.ts";
import { shapeOfJsonSchema } from "./schema_shape.ts";
import {
  listOf,
  mergeAll,
  mergeShapes,
  recordOf,
  type RecordShape,
  scalarShape,
  type Shape,
  TEXT,
  UNKNOWN,
} from "./shape.ts";
import { argumentSchema, expandTemplate, templatePattern } from "./templates.ts";

const TEMPLATE = /<[^<>]+>/;
const known = new WeakMap<State, RecordShape>();

/** The shape of a state as it stands; remembered by the object. */
export function shapeOfState(state: State): RecordShape {
  const remembered = known.get(state);
  if (remembered !== undefined) return remembered;
  const fields = new Map<string, Shape>();
  for (const [name, records] of Object.entries(state)) fields.set(name, collectionShape(records));
  if (!fields.has(FILES)) fields.set(FILES, recordOf({}));
  if (!fields.has(OUTBOX)) fields.set(OUTBOX, listOf(UNKNOWN));
  const shape = recordOf(fields);
  known.set(state, shape);
  return shape;
}

/** Every record may be looked at as any of its collection, so each has the fields of all. */
function collectionShape(records: Json): Shape {
  if (!isObject(records)) return shapeOfValue(records);
  const union = shapeOfAny(Object.values(records));
  return recordOf(new Map(Object.keys(records).map((id) => [id, union])));
}

function shapeOfValue(value: Json): Shape {
  return shapeOfAny([value]);
}

/** What any of the values may be: the union of their shapes, without making each. */
function shapeOfAny(values: readonly Json[]): Shape {
  const objects = values.filter(isObject);
  const lists = values.filter((value) => Array.isArray(value));
  if (objects.length === 0 && lists.length === 0) return mergeAll(new Set(values.map(scalarShape)));
  if (objects.length === values.length) return shapeOfObjects(objects);
  if (lists.length < values.length) return UNKNOWN;
  return listOf(lists.some(({ length }) => length === 0) ? UNKNOWN : shapeOfAny(lists.flat()));
}

function shapeOfObjects(objects: readonly JsonObject[]): Shape {
  const fields = new Map<string, Json[]>();
  let isFree = false;
  for (const one of objects) {
    const names = Object.keys(one);
    isFree ||= names.length === 0;
    for (const name of names) {
      const known = fields.get(name);
      if (known === undefined) fields.set(name, [one[name] ?? null]);
      else known.push(one[name] ?? null);
    }
  }
  const shapes = [...fields].map(([name, all]): [string, Shape] => [name, shapeOfAny(all)]);
  return recordOf(new Map(shapes), isFree ? UNKNOWN : null);
}

const knownAfter = new WeakMap<RecordShape, Map<string, Shape>>();

/** The shape after: the shape before, and everything that the tools' `set` and `append` may write. */
export function shapeAfter(before: RecordShape, tools: ToolSet): Shape {
  const key = knownWrites.get(tools) ?? writesOf(tools);
  knownWrites.set(tools, key);
  const remembered = knownAfter.get(before) ?? new Map<string, Shape>();
  knownAfter.set(before, remembered);
  const shape = remembered.get(key) ?? writeAll(before, tools);
  remembered.set(key, shape);
  return shape;
}

const knownWrites = new WeakMap<ToolSet, string>();

function writesOf(tools: ToolSet): string {
  const writes = Object.values(tools)
    .map(({ set, append, needs, input }) => set || append ? { set, append, needs, input } : {});
  return JSON.stringify(writes);
}

function writeAll(before: RecordShape, tools: ToolSet): Shape {
  let shape: Shape = openFiles(before);
  for (const tool of Object.values(tools)) {
    const lists = Object.entries(tool.append ?? {})
      .map(([path, value]): [string, Shape] => [path, listOf(written(tool, value))]);
    const values = Object.entries(tool.set ?? {})
      .map(([path, value]): [string, Shape] => [path, written(tool, value)]);
    for (const [template, value] of [...values, ...lists]) {
      for (const path of expandTemplate(template, tool.input)) {
        shape = write(shape, parsePath(path), writing(tool, template, value));
      }
    }
  }
  return spread(shape);
}

/** Agents that work on files may write any file. */
function openFiles(before: RecordShape): RecordShape {
  const files = before.fields.get(FILES);
  const known = files?.kind === "record" ? files.fields : new Map<string, Shape>();
  return recordOf(new Map([...before.fields, [FILES, recordOf(known, TEXT)]]), before.rest);
}

/** What a template writes: an argument alone keeps its kind, a let may be anything. */
function written(tool: ToolSpec, value: Json): Shape {
  if (typeof value === "string") return writtenText(tool, value);
  if (Array.isArray(value)) return listOf(mergeAll(value.map((item) => written(tool, item))));
  if (!isObject(value)) return scalarShape(value);
  if (Object.keys(value).some((key) => TEMPLATE.test(key))) return UNKNOWN;
  const fields = mapValues(value, (field) => written(tool, field));
  return recordOf(fields, Object.keys(value).length === 0 ? UNKNOWN : null);
}

function writtenText({ input, let: lets }: ToolSpec, text: string): Shape {
  const alone = /^<([^<>]+)>$/.exec(text)?.[1];
  if (alone === undefined) return TEXT;
  const schema = lets !== undefined && Object.hasOwn(lets, alone)
    ? null
    : argumentSchema(input, alone);
  return schema === null ? UNKNOWN : shapeOfJsonSchema(schema);
}

function mapValues(value: JsonObject, shape: (field: Json) => Shape): Map<string, Shape> {
  return new Map(Object.entries(value).map(([name, field]) => [name, shape(field)]));
}

interface Writing {
  readonly value: Shape;
  /** False where the tool needs the record that it writes into: then it makes no new ones. */
  readonly opens: boolean;
  /** Depth in the state: 0 a collection, 1 a record. */
  readonly depth: number;
}

function writing(tool: ToolSpec, path: string, value: Shape): Writing {
  const record = path.split("/").slice(0, 2).join("/");
  const needs = tool.needs ?? [];
  const opens = !needs.some((need) => need === record || need.startsWith(`${record}/`));
  return { value, opens, depth: 0 };
}

/** The shape with the write in it; null: nothing stands there yet. */
function write(into: Shape | null, path: readonly string[], writing: Writing): Shape {
  const { value, opens, depth } = writing;
  const [part, ...rest] = path;
  if (part === undefined) return into === null ? value : mergeShapes(into, value);
  if (into === null) return write(recordOf({}), path, writing);
  if (into.kind !== "record") return UNKNOWN;
  const below = { ...writing, depth: depth + 1 };
  if (TEMPLATE.test(part)) {
    const shape = write(into.rest ?? newBelow(into), rest, below);
    if (depth !== 1) return recordOf(writeInto(into, path, below), shape);
    if (opens || into.fields.size === 0) return recordOf(into.fields, shape);
    return recordOf(new Map([...into.fields.keys()].map((id) => [id, shape])), into.rest);
  }
  const shape = write(into.fields.get(part) ?? into.rest, rest, below);
  return recordOf(new Map(into.fields).set(part, shape), into.rest);
}

/** The fields that a `<name>` may mean may each be written. */
function writeInto(
  into: RecordShape,
  [part = "", ...rest]: readonly string[],
  below: Writing,
): Map<string, Shape> {
  const pattern = compilePattern(templatePattern(part));
  const fields = [...into.fields].map(([name, field]): [string, Shape] => [
    name,
    relate(pattern, [name]) === "exact" ? write(field, rest, below) : field,
  ]);
  return new Map(fields);
}

/** A new record may also have the fields of those that are there. */
function newBelow(collection: RecordShape): Shape | null {
  return collection.fields.size === 0 ? null : mergeAll(collection.fields.values());
}

/** What may be written into any record of a collection may be in each of them. */
function spread(state: Shape): Shape {
  if (state.kind !== "record") return state;
  const fields = [...state.fields].map(([name, shape]): [string, Shape] => {
    if (shape.kind !== "record") return [name, shape];
    return [name, spreadCollection(shape)];
  });
  return recordOf(new Map(fields), state.rest);
}

function spreadCollection(collection: RecordShape): Shape {
  const { rest } = collection;
  const shapes = [...collection.fields.values(), ...(rest === null ? [] : [rest])];
  if (shapes.length === 0) return collection;
  const union = mergeAll(shapes);
  const fields = [...collection.fields.keys()].map((id): [string, Shape] => [id, union]);
  return recordOf(new Map(fields), rest === null ? null : union);
}
