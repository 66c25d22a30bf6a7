/**
 * How do secrets stay out of reports? The values that the configuration names in; a masker out that
 * replaces them, their encoded forms and everything shaped like a key by `[masked:n]`: the same
 * value has the same marker wherever it stands. Ordinary ids, hashes and addresses stay as they are.
 */
import { type Json, type JsonObject, put } from "../model/json.ts";
import { encodedForms } from "./mask_forms.ts";
import { replaceEncodedKeys, replaceKeys } from "./mask_keys.ts";

/** Shorter values are words, not secrets: masking them would hide the report. */
export const SECRET_LENGTH_MIN = 4;

/** Short texts without a secret (ids, hashes, names) come again and again: they are looked at once. */
const REMEMBERED_LENGTH_MAX = 200;
const REMEMBERED_COUNT_MAX = 20_000;

function remember(clean: Set<string>, text: string): void {
  if (clean.size >= REMEMBERED_COUNT_MAX) clean.clear();
  clean.add(text);
}

/** Masks texts and values; remembers the markers that it gave. */
export interface Masker {
  /** The text without secrets. */
  mask(text: string): string;
  /** The value with its texts, keys and whole numbers masked; the same object where nothing was found. */
  maskDeep<T>(value: T): T;
  /** How many different values were masked so far. */
  count(): number;
}

/** A masker for these values (environment variables, in a fixed order) and for key-shaped strings. */
export function createMasker(secrets: readonly string[]): Masker {
  const usable = [...new Set(secrets.map((secret) => secret.trim()))]
    .filter((secret) => secret.length >= SECRET_LENGTH_MIN);
  const markers = new Map(usable.map((secret, i) => [secret, `[masked:${i + 1}]`]));
  const used = new Set<string>();
  const markerOf = (secret: string): string => {
    const marker = markers.get(secret) ?? `[masked:${markers.size + 1}]`;
    markers.set(secret, marker);
    used.add(marker);
    return marker;
  };
  const needles = usable
    .flatMap((secret) => encodedForms(secret).map((form) => ({ form, secret })))
    .sort((a, b) => b.form.length - a.form.length || (a.form < b.form ? -1 : 1));
  const shortest = needles.at(-1)?.form.length ?? Infinity;

  const clean = new Set<string>();

  const mask = (text: string): string => {
    if (clean.has(text)) return text;
    let masked = text;
    if (text.length >= shortest) {
      for (const { form, secret } of needles) {
        if (masked.includes(form)) masked = masked.replaceAll(form, () => markerOf(secret));
      }
    }
    masked = replaceEncodedKeys(replaceKeys(masked, markerOf), markerOf);
    if (masked === text && text.length <= REMEMBERED_LENGTH_MAX) remember(clean, text);
    return masked;
  };
  /** Objects without a secret: states share their records, and are looked at once. */
  let known = { markers: 0, clean: new WeakSet<object>() };
  const cleanObjects = () => {
    if (known.markers !== markers.size) known = { markers: markers.size, clean: new WeakSet() };
    return known.clean;
  };
  const maskNumber = (value: number): Json => {
    const text = String(value);
    return markers.has(text) ? markerOf(text) : value;
  };
  return {
    mask,
    maskDeep: <T>(value: T) => maskValue(value as Json, { mask, maskNumber, cleanObjects }) as T,
    count: () => used.size,
  };
}

interface Masks {
  readonly mask: (text: string) => string;
  readonly maskNumber: (value: number) => Json;
  /** Empty again whenever another secret was found. */
  readonly cleanObjects: () => WeakSet<object>;
}

function maskValue(value: Json, masks: Masks): Json {
  if (typeof value === "string") return masks.mask(value);
  if (typeof value === "number") return masks.maskNumber(value);
  if (typeof value !== "object" || value === null) return value;
  if (masks.cleanObjects().has(value)) return value;
  const masked = Array.isArray(value) ? maskList(value, masks) : maskObject(value, masks);
  if (masked === value) masks.cleanObjects().add(value);
  return masked;
}

function maskList(value: Json[], masks: Masks): Json {
  const items = value.map((item) => maskValue(item, masks));
  return items.some((item, i) => item !== value[i]) ? items : value;
}

function maskObject(value: JsonObject, masks: Masks): Json {
  let masked: JsonObject | null = null;
  for (const key of Object.keys(value)) {
    const before = value[key];
    if (before === undefined) continue;
    const after = maskValue(before, masks);
    const name = masks.mask(key);
    if (masked === null && after === before && name === key) continue;
    masked ??= fieldsBefore(value, key);
    put(masked, freeName(masked, name), after);
  }
  return masked ?? value;
}

/** The fields of a record up to a key, in which nothing was found. */
function fieldsBefore(value: JsonObject, end: string): JsonObject {
  const fields: JsonObject = {};
  for (const key of Object.keys(value)) {
    if (key === end) break;
    const field = value[key];
    if (field !== undefined) put(fields, key, field);
  }
  return fields;
}

/** Two keys may be masked alike: the second is numbered, no entry is lost. */
function freeName(record: JsonObject, name: string): string {
  let free = name;
  for (let n = 2; Object.hasOwn(record, free); n++) free = `${name}#${n}`;
  return free;
}
