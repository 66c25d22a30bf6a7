/**
 * What may a rule of a gate see, and what does it need? Roots `candidate baseline ledger`, where a
 * `for_each` group puts its part in their place, `$drop` and `$rise` over equals, and what was tested
 * before: `$significantDrop`, `$atLeast`, `$criticalHolds`. Out: a scope, and the values that an
 * expression reads, so that a missing one is found before it is evaluated.
 */
import type { JsonObject } from "../model/json.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Metrics, MetricsSet } from "../model/metrics.ts";
import type { Statistics } from "../model/statistics.ts";
import {
  criticalIn,
  DROP_DEFAULTS,
  dropFor,
  type DropQuestion,
  floorFor,
  type FloorQuestion,
} from "../model/evidence.ts";
import { type AstNode, childrenOf, parseExpression } from "./ast.ts";
import { nativeBindings } from "./bindings.ts";
import type { Scope } from "./compile.ts";
import { Refusal } from "./refusal.ts";
import { GATE_SIGNATURES } from "./signatures.ts";

/** What a gate's scope is made of; `equals` are both sides over scenarios of equal hash. */
export interface GateRoots {
  readonly candidate: MetricsSet;
  readonly baseline: MetricsSet | null;
  readonly equals: { readonly candidate: MetricsSet; readonly baseline: MetricsSet } | null;
  readonly group: { readonly by: "task" | "category"; readonly name: string } | null;
  readonly ledger: readonly LedgerRow[];
  /** What was tested before any rule; absent: the functions that need it are refused. */
  readonly statistics?: Statistics | null;
}

/** What an expression reads: paths below the roots, metrics of `$drop` and `$rise`, what it asks. */
export interface GateReferences {
  readonly reads: readonly { readonly root: GateRoot; readonly path: readonly string[] }[];
  readonly drops: readonly string[];
  readonly rises: readonly string[];
  /** The questions of `$significantDrop` and `$atLeast`, with their defaults filled in. */
  readonly tests: readonly DropQuestion[];
  readonly floors: readonly FloorQuestion[];
  readonly critical: boolean;
}

/** The roots of gate rules. */
export const GATE_ROOTS = ["candidate", "baseline", "ledger"] as const;
export type GateRoot = (typeof GATE_ROOTS)[number];

const PRECISION = 1e9;

interface Sides {
  readonly candidate: Metrics | null;
  readonly baseline: Metrics | null;
  readonly statistics: Statistics | null;
  readonly group: GateRoots["group"];
}

const bind = nativeBindings<Sides>(
  { drop, rise, significantDrop, atLeast, criticalHolds },
  GATE_SIGNATURES,
);

/** The scope of one rule in one group. */
export function gateScope(roots: GateRoots): Scope {
  const { group, equals } = roots;
  const sides = {
    candidate: equals && partOf(equals.candidate, group),
    baseline: equals && partOf(equals.baseline, group),
    statistics: roots.statistics ?? null,
    group,
  };
  const input: Record<string, unknown> = { ledger: roots.ledger };
  input.candidate = treeOf(roots.candidate, group);
  input.baseline = roots.baseline && treeOf(roots.baseline, group);
  return { input: input as JsonObject, bindings: bind(sides) };
}

function partOf(set: MetricsSet, group: GateRoots["group"]): Metrics | null {
  if (group === null) return set.overall;
  const parts = group.by === "task" ? set.byTask : set.byCategory;
  return Object.hasOwn(parts, group.name) ? parts[group.name] ?? null : null;
}

function treeOf(set: MetricsSet, group: GateRoots["group"]): unknown {
  if (group !== null) return partOf(set, group);
  return { ...set.overall, byTask: set.byTask, byCategory: set.byCategory };
}

/** Baseline minus candidate, for metrics where more is better. */
function drop(sides: Sides, args: readonly unknown[]): number {
  return round(metricOf(sides.baseline, args[0]) - metricOf(sides.candidate, args[0]));
}

/** Relative rise of the candidate over the baseline. */
function rise(sides: Sides, args: readonly unknown[]): number {
  const baseline = metricOf(sides.baseline, args[0]);
  if (baseline === 0) {
    throw new Refusal(`the baseline's ${args[0]} is 0, nothing can be relative to it`);
  }
  return round((metricOf(sides.candidate, args[0]) - baseline) / baseline);
}

/** Whether the metric fell by the margin and chance alone does not explain it; of few, by counts. */
function significantDrop({ statistics, group }: Sides, args: readonly unknown[]): boolean {
  const question = dropQuestion(args[0], args[1] ?? {});
  const found = question && dropFor(statistics, question, group);
  if (!found) throw new Refusal(`no test of the metric "${String(args[0])}" was made here`);
  return found.verdict === "block";
}

/** False where the rate is surely below the floor. */
function atLeast({ statistics, group }: Sides, args: readonly unknown[]): boolean {
  const [metric, floor] = args;
  const found = typeof metric === "string" && typeof floor === "number" &&
    floorFor(statistics, { metric, floor }, group);
  if (!found) throw new Refusal(`no floor of the metric "${String(metric)}" was measured here`);
  return found.verdict !== "block";
}

/** Whether every critical scenario of the group succeeded often enough. */
function criticalHolds({ statistics, group }: Sides): boolean {
  if (statistics === null) throw new Refusal("the critical scenarios were not counted here");
  return criticalIn(statistics, group).length === 0;
}

/** The question with its defaults; null where a metric is no text or an option is no number. */
function dropQuestion(metric: unknown, options: unknown): DropQuestion | null {
  if (typeof metric !== "string" || typeof options !== "object" || options === null) return null;
  const given = options as Readonly<Record<string, unknown>>;
  const margin = given["margin"] ?? DROP_DEFAULTS.margin;
  const alpha = given["alpha"] ?? DROP_DEFAULTS.alpha;
  if (typeof margin !== "number" || typeof alpha !== "number") return null;
  const warn = given["warn"] ?? Math.min(DROP_DEFAULTS.warn, margin);
  const replay = given["replay"] ?? margin;
  if (typeof warn !== "number" || typeof replay !== "number") return null;
  return { metric, margin, warn, replay, alpha };
}

function metricOf(metrics: Metrics | null, name: unknown): number {
  const known = metrics !== null && typeof name === "string" && Object.hasOwn(metrics, name);
  const value = known ? metrics[name as keyof Metrics] : null;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  throw new Refusal(`the metric "${String(name)}" was not measured on both sides`);
}

function round(value: number): number {
  return Math.round(value * PRECISION) / PRECISION;
}

/** What a rule's expression reads, in the order of its text, each once; empty where it does not parse. */
export function gateReferences(text: string): GateReferences {
  const parsed = parseExpression(text);
  const found: Found = {
    reads: new Map(),
    drops: new Set(),
    rises: new Set(),
    tests: new Map(),
    floors: new Map(),
    critical: false,
  };
  if (parsed.kind === "parsed") collect(parsed.ast, found);
  return {
    reads: [...found.reads.values()],
    drops: [...found.drops],
    rises: [...found.rises],
    tests: [...found.tests.values()],
    floors: [...found.floors.values()],
    critical: found.critical,
  };
}

interface Found {
  readonly reads: Map<string, { root: GateRoot; path: string[] }>;
  readonly drops: Set<string>;
  readonly rises: Set<string>;
  readonly tests: Map<string, DropQuestion>;
  readonly floors: Map<string, FloorQuestion>;
  critical: boolean;
}

function collect(node: AstNode, found: Found): void {
  if (node.type === "path") collectRead(node.steps ?? [], found);
  if (node.type === "function") collectMetric(node, found);
  for (const child of childrenOf(node)) collect(child, found);
}

function collectRead(steps: readonly AstNode[], found: Found): void {
  const isRoot = steps[0]?.type === "variable" && steps[0].value === "$";
  const names: string[] = [];
  for (const step of isRoot ? steps.slice(1) : steps) {
    if (step.type !== "name" || typeof step.value !== "string") break;
    names.push(step.value);
  }
  const [first, ...path] = names;
  const root = GATE_ROOTS.find((one) => one === first);
  if (root !== undefined) found.reads.set([root, ...path].join("\n"), { root, path });
}

function collectMetric(node: AstNode, found: Found): void {
  const [argument, second] = node.arguments ?? [];
  if (node.procedure?.value === "criticalHolds") found.critical = true;
  if (argument?.type !== "string" || typeof argument.value !== "string") return;
  if (node.procedure?.value === "drop") found.drops.add(argument.value);
  if (node.procedure?.value === "rise") found.rises.add(argument.value);
  if (node.procedure?.value === "significantDrop") {
    const question = dropQuestion(argument.value, second === undefined ? {} : optionsOf(second));
    if (question !== null) found.tests.set(Object.values(question).join(" "), question);
  }
  if (node.procedure?.value === "atLeast" && typeof second?.value === "number") {
    const question = { metric: argument.value, floor: second.value };
    found.floors.set(Object.values(question).join(" "), question);
  }
}

/** An object of numbers as it is written in an expression; null where it is anything else. */
export function optionsOf(node: AstNode): Record<string, number> | null {
  if (node.type !== "unary" || node.value !== "{" || !Array.isArray(node.lhs)) return null;
  const options: Record<string, number> = {};
  for (const [key, value] of node.lhs) {
    const name = key.type === "string" ? key.value : null;
    if (typeof name !== "string" || value.type !== "number") return null;
    options[name] = Number(value.value);
  }
  return options;
}
