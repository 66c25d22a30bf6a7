/**
 * What is wrong with a file's shape, said to a person? zod's issues become problems at their line
 * and column, with the words that are allowed; of a union only the branch that was meant speaks.
 */
import type { z } from "zod";
import { isObject, type Json } from "../model/json.ts";
import type { Problem } from "../model/problem.ts";
import { type Finding, type KeyPath, problemAt, type SourceFile, valueIn } from "./source.ts";
import { nearest, wordList } from "./suggest.ts";
import type { OddNumber, YamlFile } from "./yaml.ts";

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

/** A file checked against a schema; `value` is null where any problem is an error. */
export interface Shaped<T> {
  readonly value: T | null;
  readonly problems: Problem[];
}

/** Parses the source's value with the schema; `noun` names the file's kind, such as `the scenario`. */
export function shape<S extends z.ZodType>(
  source: SourceFile,
  schema: S,
  noun: string,
): Shaped<z.output<S>> {
  const problems = oddProblems(source, schema);
  const parsed = schema.safeParse(source.value);
  if (parsed.success) return { value: problems.length > 0 ? null : parsed.data, problems };
  const context = { source, schema, noun };
  const shown = parsed.error.issues.flatMap((issue) => issueProblems(context, issue));
  const lines = new Set(problems.map((problem) => problem.line));
  const rest = withoutRepeats(shown).filter(({ line }) => !lines.has(line));
  return { value: null, problems: [...problems, ...rest] };
}

/** A key that was meant by a wrong one is not missing besides. */
function withoutRepeats(problems: readonly ShapeProblem[]): Problem[] {
  const meant = new Set(problems.flatMap((problem) => problem.meant ?? []));
  const groups = new Set(
    [...meant].map((path) => path.slice(0, Math.max(0, path.lastIndexOf("\n")))),
  );
  return problems
    .filter(({ missing, whole }) =>
      !(missing !== undefined && meant.has(missing)) && !(whole !== undefined && groups.has(whole))
    )
    .map(({ meant: _m, missing: _n, whole: _w, ...problem }) => problem);
}

/** A problem with the path of the key that is missing, or was meant, or of the group as a whole. */
type ShapeProblem = Problem & {
  readonly missing?: string;
  readonly meant?: string;
  readonly whole?: string;
};

/** Like `shape`; what the text's own errors on a line explain already is not said again. */
export function shapeParsed<S extends z.ZodType>(
  parsed: { readonly problems: readonly Problem[] },
  source: SourceFile,
  { schema, noun }: { readonly schema: S; readonly noun: string },
): Shaped<z.output<S>> {
  const shaped = shape(source, schema, noun);
  const errors = parsed.problems.filter((problem) => problem.severity === "error");
  if (errors.length === 0) return shaped;
  const lines = new Set(errors.map((problem) => problem.line));
  return { value: null, problems: shaped.problems.filter(({ line }) => !lines.has(line)) };
}

interface Context {
  readonly source: SourceFile;
  readonly schema: Schema;
  readonly noun: string;
}

/** Numbers such as 007, +39 or 1e3 where the schema has room for anything or wants a text. */
function oddProblems(source: SourceFile, schema: Schema): Problem[] {
  return oddNumbers(source)
    .filter(({ path }) => !wantsNumber(schemaAt(schema, source.value, path)))
    .map(({ path, text }) =>
      problemAt(source, path, oddNumber(text, valueIn(source.value, path) ?? null))
    );
}

function oddNumbers(source: SourceFile): readonly OddNumber[] {
  return "odd" in source ? (source as YamlFile).odd : [];
}

/** Every number whose text is not its value, in a file where any value may stand: a state. */
export function oddNumbersOfState(source: SourceFile): Problem[] {
  return oddNumbers(source).map(({ path, text }) =>
    problemAt(source, path, oddNumber(text, valueIn(source.value, path) ?? null))
  );
}

function oddNumber(text: string, value: Json): Finding {
  return {
    code: "number-not-text",
    what: `\`${text}\` is read as the number ${
      JSON.stringify(value)
    }, not as the text that it shows`,
    fix: `quote it: "${text}"; or write ${JSON.stringify(value)} where a number is meant`,
  };
}

function wantsNumber(schema: Schema | null): boolean {
  return schema !== null && unwrap(schema)._zod.def.type === "number";
}

function issueProblems(context: Context, issue: Issue): ShapeProblem[] {
  const path = issue.path.map((part) => typeof part === "number" ? part : String(part));
  if (issue.code === "invalid_union" && issue.errors.length > 0) {
    return unionProblems(context, path, issue);
  }
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => unknownKey(context, path, key));
  }
  if (issue.code === "invalid_key") {
    const why = issue.issues[0]?.message ?? "not allowed here";
    return [problemAt(context.source, path, {
      code: "invalid-key",
      aim: "key",
      what: `Key ${quoted(path.at(-1))} is not allowed in ${
        placeName(context, path.slice(0, -1))
      }: ${lower(why)}`,
      fix: "write it as described",
    })];
  }
  const value = valueIn(context.source.value, path);
  if (value === undefined) return [missingKey(context, path, issue)];
  const problem = problemAt(context.source, path, valueFinding(context, path, issue));
  return [issue.code === "custom" ? { ...problem, whole: path.join("\n") } : problem];
}

function unknownKey(context: Context, path: KeyPath, key: string): ShapeProblem {
  const known = keysAt(context, path);
  const near = nearest(key, known) ?? onlyMissing(context, path);
  const problem = problemAt(context.source, [...path, key], {
    code: "unknown-key",
    aim: "key",
    what: `Unknown key "${key}" in ${placeName(context, path)}: expected one of ${wordList(known)}`,
    fix: near === null
      ? `remove "${key}", or use one of the keys listed`
      : `did you mean "${near}"?`,
  });
  return near === null ? problem : { ...problem, meant: [...path, near].join("\n") };
}

/** The one obligatory key that is not there: an unknown key is likely to be it. */
function onlyMissing(context: Context, path: KeyPath): string | null {
  const value = valueIn(context.source.value, path);
  const schema = schemaAt(context.schema, context.source.value, path);
  if (schema === null || !isObject(value)) return null;
  const def = schema._zod.def as { shape?: Record<string, Schema> };
  const missing = Object.entries(def.shape ?? {})
    .filter(([key, field]) => field._zod.optin === undefined && !Object.hasOwn(value, key))
    .map(([key]) => key);
  return missing.length === 1 ? missing[0] ?? null : null;
}

function missingKey(context: Context, path: KeyPath, issue: Issue): ShapeProblem {
  const parent = path.slice(0, -1);
  const key = String(path.at(-1) ?? "");
  const problem = problemAt(context.source, parent, {
    code: "missing-key",
    aim: "key",
    what: `Key "${key}" is missing in ${placeName(context, parent)}: expected ${wanted(issue)}`,
    fix: `add \`${key}:\` to ${placeName(context, parent)}`,
  });
  const opens = /[{[]/.test(
    context.source.text.split("\n")[problem.line - 1]?.[problem.col - 1] ?? "",
  );
  return { ...problem, ...(opens ? { length: 1 } : {}), missing: path.join("\n") };
}

function valueFinding(context: Context, path: KeyPath, issue: Issue): Finding {
  const value = valueIn(context.source.value, path) ?? null;
  const name = valueName(context, path);
  const trap = trapFinding(context, path, issue);
  if (trap !== null) return trap;
  switch (issue.code) {
    case "invalid_type":
      return {
        code: "wrong-type",
        what: `${name} is ${shown(value)}: expected ${wanted(issue)}`,
        fix: `write ${wanted(issue)}`,
      };
    case "invalid_value": {
      const words = issue.values.map(String);
      const near = typeof value === "string" ? nearest(value, words) : null;
      return {
        code: "unknown-word",
        what: `${name} is ${shown(value)}: expected ${words.length > 1 ? "one of " : ""}${
          wordList(words)
        }`,
        fix: near === null ? "use one of the words listed" : `did you mean "${near}"?`,
      };
    }
    case "invalid_union":
      return unknownKind(name, value, discriminants(issue));
    case "too_small":
      return smallFinding(name, value, issue);
    case "too_big":
      return {
        code: "out-of-range",
        what: `${name} is ${shown(value)}: expected at most ${issue.maximum}`,
        fix: `write at most ${issue.maximum}`,
      };
    default:
      return {
        code: "wrong-form",
        what: `${name} is ${shown(value)}: ${lower(issue.message)}`,
        fix: /^expected /.test(issue.message)
          ? `write ${issue.message.slice("expected ".length)}`
          : "write it in the form described",
      };
  }
}

function discriminants(issue: Issue): string[] {
  const options = (issue as { options?: unknown }).options;
  return Array.isArray(options) ? options.map(String) : [];
}

function unknownKind(name: string, value: Json, options: readonly string[]): Finding {
  const near = typeof value === "string" ? nearest(value, options) : null;
  return {
    code: "unknown-word",
    what: `${name} is ${shown(value)}: expected one of ${wordList(options)}`,
    fix: near === null ? "use one of the words listed" : `did you mean "${near}"?`,
  };
}

function smallFinding(name: string, value: Json, issue: Issue & { code: "too_small" }): Finding {
  if (value === "" || (Array.isArray(value) && value.length === 0)) {
    return {
      code: "empty-value",
      what: `${name} is empty: expected at least ${issue.minimum} ${
        issue.origin === "array" ? "entry" : "character"
      }`,
      fix: issue.origin === "array" ? "add at least one entry" : "write a text",
    };
  }
  const least = issue.inclusive === false
    ? `more than ${issue.minimum}`
    : `at least ${issue.minimum}`;
  const unit = issue.origin === "string"
    ? " characters"
    : issue.origin === "array"
    ? " entries"
    : "";
  return {
    code: "out-of-range",
    what: `${name} is ${shown(value)}: expected ${least}${unit}`,
    fix: `write ${least}${unit}`,
  };
}

/** Values that YAML read as something else than the text that was meant. */
function trapFinding(context: Context, path: KeyPath, issue: Issue): Finding | null {
  if (issue.code !== "invalid_type") return null;
  const value = valueIn(context.source.value, path) ?? null;
  const written = context.source.at(path);
  const text = written === null
    ? ""
    : context.source.text.slice(written.span.start, written.span.end);
  const name = valueName(context, path);
  if (issue.expected === "string" && written?.kind === "flow") {
    return {
      code: "unquoted-brackets",
      what: `${name} begins with \`${text.charAt(0)}\`, so that YAML reads ${
        shown(value)
      }: expected a text`,
      fix: "quote it, or write it below the key after a `|`",
    };
  }
  if (issue.expected === "string" && (typeof value === "number" || typeof value === "boolean")) {
    return {
      code: "unquoted-value",
      what: `${name} is ${shown(value)}: expected a text`,
      fix: `quote it: "${text}"`,
    };
  }
  if (
    issue.expected === "boolean" && typeof value === "string" && /^(yes|no|on|off)$/i.test(value)
  ) {
    const meant = /^(yes|on)$/i.test(value) ? "true" : "false";
    return {
      code: "wrong-type",
      what: `${name} is the text "${value}": expected true or false`,
      fix: `write ${meant}`,
    };
  }
  const numeric = issue.expected === "number" || issue.expected === "int";
  if (numeric && typeof value === "number" && text !== String(value)) {
    return {
      code: "wrong-type",
      what: `${name} is \`${text}\`, which YAML reads as ${value}: expected ${wanted(issue)}`,
      fix: `write ${wanted(issue)}`,
    };
  }
  return null;
}

/** The problems of the branch that was meant: the one whose shape is nearest. */
function unionProblems(
  context: Context,
  path: KeyPath,
  issue: Issue & { code: "invalid_union" },
): ShapeProblem[] {
  const value = valueIn(context.source.value, path);
  if (value === undefined) return [missingKey(context, path, mergedIssue(issue))];
  const branches = issue.errors.map((issues, index) => ({
    issues,
    score: score(issues, branchAt(context, path, index), value),
  }));
  const best = branches.reduce((a, b) => b.score < a.score ? b : a);
  if (best.score >= MISMATCH) {
    const [first] = best.issues;
    if (first !== undefined && branches.length > 1 && isTypeAtTop(first)) {
      return [problemAt(context.source, path, {
        code: "wrong-type",
        what: `${valueName(context, path)} is ${shown(value)}: expected ${unionWanted(issue)}`,
        fix: `write ${unionWanted(issue)}`,
      })];
    }
  }
  return best.issues.flatMap((inner) =>
    issueProblems(context, { ...inner, path: [...issue.path, ...inner.path] } as Issue)
  );
}

const MISMATCH = 100;

function isTypeAtTop(issue: Issue): boolean {
  return issue.path.length === 0 && issue.code === "invalid_type";
}

/** How far a value is from a branch: another type is far, a slip in a key's name is near. */
function score(issues: readonly Issue[], branch: Schema | null, value: Json): number {
  let sum = 0;
  for (const issue of issues) {
    if (isTypeAtTop(issue)) sum += MISMATCH;
    else if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
      const known = branch === null ? [] : shapeKeys(branch);
      for (const key of issue.keys) sum += nearest(key, known) === null ? 3 : 0.5;
    } else if (issue.path.length === 1 && isObject(value) && !(String(issue.path[0]) in value)) {
      sum += 2;
    } else sum += 1;
  }
  return sum;
}

function mergedIssue(issue: Issue & { code: "invalid_union" }): Issue {
  return issue.errors.flat().find(isTypeAtTop) ?? issue;
}

function unionWanted(issue: Issue & { code: "invalid_union" }): string {
  const tops = issue.errors.flat().filter(isTypeAtTop).map(wanted);
  return [...new Set(tops)].join(" or ");
}

const TYPES: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list of two",
  object: "a group of keys",
  record: "a group of keys",
  null: "null",
};

function wanted(issue: Issue): string {
  if (issue.code === "invalid_type") return TYPES[issue.expected] ?? issue.expected;
  if (issue.code === "invalid_value") return `one of ${wordList(issue.values.map(String))}`;
  if (issue.code === "invalid_union") {
    const options = discriminants(issue);
    return options.length > 0 ? `one of ${wordList(options)}` : unionWanted(issue);
  }
  if (issue.code === "custom") return lower(issue.message).replace(/^expected /, "");
  return "a value";
}

/** A value in a sentence: `the text "x"`, `the number 5`, `a list`, `empty`. */
export function shown(value: Json): string {
  if (value === null) return "empty";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object") return "a group of keys";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "number") return `the number ${value}`;
  return `"${value.length > 60 ? `${value.slice(0, 57)}…` : value}"`;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

function quoted(part: string | number | undefined): string {
  return `"${part ?? ""}"`;
}

/** A value's name in a sentence: `"weight" of checkpoint "looked_up"`. */
function valueName(context: Context, path: KeyPath): string {
  const last = path.at(-1);
  if (last === undefined) return capital(context.noun);
  if (typeof last === "number") return capital(placeName(context, path));
  const parent = path.slice(0, -1);
  return parent.length === 0 ? `"${last}"` : `"${last}" of ${placeName(context, parent)}`;
}

/** A group's name in a sentence: `checkpoint "looked_up"`, `"expected"`, `the scenario`. */
function placeName(context: Context, path: KeyPath): string {
  const last = path.at(-1);
  if (last === undefined) return context.noun;
  if (typeof last === "string") {
    const parent = path.at(-2);
    const named = typeof parent === "string" && NAMED_GROUPS[parent] !== undefined;
    return named ? `${NAMED_GROUPS[parent]} "${last}"` : `"${last}"`;
  }
  const list = String(path.at(-2) ?? "");
  const value = valueIn(context.source.value, path);
  const word = ENTRIES[list] ?? "entry";
  const name = isObject(value ?? null) ? entryName(value as Record<string, Json>) : null;
  return name === null ? `${word} ${last + 1} of "${list}"` : `${word} "${name}"`;
}

const NAMED_GROUPS: Readonly<Record<string, string>> = {
  tools: "tool",
  agents: "agent",
  models: "model",
};

const ENTRIES: Readonly<Record<string, string>> = {
  checkpoints: "checkpoint",
  rules: "rule",
  turns: "turn",
  conversation: "turn",
  calls: "call",
  messages: "message",
  faults: "fault",
  proof: "proof",
  rubric: "rubric entry",
  jobs: "job",
  tools_called: "tool call",
};

function entryName(value: Record<string, Json>): string | null {
  for (const key of ["id", "name", "tool", "to"]) {
    const name = value[key];
    if (typeof name === "string") return name;
  }
  return null;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The keys that are allowed at a path. */
function keysAt(context: Context, path: KeyPath): string[] {
  const schema = schemaAt(context.schema, context.source.value, path);
  return schema === null ? [] : shapeKeys(schema);
}

function shapeKeys(schema: Schema): string[] {
  const def = unwrap(schema)._zod.def as { type: string; shape?: Record<string, Schema> };
  return def.shape === undefined ? [] : Object.keys(def.shape);
}

function branchAt(context: Context, path: KeyPath, index: number): Schema | null {
  const schema = schemaAt(context.schema, context.source.value, path, true);
  const def = schema?._zod.def as { options?: readonly Schema[] } | undefined;
  return def?.options?.[index] ?? null;
}

/** The schema that judges the value at a path; a union is entered by the branch nearest to it. */
export function schemaAt(
  schema: Schema,
  value: Json | undefined,
  path: KeyPath,
  keepUnion = false,
): Schema | null {
  let at = unwrap(schema);
  let here = value;
  for (const part of path) {
    if (at._zod.def.type === "union") at = branchFor(at, here);
    const next = childSchema(at, part);
    if (next === null) return null;
    at = unwrap(next);
    here = here === undefined ? undefined : valueIn(here, [part]);
  }
  return at._zod.def.type === "union" && !keepUnion ? branchFor(at, here) : at;
}

function unwrap(schema: Schema): Schema {
  let at = schema;
  for (;;) {
    const def = at._zod.def as { innerType?: Schema };
    if (def.innerType === undefined) return at;
    at = def.innerType;
  }
}

function branchFor(union: Schema, value: Json | undefined): Schema {
  const def = union._zod.def as unknown as { options: readonly Schema[]; discriminator?: string };
  const scored = def.options.map((option) => {
    const parsed = (option as z.ZodType).safeParse(value);
    const penalty = parsed.success ? 0 : score(parsed.error.issues, option, value ?? null);
    return {
      option: unwrap(option),
      penalty: penalty + wrongKind(option, def.discriminator, value),
    };
  });
  return scored.reduce((a, b) => b.penalty < a.penalty ? b : a).option;
}

function wrongKind(
  option: Schema,
  discriminator: string | undefined,
  value: Json | undefined,
): number {
  if (discriminator === undefined || !isObject(value)) return 0;
  const def = unwrap(option)._zod.def as { shape?: Record<string, z.ZodType> };
  return def.shape?.[discriminator]?.safeParse(value[discriminator]).success === true
    ? 0
    : MISMATCH;
}

function childSchema(schema: Schema, part: string | number): Schema | null {
  const def = schema._zod.def as {
    type: string;
    shape?: Record<string, Schema>;
    valueType?: Schema;
    element?: Schema;
    items?: readonly Schema[];
  };
  if (def.type === "object") return def.shape?.[String(part)] ?? null;
  if (def.type === "record") return def.valueType ?? null;
  if (def.type === "array") return def.element ?? null;
  if (def.type === "tuple" && typeof part === "number") return def.items?.[part] ?? null;
  return null;
}
