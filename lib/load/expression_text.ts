/**
 * Does a text of a tool look like an expression where none is evaluated? Only lets and refusals are:
 * anywhere else `$state.x` would reach the agent as these letters. In: the text and the names that
 * its tool knows. Out: what is wrong, null for plain texts and amounts such as `$5`.
 */
import type { Finding } from "./source.ts";

/** What is wrong with a text that is meant as an expression; `names` may stand as `<name>` there. */
export function expressionTextFinding(text: string, names: readonly string[]): Finding | null {
  const known = ["args", "state", "clock", ...names].map((name) => name.replace(/\W/g, "\\$&"));
  const inside = new RegExp(`\\$(?:${known.join("|")})(?![\\w$])`);
  const found = /^\s*\${1,2}(?=[A-Za-z_.(])[\w.(]*/.exec(text) ?? inside.exec(text);
  if (found === null) return null;
  const shown = found[0].trim();
  return {
    code: "expression-not-evaluated",
    what: `"${
      text.length > 60 ? `${text.slice(0, 57)}…` : text
    }" is not evaluated here: the agent would get "${shown}" as text`,
    fix: fixFor(text.trim(), names),
  };
}

/** A name that stands alone, or with what follows it in a longer text, is written in `< >`. */
function fixFor(text: string, names: readonly string[]): string {
  const found = /\$(?:args\.)?([A-Za-z_]\w*)/.exec(text);
  const [whole = "", name = ""] = found ?? [];
  const isPlain = /^(?:$|[\s/,;:!?])/.test(text.slice((found?.index ?? 0) + whole.length));
  if (isPlain && names.includes(name)) return `write <${name}> for ${whole}`;
  return "an expression stands under `let`: give it a name there, and write <name> here";
}
