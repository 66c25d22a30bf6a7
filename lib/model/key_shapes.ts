/**
 * Which texts have the shape of a key, whoever owns it? Patterns of private keys and of the tokens
 * of well-known services. All are bounded or end at the text's end, so that a text of megabytes costs
 * one pass.
 */

/** Each starts with its literal, what may not stand before is looked at afterwards: so engines skip quickly. */
export const KEY_SHAPES: readonly string[] = [
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

const KEY = new RegExp(KEY_SHAPES.join("|"));

/** True for a text in which something has the shape of a key. */
export function holdsKey(text: string): boolean {
  return KEY.test(text);
}
