/**
 * What does a state look like after a write? Set, append, delete and send by structural sharing:
 * the state before, and every record in it that is not written, is never touched. Refuses writes
 * that leave no state: above a record, into the outbox, below a text, into a list that has no such place.
 */
import { formatPath, type PathParts } from "../model/state_path.ts";
import {
  FILES,
  isObject,
  type Json,
  type JsonObject,
  OUTBOX,
  outboxOf,
  own,
  put,
  type State,
} from "../model/json.ts";

/** The state after a write, or why it cannot be made. */
export type Written =
  | { readonly kind: "written"; readonly state: State }
  | { readonly kind: "impossible"; readonly why: string };

type Change = (old: Json | undefined) => Json | undefined;

class ImpossibleWrite extends Error {}

/** Puts `value` at the path; records and objects above it are made where they are absent. */
export function setAt(state: State, path: PathParts, value: Json): Written {
  return writeAt(state, path, () => value);
}

/** Adds `item` to the list at the path, or text to the file; an absent list begins empty. */
export function appendAt(state: State, path: PathParts, item: Json): Written {
  return writeAt(state, path, (old) => {
    if (old === undefined && path[0] === FILES) return item;
    if (old === undefined || Array.isArray(old)) return [...(old ?? []), item];
    if (path[0] === FILES && typeof old === "string" && typeof item === "string") return old + item;
    throw new ImpossibleWrite(`"${formatPath(path)}" is no list`);
  });
}

/** Removes what lies at the path; the same state where nothing does. */
export function deleteAt(state: State, path: PathParts): Written {
  return writeAt(state, path, () => undefined);
}

/** Adds a message to the outbox. */
export function send(state: State, message: JsonObject): State {
  return { ...state, [OUTBOX]: [...outboxOf(state), message] };
}

function writeAt(state: State, path: PathParts, change: Change): Written {
  const refusal = refusedPath(path);
  if (refusal !== null) return { kind: "impossible", why: refusal };
  try {
    return { kind: "written", state: changed(state, path, change) as State };
  } catch (error) {
    if (error instanceof ImpossibleWrite) return { kind: "impossible", why: error.message };
    throw error;
  }
}

function refusedPath(path: PathParts): string | null {
  const text = formatPath(path);
  if (path.some((part) => part === "")) return `the path "${text}" has an empty part`;
  if (path[0] === OUTBOX) return "the outbox is written by `send` alone";
  return path.length < 2 ? `"${text}" names a collection, not a record` : null;
}

function changed(old: Json | undefined, path: PathParts, change: Change): Json | undefined {
  const [part, ...rest] = path;
  if (part === undefined) return change(old);
  if (Array.isArray(old)) return changedItem(old, part, { rest, change });
  if (old !== undefined && !isObject(old)) {
    throw new ImpossibleWrite(`nothing can lie at "${part}" below a value that is no object`);
  }
  const before = old === undefined ? undefined : own(old, part);
  const after = changed(before, rest, change);
  if (after === before) return old;
  const copy = { ...old };
  if (after === undefined) delete copy[part];
  else put(copy, part, after);
  return copy;
}

function changedItem(
  old: readonly Json[],
  part: string,
  { rest, change }: { readonly rest: PathParts; readonly change: Change },
): Json {
  const index = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : -1;
  if (index < 0 || index >= old.length) {
    throw new ImpossibleWrite(`the list has no place "${part}"`);
  }
  const after = changed(old[index], rest, change);
  return after === undefined ? old.toSpliced(index, 1) : old.with(index, after);
}
