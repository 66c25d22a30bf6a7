/**
 * Is a `$function` called as it can be called? Its name, the number of its arguments, and what
 * stands literally in them: tools and their arguments, state paths, patterns, words, metrics. Gives
 * the shape of what comes back.
 */
import { wordList } from "../model/near_words.ts";
import type { AstNode } from "./ast.ts";
import { anyCallShape } from "./expression_shape.ts";
import { optionsOf } from "./gate_scope.ts";
import { checkCalled } from "./operator_check.ts";
import { patternMisses } from "./path_shape.ts";
import {
  BOOLEAN,
  itemOf,
  listOf,
  NUMBER,
  type ScalarType,
  type Shape,
  shapeName,
  TEXT,
  UNKNOWN,
} from "./shape.ts";
import { BUILT_IN_SIGNATURES, type Returns } from "./signatures.ts";
import { suggestion } from "./suggest.ts";
import type { Context, Walk } from "./walk.ts";

/** One call that is checked. */
interface Call {
  readonly walk: Walk;
  readonly node: AstNode;
  readonly name: string;
  readonly args: readonly AstNode[];
  readonly shapes: readonly Shape[];
}

const RETURNED: Readonly<Record<Returns, Shape>> = {
  boolean: BOOLEAN,
  number: NUMBER,
  text: TEXT,
  list: listOf(UNKNOWN),
  any: UNKNOWN,
};

/** Checks a call and everything in it; the shape of its value. */
export function checkCall(walk: Walk, node: AstNode, context: Context): Shape {
  const args = node.arguments ?? [];
  const shapes = args.map((argument) => walk.shapeOf(argument, context));
  const { procedure } = node;
  if (procedure?.type !== "variable" || typeof procedure.value !== "string") {
    if (procedure !== undefined) checkProcedure(walk, procedure, context);
    return UNKNOWN;
  }
  const name = procedure.value;
  if (context.variables.has(name)) return UNKNOWN;
  const { functions } = walk.shape;
  const signature = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (signature === undefined) {
    walk.unknownVariable(node, name, context);
    return UNKNOWN;
  }
  if (!Object.hasOwn(BUILT_IN_SIGNATURES, name)) walk.reads = true;
  if (args.length < signature.min || args.length > signature.max) {
    const { min, max } = signature;
    walk.found.add(node, "argument-count", {
      what: `$${name} takes ${
        min === max ? min : `${min} to ${max}`
      } arguments, found ${args.length}`,
      fix: `give it ${min === max ? min : `${min} to ${max}`}`,
    });
    return RETURNED[signature.returns];
  }
  const call = { walk, node, name, args, shapes };
  if (!TAKES_FUNCTION.has(name)) checkCalled(walk.found, args, shapes);
  return checkArguments(call) ?? RETURNED[signature.returns];
}

/** Functions that are given another function; to any other one it says nothing. */
const TAKES_FUNCTION: ReadonlySet<string> = new Set(
  "each filter map reduce replace sift single sort".split(" "),
);

/** A function's name without its `$` is the usual slip. */
function checkProcedure(walk: Walk, procedure: AstNode, context: Context): void {
  const name = procedure.type === "path" ? procedure.steps?.[0]?.value : undefined;
  if (procedure.steps?.length === 1 && typeof name === "string") {
    const known = Object.hasOwn(walk.shape.functions, name);
    walk.found.add(procedure, "unknown-function", {
      what: `"${name}" is no function`,
      fix: known ? `did you mean "$${name}"?` : suggestion(name, Object.keys(walk.shape.functions)),
    });
  } else walk.shapeOf(procedure, context);
}

type Check = (call: Call) => Shape | void;

const CHECKS: Readonly<Record<string, Check>> = {
  calls: checkTool,
  done: checkTool,
  called: checkTool,
  attempted: checkTool,
  writes: ({ walk }) => listOf(anyCallShape(walk.shape.tools)),
  since: ({ shapes }) => shapes[0],
  asks: checkWords,
  asked: checkWords,
  says: checkWords,
  user: checkUser,
  commands: (call) => checkRe2(call, 0),
  exit: (call) => checkRe2(call, 0),
  matches: (call) => checkRe2(call, 1),
  found: (call) => checkRe2(call, 1),
  changed: (call) => checkStatePath(call, call.args[0], call.walk.shape.roots.fields.get("after")),
  conserved: (call) =>
    checkStatePath(call, call.args[0], call.walk.shape.roots.fields.get("after")),
  paths: (call) => checkStatePath(call, call.args[1], call.shapes[0]),
  value: checkValue,
  drop: (call) => checkMetric(call, call.walk.shape.metrics?.drop ?? []),
  rise: (call) => checkMetric(call, call.walk.shape.metrics?.rise ?? []),
  significantDrop: (call) => {
    checkMetric(call, call.walk.shape.metrics?.drop ?? []);
    checkDropOptions(call);
    return BOOLEAN;
  },
  atLeast: (call) => {
    checkMetric(call, call.walk.shape.metrics?.drop ?? []);
    checkFloor(call);
    return BOOLEAN;
  },
  at: checkTemplate,
  pad: checkPad,
  filter: ({ shapes }) => selected(shapes[0]),
};

function checkArguments(call: Call): Shape | void {
  const check = Object.hasOwn(CHECKS, call.name) ? CHECKS[call.name] : undefined;
  return check?.(call);
}

function selected(shape: Shape | undefined): Shape {
  return shape === undefined || shape.kind === "unknown" ? UNKNOWN : listOf(itemOf(shape), true);
}

function literalText(node: AstNode | undefined): string | null {
  return node?.type === "string" && typeof node.value === "string" && !node.predicate
    ? node.value
    : null;
}

function checkTool(call: Call): Shape | void {
  const { walk, args, name } = call;
  const { tools } = walk.shape;
  const isList = name === "calls" || name === "done";
  const tool = literalText(args[0]);
  const some = isList ? listOf(anyCallShape(tools), tool !== null) : undefined;
  if (tools === null || tool === null) return some;
  const shape = tools.calls.get(tool);
  if (shape === undefined) {
    const names = [...tools.calls.keys()];
    walk.found.add(args[0] ?? call.node, "unknown-tool", {
      what: `Unknown tool "${tool}": expected one of ${wordList(names)}`,
      fix: suggestion(tool, names),
    });
    return some;
  }
  if (!tools.available.has(tool)) {
    walk.found.add(args[0] ?? call.node, "unavailable-tool", {
      what: `The agent does not get the tool "${tool}": this could never change`,
      fix: "add it to available_tools, or leave this out",
    });
  }
  const pattern = args[1];
  if (pattern !== undefined) checkLiteral(walk, pattern, shape.fields.get("args") ?? UNKNOWN);
  return isList ? listOf(shape, true) : undefined;
}

/** A literal object or value against the shape that it is to match. */
function checkLiteral(walk: Walk, node: AstNode, shape: Shape): void {
  if (node.type === "unary" && node.value === "{" && Array.isArray(node.lhs)) {
    for (const [key, value] of node.lhs) checkField(walk, { key, value, all: node.lhs }, shape);
    return;
  }
  if (node.type === "regex") return checkTextual(walk, node, shape);
  if (shape.kind !== "scalar") return;
  if (node.type !== "string" && node.type !== "number" && node.type !== "value") return;
  const value = node.value as string | number | boolean | null;
  const fits = shape.values === undefined
    ? fitsType(value, shape.type)
    : shape.values.includes(value);
  if (fits) return;
  const words = (shape.values ?? []).map(String);
  walk.found.add(node, "impossible-value", {
    what: words.length > 0
      ? `No call has "${value}" here: expected one of ${wordList(words)}`
      : `No call has "${value}" here: expected ${shapeName(shape)}`,
    fix: words.length > 0 ? suggestion(String(value), words) : `write ${shapeName(shape)}`,
  });
}

/** A pattern finds something in texts alone: anywhere else no call could ever fit. */
function checkTextual(walk: Walk, node: AstNode, shape: Shape): void {
  if (shape.kind !== "scalar" || shape.type === "text" || shape.type === "any") return;
  walk.found.add(node, "impossible-value", {
    what: `A pattern fits texts alone, and here stands ${shapeName(shape)}`,
    fix: `write ${shapeName(shape)}`,
  });
}

function fitsType(value: unknown, type: ScalarType): boolean {
  return type === "any" || type === "null" || value === null ||
    typeof value === (type === "text" ? "string" : type);
}

function checkField(
  walk: Walk,
  pair: { readonly key: AstNode; readonly value: AstNode; readonly all: readonly unknown[] },
  shape: Shape,
): void {
  const name = literalText(pair.key);
  if (name === "matches" && pair.all.length === 1 && shape.kind !== "record") {
    const pattern = literalText(pair.value);
    if (pattern !== null) walk.checkPattern(pair.value, pattern);
    return checkTextual(walk, pair.value, shape);
  }
  if (name === null || shape.kind !== "record") return;
  const field = shape.fields.get(name) ?? shape.rest;
  if (field !== null) return checkLiteral(walk, pair.value, field);
  const names = [...shape.fields.keys()];
  const expected = names.length === 0 ? "it takes none" : `expected one of ${wordList(names)}`;
  walk.found.add(pair.key, "unknown-argument", {
    what: `The tool has no argument "${name}": ${expected}`,
    fix: suggestion(name, names),
  });
}

function checkWords({ walk, args, node }: Call): void {
  const [words] = args;
  const listed = words?.type === "unary" && words.value === "[" ? words.expressions ?? [] : [words];
  for (const word of listed) {
    if (literalText(word) !== "") continue;
    walk.found.add(word ?? node, "empty-words", {
      what: "Empty words are in every text",
      fix: "write the words to look for",
    });
  }
}

function checkUser(call: Call): Shape | void {
  const [which] = call.args;
  const wrong = which?.type === "number" &&
    !(Number.isInteger(which.value) && Number(which.value) > 0);
  if (!wrong) return checkWords(call);
  call.walk.found.add(which, "impossible-value", {
    what: `User messages are counted from 1, found ${which.value}`,
    fix: "write 1 for the first",
  });
}

function checkRe2({ walk, args }: Call, at: number): void {
  const argument = args[at];
  const pattern = literalText(argument);
  if (pattern !== null && argument !== undefined) walk.checkPattern(argument, pattern);
}

function checkStatePath({ walk, node }: Call, at: AstNode | undefined, state?: Shape): void {
  const pattern = literalText(at);
  if (pattern === null || state === undefined) return;
  const miss = patternMisses(pattern, state);
  if (miss === null) return;
  const slashed = pattern.replaceAll(".", "/");
  const isDotted = !pattern.includes("/") && patternMisses(slashed, state) === null;
  walk.found.add(at ?? node, "unknown-path", {
    what: `Nothing in the state can match "${pattern}": there is no "${miss.part}"`,
    fix: isDotted ? `did you mean "${slashed}"?` : suggestion(miss.part, miss.words),
  });
}

function checkValue(call: Call): void {
  const path = literalText(call.args[1]);
  if (path !== null && path.includes("*") && !path.startsWith("files/")) {
    call.walk.found.add(call.args[1] ?? call.node, "unknown-path", {
      what: `$value takes one path, found the pattern "${path}"`,
      fix: "use $paths for patterns, or write * as %2A",
    });
  } else checkStatePath(call, call.args[1], call.shapes[0]);
}

function checkMetric({ walk, args, node, name }: Call, metrics: readonly string[]): Shape {
  const metric = literalText(args[0]);
  if (metric === null || !metrics.includes(metric)) {
    walk.found.add(args[0] ?? node, "unknown-metric", {
      what: metric === null
        ? `$${name} takes the name of a metric, written out`
        : `$${name} knows no metric "${metric}": expected one of ${wordList(metrics)}`,
      fix: metric === null ? `write $${name}('taskSuccess')` : suggestion(metric, metrics),
    });
  }
  return NUMBER;
}

const DROP_OPTIONS = ["margin", "warn", "replay", "alpha"];

/** `{'margin': 0.05, 'warn': 0.02, 'replay': 0.01, 'alpha': 0.05}`, each a share, written out. */
function checkDropOptions({ walk, args, node }: Call): void {
  const [, options] = args;
  if (options === undefined) return;
  const given = optionsOf(options);
  const example = "write {'margin': 0.05, 'alpha': 0.05}";
  if (given === null) {
    walk.found.add(options, "impossible-value", {
      what: "$significantDrop takes its options written out, with their names in quotes",
      fix: example,
    });
    return;
  }
  const name = Object.keys(given).find((key) => !DROP_OPTIONS.includes(key));
  if (name !== undefined) {
    walk.found.add(options, "unknown-argument", {
      what: `$significantDrop has no option "${name}": expected one of ${wordList(DROP_OPTIONS)}`,
      fix: suggestion(name, DROP_OPTIONS),
    });
  }
  const { margin = 0.05, warn = 0, replay = margin, alpha = 0.05 } = given;
  const isShare = (value: number) => value > 0 && value < 1;
  const isOrdered = isShare(margin) && isShare(replay) && warn >= 0 && warn <= margin;
  if (isOrdered && alpha > 0 && alpha <= 0.5) return;
  walk.found.add(options ?? node, "impossible-value", {
    what: "A margin is a share above 0 and below 1, warn at most the margin, alpha at most 0.5",
    fix: example,
  });
}

function checkFloor({ walk, args, node }: Call): void {
  const [, floor] = args;
  if (floor?.type === "number" && Number(floor.value) > 0 && Number(floor.value) <= 1) return;
  walk.found.add(floor ?? node, "impossible-value", {
    what: "$atLeast takes a floor above 0 and at most 1, written out",
    fix: "write $atLeast('taskSuccess', 0.9)",
  });
}

function checkTemplate({ walk, args, node }: Call): void {
  const path = literalText(args[0]);
  const { templates } = walk.shape;
  if (path === null || templates === null) return;
  for (const [, name = ""] of path.matchAll(/<([A-Za-z_][\w-]*)(?:\.[\w-]+)*>/g)) {
    if (templates.includes(name)) continue;
    walk.found.add(args[0] ?? node, "unknown-variable", {
      what: `"<${name}>" is neither an argument nor an earlier let`,
      fix: suggestion(name, templates),
    });
  }
}

function checkPad({ walk, args, node }: Call): void {
  const width = args[1] ?? args[0];
  if (width?.type === "number" && Math.abs(Number(width.value)) <= 10_000) return;
  walk.found.add(width ?? node, "refused-function", {
    what: "$pad takes a width up to 10000, written out",
    fix: "write the width as a number",
  });
}
