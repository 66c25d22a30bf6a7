/**
 * How does an expression read? JSONata text to its tree, or why and where it does not parse. In the
 * tree a regular expression that stands directly in a call of our own functions is its RE2 text.
 */
import jsonata from "jsonata";
import { Re2Engine, re2Text } from "./re2.ts";

/** A node of JSONata's tree; only the fields that its type has are present. */
export interface AstNode {
  type: string;
  value?: unknown;
  /** Offset in the text, just after the token. */
  position?: number;
  steps?: AstNode[];
  /** Predicates of a step of a path. */
  stages?: AstNode[];
  /** Predicates of anything else. */
  predicate?: AstNode[];
  expr?: AstNode;
  expression?: AstNode;
  expressions?: AstNode[];
  arguments?: AstNode[];
  procedure?: AstNode;
  body?: AstNode;
  lhs?: AstNode | [AstNode, AstNode][];
  rhs?: AstNode;
  condition?: AstNode;
  then?: AstNode;
  else?: AstNode;
  terms?: { expression: AstNode; descending: boolean }[];
  group?: { lhs: [AstNode, AstNode][] };
  keepArray?: boolean;
  keepSingletonArray?: boolean;
  consarray?: boolean;
  focus?: string;
  index?: string;
  tuple?: boolean;
  nextFunction?: unknown;
}

/** A parsed expression, or the place and reason of the failure. */
export type Parsed =
  | { readonly kind: "parsed"; readonly ast: AstNode; readonly expression: jsonata.Expression }
  | Broken;

/** Why a text is no expression; `offset` and `length` in UTF-16 units of the text. */
export interface Broken {
  readonly kind: "broken";
  readonly why: string;
  readonly offset: number;
  readonly length: number;
}

/** Time in ms, depth of nested evaluation and length of a list that one evaluation may take. */
export const LIMITS = { timeout: 2_000, stack: 500, sequence: 200_000 } as const;

/** Parsed for a check and not yet compiled; few at a time, for each is large. */
const awaited = new Map<string, Parsed>();
const AWAITED_MAX = 500;

/** Parses a text, kept for `takeExpression`; never throws. */
export function parseExpression(text: string): Parsed {
  const parsed = awaited.get(text) ?? parse(text);
  if (awaited.size >= AWAITED_MAX) awaited.clear();
  awaited.set(text, parsed);
  return parsed;
}

/** Parses a text, or gives what a check has parsed already, which is then let go; never throws. */
export function takeExpression(text: string): Parsed {
  const parsed = awaited.get(text) ?? parse(text);
  awaited.delete(text);
  return parsed;
}

function parse(text: string): Parsed {
  try {
    const expression = jsonata(text, {
      ...LIMITS,
      RegexEngine: Re2Engine as unknown as RegExpConstructor,
    });
    const ast = expression.ast() as unknown as AstNode;
    visit(ast, inlinePatterns);
    return { kind: "parsed", ast, expression };
  } catch (error) {
    return brokenBy(error, text);
  }
}

/** Words for whatever JSONata or a native function threw. */
export function reasonOf(error: unknown): string {
  if (typeof error === "object" && error !== null && "message" in error) {
    const { message } = error;
    if (typeof message === "string" && message !== "") return message.replace(/\.$/, "");
  }
  return "the expression failed";
}

function brokenBy(error: unknown, text: string): Broken {
  if (error instanceof SyntaxError) return brokenPattern(error, text);
  const { position, token } = (typeof error === "object" && error !== null ? error : {}) as {
    position?: unknown;
    token?: unknown;
  };
  const end = typeof position === "number" ? Math.min(position, text.length) : text.length;
  const named = typeof token === "string" && text.slice(0, end).endsWith(token) ? token.length : 0;
  const offset = Math.max(0, end - named);
  return {
    kind: "broken",
    why: reasonOf(error),
    offset,
    length: Math.max(1, Math.min(named, text.length - offset)),
  };
}

/** JSONata reads a pattern with the native RegExp first, which says no place. */
function brokenPattern(error: SyntaxError, text: string): Broken {
  const why = reasonOf(error);
  const pattern = /: (\/[\s\S]*\/)[a-z]*: /.exec(why)?.[1] ?? "";
  const found = text.indexOf(pattern);
  const offset = pattern === "" || found < 0 ? 0 : found;
  return { kind: "broken", why, offset, length: Math.max(1, pattern.length) };
}

/** The nodes directly below a node, in the order of the text as far as the tree keeps it. */
export function childrenOf(node: AstNode): AstNode[] {
  const children: (AstNode | undefined)[] = [node.procedure, node.condition, node.then, node.else];
  children.push(node.expression, node.expr, node.body);
  for (const list of [node.steps, node.expressions, node.arguments, node.stages, node.predicate]) {
    if (Array.isArray(list)) children.push(...list);
  }
  if (Array.isArray(node.lhs)) children.push(...node.lhs.flat());
  else children.push(node.lhs);
  children.push(node.rhs);
  for (const term of node.terms ?? []) children.push(term.expression);
  for (const pair of node.group?.lhs ?? []) children.push(...pair);
  if (node.type === "sort" && Array.isArray(node.rhs)) children.push(...node.rhs);
  return children.filter((child): child is AstNode => typeof child?.type === "string");
}

/** Calls `see` for a node and everything below it. */
export function visit(node: AstNode, see: (node: AstNode) => void): void {
  see(node);
  for (const child of childrenOf(node)) visit(child, see);
}

/** Functions whose pattern may be written as a text or as a regular expression. */
const TAKES_PATTERN = new Set(["matches", "found", "commands", "exit"]);

function inlinePatterns(node: AstNode): void {
  const name = node.procedure?.value;
  if (node.type !== "function" || typeof name !== "string" || !TAKES_PATTERN.has(name)) return;
  for (const argument of node.arguments ?? []) {
    if (argument.type !== "regex" || !(argument.value instanceof RegExp)) continue;
    argument.type = "string";
    argument.value = re2Text(argument.value);
  }
}

/** Names of all `$variables` and `$functions` that a tree mentions, without `$` and `$$`. */
export function namesIn(ast: AstNode): string[] {
  const names = new Set<string>();
  visit(ast, (node) => {
    const plain = node.type === "variable" && typeof node.value === "string";
    if (plain && node.value !== "" && node.value !== "$") names.add(String(node.value));
  });
  return [...names];
}
