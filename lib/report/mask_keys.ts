/**
 * How do keys disappear from a text, whoever owns them? A text in; the same with keys of known
 * shapes replaced out, plain or inside base64.
 */
import { KEY_SHAPES } from "../model/key_shapes.ts";

/** What stands for a secret in the text. */
type MarkerOf = (secret: string) => string;

const KEY_LENGTH_MIN = 15;
const ENCODED_LENGTH_MIN = 24;

const KEY = new RegExp(KEY_SHAPES.join("|"), "g");

/** The token of an Authorization header; the word before it stays. */
const BEARER = /\b(bearer {1,4})((?=[a-z._~+/=-]{0,200}[0-9])[a-z0-9._~+/=-]{16,4000})/gi;

/** Base64 or base64url of at least the shortest key. */
const ENCODED = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

/** What every key has in it: most texts have none of it and need no closer look. */
const SUSPECT = /[A-Za-z0-9_-]{15}|PRIVATE KEY|bearer /i;

/** The text with every key-shaped string replaced. */
export function replaceKeys(text: string, markerOf: MarkerOf): string {
  if (text.length < KEY_LENGTH_MIN || !SUSPECT.test(text)) return text;
  return text.replace(KEY, (key) => markerOf(key))
    .replace(BEARER, (_, word: string, token: string) => word + markerOf(token));
}

/** The text with every run of base64 replaced that holds a key-shaped string. */
export function replaceEncodedKeys(text: string, markerOf: MarkerOf): string {
  if (text.length < ENCODED_LENGTH_MIN) return text;
  return text.replace(ENCODED, (run) => {
    const plain = decoded(run);
    const key = SUSPECT.test(plain) ? plain.match(KEY)?.[0] : undefined;
    return key === undefined ? run : markerOf(key);
  });
}

/** The bytes of a run of base64 as Latin-1; empty where it does not decode, or is a plain word or hash. */
function decoded(run: string): string {
  if (!/[A-Z]/.test(run) || !/[0-9]/.test(run)) return "";
  const plain = run.replaceAll("-", "+").replaceAll("_", "/").replace(/={1,2}$/, "");
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  try {
    return atob(whole);
  } catch {
    return "";
  }
}
