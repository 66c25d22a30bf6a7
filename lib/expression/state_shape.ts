/**
 * What can be in a state, before and after a run? Collections and fields of the fixture (records of
 * a collection being the union of theirs), and for the state after what the tools may write.
 */
import { FILES, isObject, type Json, type JsonObject, OUTBOX, type State } from "../model/json.ts";
import type { ToolSet, ToolSpec } from "../model/tool.ts";
import { parsePath } from "../model/state_path.ts";
import {
  ANY_SCALAR,
  listOf,
  mergeAll,
  mergeShapes,
  recordOf,
  type RecordShape,
  type Shape,
  TEXT,
  UNKNOWN,
} from "./shape.ts";

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
  const union = mergeAll(Object.values(records).map(shapeOfValue));
  return recordOf(new Map(Object.keys(records).map((id) => [id, union])));
}

function shapeOfValue(value: Json): Shape {
  if (Array.isArray(value)) return listOf(mergeAll(value.map(shapeOfValue)));
  if (isObject(value)) {
    const fields = Object.entries(value).map(([name, field]) => [name, shapeOfValue(field)]);
    return recordOf(new Map(fields as [string, Shape][]), fields.length === 0 ? UNKNOWN : null);
  }
  return ANY_SCALAR;
}

const knownAfter = new WeakMap<RecordShape, Map<string, Shape>>();

/** The shape after: the shape before, and everything that the tools' `set` and `append` may write. */
export function shapeAfter(before: RecordShape, tools: ToolSet): Shape {
  const writes = Object.values(tools).map(({ set, append, needs }) => ({ set, append, needs }));
  const key = JSON.stringify(writes);
  const remembered = knownAfter.get(before) ?? new Map<string, Shape>();
  knownAfter.set(before, remembered);
  const shape = remembered.get(key) ?? writeAll(before, tools);
  remembered.set(key, shape);
  return shape;
}

function writeAll(before: RecordShape, tools: ToolSet): Shape {
  let shape: Shape = openFiles(before);
  for (const tool of Object.values(tools)) {
    for (const [path, value] of Object.entries(tool.set ?? {})) {
      shape = write(shape, parsePath(path), writing(tool, path, written(value)));
    }
    for (const [path, value] of Object.entries(tool.append ?? {})) {
      shape = write(shape, parsePath(path), writing(tool, path, listOf(written(value))));
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

/** What a template writes: texts that hold a name may become anything. */
function written(value: Json): Shape {
  if (typeof value === "string") return TEMPLATE.test(value) ? UNKNOWN : ANY_SCALAR;
  if (Array.isArray(value)) return listOf(mergeAll(value.map(written)));
  if (!isObject(value)) return ANY_SCALAR;
  return recordOf(mapValues(value, written), Object.keys(value).length === 0 ? UNKNOWN : null);
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

function write(into: Shape, path: readonly string[], writing: Writing): Shape {
  const { value, opens, depth } = writing;
  const [part, ...rest] = path;
  if (part === undefined) return into.kind === "unknown" ? value : mergeShapes(into, value);
  if (into.kind === "unknown") return write(recordOf({}), path, writing);
  if (into.kind !== "record") return UNKNOWN;
  const below = { ...writing, depth: depth + 1 };
  if (TEMPLATE.test(part)) {
    const shape = write(into.rest ?? newBelow(into), rest, below);
    if (opens || depth !== 1 || into.fields.size === 0) return recordOf(into.fields, shape);
    return recordOf(new Map([...into.fields.keys()].map((id) => [id, shape])), into.rest);
  }
  const shape = write(into.fields.get(part) ?? into.rest ?? UNKNOWN, rest, below);
  return recordOf(new Map(into.fields).set(part, shape), into.rest);
}

/** A new record may also have the fields of those that are there. */
function newBelow(collection: RecordShape): Shape {
  return mergeAll(collection.fields.values());
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
