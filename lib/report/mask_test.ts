import assert from "node:assert/strict";
import fc from "fast-check";
import { createMasker } from "./mask.ts";

const SECRET = "s3cr3t/Value+with space";
const base64 = (text: string) => new TextEncoder().encode(text).toBase64();
const hex = (text: string) => new TextEncoder().encode(text).toHex();

const forms: readonly (readonly [string, string])[] = [
  ["plain", `x ${SECRET} y`],
  ["base64", base64(SECRET)],
  ["base64 inside a longer text, shifted by one", base64(`a${SECRET}bcd`)],
  ["base64 inside a longer text, shifted by two", base64(`ab${SECRET}cd`)],
  ["base64url", base64(SECRET).replaceAll("+", "-").replaceAll("/", "_")],
  ["hexadecimal", hex(SECRET)],
  ["upper-case hexadecimal", hex(SECRET).toUpperCase()],
  ["URL-encoded", encodeURIComponent(SECRET)],
  ["form-encoded", encodeURIComponent(SECRET).replaceAll("%20", "+")],
  ["inside JSON", JSON.stringify({ key: SECRET })],
];

for (const [what, text] of forms) {
  Deno.test(`createMasker() masks a value ${what}`, () => {
    const masked = createMasker(["other-value", SECRET]).mask(text);
    assert.ok(masked.includes("[masked:2]"), masked);
    assert.ok(!masked.includes("s3cr3t"), masked);
  });
}

const keys: readonly string[] = [
  "sk-proj-abcDEF0123456789abcDEF0123456789",
  "ghp_" + "aB3".repeat(12),
  "github_pat_" + "aB3_".repeat(8),
  "glpat-" + "aB3-".repeat(6),
  "xoxb-123456789012-abcdefABCDEF",
  "AKIAIOSFODNN7EXAMPLE",
  "AIza" + "Sy-3_".repeat(7),
  "hf_" + "aB3".repeat(12),
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl",
  "123456789:AAE-abcdefghijklmnopqrstuvwxyz01234",
  "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
  "-----BEGIN PRIVATE KEY-----\ncut off",
];

for (const key of keys) {
  Deno.test(`createMasker() masks what is shaped like a key: ${key.slice(0, 12)}…`, () => {
    const masker = createMasker([]);
    assert.match(masker.mask(`token=${key}`), /^token=\[masked:1\]$/);
    assert.equal(masker.mask(`"${key}`), '"[masked:1]');
    assert.match(masker.mask(`x ${base64(`key: ${key}`)} y`), /^x \[masked:\d\] y$/);
  });
}

Deno.test("createMasker() masks the token of a Bearer header and keeps the word", () => {
  assert.equal(
    createMasker([]).mask("Authorization: Bearer abc.DEF-123_456~789== ok"),
    "Authorization: Bearer [masked:1] ok",
  );
});

const innocent: readonly string[] = [
  "sha256:" + "0123456789abcdef".repeat(4),
  "9c1e0f3a5b7d9e1f3a5b7d9e1f3a5b7d9e1f3a5b",
  "customers/C-1043/billing_address",
  "cambio-indirizzo-spedizione-017",
  "task-management-and-risk-assessment-2026-notes",
  "sk-learn-feature-extraction-pipelines",
  "2026-10-01T09:00:00+02:00",
  "550e8400-e29b-41d4-a716-446655440000",
  "https://example.test/a/very/long/path/with/many/parts?q=1",
  "The bearer of this letter is authorised to act",
  "IT60X0542811101000000123456",
  "$before($asks('Po 12'), $calls('update_address'))",
];

Deno.test("createMasker() leaves ordinary ids, hashes and prose as they are", () => {
  const masker = createMasker(["some-secret-value"]);
  for (const text of innocent) assert.equal(masker.mask(text), text);
  const value = { a: innocent, b: { c: 12, d: null, e: true } };
  assert.equal(masker.maskDeep(value), value);
  assert.equal(masker.count(), 0);
});

Deno.test("createMasker() gives the same value the same marker, in keys and numbers too", () => {
  const masker = createMasker(["alpha-secret", "beta-secret", "1234567"]);
  const masked = masker.maskDeep({
    "alpha-secret": "beta-secret",
    [base64("alpha-secret")]: ["alpha-secret", 1234567, 12345678],
  });
  assert.deepEqual(masked, {
    "[masked:1]": "[masked:2]",
    "[masked:1]#2": ["[masked:1]", "[masked:3]", 12345678],
  });
  assert.equal(masker.count(), 3);
});

Deno.test("createMasker() ignores values that are too short to be secrets, and repeated ones", () => {
  const masker = createMasker(["", "1", "abc", "longer-one", "longer-one\n"]);
  assert.equal(masker.mask("1 abc longer-one"), "1 abc [masked:1]");
});

Deno.test("createMasker() leaves no secret in any text, wherever it stands", () => {
  const secret = fc.string({ minLength: 8, maxLength: 40 }).filter((text) => text.trim() === text);
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
      const masker = createMasker([value]);
      assert.ok(!masker.mask(before + value + after).includes(value));
      const inside = masker.mask(base64(before + value + after));
      assert.ok(inside.includes("[masked:1]"), inside);
    }),
    { seed: 20261130, numRuns: 500 },
  );
});

Deno.test("createMasker() takes one pass over megabytes, hostile ones too", () => {
  const masker = createMasker(["some-secret-value", "other/secret+value"]);
  const texts = ["a", "eyJ", "sk-", "bearer ", "-----BEGIN PRIVATE KEY", "1", "ghp_ ", "=", " x"];
  const started = performance.now();
  for (const text of texts) masker.mask(text.repeat(5_000_000 / text.length));
  assert.ok(performance.now() - started < 30_000);
});
