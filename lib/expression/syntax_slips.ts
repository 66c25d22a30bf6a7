/**
 * Why does an expression not parse? Operators of other languages, with JSONata's word for each, and
 * patterns that JSONata's own reader cuts short. In: the text that is broken and what the parser
 * says. Out: problems with their place in the text, at least one.
 */
import type { Broken } from "./ast.ts";
import type { ExpressionProblem } from "./problem_list.ts";

/** The problems of a text that does not parse. */
export function syntaxProblems(text: string, broken: Broken): ExpressionProblem[] {
  if (/regular expression/i.test(broken.why)) return [brokenPattern(text, broken)];
  const slips = [...without(PATTERN, without(QUOTED, text)).matchAll(SLIP)].map((found) =>
    slip(found)
  );
  return slips.length > 0 ? slips : [{
    code: "expression-syntax",
    severity: "error",
    offset: broken.offset,
    length: broken.length,
    what: `This is no expression: ${broken.why}`,
    fix: "see the page on expressions",
  }];
}

const SLIP = /!==|===|==|&&|\|\||!(?!=)|(?<![\w$.])\$?not(?=\s+[$\w(]|\s*$)(?!\s*\()/g;

const WORDS: Readonly<Record<string, string>> = {
  "===": "=",
  "==": "=",
  "!==": "!=",
  "&&": "and",
  "||": "or",
};

function slip({ 0: token, index }: RegExpMatchArray): ExpressionProblem {
  const word = WORDS[token];
  const isFunction = token.endsWith("not");
  return {
    code: "expression-syntax",
    severity: "error",
    offset: index ?? 0,
    length: token.length,
    what: isFunction
      ? `"${token}" stands without parentheses, and $not is a function`
      : `"${token}" is no operator of an expression`,
    fix: word === undefined ? "write $not(…) around what is denied" : `write ${word}`,
  };
}

const QUOTED = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`|\/\*[\s\S]*?\*\//g;
const PATTERN = /(?<=[(,=:[>]\s*)\/(?:\\.|[^/\\])+\//g;

/** The text with the same length, what the expression `literal` finds in it blanked. */
function without(literal: RegExp, text: string): string {
  return text.replace(literal, (found) => "0".repeat(found.length));
}

function brokenPattern(text: string, { why, offset, length }: Broken): ExpressionProblem {
  const hasFlags = /\(\?[a-z]+\)/.test(why);
  return {
    code: "not-re2",
    severity: "error",
    ...(/terminating/.test(why) ? openPattern(text, offset) : { offset, length }),
    what: `This is no expression: ${why}`,
    fix: hasFlags
      ? "write flags after the pattern: /abc/i"
      : 'write the pattern as a text, $matches(text, "…"): in /…/ a bracket must have its pair, inside [ ] too',
  };
}

/** The pattern that is never closed, as far as the text goes. */
function openPattern(text: string, end: number): { offset: number; length: number } {
  const start = without(QUOTED, text).search(/(?<=[(,=:[>]\s*)\//);
  return start < 0
    ? { offset: Math.max(0, end - 1), length: 1 }
    : { offset: start, length: Math.max(1, text.trimEnd().length - start) };
}
