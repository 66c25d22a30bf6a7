/**
 * What may a rule of a gate see, and what does it need? Roots `candidate baseline ledger`, where a
 * `for_each` group puts its part in their place, and `$drop` and `$rise` over equals. Out: a scope,
 * and the values that an expression reads, so that a missing one is found before it is evaluated.
 */
import type { JsonObject } from "../model/json.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Metrics, MetricsSet } from "../model/metrics.ts";
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
}

/** What an expression reads: paths below the roots, and the metrics named in `$drop` and `$rise`. */
export interface GateReferences {
  readonly reads: readonly { readonly root: GateRoot; readonly path: readonly string[] }[];
  readonly drops: readonly string[];
  readonly rises: readonly string[];
}

/** The roots of gate rules. */
export const GATE_ROOTS = ["candidate", "baseline", "ledger"] as const;
export type GateRoot = (typeof GATE_ROOTS)[number];

const PRECISION = 1e9;

interface Sides {
  readonly candidate: Metrics | null;
  readonly baseline: Metrics | null;
}

const bind = nativeBindings<Sides>({ drop, rise }, GATE_SIGNATURES);

/** The scope of one rule in one group. */
export function gateScope(roots: GateRoots): Scope {
  const { group, equals } = roots;
  const sides = {
    candidate: equals && partOf(equals.candidate, group),
    baseline: equals && partOf(equals.baseline, group),
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
  const found: Found = { reads: new Map(), drops: new Set(), rises: new Set() };
  if (parsed.kind === "parsed") collect(parsed.ast, found);
  return { reads: [...found.reads.values()], drops: [...found.drops], rises: [...found.rises] };
}

interface Found {
  readonly reads: Map<string, { root: GateRoot; path: string[] }>;
  readonly drops: Set<string>;
  readonly rises: Set<string>;
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
  const [argument] = node.arguments ?? [];
  if (argument?.type !== "string" || typeof argument.value !== "string") return;
  if (node.procedure?.value === "drop") found.drops.add(argument.value);
  if (node.procedure?.value === "rise") found.rises.add(argument.value);
}
