/**
 * Do literal arguments fit the tool that they are for? Names, values and patterns are checked
 * against the tool's `input`, one problem at each argument's place. Patterns match a subset, so
 * that what they leave out is not missing; the calls of a recording are whole.
 */
import { compileRe2 } from "../expression/re2.ts";
import { checkArguments } from "../model/arguments.ts";
import { isObject, type Json, type JsonObject, put } from "../model/json.ts";
import { wordList } from "../model/near_words.ts";
import type { ToolSpec } from "../model/tool.ts";
import type { Checker } from "./checker.ts";
import type { KeyPath } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** Arguments as they stand in a file, and the tool that they are for. */
export interface Literal {
  readonly path: KeyPath;
  readonly name: string;
  readonly tool: ToolSpec;
  readonly args: JsonObject;
  /** `subset`: a pattern, `{matches: re2}` allowed; `whole`: a call. */
  readonly kind: "subset" | "whole";
  /** Where an argument stands, if not below `path`. */
  readonly place?: (argument: string) => KeyPath;
}

/** Reports every argument that does not fit. */
export function checkLiteral(checker: Checker, literal: Literal): void {
  const { tool, args } = literal;
  const properties = tool.input["properties"];
  const known = isObject(properties) ? properties : {};
  const before = checker.problems.length;
  for (const [argument, value] of Object.entries(args)) {
    const place = literal.place?.(argument) ?? [...literal.path, argument];
    if (!Object.hasOwn(known, argument)) {
      if (tool.input["additionalProperties"] !== true) {
        sayUnknown(checker, literal, { place, argument, known: Object.keys(known) });
      }
      continue;
    }
    checkArgument(checker, literal, { place, argument, value });
  }
  if (literal.kind === "whole") checkWhole(checker, literal, checker.problems.length > before);
}

function sayUnknown(
  checker: Checker,
  literal: Literal,
  { place, argument, known }: {
    readonly place: KeyPath;
    readonly argument: string;
    readonly known: readonly string[];
  },
): void {
  checker.say(place, {
    code: "unknown-argument",
    aim: "key",
    what: `Tool "${literal.name}" has no argument "${argument}": expected one of ${
      wordList(known)
    }`,
    fix: didYouMean(argument, known, "use an argument of the tool's `input`"),
  });
}

function checkArgument(
  checker: Checker,
  literal: Literal,
  at: { readonly place: KeyPath; readonly argument: string; readonly value: Json },
): void {
  const { input } = literal.tool;
  if (literal.kind === "subset") {
    checkPatterns(checker, at.place, at.value);
    checkTextual(checker, literal, at);
  }
  const { required: _, ...open } = input;
  const schema = literal.kind === "subset" ? relaxed(open) : open;
  const value = literal.kind === "subset" ? withoutPatterns(at.value) : at.value;
  if (value === undefined || !isObject(schema)) return;
  for (const problem of checkArguments(schema, { [at.argument]: value })) {
    checker.say(at.place, {
      code: "wrong-argument",
      what: `Tool "${literal.name}" does not take this: ${problem}`,
      fix: "write a value that the tool's `input` allows; quote a text that looks like a number",
    });
  }
}

/** A pattern finds something in texts alone: for any other argument no call could ever fit. */
function checkTextual(
  checker: Checker,
  { name, tool }: Literal,
  at: { readonly place: KeyPath; readonly argument: string; readonly value: Json },
): void {
  const properties = tool.input["properties"];
  const schema = isObject(properties) ? properties[at.argument] : undefined;
  if (!isPattern(at.value) || !isObject(schema) || mayBeText(schema)) return;
  checker.say(at.place, {
    code: "wrong-argument",
    what: `Tool "${name}" takes no text as "${at.argument}": a pattern never fits`,
    fix: "write the value that is meant; patterns fit texts alone",
  });
}

function mayBeText(schema: JsonObject): boolean {
  const { type, enum: words } = schema;
  if (Array.isArray(words)) return words.some((word) => typeof word === "string");
  if (Array.isArray(type)) return type.includes("string");
  return type === undefined || type === "string";
}

function checkWhole(checker: Checker, literal: Literal, hasProblems: boolean): void {
  const required = literal.tool.input["required"];
  const absent = (Array.isArray(required) ? required.map(String) : [])
    .filter((name) => !Object.hasOwn(literal.args, name));
  for (const name of absent) {
    checker.say(literal.path, {
      code: "missing-argument",
      what: `The call of "${literal.name}" lacks the argument "${name}"`,
      fix: `add \`${name}:\` to its args`,
    });
  }
  if (hasProblems || absent.length > 0) return;
  for (const problem of checkArguments(literal.tool.input, literal.args)) {
    checker.say(literal.path, {
      code: "wrong-argument",
      what: `Tool "${literal.name}" does not take this: ${problem}`,
      fix: "write arguments that the tool's `input` allows",
    });
  }
}

/** Reports patterns that cannot be run, also within lists and groups. */
function checkPatterns(checker: Checker, path: KeyPath, value: Json): void {
  if (isPattern(value)) checkPattern(checker, [...path, "matches"], value.matches);
  else if (Array.isArray(value)) {
    value.forEach((item, index) => checkPatterns(checker, [...path, index], item));
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) checkPatterns(checker, [...path, key], item);
  }
}

/** Reports a pattern that RE2 cannot run. */
export function checkPattern(checker: Checker, path: KeyPath, pattern: Json): void {
  if (typeof pattern !== "string") {
    checker.say(path, {
      code: "wrong-type",
      what: '"matches" is no text: expected a pattern',
      fix: "quote it",
    });
    return;
  }
  const compiled = compileRe2(pattern);
  if (compiled.kind === "pattern") return;
  checker.say(path, {
    code: "bad-pattern",
    what: `The pattern "${pattern}" cannot be run: ${compiled.why}`,
    fix: "correct it; RE2 knows no look-ahead, look-behind or back references",
  });
}

function isPattern(value: Json): value is { matches: Json } {
  return isObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, "matches");
}

/** The value without its patterns; undefined where it is one. */
function withoutPatterns(value: Json): Json | undefined {
  if (isPattern(value)) return undefined;
  if (Array.isArray(value)) return value.some(holdsPattern) ? undefined : value;
  if (!isObject(value)) return value;
  const kept: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const without = withoutPatterns(item);
    if (without !== undefined) put(kept, key, without);
  }
  return kept;
}

function holdsPattern(value: Json): boolean {
  if (isPattern(value)) return true;
  if (Array.isArray(value)) return value.some(holdsPattern);
  return isObject(value) && Object.values(value).some(holdsPattern);
}

const relaxedSchemas = new WeakMap<JsonObject, JsonObject>();

/** A schema of the same values where nothing is obligatory. */
function relaxed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(relaxed);
  if (!isObject(schema)) return schema;
  const known = relaxedSchemas.get(schema);
  if (known !== undefined) return known;
  const open: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "required" && Array.isArray(value)) continue;
    if (key === "minProperties") continue;
    put(open, key, key === "enum" || key === "const" ? value : relaxed(value));
  }
  relaxedSchemas.set(schema, open);
  return open;
}
