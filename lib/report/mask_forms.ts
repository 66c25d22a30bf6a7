/**
 * In which forms may a secret be written? The secret in; the texts out by which it is recognised:
 * plain, inside JSON, URL-encoded, hexadecimal, and base64 at each of the three alignments that it
 * can have inside a longer text.
 */

/** Encoded forms of fewer characters than this would match by chance. */
const ENCODED_LENGTH_MIN = 7;

/** The distinct forms of a secret, the plain one first. */
export function encodedForms(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const percent = encodeURIComponent(secret.toWellFormed());
  const encoded = [
    JSON.stringify(secret).slice(1, -1),
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    percent.replaceAll("%20", "+"),
    Array.from(hex.matchAll(/../g), ([pair]) => `%${pair.toUpperCase()}`).join(""),
    hex,
    hex.toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64At(bytes, offset)),
  ].filter((form) => form.length >= ENCODED_LENGTH_MIN);
  return [...new Set([secret, ...encoded])];
}

/** The characters that the secret alone decides where `offset` bytes stand before it. */
function base64At(bytes: Uint8Array, offset: number): string[] {
  const padded = new Uint8Array(offset + bytes.length);
  padded.set(bytes, offset);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((padded.length * 8) / 6);
  const plain = padded.toBase64().slice(first, last);
  return [plain, plain.replaceAll("+", "-").replaceAll("/", "_")];
}
