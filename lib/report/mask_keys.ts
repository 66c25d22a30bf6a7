/**
 * Which texts have the shape of a key, whoever owns it? A text in; the same with keys of known
 * shapes replaced out, plain or inside base64. All patterns are bounded or end at the text's end, so
 * that a text of megabytes costs one pass.
 */

/** What stands for a secret in the text. */
type MarkerOf = (secret: string) => string;

const KEY_LENGTH_MIN = 16;

const SHAPES: readonly string[] = [
  "-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----(?:[^]*?-----END [A-Z ]{0,40}PRIVATE KEY-----|[^]*)",
  "(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,120}[0-9])[A-Za-z0-9_-]{20,400}",
  "(?<![A-Za-z0-9])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,200}",
  "(?<![A-Za-z0-9])gh[opusr]_[A-Za-z0-9]{30,255}",
  "(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{22,255}",
  "(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,200}",
  "(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,250}",
  "(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  "(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}",
  "(?<![A-Za-z0-9])(?:hf|npm|gsk)_[A-Za-z0-9]{30,200}",
  "(?<![A-Za-z0-9])xai-[A-Za-z0-9]{30,200}",
  "(?<![A-Za-z0-9])SG\\.[A-Za-z0-9_-]{16,100}\\.[A-Za-z0-9_-]{16,100}",
  "(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,8000}\\.[A-Za-z0-9_-]{8,16000}\\.[A-Za-z0-9_-]{0,2000}",
  "(?<![0-9])[0-9]{8,10}:[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
  "(?<=\\b[Bb][Ee][Aa][Rr][Ee][Rr] {1,4})(?=[A-Za-z._~+/=-]{0,200}[0-9])[A-Za-z0-9._~+/=-]{16,4000}",
];

const KEY = new RegExp(SHAPES.join("|"), "g");

/** Base64 or base64url of at least the shortest key. */
const ENCODED = /[A-Za-z0-9+/_-]{24,}={0,2}/g;

/** The text with every key-shaped string replaced. */
export function replaceKeys(text: string, markerOf: MarkerOf): string {
  return text.length < KEY_LENGTH_MIN ? text : text.replace(KEY, (key) => markerOf(key));
}

/** The text with every run of base64 replaced that holds a key-shaped string. */
export function replaceEncodedKeys(text: string, markerOf: MarkerOf): string {
  if (text.length < 24) return text;
  return text.replace(ENCODED, (run) => {
    const key = decoded(run).match(KEY)?.[0];
    return key === undefined ? run : markerOf(key);
  });
}

/** The bytes of a run of base64 as Latin-1; what does not decode is empty. */
function decoded(run: string): string {
  const plain = run.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  const whole = plain.length % 4 === 1 ? plain.slice(0, -1) : plain;
  try {
    return atob(whole);
  } catch {
    return "";
  }
}
