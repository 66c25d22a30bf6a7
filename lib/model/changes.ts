/**
 * What does a world look like after these changes? A state and a list of changes in, the next state
 * out, which shares every object that no change touched with the first. It is the inverse of the
 * judges' difference without list keys. Changes that do not fit the state are refused by a
 * ChangeError: they come from files, and half an application would be judged as a whole one.
 */
import { equalJson, isObject, type Json, type JsonObject, OUTBOX, own, put } from "./json.ts";
import type { State } from "./json.ts";
import type { Change } from "./run.ts";
import { parsePath, type PathParts } from "./state_path.ts";

/** A change that cannot be applied; the message names its path, what is there and what should be. */
export class ChangeError extends Error {
  override readonly name = "ChangeError";
}

/**
 * The state after `changes`, in their order; `before` stays as it is. An absent collection is made,
 * messages are `outbox` (the whole list) or `outbox/<n>` with n the next free position.
 * Throws ChangeError where a path leads through something that is not an object, where `added`
 * finds something, `changed` or `deleted` find nothing or, if they say so, another value before.
 */
export function applyChanges(before: State, changes: readonly Change[]): State {
  const after: State = { ...before };
  const copied = new Set<Json>([after]);
  for (const change of changes) applyChange(after, change, copied);
  return after;
}

function applyChange(state: State, change: Change, copied: Set<Json>): void {
  const parts = parsePath(change.path);
  if (parts[0] === OUTBOX && parts.length === 2) return appendMessage(state, change, parts);
  const parent = openParent(state, parts, { change, copied });
  const key = parts[parts.length - 1] ?? "";
  const present = own(parent, key);
  refuseMisfit(change, present);
  if (change.op === "deleted") delete parent[key];
  else put(parent, key, valueAfter(change));
}

/** The object that holds the path's last part, copied once so that it may be written. */
function openParent(
  state: State,
  parts: PathParts,
  context: { readonly change: Change; readonly copied: Set<Json> },
): JsonObject {
  let parent: JsonObject = state;
  for (let i = 0; i < parts.length - 1; i++) {
    const key = parts[i] ?? "";
    const child = own(parent, key) ?? (i === 0 && context.change.op === "added" ? {} : undefined);
    if (!isObject(child)) {
      throw misfit(context.change, `"${parts.slice(0, i + 1).join("/")}" is ${kindOf(child)}`);
    }
    const writable = context.copied.has(child)
      ? child
      : i === 0
      ? copyRecords(child)
      : { ...child };
    context.copied.add(writable);
    put(parent, key, writable);
    parent = writable;
  }
  return parent;
}

const templates = new WeakMap<JsonObject, JsonObject>();

/**
 * A copy of a collection. The first copy is kept: V8 copies a copy by `Object.assign` some eighty
 * times faster than a parsed object of 200 keys, and many runs share the states they began with.
 * `Object.assign` would take an own `__proto__` for the prototype, so such a collection is
 * spread.
 */
function copyRecords(records: JsonObject): JsonObject {
  let template = templates.get(records);
  if (template === undefined) {
    template = { ...records };
    templates.set(records, template);
  }
  return Object.hasOwn(template, "__proto__") ? { ...template } : Object.assign({}, template);
}

function appendMessage(state: State, change: Change, parts: PathParts): void {
  const outbox = own(state, OUTBOX) ?? [];
  if (!Array.isArray(outbox)) throw misfit(change, `"${OUTBOX}" is ${kindOf(outbox)}`);
  if (change.op !== "added") throw misfit(change, "a sent message can only be added");
  if (parts[1] !== String(outbox.length)) {
    throw misfit(change, `the next message has position ${outbox.length}`);
  }
  state[OUTBOX] = [...outbox, valueAfter(change)];
}

function valueAfter(change: Change): Json {
  if (change.after === undefined) throw misfit(change, "it says no value after");
  return change.after;
}

function refuseMisfit(change: Change, present: Json | undefined): void {
  if (change.op === "added") {
    if (present !== undefined) throw misfit(change, "something is there already");
    return;
  }
  if (present === undefined) throw misfit(change, "nothing is there");
  if (change.before !== undefined && !equalJson(change.before, present)) {
    throw misfit(change, "the value there is not the one that the change says was before");
  }
}

function misfit(change: Change, why: string): ChangeError {
  return new ChangeError(`Cannot apply "${change.op}" to "${change.path}": ${why}`);
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return "absent, expected an object";
  if (value === null) return "null, expected an object";
  return `${Array.isArray(value) ? "a list" : `a ${typeof value}`}, expected an object`;
}
