/**
 * Do the tools of a file hold together? Their schemas, their expressions, and the `<names>` in what
 * they write: only obligatory arguments and lets may be named, for nothing else is always there.
 */
import { toolShape } from "../expression/expression_shape.ts";
import { schemaProblems } from "../model/arguments.ts";
import { isObject, type Json } from "../model/json.ts";
import { wordList } from "../model/near_words.ts";
import type { Problem } from "../model/problem.ts";
import type { ToolSet, ToolSpec } from "../model/tool.ts";
import { checkLiteral } from "./check_arguments.ts";
import { Checker } from "./checker.ts";
import { expressionTextFinding } from "./expression_text.ts";
import { expressionProblems } from "./expression_problems.ts";
import { shown } from "./issue_words.ts";
import { nearest } from "./suggest.ts";
import type { KeyPath, SourceFile } from "./source.ts";

/** Problems of a tools file beyond its shape. */
export function checkTools(source: SourceFile, tools: ToolSet): Problem[] {
  const checker = new Checker(source);
  if (Object.keys(tools).length === 0) {
    checker.say(["tools"], {
      code: "empty-tools",
      aim: "key",
      what: "The file describes no tool",
      fix: "describe at least one, or do not name the file",
    });
  }
  const expressions = Object.entries(tools).flatMap(([name, tool]) => {
    const about: About = { checker, name, tool, path: ["tools", name] };
    checkName(about);
    checkInput(about);
    checkEffect(about);
    checkLets(about);
    checkPlaceholders(about);
    checkAnswers(about);
    return toolExpressions(source, about);
  });
  return [...checker.problems, ...expressions];
}

interface About {
  readonly checker: Checker;
  readonly name: string;
  readonly tool: ToolSpec;
  readonly path: KeyPath;
}

function checkName({ checker, name, path }: About): void {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return;
  checker.say(path, {
    code: "bad-tool-name",
    aim: "key",
    what: `A tool cannot be called "${name}": models know letters, digits, \`_\` and \`-\` only`,
    fix: "rename it",
  });
}

function argumentNames(tool: ToolSpec): { all: string[]; obligatory: string[] } {
  const { properties, required } = tool.input;
  const all = isObject(properties) ? Object.keys(properties) : [];
  const named = Array.isArray(required) ? required.map(String) : [];
  return { all, obligatory: named.filter((name) => all.includes(name)) };
}

function checkInput({ checker, name, tool, path }: About): void {
  const { properties, required, type } = tool.input;
  const at = [...path, "input"];
  const say = (place: KeyPath, what: string, fix: string) =>
    checker.say(place, { code: "bad-input-schema", aim: "key", what, fix });
  if (type !== undefined && type !== "object") {
    say([...at, "type"], `The input of "${name}" is no object`, "write `type: object`");
  }
  if (properties !== undefined && !isObject(properties)) {
    say(
      [...at, "properties"],
      `"properties" of "${name}" is no group of keys`,
      "describe each argument by its name",
    );
  }
  const { all } = argumentNames(tool);
  const words = Object.entries(isObject(properties) ? properties : {})
    .filter(([, schema]) => typeof schema !== "boolean" && !isObject(schema));
  for (const [argument, schema] of words) {
    checker.say([...at, "properties", argument], {
      code: "bad-input-schema",
      what: `Argument "${argument}" of "${name}" is described by ${
        schema === null ? "nothing" : shown(schema)
      }: expected a schema`,
      fix: `write {type: ${typeof schema === "string" ? typeNamed(schema) : "string"}}`,
    });
  }
  (Array.isArray(required) ? required : []).forEach((argument, index) => {
    if (all.includes(String(argument))) return;
    checker.known([...at, "required", index], String(argument), {
      words: all,
      code: "unknown-argument",
      noun: "argument",
    });
  });
  for (const problem of words.length > 0 ? [] : schemaProblems(tool.input)) {
    say(
      at,
      `The input of "${name}" cannot be checked: ${problem}`,
      "use JSON Schema that is known",
    );
  }
}

/** JSON Schema's word for a type, as people write it too. */
function typeNamed(word: string): string {
  const types = ["string", "number", "integer", "boolean", "object", "array"];
  const other: Readonly<Record<string, string>> = {
    int: "integer",
    text: "string",
    bool: "boolean",
  };
  return other[word] ?? nearest(word, types) ?? "string";
}

const WRITING_KEYS = ["set", "append", "delete", "send"] as const;

function checkEffect({ checker, name, tool, path }: About): void {
  const writes = WRITING_KEYS.filter((key) => tool[key] !== undefined);
  const [first] = writes;
  if ((tool.effect === "read" || tool.effect === "ask") && first !== undefined) {
    checker.say([...path, first], {
      code: "effect-differs",
      aim: "key",
      what: `Tool "${name}" has the effect "${tool.effect}", but "${first}" changes the world`,
      fix: `write \`effect: ${first === "send" ? "message" : "write"}\`, or remove "${first}"`,
    });
  }
  if (tool.effect === "message" && tool.send === undefined && tool.answers === undefined) {
    checker.say([...path, "effect"], {
      code: "effect-differs",
      severity: "warning",
      what: `Tool "${name}" has the effect "message", but sends none`,
      fix: "add `send: {to: …, text: …}`",
    });
  }
  if (tool.send !== undefined && !Object.hasOwn(tool.send, "to")) {
    checker.say([...path, "send"], {
      code: "message-without-to",
      aim: "key",
      what: `The message of "${name}" has no \`to\`: it could not be judged`,
      fix: "add `to:`",
    });
  }
}

const TOOL_NAMES = ["args", "state", "clock"];

function checkLets({ checker, name, tool, path }: About): void {
  const { all } = argumentNames(tool);
  for (const key of Object.keys(tool.let ?? {})) {
    const say = (what: string, severity: "error" | "warning" = "error") =>
      checker.say([...path, "let", key], {
        code: "bad-let-name",
        severity,
        aim: "key",
        what,
        fix: "give it another name",
      });
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) {
      say(`A let cannot be called "${key}": letters, digits and \`_\` only`);
    } else if (TOOL_NAMES.includes(key)) {
      say(`A let of "${name}" hides \`$${key}\` in all that follows`, "warning");
    } else if (all.includes(key)) say(`A let of "${name}" hides the argument "${key}"`);
  }
}

function checkAnswers({ checker, name, tool, path }: About): void {
  tool.answers?.forEach((answer, index) =>
    checkLiteral(checker, {
      path: [...path, "answers", index, "args"],
      name,
      tool,
      args: answer.args,
      kind: "subset",
    })
  );
}

/** Everything of a tool that may hold `<names>`, and which names each may use. */
function checkPlaceholders(about: About): void {
  const { tool } = about;
  const { obligatory } = argumentNames(tool);
  const lets = Object.keys(tool.let ?? {});
  const early = { ...about, allowed: obligatory, lets };
  const late = { ...about, allowed: [...obligatory, ...lets], lets };
  tool.needs?.forEach((path, index) => checkText(early, ["needs", index], path));
  tool.refuse?.forEach(({ error }, index) =>
    checkText(late, ["refuse", index, "error", "message"], error.message ?? "")
  );
  for (const key of ["set", "append"] as const) {
    for (const [path, value] of Object.entries(tool[key] ?? {})) {
      checkText(late, [key, path], path, "key");
      checkValue(late, [key, path], value);
    }
  }
  tool.delete?.forEach((path, index) => checkText(late, ["delete", index], path));
  if (tool.send !== undefined) checkValue(late, ["send"], tool.send);
  if (tool.returns !== undefined) checkValue(late, ["returns"], tool.returns);
}

interface Named extends About {
  readonly allowed: readonly string[];
  readonly lets: readonly string[];
}

function checkValue(named: Named, path: KeyPath, value: Json): void {
  if (typeof value === "string") checkText(named, path, value);
  else if (Array.isArray(value)) {
    value.forEach((item, index) => checkValue(named, [...path, index], item));
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value)) {
      checkText(named, [...path, key], key, "key");
      checkValue(named, [...path, key], item);
    }
  }
}

function checkText(
  named: Named,
  below: KeyPath,
  text: string,
  aim: "key" | "value" = "value",
): void {
  const meant = expressionTextFinding(text, [...argumentNames(named.tool).all, ...named.lets]);
  if (meant !== null) named.checker.say([...named.path, ...below], { ...meant, aim });
  for (const [, inner = ""] of text.matchAll(/<([^<>]*)>/g)) {
    const name = inner.split(".")[0] ?? "";
    if (named.allowed.includes(name)) continue;
    named.checker.say([...named.path, ...below], {
      code: "unknown-placeholder",
      aim,
      ...placeholderFinding(named, inner, name),
    });
  }
}

function placeholderFinding(
  { tool, name: toolName, allowed, lets }: Named,
  inner: string,
  name: string,
): { what: string; fix: string } {
  if (argumentNames(tool).all.includes(name)) {
    return {
      what: `\`<${inner}>\` names an argument of "${toolName}" that may be left out`,
      fix: `add "${name}" to \`required\`, or compute a let from $args.${name}`,
    };
  }
  if (lets.includes(name)) {
    return {
      what: `\`<${inner}>\` names a let, but \`needs\` is checked before the lets`,
      fix: "name an argument, or use `refuse` instead of `needs`",
    };
  }
  const near = nearest(name, allowed);
  return {
    what: `\`<${inner}>\` names nothing of "${toolName}": expected one of ${wordList(allowed)}`,
    fix: near === null ? "name an obligatory argument or a let" : `did you mean "<${near}>"?`,
  };
}

function toolExpressions(source: SourceFile, { tool, path }: About): Problem[] {
  const before: string[] = [];
  const problems: Problem[] = [];
  for (const [key, text] of Object.entries(tool.let ?? {})) {
    const shape = toolShape(tool, before, "value");
    problems.push(...expressionProblems(source, { path: [...path, "let", key], text, shape }));
    before.push(key);
  }
  tool.refuse?.forEach((refusal, index) => {
    const shape = toolShape(tool, before, "condition");
    const at = [...path, "refuse", index, "if"];
    problems.push(...expressionProblems(source, { path: at, text: refusal.if, shape }));
  });
  return problems;
}
