/**
 * Do the paths of a scenario's contract mean anything? In the state before, and in what the tools
 * could write: a protected path that is nowhere, a change that no tool can bring about, and rules
 * that hide one another are refused.
 */
import { compilePattern, pathsOf, relate, valueAt } from "../expression/paths.ts";
import { parsePath } from "../model/state_path.ts";
import { expandTemplate, templatePattern } from "../expression/templates.ts";
import { equalJson, FILES, isObject, type Json, OUTBOX, type State } from "../model/json.ts";
import { valueSelector } from "../model/scenario.ts";
import { isValueSelector } from "../model/selectors.ts";
import { GIT, GIT_RECORDS, MODES } from "../model/workspace.ts";
import type { ToolSpec } from "../model/tool.ts";
import { type CheckInput, listKeysOf } from "./check_input.ts";
import type { Checker } from "./checker.ts";
import { shape } from "./issues.ts";
import { patternsMeet } from "./patterns.ts";
import { type KeyPath, viewAt } from "./source.ts";
import { didYouMean } from "./suggest.ts";

/** A path of the contract and where it is written. */
interface Written {
  readonly text: string;
  readonly path: KeyPath;
}

/** Checks `changes`, `may_change`, `protected`, `ignore` and `keys`. */
export function checkPaths(checker: Checker, input: CheckInput): void {
  const contract = input.written.expected.state;
  if (contract === undefined) return;
  const list = (key: "may_change" | "protected" | "ignore"): Written[] =>
    (contract[key] ?? []).map((text, index) => ({ text, path: ["expected", "state", key, index] }));
  const record = (key: "changes" | "keys"): Written[] =>
    Object.keys(contract[key] ?? {}).map((text) => ({
      text,
      path: ["expected", "state", key, text],
    }));
  const all = [
    ...list("may_change"),
    ...list("protected"),
    ...list("ignore"),
    ...record("changes"),
    ...record("keys"),
  ];
  const broken = all.filter((written) => !checkForm(checker, input.state, written));
  const sound = (paths: Written[]) =>
    paths.filter(({ path }) => !broken.some((b) => b.path.join() === path.join()));
  for (const key of ["may_change", "protected", "ignore"] as const) {
    checker.unique(contract[key] ?? [], (index) => ["expected", "state", key, index], "Path");
  }
  for (const written of sound(list("protected"))) {
    checkProtected(checker, input, {
      written,
      expected: record("changes"),
      ignored: list("ignore"),
    });
  }
  for (const written of sound(record("changes"))) {
    checkSelector(checker, input, written);
    checkChange(checker, input, written);
  }
  checkHeld(checker, input);
  for (const written of sound(record("keys"))) checkKey(checker, input.state, written);
}

/** Reports a path that cannot be one; true where its form is sound. */
function checkForm(checker: Checker, state: State | null, { text, path }: Written): boolean {
  const parts = text.split("/");
  const say = (what: string, fix: string) =>
    checker.say(path, { code: "bad-path", aim: "key", what: `Path "${text}" ${what}`, fix });
  if (parts[0] === OUTBOX) {
    say("leads into the outbox, which is not compared", "judge what is sent under `messages`");
  } else if (parts[0] === "") {
    say("begins with `/`", "begin with a collection's name, such as customers/C-1/name");
  } else if (parts[0] !== FILES && parts.includes("")) {
    say("has an empty part", "write one name between two slashes");
  } else if (isDotted(state, text)) {
    say("has dots where `/` leads on", `did you mean "${text.replaceAll(".", "/")}"?`);
  } else return true;
  return false;
}

/** True where a path would only be one if its dots were slashes. */
function isDotted(state: State | null, text: string): boolean {
  if (!text.includes(".") || text.includes("/")) return false;
  const [first = ""] = text.split(".");
  return state === null || (!Object.hasOwn(state, text) && Object.hasOwn(state, first));
}

function checkProtected(
  checker: Checker,
  input: CheckInput,
  { written, expected, ignored }: {
    readonly written: Written;
    readonly expected: readonly Written[];
    readonly ignored: readonly Written[];
  },
): void {
  const { state } = input;
  const pattern = compilePattern(written.text);
  const known = state !== null && !isOfRepository(input, written.text);
  if (known && pathsOf(state, pattern, listKeysOf(input)).length === 0) {
    checker.say(written.path, {
      code: "protected-matches-nothing",
      what: `The protected path "${written.text}" is nowhere in the state: it protects nothing`,
      fix: suggestPath(state, written.text),
    });
    return;
  }
  const parts = parsePath(written.text);
  const covers = ({ text }: Written) => {
    const relation = relate(compilePattern(text), parts);
    return text === written.text || relation === "exact" || relation === "below";
  };
  const change = expected.find(covers);
  if (change !== undefined) {
    checker.say(written.path, {
      code: "protected-and-expected",
      what: `"${written.text}" is protected, and "${change.text}" expects it to change`,
      fix: "remove one of the two, or expect a narrower path",
    });
  }
  const hidden = ignored.find(covers);
  if (hidden === undefined) return;
  checker.say(written.path, {
    code: "protected-and-ignored",
    what: `"${written.text}" is protected, but "${hidden.text}" has its changes ignored`,
    fix: "ignore a narrower path",
  });
}

/** True for the records of a workspace that are read when it runs, so that no file holds them. */
function isOfRepository({ scenario: { setup } }: CheckInput, text: string): boolean {
  const [collection = "", record = "**"] = text.split("/");
  if (setup.workspace === undefined) return false;
  if (collection === MODES) return true;
  return setup.git !== undefined && collection === GIT &&
    (record.includes("*") || GIT_RECORDS.some((name) => name === record));
}

/** The nearest path of the state, part by part. */
function suggestPath(state: State, text: string): string {
  const parts = text.split("/");
  const fitted: string[] = [];
  let level: Json[] = [state];
  for (const [index, part] of parts.entries()) {
    const names = new Set(level.flatMap((value) => isObject(value) ? Object.keys(value) : []));
    if (part.includes("*")) {
      level = level.flatMap((value) => isObject(value) ? Object.values(value) : []);
      fitted.push(part);
      continue;
    }
    if (!names.has(part)) {
      return didYouMean(part, names, "correct it, or remove it")
        .replace(
          /"(.*)"/,
          (_, word: string) => `"${[...fitted, word, ...parts.slice(index + 1)].join("/")}"`,
        );
    }
    level = level.flatMap((value) => isObject(value) && part in value ? [value[part] ?? null] : []);
    fitted.push(part);
  }
  return "correct it, or remove it";
}

/** A value with a `where` that is no selector would be compared as it stands, and never be found. */
function checkSelector(checker: Checker, { source, written: file }: CheckInput, written: Written) {
  const value = file.expected.state?.changes?.[written.text] ?? null;
  if (!isObject(value) || !Object.hasOwn(value, "where")) return;
  const view = viewAt(source, written.path);
  checker.problems.push(...shape(view, valueSelector, `the change of "${written.text}"`).problems);
}

function checkChange(checker: Checker, input: CheckInput, written: Written): void {
  const wanted = input.written.expected.state?.changes?.[written.text] ?? null;
  const pattern = compilePattern(written.text);
  const before = input.state === null || pattern.wild
    ? undefined
    : valueAt(input.state, parsePath(written.text), listKeysOf(input));
  if (!pattern.wild && !isValueSelector(wanted) && before !== undefined) {
    checkType(checker, written, { before, wanted });
  }
  const holds = !pattern.wild && before !== undefined && equalJson(before, wanted);
  if (holds || isReachable(input, written.text)) return;
  const state = input.state ?? {};
  checker.say(written.path, {
    code: "unreachable-change",
    aim: "key",
    what: `No tool writes "${written.text}": this change can never happen`,
    fix: pattern.wild ? "name a path that a tool writes" : suggestPath(state, written.text),
  });
}

function checkType(
  checker: Checker,
  written: Written,
  { before, wanted }: { readonly before: Json; readonly wanted: Json },
): void {
  const kinds = [typeof before, typeof wanted];
  if (!(kinds.includes("string") && kinds.includes("number"))) return;
  checker.say(written.path, {
    code: "other-type",
    severity: "warning",
    what: `"${written.text}" is ${kindWord(before)} in the state, and ${
      kindWord(wanted)
    } is expected: a number never equals a text`,
    fix: typeof before === "string" ? `quote it: "${wanted}"` : "write it without quotes",
  });
}

function kindWord(value: Json): string {
  return typeof value === "string" ? `the text "${value}"` : `the number ${value}`;
}

/** True where some tool could write what the path names; agents that work on files can write any. */
function isReachable({ scenario, tools, toolsComplete }: CheckInput, text: string): boolean {
  if (!toolsComplete || scenario.setup.workspace !== undefined || text.startsWith(`${FILES}/`)) {
    return true;
  }
  const specs = Object.values(tools);
  if (!specs.some(writesAnything)) return true;
  return specs.some((tool) => toolReaches(tool, text));
}

function writesAnything(tool: ToolSpec): boolean {
  return tool.set !== undefined || tool.append !== undefined || tool.delete !== undefined;
}

function toolReaches(tool: ToolSpec, text: string): boolean {
  const meets = (path: string) =>
    expandTemplate(path, tool.input).some((one) => patternsMeet(templatePattern(one), text));
  if ([...(tool.delete ?? []), ...Object.keys(tool.append ?? {})].some(meets)) return true;
  return Object.entries(tool.set ?? {}).some(([path, value]) =>
    meets(path) && fieldExists(value, text.split("/").slice(path.split("/").length))
  );
}

/** True where a written value has the field, or may have it: a `<name>` may hold anything. */
function fieldExists(value: Json, rest: readonly string[]): boolean {
  const [part, ...more] = rest;
  if (part === undefined || part.includes("*") || !isObject(value)) return true;
  if (Object.hasOwn(value, part)) return fieldExists(value[part] ?? null, more);
  return Object.keys(value).some((key) => key.includes("<"));
}

/** Changes that all hold before anything happens ask for nothing. */
function checkHeld(checker: Checker, input: CheckInput): void {
  const { written, state } = input;
  const changes = Object.entries(written.expected.state?.changes ?? {});
  if (changes.length === 0 || state === null) return;
  const held = changes.every(([text, wanted]) => {
    const pattern = compilePattern(text);
    if (pattern.wild || isValueSelector(wanted)) return false;
    const before = valueAt(state, parsePath(text), listKeysOf(input));
    return before === undefined ? wanted === null : equalJson(before, wanted);
  });
  if (!held) return;
  checker.say(["expected", "state", "changes"], {
    code: "already-holds",
    severity: "warning",
    aim: "key",
    what: "All these values stand in the state already: nothing has to be done for them",
    fix: "begin from a state in which they differ",
  });
}

function checkKey(checker: Checker, state: State | null, written: Written): void {
  if (state === null) return;
  const lists = pathsOf(state, compilePattern(written.text))
    .filter((path) => Array.isArray(valueAt(state, parsePath(path))));
  if (lists.length > 0) return;
  checker.say(written.path, {
    code: "key-without-list",
    severity: "warning",
    aim: "key",
    what: `"${written.text}" names no list of the state: its key is not used`,
    fix: suggestPath(state, written.text),
  });
}
