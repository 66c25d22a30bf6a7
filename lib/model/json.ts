/**
 * What is plain data here? JSON values, the state of a world, and safe access to both.
 * Everything that an expression or a tool sees is made of these types, never of class instances.
 */

/** A JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/**
 * A world: collections of records by id (`state.customers["C-1043"]`), the virtual files under
 * `files` (path -> text) and the list of sent messages under `outbox`.
 */
export type State = { [collection: string]: Json };

/** The id of the collection that holds the virtual files. */
export const FILES = "files";

/** The key under which sent messages are listed. */
export const OUTBOX = "outbox";

/** True for a JSON object (not an array, not null). */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The own value of `key`, undefined where absent; inherited names such as `constructor` are absent. */
export function own(record: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** The records of a collection: an absent or non-object collection is empty. */
export function recordsOf(state: State, collection: string): JsonObject {
  const records = own(state, collection);
  return isObject(records) ? records : {};
}

/** The messages of a state's outbox, in the order of sending. */
export function outboxOf(state: State): JsonObject[] {
  const outbox = own(state, OUTBOX);
  return Array.isArray(outbox) ? outbox.filter(isObject) : [];
}

/** Sets an own property even where the key is `__proto__`. */
export function put(record: JsonObject, key: string, value: Json): void {
  if (key === "__proto__") {
    Object.defineProperty(record, key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else record[key] = value;
}

/** Deep equality by value: key order does not count, 1 equals 1.0, a number never equals a text. */
export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  }
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]));
}

/** True where a value is nested no deeper than so many levels; walks without recursion. */
export function isNestedWithin(value: Json, depthMax: number): boolean {
  let level: Json[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > depthMax) return false;
    level = level.flatMap((one) =>
      typeof one === "object" && one !== null ? Object.values(one) : []
    );
  }
  return true;
}
