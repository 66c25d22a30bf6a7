/**
 * What is wrong with a file's shape, said to a person? zod's issues become problems at their line
 * and column, with the words that are allowed; of a union only the branch that was meant speaks.
 */
import type { z } from "zod";
import { isObject, type Json } from "../model/json.ts";
import { wordList } from "../model/near_words.ts";
import type { Problem } from "../model/problem.ts";
import { type Finding, type KeyPath, problemAt, type SourceFile, valueIn } from "./source.ts";
import { homesOf, moveWords } from "./misplaced_keys.ts";
import { nearest } from "./suggest.ts";
import { plainTextFix, valueFinding } from "./issue_values.ts";
import {
  type Context,
  lower,
  placeName,
  shown,
  unionWanted,
  valueName,
  wanted,
} from "./issue_words.ts";
import {
  type Issue,
  isTypeAtTop,
  MISMATCH,
  type Schema,
  schemaAt,
  score,
  shapeKeys,
  unwrap,
} from "./schema_walk.ts";
import type { OddNumber, YamlFile } from "./yaml.ts";

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
  return { ...shaped, problems: shaped.problems.filter(({ line }) => !lines.has(line)) };
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
  const homes = homesOf(context.schema, path, key);
  const near = homes.length > 0 ? null : nearest(key, known) ?? onlyMissing(context, path);
  const problem = problemAt(context.source, [...path, key], {
    code: "unknown-key",
    aim: "key",
    what: `Unknown key "${key}" in ${placeName(context, path)}: expected one of ${wordList(known)}`,
    fix: homes.length > 0
      ? moveWords(homes)
      : near === null
      ? `remove "${key}", or use one of the keys listed`
      : `did you mean "${near}"?`,
  });
  const [home] = homes;
  if (home !== undefined) return { ...problem, meant: [...home, key].join("\n") };
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
        fix: plainTextFix(path, value) ?? `write ${unionWanted(issue)}`,
      })];
    }
  }
  return best.issues.flatMap((inner) =>
    issueProblems(context, { ...inner, path: [...issue.path, ...inner.path] } as Issue)
  );
}

function mergedIssue(issue: Issue & { code: "invalid_union" }): Issue {
  return issue.errors.flat().find(isTypeAtTop) ?? issue;
}

function quoted(part: string | number | undefined): string {
  return `"${part ?? ""}"`;
}

/** The keys that are allowed at a path. */
function keysAt(context: Context, path: KeyPath): string[] {
  const schema = schemaAt(context.schema, context.source.value, path);
  return schema === null ? [] : shapeKeys(schema);
}

function branchAt(context: Context, path: KeyPath, index: number): Schema | null {
  const schema = schemaAt(context.schema, context.source.value, path, true);
  const def = schema?._zod.def as { options?: readonly Schema[] } | undefined;
  return def?.options?.[index] ?? null;
}
