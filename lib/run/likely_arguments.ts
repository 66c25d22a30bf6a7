/**
 * Which arguments would a tool accept here? Candidates from its JSON Schema and from the state (ids
 * of the records that it needs, values of fields of the same name), tried on a copy of the world in
 * a fixed order. Out: the first that go through, else the first that fit the schema.
 */
import { parsePath } from "../model/state_path.ts";
import { checkArguments } from "../model/arguments.ts";
import {
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  own,
  put,
  recordsOf,
  type State,
} from "../model/json.ts";
import type { ToolSpec } from "../model/tool.ts";
import { callTool } from "./call_tool.ts";
import { givenValues, sampleValues } from "./sample_values.ts";
import type { World } from "./world.ts";

const TRIES_MAX = 600;
const FIRST_TRIES = 4;
const FURTHER_TRIES = 60;
const VALUES_MAX = 24;
/** Made-up values beyond the first ones only multiply the combinations. */
const SAMPLES_MAX = 2;

/** Arguments for an available tool; `{}` where none can be made that fit its schema. */
export async function acceptedArguments(world: World, tool: string): Promise<JsonObject> {
  const spec = world.tools[tool];
  if (spec === undefined) return {};
  let fitting: JsonObject | null = null;
  let tries = 0;
  for (const args of candidates(spec, world.state)) {
    if (++tries > TRIES_MAX) break;
    if (checkArguments(spec.input, args).length > 0) continue;
    fitting ??= args;
    const call = { id: "try", tool, args, argsText: "" };
    const { answer } = await callTool(world, call);
    if (answer.kind === "ok") return args;
  }
  return fitting ?? {};
}

/** Obligatory arguments alone first, then all: combinations in the order of their likelihood. */
function* candidates(spec: ToolSpec, state: State): Generator<JsonObject> {
  const properties = objectAt(spec.input, "properties");
  const required = own(spec.input, "required");
  const obligatory = Array.isArray(required) ? required.map(String) : [];
  const focused = focusRecords(spec, state).map((record) => () =>
    combinations(obligatory, (name) => valuesOf(name, { spec, state, record }))
  );
  for (const about of focused) yield* about().take(FIRST_TRIES);
  for (const about of focused) yield* about().drop(FIRST_TRIES).take(FURTHER_TRIES);
  for (const names of [obligatory, Object.keys(properties)]) {
    yield* combinations(names, (name) => valuesOf(name, { spec, state, record: null }));
  }
}

interface Focus {
  readonly spec: ToolSpec;
  readonly state: State;
  readonly record:
    | { readonly id: string; readonly collection: string; readonly value: Json }
    | null;
}

/**
 * Records that one call may be about: those of the collections that the tool names in its paths,
 * then those with two or more fields named like arguments.
 */
function focusRecords(spec: ToolSpec, state: State): NonNullable<Focus["record"]>[] {
  const names = Object.keys(objectAt(spec.input, "properties"));
  const named = [...new Set(namedPaths(spec).map(({ collection }) => collection))];
  const others = Object.keys(state).filter((collection) => !named.includes(collection));
  return [
    ...named.flatMap((collection) => recordsIn(state, collection)),
    ...others.flatMap((collection) => recordsIn(state, collection)).filter(({ value }) =>
      names.filter((name) => fieldValues(value, name).length > 0).length > 1
    ),
  ];
}

function recordsIn(state: State, collection: string): NonNullable<Focus["record"]>[] {
  return Object.entries(recordsOf(state, collection)).slice(0, VALUES_MAX)
    .map(([id, value]) => ({ id, collection, value }));
}

/** Where paths of the tool name an argument as a record's id: `orders/<order>`. */
function namedPaths(spec: ToolSpec): { readonly collection: string; readonly argument: string }[] {
  const inLets = Object.values(spec.let ?? {})
    .flatMap((text) =>
      [...text.matchAll(/['"]([^'"]*<[^'"]*)['"]/g)].map(([, path]) => path ?? "")
    );
  const paths = [
    ...(spec.needs ?? []),
    ...inLets,
    ...Object.keys(spec.set ?? {}),
    ...Object.keys(spec.append ?? {}),
    ...(spec.delete ?? []),
  ];
  return paths.flatMap((path) => {
    const [collection = "", id = ""] = parsePath(path);
    const argument = /^<([\w-]+)>$/.exec(id)?.[1];
    return argument === undefined ? [] : [{ collection, argument }];
  });
}

/** Values for one argument: the focused record's first, then any record's, then the schema's. */
function valuesOf(name: string, { spec, state, record }: Focus): Json[] {
  const schema = own(objectAt(spec.input, "properties"), name) ?? true;
  const here = namedPaths(spec).filter(({ argument }) => argument === name);
  const ofRecord = record === null ? [] : [
    ...(here.some(({ collection }) => collection === record.collection) ? [record.id] : []),
    ...fieldValues(record.value, name),
  ];
  const ids = here.flatMap(({ collection }) => Object.keys(recordsOf(state, collection)));
  const fits = fitting(name, schema, spec.input);
  const known = unique(ofRecord).filter(fits);
  if (known.length > 0) return known;
  const samples = unique(sampleValues(schema, spec.input)).filter(fits);
  const made = samples.slice(0, Math.max(SAMPLES_MAX, givenValues(schema).length));
  return unique([...ids.slice(0, VALUES_MAX), ...made, ...sameField(state, name)])
    .filter(fits).slice(0, VALUES_MAX);
}

function fitting(name: string, schema: Json, input: JsonObject): (value: Json) => boolean {
  const defs = own(input, "$defs");
  const alone = { type: "object", properties: { [name]: schema }, $defs: defs ?? {} };
  return (value) => checkArguments(alone, { [name]: value }).length === 0;
}

function fieldValues(record: Json, name: string): Json[] {
  const value = isObject(record) ? own(record, name) : undefined;
  return value === undefined ? [] : [value];
}

function sameField(state: State, name: string): Json[] {
  return Object.values(state).flatMap((records) =>
    isObject(records) ? Object.values(records).flatMap((record) => fieldValues(record, name)) : []
  ).slice(0, 200);
}

function unique(values: readonly Json[]): Json[] {
  const kept: Json[] = [];
  for (const value of values) if (!kept.some((one) => equalJson(one, value))) kept.push(value);
  return kept;
}

/** First values of all names first; then the sum of the positions grows, so that no name is stuck. */
function* combinations(
  names: readonly string[],
  valuesOf: (name: string) => readonly Json[],
): Generator<JsonObject> {
  const lists = names.map(valuesOf);
  if (lists.some((list) => list.length === 0)) return;
  const most = lists.reduce((sum, list) => sum + list.length - 1, 0);
  for (let total = 0; total <= most; total++) {
    for (const positions of positionsOf(lists.map(({ length }) => length), total)) {
      const args: JsonObject = {};
      names.forEach((name, i) => put(args, name, lists[i]?.[positions[i] ?? 0] ?? null));
      yield args;
    }
  }
}

/** All positions below the lengths whose sum is `total`, the first name's lowest first. */
function* positionsOf(lengths: readonly number[], total: number): Generator<number[]> {
  const [length, ...rest] = lengths;
  if (length === undefined) {
    if (total === 0) yield [];
    return;
  }
  for (let at = 0; at < length && at <= total; at++) {
    for (const others of positionsOf(rest, total - at)) yield [at, ...others];
  }
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = own(schema, key);
  return isObject(value) ? value : {};
}
