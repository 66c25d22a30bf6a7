/**
 * What does a YAML file say, and where? YAML 1.2 core, one document, plain data only. Everything
 * that reads otherwise than it looks is refused: anchors, tags, directives, duplicate keys, NaN,
 * a text cut by ` #`, a number such as 007. The only user of the `yaml` package.
 */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseAllDocuments,
  type ParsedNode,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from "yaml";
import { type Json, type JsonObject, put } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import {
  type Finding,
  inexact,
  type KeyPath,
  placeOf,
  problemOfFile,
  problemOn,
  refusedKey,
  type SourceFile,
  type Span,
  type Written,
} from "./source.ts";
import {
  aliasFinding,
  ANCHOR,
  DEEP,
  DEPTH_MAX,
  DIRECTIVE,
  EMPTY,
  EMPTY_KEY,
  isVersion,
  KEY_KIND,
  MERGE,
  SEVERAL,
  signs,
  syntaxFindings,
  TAG,
} from "./yaml_findings.ts";

type Node = ParsedNode | null | undefined;

/** A plain number whose text is not its value: an error wherever no number is expected. */
export interface OddNumber {
  readonly path: KeyPath;
  readonly text: string;
}

/** A parsed YAML file; `odd` are the numbers that only a number's key may hold. */
export interface YamlFile extends SourceFile {
  readonly odd: readonly OddNumber[];
}

/**
 * Parses a YAML text. `source` is null where it is not YAML or is empty; else the value may still
 * come with problems. Never throws.
 */
export function parseYaml(
  file: string,
  raw: string,
): { source: YamlFile | null; problems: Problem[] } {
  const text = raw.startsWith("\uFEFF") ? raw.slice(1) : raw;
  const problems = signs(file, raw, text);
  const stop = (more: Problem) => ({ source: null, problems: [...problems, more] });
  try {
    return parseText(file, text, problems);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return stop(problemOfFile(file, {
      code: "yaml-syntax",
      what: `This is not YAML that can be read: ${why}`,
      fix: "check brackets, quotes and indentation, or write the file anew",
    }));
  }
}

function parseText(
  file: string,
  text: string,
  problems: Problem[],
): { source: YamlFile | null; problems: Problem[] } {
  const fail = (span: Span, finding: Finding) =>
    problems.push(problemOn({ file, text }, span, finding));
  const documents = parseAllDocuments(text, {
    version: "1.2",
    schema: "core",
    uniqueKeys: false,
    merge: false,
    prettyErrors: false,
  });
  const directive = /^%[A-Z]+.*$/m.exec(text);
  if (directive !== null) fail(directiveSpan(directive), DIRECTIVE);
  const [document, second] = Array.isArray(documents) ? documents : [];
  if (document === undefined) {
    problems.push(problemOfFile(file, EMPTY));
    return { source: null, problems };
  }
  if (second !== undefined) {
    const start = text.indexOf("---", document.range[1]);
    fail({ start: Math.max(0, start), end: Math.max(0, start) + 3 }, SEVERAL);
  }
  const broken = [...document.errors, ...document.warnings];
  for (const [start, finding] of syntaxFindings(text, broken)) {
    fail({ start, end: start + 1 }, finding);
  }
  if (document.errors.length > 0) return { source: null, problems };
  if (document.contents === null || isEmptyScalar(document.contents)) {
    problems.push(problemOfFile(file, EMPTY));
    return { source: null, problems };
  }
  const said = new Set<string>();
  const walk: Walk = {
    file,
    text,
    odd: [],
    fail: (span, finding) => {
      if (ONCE.has(finding.code) && said.has(finding.code)) return;
      said.add(finding.code);
      fail(span, finding);
    },
  };
  const value = build(walk, document.contents, []);
  if ([...ONCE].every((code) => said.has(code))) return { source: null, problems };
  return { source: sourceOf(walk, document.contents, value), problems };
}

function isEmptyScalar(node: ParsedNode): boolean {
  return isScalar(node) && node.value === null;
}

function directiveSpan(found: RegExpExecArray): Span {
  return { start: found.index, end: found.index + found[0].length };
}

/** Said at the first place of a file: a file that uses references uses many. */
const ONCE = new Set(["yaml-alias", "yaml-anchor"]);

interface Walk {
  readonly file: string;
  readonly text: string;
  readonly fail: (span: Span, finding: Finding) => void;
  readonly odd: OddNumber[];
}

/** The plain value of a node; every trap on the way is reported, and the walk goes on. */
function build(walk: Walk, node: Node, path: KeyPath): Json {
  if (node === null || node === undefined) return null;
  if (isAlias(node)) return refuse(walk, spanOfNode(node), aliasFinding(walk.text, node.range[0]));
  if (node.anchor !== undefined) {
    const at = walk.text.lastIndexOf(`&${node.anchor}`, node.range[0]);
    walk.fail({ start: at, end: at + node.anchor.length + 1 }, ANCHOR);
  }
  if (node.tag !== undefined && !isFailedTag(node.tag)) {
    const at = walk.text.lastIndexOf("!", node.range[0]);
    walk.fail({ start: Math.max(0, at), end: node.range[0] }, TAG);
  }
  if (path.length > DEPTH_MAX) return refuse(walk, spanOfNode(node), DEEP);
  if (isMap(node)) return buildMap(walk, node, path);
  if (isSeq(node)) return buildSeq(walk, node, path);
  return buildScalar(walk, node, path);
}

function buildSeq(walk: Walk, node: YAMLSeq.Parsed, path: KeyPath): Json {
  return node.items.map((item, index) => build(walk, item as Node, [...path, index]));
}

/** Tags that do not resolve are warnings of the parser already. */
function isFailedTag(tag: string): boolean {
  return !tag.startsWith("tag:yaml.org,2002:");
}

function refuse(walk: Walk, span: Span, finding: Finding): null {
  walk.fail(span, finding);
  return null;
}

function buildMap(walk: Walk, node: YAMLMap.Parsed, path: KeyPath): JsonObject {
  const record: JsonObject = {};
  const seen = new Map<string, number>();
  for (const pair of node.items) {
    const key = keyText(walk, pair.key as Node);
    if (key === null) continue;
    const span = spanOfNode(pair.key as ParsedNode);
    const earlier = seen.get(key);
    if (earlier !== undefined) walk.fail(span, duplicate(walk, key, earlier));
    else seen.set(key, span.start);
    if (pair.value === null && node.flow === true) walk.fail(span, lonely(walk.text, node));
    put(record, key, build(walk, pair.value as Node, [...path, key]));
  }
  return record;
}

/** `{x}` and `{<x>}`: braces around what was meant as a text. */
function lonely(text: string, node: YAMLMap.Parsed): Finding {
  const written = text.slice(node.range[0], node.range[1]);
  const shown = written.length > 60 || written.includes("\n") ? "{…}" : written;
  return {
    code: "unquoted-brackets",
    what: `\`${shown}\` is read as a group of keys, and this key has no value`,
    fix: "quote it where it is a text; else write `key: value`",
  };
}

function duplicate(walk: Walk, key: string, earlier: number): Finding {
  const { line, col } = placeOf(walk.text, { start: earlier, end: earlier });
  return {
    code: "duplicate-key",
    what: `Key "${key}" stands here a second time, first at line ${line}, column ${col}`,
    fix: "keep one of the two",
  };
}

/** The text of a key: keys are texts, whatever they look like. */
function keyText(walk: Walk, node: Node): string | null {
  if (!isScalar(node)) {
    const span = node === null || node === undefined ? { start: 0, end: 1 } : spanOfNode(node);
    walk.fail(span, isAlias(node) ? aliasFinding(walk.text, span.start) : KEY_KIND);
    return null;
  }
  if (node.tag !== undefined) walk.fail(spanOfNode(node), TAG);
  if (node.anchor !== undefined) walk.fail(spanOfNode(node), ANCHOR);
  const text = textOfKey(node);
  if (text === "<<" && node.type === "PLAIN") walk.fail(spanOfNode(node), MERGE);
  else if (text === "__proto__") walk.fail(spanOfNode(node), refusedKey(text));
  else if (text === "") walk.fail(spanOfNode(node), EMPTY_KEY);
  return text;
}

function buildScalar(walk: Walk, node: Scalar.Parsed, path: KeyPath): Json {
  const { value } = node;
  if (typeof value === "string") {
    if (node.type === "PLAIN") checkCut(walk, node, value);
    return value;
  }
  if (typeof value === "number") return buildNumber(walk, node, path);
  if (typeof value === "boolean" || value === null) return value;
  return refuse(walk, spanOfNode(node), {
    code: "yaml-type",
    what: `${JSON.stringify(String(value))} is no text, number, true, false or null`,
    fix: "quote it",
  });
}

/**
 * A `#` after a plain text cuts it, unless it is plainly a comment: two spaces before it and one
 * after, or one after a single word.
 */
function checkCut(walk: Walk, node: Scalar.Parsed, value: string): void {
  const [, end] = node.range;
  const comment = /^([ \t]+)(#[^\r\n]*)/.exec(walk.text.slice(end, end + 2000));
  if (comment === null) return;
  const [, space = "", rest = ""] = comment;
  const isWord = !/[\s$()'"=<>]/.test(value);
  if (/^#(\s|$)/.test(rest) && (space.length > 1 || isWord)) return;
  const start = end + space.length;
  walk.fail({ start, end: start + rest.length }, {
    code: "text-cut",
    what: "The text ends before this `#`: what follows is read as a comment",
    fix: "quote it; for a comment, put two spaces before the `#` and one after it",
  });
}

function buildNumber(walk: Walk, node: Scalar.Parsed, path: KeyPath): Json {
  const value = node.value as number;
  const text = node.source ?? String(value);
  const span = spanOfNode(node);
  if (!Number.isFinite(value)) {
    return refuse(walk, span, {
      code: "not-finite",
      what: `\`${text}\` is not a number that can be compared`,
      fix: "write a number, or quote it where it is a text",
    });
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    walk.fail(span, inexact(text, value));
  } else if (/^[+]|^-?0\d|[eExXoO]/.test(text) || isVersion(text, path)) {
    walk.odd.push({ path, text });
  }
  return value;
}

function spanOfNode(node: ParsedNode): Span {
  return { start: node.range[0], end: Math.max(node.range[0] + 1, node.range[1]) };
}

function sourceOf(walk: Walk, root: ParsedNode, value: Json): YamlFile {
  let places: Map<string, Found> | null = null;
  const find = (path: KeyPath): Found | null => {
    places ??= indexOf(root);
    return places.get(pathKey(path)) ?? null;
  };
  return {
    file: walk.file,
    text: walk.text,
    value,
    odd: walk.odd,
    key: (path) => {
      const found = find(path);
      return found?.key ? spanOfNode(found.key) : null;
    },
    at: (path) => {
      const found = find(path);
      return found === null ? null : writtenOf(walk.text, found);
    },
  };
}

interface Found {
  readonly key: ParsedNode | null;
  readonly node: Node;
}

function pathKey(path: KeyPath): string {
  return path.join("\n");
}

/** Every node by its path; made when the first place is asked for, which large states never are. */
function indexOf(root: ParsedNode): Map<string, Found> {
  const places = new Map<string, Found>();
  const visit = (found: Found, path: string): void => {
    places.set(path, found);
    const below = path === "" ? "" : `${path}\n`;
    if (isSeq(found.node)) {
      found.node.items.forEach((item, index) =>
        visit({ key: null, node: item as Node }, `${below}${index}`)
      );
    } else if (isMap(found.node)) {
      for (const { key, value } of found.node.items) {
        if (!isScalar(key)) continue;
        visit({ key: key as ParsedNode, node: value as Node }, `${below}${textOfKey(key)}`);
      }
    }
  };
  visit({ key: null, node: root }, "");
  return places;
}

/** Keys are texts, whatever they look like. */
function textOfKey(key: Scalar): string {
  return typeof key.value === "string" ? key.value : key.source ?? String(key.value);
}

const STYLES: Readonly<Record<string, "plain" | "single" | "double" | "block">> = {
  PLAIN: "plain",
  QUOTE_SINGLE: "single",
  QUOTE_DOUBLE: "double",
  BLOCK_LITERAL: "block",
  BLOCK_FOLDED: "block",
};

function writtenOf(text: string, found: Found): Written {
  const { node } = found;
  if (node === null || node === undefined) {
    return { kind: "plain", span: found.key ? spanOfNode(found.key) : { start: 0, end: 1 } };
  }
  const span = spanOfNode(node);
  if (isMap(node) || isSeq(node)) return { kind: node.flow === true ? "flow" : "blocks", span };
  const kind = isScalar(node) ? STYLES[node.type ?? "PLAIN"] ?? "plain" : "plain";
  if (kind !== "block") {
    const empty = isScalar(node) && node.value === null && (node.source ?? "") === "";
    return { kind, span: empty && found.key ? spanOfNode(found.key) : span };
  }
  const body = text.indexOf("\n", span.start) + 1;
  return { kind, span: { start: body === 0 ? span.start : body, end: span.end } };
}
