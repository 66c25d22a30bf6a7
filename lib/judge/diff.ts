/**
 * What differs between two states? One entry for an added or deleted record or part of one, one for
 * each changed leaf; a list is a leaf unless its items have a key. Shared objects are skipped by
 * identity. The outbox is left out: messages are judged on their own. Sorted by path.
 */
import { itemName, type ListKey, relate } from "../expression/paths.ts";
import { equalJson, FILES, isObject, type Json, type JsonObject } from "../model/json.ts";
import { OUTBOX, own, type State } from "../model/json.ts";
import type { Change } from "../model/run.ts";
import { formatPath, parsePath } from "../model/state_path.ts";

interface Walk {
  readonly keys: readonly ListKey[];
  readonly parts: string[];
  readonly found: Change[];
}

const NOTHING: JsonObject = {};

/**
 * The difference between two states, sorted by path. An absent collection is an empty one, numbers
 * compare by value and never equal a text. Lists that `keys` names are compared item by item in
 * whatever order, where every item has its own key; else as a whole.
 */
export function diffStates(
  before: State,
  after: State,
  keys: readonly ListKey[] = [],
): Change[] {
  const walk: Walk = { keys, parts: [], found: [] };
  for (const name of Object.keys(before)) {
    if (name !== OUTBOX) diffCollection(walk, name, { before, after });
  }
  for (const name of Object.keys(after)) {
    if (name !== OUTBOX && !Object.hasOwn(before, name)) {
      diffCollection(walk, name, { before, after });
    }
  }
  return sortChanges(walk.found);
}

/**
 * The same difference where `touched` already names the only places that may differ (the changes
 * that made `after` out of `before`): the rest of the states is not looked at.
 */
export function diffTouched(
  states: { readonly before: State; readonly after: State },
  touched: readonly Change[],
  keys: readonly ListKey[] = [],
): Change[] {
  const { before, after } = states;
  const walk: Walk = { keys, parts: [], found: [] };
  const seen = new Set<string>();
  for (const { path } of touched) {
    const [collection, id] = parsePath(path);
    if (collection === OUTBOX) continue;
    if (collection === undefined || id === undefined) return diffStates(before, after, keys);
    const record = formatPath([collection, id]);
    if (seen.has(record)) continue;
    seen.add(record);
    const first = own(before, collection) ?? NOTHING;
    const second = own(after, collection) ?? NOTHING;
    if (!isObject(first) || !isObject(second)) return diffStates(before, after, keys);
    walk.parts.push(collection);
    diffRecord(walk, id, { before: first, after: second });
    walk.parts.pop();
  }
  return sortChanges(walk.found);
}

function sortChanges(changes: Change[]): Change[] {
  if (changes.length < 2) return changes;
  return changes.sort((a, b) => a.path < b.path ? -1 : a.path > b.path ? 1 : 0);
}

interface Pair {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

function diffCollection(walk: Walk, name: string, states: Pair): void {
  const before = own(states.before, name) ?? NOTHING;
  const after = own(states.after, name) ?? NOTHING;
  if (before === after) return;
  walk.parts.push(name);
  if (isObject(before) && isObject(after)) diffRecords(walk, { before, after });
  else diffLeaf(walk, before, after);
  walk.parts.pop();
}

function diffRecords(walk: Walk, { before, after }: Pair): void {
  let kept = 0;
  for (const id of Object.keys(before)) {
    if (before[id] === after[id]) kept++;
    else {
      if (Object.hasOwn(after, id)) kept++;
      diffRecord(walk, id, { before, after });
    }
  }
  const now = Object.keys(after);
  if (now.length === kept) return;
  for (const id of now) {
    if (!Object.hasOwn(before, id)) diffRecord(walk, id, { before, after });
  }
}

function diffRecord(walk: Walk, id: string, { before, after }: Pair): void {
  const first = own(before, id);
  const second = own(after, id);
  walk.parts.push(id);
  if (walk.parts[0] === FILES && walk.parts.length === 2) diffLeaf(walk, first, second);
  else diffValue(walk, first, second);
  walk.parts.pop();
}

function diffValue(walk: Walk, before: Json | undefined, after: Json | undefined): void {
  if (before === after) return;
  if (isObject(before) && isObject(after)) return diffRecords(walk, { before, after });
  if (walk.keys.length > 0 && Array.isArray(before) && Array.isArray(after)) {
    const lists = namedItems(walk, before, after);
    if (lists !== null) return diffRecords(walk, lists);
  }
  diffLeaf(walk, before, after);
}

function diffLeaf(walk: Walk, before: Json | undefined, after: Json | undefined): void {
  if (equalJson(before, after)) return;
  const path = formatPath(walk.parts);
  if (before === undefined) walk.found.push({ path, op: "added", after });
  else if (after === undefined) walk.found.push({ path, op: "deleted", before });
  else walk.found.push({ path, op: "changed", before, after });
}

/** Both lists as records by the items' key; null where no key holds for all items of both. */
function namedItems(walk: Walk, before: Json[], after: Json[]): Pair | null {
  const key = walk.keys.find((one) => relate(one.list, walk.parts) === "exact");
  if (key === undefined) return null;
  const first = byName(before, key.field);
  const second = byName(after, key.field);
  return first === null || second === null ? null : { before: first, after: second };
}

function byName(items: readonly Json[], field: string): JsonObject | null {
  const named = new Map<string, Json>();
  for (const item of items) {
    const name = itemName(item, field);
    if (name === undefined || named.has(name)) return null;
    named.set(name, item);
  }
  return Object.fromEntries(named);
}
