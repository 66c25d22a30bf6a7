/**
 * How do secrets stay out of reports? The values that the configuration names in; a masker out that
 * replaces them, their encoded forms and everything shaped like a key by `[masked:n]`: the same
 * value has the same marker wherever it stands. Ordinary ids, hashes and addresses stay as they are.
 */
import { isObject, type Json, type JsonObject, put } from "../model/json.ts";
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
  const maskNumber = (value: number): Json => {
    const text = String(value);
    return markers.has(text) ? markerOf(text) : value;
  };
  return {
    mask,
    maskDeep: <T>(value: T) => maskValue(value as Json, { mask, maskNumber }) as T,
    count: () => used.size,
  };
}

interface Masks {
  readonly mask: (text: string) => string;
  readonly maskNumber: (value: number) => Json;
}

function maskValue(value: Json, masks: Masks): Json {
  if (typeof value === "string") return masks.mask(value);
  if (typeof value === "number") return masks.maskNumber(value);
  if (Array.isArray(value)) {
    const items = value.map((item) => maskValue(item, masks));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  return isObject(value) ? maskObject(value, masks) : value;
}

function maskObject(value: JsonObject, masks: Masks): Json {
  const masked: JsonObject = {};
  let changed = false;
  for (const key of Object.keys(value)) {
    const before = value[key];
    if (before === undefined) continue;
    const after = maskValue(before, masks);
    const name = freeName(masked, masks.mask(key));
    changed ||= after !== before || name !== key;
    put(masked, name, after);
  }
  return changed ? masked : value;
}

/** Two keys may be masked alike: the second is numbered, no entry is lost. */
function freeName(record: JsonObject, name: string): string {
  let free = name;
  for (let n = 2; Object.hasOwn(record, free); n++) free = `${name}#${n}`;
  return free;
}
