/**
 * Where in the text does a node stand? JSONata keeps the offset just after a node's token; the
 * token's own text gives where it begins. Where the two do not agree, one character is marked.
 */
import type { AstNode } from "./ast.ts";

/** A stretch of an expression's text, in UTF-16 units. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** The place of a node's token. */
export function placeOf(text: string, node: AstNode): Place {
  const end = endOf(node);
  const spelled = end === null ? null : spelling(text, node, end);
  if (end === null) return { offset: 0, length: Math.max(1, text.length) };
  if (spelled === null) {
    const offset = Math.min(Math.max(0, end - 1), Math.max(0, text.length - 1));
    return { offset, length: 1 };
  }
  return { offset: end - spelled.length, length: Math.max(1, spelled.length) };
}

/** Paths and blocks have no token of their own: the first below them that has one stands for them. */
function endOf(node: AstNode): number | null {
  if (isCall(node) && node.procedure !== undefined) return endOf(node.procedure);
  if (typeof node.position === "number" && node.type !== "path") return node.position;
  const [first] = node.steps ?? node.expressions ?? [];
  return first === undefined ? node.position ?? null : endOf(first);
}

/** A pattern as it is written: JSONata adds the flag g to each. */
export function patternText({ value }: AstNode): string {
  return value instanceof RegExp
    ? `/${value.source}/${value.flags.replace("g", "")}`
    : String(value);
}

function isCall(node: AstNode): boolean {
  return node.type === "function" || node.type === "partial";
}

function spelling(text: string, node: AstNode, end: number): string | null {
  const before = text.slice(0, end);
  const quote = before.at(-1) ?? "";
  if (quote === "`" || quote === '"' || quote === "'") {
    const start = openingOf(before, quote);
    return start === null ? null : before.slice(start);
  }
  if (quote === "/" || /\/[im]+$/.test(before)) return patternSpelling(before, node);
  if (node.type === "number") return /[\d.eE+-]*$/.exec(before)?.[0] ?? null;
  const value = tokenValue(node);
  if (value === null) return null;
  if (before.endsWith(`$${value}`) && isVariable(node)) return `$${value}`;
  return before.endsWith(value) ? value : null;
}

function isVariable(node: AstNode): boolean {
  const named = isCall(node) ? node.procedure : node;
  return (named?.type === "path" ? named.steps?.[0] : named)?.type === "variable";
}

function tokenValue(node: AstNode): string | null {
  if (isCall(node)) {
    return node.procedure === undefined ? null : tokenValue(node.procedure);
  }
  if (node.type === "path") return node.steps?.[0] === undefined ? null : tokenValue(node.steps[0]);
  return node.value === undefined || node.type === "regex" ? null : String(node.value);
}

function patternSpelling(before: string, node: AstNode): string | null {
  const { value } = node;
  const source = value instanceof RegExp ? value.source : String(value).replace(/^\(\?[im]+\)/, "");
  const start = before.lastIndexOf(`/${source}/`);
  return start < 0 ? null : before.slice(start);
}

function openingOf(before: string, quote: string): number | null {
  for (let i = before.length - 2; i >= 0; i--) {
    if (before[i] !== quote) continue;
    let slashes = 0;
    while (before[i - 1 - slashes] === "\\") slashes++;
    if (slashes % 2 === 0) return i;
  }
  return null;
}
