/**
 * Which wrong values could an agent give here instead? In: one argument of a call that was right,
 * with its schema and the world. Out: other records, other values of the same field or enum, other
 * amounts, one off, another text, nothing; the likeliest mistakes first, never the right value.
 */
import { equalJson, isObject, type Json, type JsonObject, own, put } from "../model/json.ts";
import type { State } from "../model/json.ts";
import { type ToolSpec } from "../model/tool.ts";

/** One wrong value; `argument` is a path with dots where it lies within an object. */
export interface ArgumentChange {
  readonly argument: string;
  readonly from: Json;
  /** Undefined: the argument is left out. */
  readonly to: Json | undefined;
  readonly args: JsonObject;
}

/** What wrong values are made from. */
export interface Wrongs {
  readonly spec: ToolSpec;
  readonly state: State;
  readonly numbers: () => number;
  /** Wrong values of one argument. */
  readonly most: number;
  /** A text that fits nowhere. */
  readonly otherText: string;
}

/** Wrong values of every argument, `most` for each. */
export function changedArguments(args: JsonObject, wrongs: Wrongs): ArgumentChange[] {
  const properties = objectAt(wrongs.spec.input, "properties");
  const required = own(wrongs.spec.input, "required");
  return Object.entries(args).flatMap(([name, value]) => {
    const schema = objectAt(properties, name);
    const within = isObject(value) && Object.keys(value).length > 0
      ? changedFields(name, value, { ...wrongs, schema })
      : wrongValues(value, { ...wrongs, schema }).map((to) => ({
        argument: name,
        from: value,
        to,
      }));
    const optional = !(Array.isArray(required) && required.includes(name));
    const changes = [
      ...within,
      ...(optional ? [{ argument: name, from: value, to: undefined }] : []),
    ];
    return changes.slice(0, wrongs.most).map((change) => ({
      ...change,
      args: withValue(args, change.argument.split("."), change.to),
    }));
  });
}

function changedFields(
  name: string,
  value: JsonObject,
  wrongs: Wrongs & { readonly schema: JsonObject },
): Omit<ArgumentChange, "args">[] {
  const properties = objectAt(wrongs.schema, "properties");
  return Object.entries(value).flatMap(([field, from]) =>
    wrongValues(from, { ...wrongs, schema: objectAt(properties, field) }).slice(0, 2)
      .map((to) => ({ argument: `${name}.${field}`, from, to }))
  );
}

function withValue(args: JsonObject, path: readonly string[], to: Json | undefined): JsonObject {
  const [name = "", ...rest] = path;
  const copy = { ...args };
  if (rest.length > 0) {
    const inner = own(args, name);
    put(copy, name, withValue(isObject(inner) ? inner : {}, rest, to));
  } else if (to === undefined) delete copy[name];
  else put(copy, name, to);
  return copy;
}

function wrongValues(
  value: Json,
  wrongs: Wrongs & { readonly schema: JsonObject },
): Json[] {
  const listed = own(wrongs.schema, "enum");
  const kept: Json[] = [];
  const values = [
    ...(Array.isArray(listed) ? listed : []),
    ...wrongOfType(value, wrongs),
  ];
  for (const one of values) {
    if (!equalJson(one, value) && !kept.some((other) => equalJson(other, one))) kept.push(one);
  }
  return kept;
}

function wrongOfType(value: Json, wrongs: Wrongs & { readonly schema: JsonObject }): Json[] {
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return wrongNumbers(value);
  if (typeof value === "string") return wrongTexts(value, wrongs);
  if (Array.isArray(value)) return value.length === 0 ? [] : [value.slice(0, -1), []];
  return [];
}

function wrongNumbers(value: number): number[] {
  const round = (amount: number) => Math.round(amount * 100) / 100;
  return [value + 1, round(value * 2), value - 1, round(value * 0.9)].map(round);
}

function wrongTexts(
  value: string,
  { state, numbers, spec, schema, otherText }: Wrongs & { readonly schema: JsonObject },
): string[] {
  const records = otherRecords(state, value, numbers);
  const fields = otherFieldValues(state, value, numbers);
  const shifted = oneOff(value);
  const least = own(schema, "minLength");
  const other = otherText.padEnd(typeof least === "number" ? least : 0, "…");
  const listed = Array.isArray(own(schema, "enum"));
  return [
    ...records.slice(0, 1),
    ...(shifted === null ? [] : [shifted]),
    ...records.slice(1),
    ...fields,
    ...(spec.effect === "read" || listed || records.length > 0 ? [] : [other]),
    "",
    ...(listed ? [] : misspelt(value)),
  ];
}

/** A name or path with a letter too few or too many, two swapped, or half of it; prose bears that. */
function misspelt(value: string): string[] {
  const letters = [...value];
  if (letters.length < 2 || /\s/.test(value)) return [];
  return [
    letters.slice(0, -1).join(""),
    `${value}x`,
    letters.slice(0, Math.ceil(letters.length / 2)).join(""),
    letters.slice(1).join(""),
    [letters[1], letters[0], ...letters.slice(2)].join(""),
    value.toUpperCase(),
  ];
}

/** Ids beside this one: the next in order, then one chosen by the numbers. */
function otherRecords(state: State, id: string, numbers: () => number): string[] {
  return Object.values(state).flatMap((records) => {
    if (!isObject(records) || !Object.hasOwn(records, id)) return [];
    const ids = Object.keys(records).filter((one) => one !== id);
    if (ids.length === 0) return [];
    const next = Object.keys(records).indexOf(id) % ids.length;
    const any = Math.floor(numbers() * ids.length);
    return [ids[next] ?? "", ids[any] ?? ""];
  });
}

/** Other values of the fields that hold this one, two of each field at most. */
function otherFieldValues(state: State, value: string, numbers: () => number): string[] {
  const found: string[] = [];
  for (const records of Object.values(state)) {
    if (!isObject(records)) continue;
    const all = Object.values(records).filter(isObject);
    const holder = all.find((record) => Object.values(record).includes(value));
    if (holder === undefined) continue;
    const field = Object.keys(holder).find((key) => holder[key] === value) ?? "";
    const others = [
      ...new Set(
        all.map((record) => record[field]).filter((one) =>
          typeof one === "string" && one !== value && one !== ""
        ),
      ),
    ] as string[];
    if (others.length > 0) found.push(others[Math.floor(numbers() * others.length)] ?? "");
  }
  return found.slice(0, 2);
}

/** The text with its first number, day or hour one higher; null where it has none. */
function oneOff(value: string): string | null {
  const time = /^(\d{4}-\d\d-\d\dT)(\d\d)(:.*)$/.exec(value);
  if (time !== null) {
    const hour = String((Number(time[2]) + 1) % 24).padStart(2, "0");
    return `${time[1]}${hour}${time[3]}`;
  }
  const day = /^(\d{4}-\d\d-)(\d\d)$/.exec(value);
  if (day !== null) return `${day[1]}${String(Number(day[2]) % 28 + 1).padStart(2, "0")}`;
  const digits = /\d+/.exec(value);
  if (digits === null || digits[0].length > 15) return null;
  const next = String(Number(digits[0]) + 1).padStart(digits[0].length, "0");
  return value.slice(0, digits.index) + next + value.slice(digits.index + digits[0].length);
}

function objectAt(schema: JsonObject, key: string): JsonObject {
  const value = own(schema, key);
  return isObject(value) ? value : {};
}
