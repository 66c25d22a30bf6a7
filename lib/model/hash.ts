/**
 * How are things named by their content? `sha256:<hex>` of canonical JSON (keys sorted by UTF-16
 * code unit, no white space, as in RFC 8785), and of a state, record by record, so that a changed
 * record does not cost the hashing of the whole world again.
 */
import { createHash } from "node:crypto";
import { isObject, type Json, type State } from "./json.ts";

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

const recordHashes = new WeakMap<object, string>();

function hashRecord(record: Json): string {
  if (typeof record !== "object" || record === null) return hashJson(record);
  const known = recordHashes.get(record);
  if (known !== undefined) return known;
  const hash = hashJson(record);
  recordHashes.set(record, hash);
  return hash;
}

/**
 * `sha256:<hex>` of a state: of the lines `<collection JSON>\t<id JSON>\t<record hash>\n`, sorted
 * by collection then id; a collection that is not an object is one line with an empty id, an empty
 * collection counts as absent. Record hashes are remembered by object: never mutate a hashed record.
 */
export function hashState(state: State): string {
  const sum = createHash("sha256");
  for (const collection of Object.keys(state).sort()) {
    const records = state[collection] ?? null;
    const name = JSON.stringify(collection);
    if (!isObject(records)) {
      if (Array.isArray(records) && records.length === 0) continue;
      sum.update(`${name}\t\t${hashRecord(records)}\n`);
      continue;
    }
    let lines = "";
    for (const id of Object.keys(records).sort()) {
      lines += `${name}\t${JSON.stringify(id)}\t${hashRecord(records[id] ?? null)}\n`;
    }
    sum.update(lines);
  }
  return `sha256:${sum.digest("hex")}`;
}
