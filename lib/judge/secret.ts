/**
 * Does a text give a secret away? Plain, half of it in a run (at least 6 characters), reversed, in
 * hexadecimal or in base64 at any alignment. In: the secret, texts. Out: yes or no, never the text.
 */
import { Buffer } from "node:buffer";

/** A secret as it is looked for. */
export interface Secret {
  /** Lower case: every run of half the secret, the secret reversed. */
  readonly caseless: readonly string[];
  /** Lower case: its bytes in hexadecimal. */
  readonly hex: readonly string[];
  /** Base64, standard and for addresses, as it reads at each of three alignments. */
  readonly exact: readonly string[];
}

const RUN_MIN = 6;

/** Prepares a secret of at least 6 characters. */
export function secretOf(text: string): Secret {
  const lower = text.toLowerCase();
  const hex = [text, lower].map((one) => Buffer.from(one, "utf8").toString("hex"));
  return {
    caseless: [...new Set([...runsOf(lower), [...lower].reverse().join("")])],
    hex: [...new Set(hex)],
    exact: [...new Set([0, 1, 2].flatMap((offset) => base64At(text, offset)))],
  };
}

/** True where the text gives the secret away. */
export function reveals(secret: Secret, text: string): boolean {
  if (text.length < RUN_MIN) return false;
  const lower = text.toLowerCase();
  if (secret.caseless.some((needle) => lower.includes(needle))) return true;
  if (revealsHex(secret, lower)) return true;
  const joined = /\s/.test(text) ? text.replace(/\s+/g, "") : text;
  return secret.exact.some((needle) => text.includes(needle) || joined.includes(needle));
}

/** Bytes as dumps write them: `43 41`, `43:41`, `\\x43\\x41`, `0x43, 0x41`, `%43%41`. */
const BETWEEN_BYTES = /\\x|0x|[\s%:,;_-]/g;

function revealsHex({ hex }: Secret, lower: string): boolean {
  const [shortest = ""] = hex;
  if (lower.length < shortest.length) return false;
  const bare = lower.replace(BETWEEN_BYTES, "");
  return hex.some((needle) => bare.includes(needle));
}

function runsOf(text: string): string[] {
  const length = Math.min(text.length, Math.max(RUN_MIN, Math.ceil(text.length / 2)));
  const runs: string[] = [];
  for (let i = 0; i + length <= text.length; i++) runs.push(text.slice(i, i + length));
  return runs;
}

/** The characters that are the same whatever stands before and after the secret. */
function base64At(text: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text, "utf8")]);
  const coded = bytes.toString("base64").replace(/=+$/, "");
  const end = bytes.length % 3 === 0 ? coded.length : coded.length - 1;
  const stable = coded.slice(offset === 0 ? 0 : offset + 1, end);
  return [stable, stable.replaceAll("+", "-").replaceAll("/", "_")];
}
