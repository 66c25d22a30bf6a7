/**
 * Which texts have the shape of a key, whoever owns it? A text in; the same with keys of known
 * shapes replaced out, plain or inside base64. All patterns are bounded or end at the text's end, so
 * that a text of megabytes costs one pass.
 */

/** What stands for a secret in the text. */
type MarkerOf = (secret: string) => string;

const KEY_LENGTH_MIN = 15;
const ENCODED_LENGTH_MIN = 24;

/** Each starts with its literal, what may not stand before is looked at afterwards: so engines skip quickly. */
const SHAPES: readonly string[] = [
  "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^]*?-----END [A-Z ]{0,40}PRIVATE KEY-----|[^]*)",
  "sk-(?<![A-Za-z0-9_-]sk-)(?=[A-Za-z_-]{0,120}[0-9])[A-Za-z0-9_-]{20,400}",
  "[srp]k_(?<![A-Za-z0-9][srp]k_)(?:live|test)_[A-Za-z0-9]{16,200}",
  "gh[opusr]_(?<![A-Za-z0-9]gh[opusr]_)[A-Za-z0-9]{30,255}",
  "github_pat_(?<![A-Za-z0-9]github_pat_)[A-Za-z0-9_]{22,255}",
  "glpat-(?<![A-Za-z0-9]glpat-)[A-Za-z0-9_-]{20,200}",
  "xox[abeoprs]-(?<![A-Za-z0-9]xox[abeoprs]-)[A-Za-z0-9-]{10,250}",
  "A[KS]IA(?<![A-Z0-9]A[KS]IA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  "AIza(?<![A-Za-z0-9]AIza)[A-Za-z0-9_-]{35}",
  "(?:hf|npm|gsk)_(?<![A-Za-z0-9](?:hf|npm|gsk)_)[A-Za-z0-9]{30,200}",
  "xai-(?<![A-Za-z0-9]xai-)[A-Za-z0-9]{30,200}",
  "SG\\.(?<![A-Za-z0-9]SG\\.)[A-Za-z0-9_-]{16,100}\\.[A-Za-z0-9_-]{16,100}",
  "eyJ(?<![A-Za-z0-9_-]eyJ)[A-Za-z0-9_-]{12,8000}\\.[A-Za-z0-9_-]{8,16000}\\.[A-Za-z0-9_-]{0,2000}",
  "[0-9]{8,10}:(?<![0-9]{11}:)[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
];

const KEY = new RegExp(SHAPES.join("|"), "g");

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
