/**
 * What can a simulated tool look up? `$find $like $at $next $page $resolve` over the state that it
 * acts on. All of them give plain data; an argument that is absent makes its field count for
 * nothing in `$find`, and everything else nothing at all.
 */
import { isObject, type Json, type JsonObject, own, put, recordsOf } from "../model/json.ts";
import type { State } from "../model/json.ts";
import { matchArgs } from "./args.ts";
import type { Native } from "./bindings.ts";
import { valueAt } from "./paths.ts";
import { parsePath } from "../model/state_path.ts";
import { Refusal } from "./refusal.ts";

/** What a tool's expressions are about: its arguments, the state, the lets before. */
export interface ToolSubject {
  readonly state: State;
  /** Arguments and lets by name; a let hides an argument of its name. */
  readonly names: JsonObject;
}

const LINKS_MAX = 40;
const NAME = /<([A-Za-z_][\w-]*(?:\.[\w-]+)*)>/g;

function textOf(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw new Refusal(`expected ${name} as a text`);
}

/** Records of a collection with their `id` that have the fields; texts literally, `$like` contains. */
function find({ state }: ToolSubject, args: readonly unknown[]): JsonObject[] {
  const records = recordsOf(state, textOf(args[0], "a collection"));
  const fields = args.length < 2 ? {} : args[1];
  if (!isObject(fields)) throw new Refusal("expected the fields to find as an object");
  const found: JsonObject[] = [];
  for (const id of Object.keys(records)) {
    const record = withId(id, records[id] ?? null);
    if (matchArgs(fields, record)) found.push(record);
  }
  return found;
}

function withId(id: string, record: Json): JsonObject {
  const copy: JsonObject = isObject(record) ? { ...record } : { value: record };
  put(copy, "id", id);
  return copy;
}

/** A field of `$find` that contains the text, in whatever case. */
function like(_: ToolSubject, args: readonly unknown[]): unknown {
  const [wanted] = args;
  if (wanted === undefined || wanted === null) return undefined;
  const text = textOf(wanted, "what $like looks for").toLowerCase();
  return (value: string) => value.toLowerCase().includes(text) ? { match: wanted } : undefined;
}

/** The value at a path whose `<names>` are arguments and lets, each one part whatever it holds. */
function at({ state, names }: ToolSubject, args: readonly unknown[]): Json | undefined {
  if (args[0] === undefined) return undefined;
  let complete = true;
  const parts = parsePath(textOf(args[0], "a path")).map((part) =>
    part.replace(NAME, (_, name: string) => {
      const value = lookUp(names, name);
      if (value === undefined || value === null || typeof value === "object") complete = false;
      return String(value);
    })
  );
  return complete ? valueAt(state, parts) : undefined;
}

function lookUp(names: JsonObject, name: string): Json | undefined {
  let value: Json | undefined = names;
  for (const part of name.split(".")) value = isObject(value) ? own(value, part) : undefined;
  return value;
}

/** The next free id: the prefix and one more than the highest number, as wide as that was written. */
function next({ state }: ToolSubject, args: readonly unknown[]): string {
  const records = recordsOf(state, textOf(args[0], "a collection"));
  const prefix = textOf(args[1], "a prefix");
  let highest = 0n;
  let width = 1;
  for (const id of Object.keys(records)) {
    const digits = id.startsWith(prefix) ? id.slice(prefix.length) : "";
    if (!/^\d{1,100}$/.test(digits) || BigInt(digits) < highest) continue;
    highest = BigInt(digits);
    width = digits.length;
  }
  return prefix + String(highest + 1n).padStart(width, "0");
}

/** `count` items from position `from` (0 is the first); absent: from the first, all the rest. */
function page(_: ToolSubject, args: readonly unknown[]): unknown[] {
  const [items, from = 0, count] = args;
  const list = items === undefined ? [] : Array.isArray(items) ? items : [items];
  const start = amount(from, "from");
  return list.slice(start, count === undefined ? undefined : start + amount(count, "count"));
}

function amount(value: unknown, name: string): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0) return value;
  throw new Refusal(`expected ${name} as a whole number from 0`);
}

/**
 * The file's own path with `.` and `..` removed and links followed. A link is an entry of `files`
 * that is an object `{link: <target>}`; a relative target starts beside it. Refuses endless links.
 */
function resolve({ state }: ToolSubject, args: readonly unknown[]): string | undefined {
  if (args[0] === undefined) return undefined;
  const files = recordsOf(state, "files");
  const todo = textOf(args[0], "a path").split("/").reverse();
  let root = todo.at(-1) === "" ? "/" : "";
  let done: string[] = [];
  let links = 0;
  for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (done.length > 0 && done.at(-1) !== "..") done.pop();
      else if (root === "") done.push("..");
      continue;
    }
    const target = linkAt(files, root + [...done, part].join("/"));
    if (target === undefined) done.push(part);
    else {
      if (++links > LINKS_MAX) throw new Refusal("the links lead in a circle");
      if (target.startsWith("/")) [root, done] = ["/", []];
      todo.push(...target.split("/").reverse());
    }
  }
  return root + done.join("/");
}

function linkAt(files: JsonObject, path: string): string | undefined {
  const entry = own(files, path);
  const target = isObject(entry) ? own(entry, "link") : undefined;
  return typeof target === "string" ? target : undefined;
}

/** The functions of simulated tools, by name without `$`. */
export const TOOL_FUNCTIONS: Readonly<Record<string, Native<ToolSubject>>> = {
  find,
  like,
  at,
  next,
  page,
  resolve,
};
