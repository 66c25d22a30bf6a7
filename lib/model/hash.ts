/**
 * How are things named by their content? `sha256:<hex>` of canonical JSON (keys sorted by UTF-16
 * code unit, no white space, as in RFC 8785), and of a state, record by record, so that a changed
 * record does not cost the hashing of the whole world again.
 */
import { createHash } from "node:crypto";
import { isObject, type Json, type JsonObject, type State } from "./json.ts";

/** Canonical JSON text of a value: sorted keys, no white space. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.keys(value).sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? null)}`);
  return `{${entries.join(",")}}`;
}

/** `sha256:<hex>` of a text's UTF-8 bytes. */
export function hashText(text: string | Uint8Array): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** `sha256:<hex>` of a value's canonical JSON. */
export function hashJson(value: Json): string {
  return hashText(canonicalJson(value));
}

/** The line of a record in the hash of a state, without its collection. */
interface Line {
  readonly id: string;
  readonly text: string;
}

const recordLines = new WeakMap<object, Line>();

function lineOf(id: string, record: Json): string {
  if (typeof record !== "object" || record === null) return makeLine(id, record);
  const known = recordLines.get(record);
  if (known?.id === id) return known.text;
  const text = makeLine(id, record);
  recordLines.set(record, { id, text });
  return text;
}

function makeLine(id: string, record: Json): string {
  return `\t${JSON.stringify(id)}\t${hashJson(record)}\n`;
}

const collectionLines = new WeakMap<JsonObject, Line>();

/** The lines of a collection, in the order of their ids; remembered by the object. */
function linesOf(name: string, records: JsonObject): string {
  const known = collectionLines.get(records);
  if (known?.id === name) return known.text;
  const head = JSON.stringify(name);
  let text = "";
  for (const id of Object.keys(records).sort()) text += head + lineOf(id, records[id] ?? null);
  collectionLines.set(records, { id: name, text });
  return text;
}

/**
 * `sha256:<hex>` of a state: of the lines `<collection JSON>\t<id JSON>\t<record hash>\n`, sorted
 * by collection then id; a collection that is not an object is one line with an empty id, an empty
 * collection counts as absent. Lines are remembered by object: never mutate what was hashed.
 */
export function hashState(state: State): string {
  const sum = createHash("sha256");
  for (const collection of Object.keys(state).sort()) {
    const records = state[collection] ?? null;
    if (isObject(records)) sum.update(linesOf(collection, records));
    else if (!Array.isArray(records) || records.length > 0) {
      sum.update(`${JSON.stringify(collection)}\t\t${hashJson(records)}\n`);
    }
  }
  return `sha256:${sum.digest("hex")}`;
}
