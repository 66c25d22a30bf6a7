/**
 * Which values does a rule need, and are they there? The rule's references and the group's figures
 * in; every needed value by name out, with what is to be done where one is null. This is decided
 * before the expression is evaluated: `null <= 0.2` must never decide anything.
 */
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { Metrics, MetricsSet } from "../model/metrics.ts";
import type { DropQuestion, FloorQuestion } from "../model/evidence.ts";

/** What an expression reads, as `gateReferences` finds it. */
export interface References {
  readonly reads: readonly { readonly root: string; readonly path: readonly string[] }[];
  readonly drops: readonly string[];
  readonly rises: readonly string[];
  readonly tests: readonly DropQuestion[];
  readonly floors: readonly FloorQuestion[];
  readonly critical: boolean;
}

/** The figures that a rule sees in its group: the whole sets where it is not for each. */
export interface Figures {
  readonly candidate: MetricsSet | Metrics | null;
  readonly baseline: MetricsSet | Metrics | null;
  readonly equals: { readonly candidate: Metrics | null; readonly baseline: Metrics | null } | null;
}

/** A value that a rule needs: its metric, the side that it is of, and what was found. */
export interface NeededValue {
  readonly name: string;
  readonly metric: string;
  readonly side: "candidate" | "baseline";
  /** `byTask` or `byCategory` and the name of the part, where the rule reads into one. */
  readonly part: readonly [by: string, name: string] | null;
  readonly value: Json;
  readonly missing: boolean;
}

/** True where the rule compares with the baseline. */
export function isRelative(references: References): boolean {
  return references.drops.length > 0 || references.rises.length > 0 ||
    references.tests.length > 0 ||
    references.reads.some((read) => read.root === "baseline");
}

/** Every value that the rule needs, in the order of its text: reads first, then drops and rises. */
export function neededValues(references: References, figures: Figures): NeededValue[] {
  const reads = references.reads.flatMap(({ root, path }) =>
    root === "candidate" || root === "baseline" ? [readValue(root, path, figures[root])] : []
  );
  const sides = (metric: string, isRise: boolean) =>
    (["candidate", "baseline"] as const).map((side) =>
      equalValue(metric, { side, isRise, figures })
    );
  return [
    ...reads,
    ...references.floors.map(({ metric }) => readValue("candidate", [metric], figures.candidate)),
    ...references.drops.flatMap((metric) => sides(metric, false)),
    ...references.tests.flatMap(({ metric }) => sides(metric, false)),
    ...references.rises.flatMap((metric) => sides(metric, true)),
  ];
}

function readValue(
  side: "candidate" | "baseline",
  path: readonly string[],
  tree: MetricsSet | Metrics | null,
): NeededValue {
  const value = valueIn(tree === null ? null : treeOf(tree), path);
  const [by, name] = path;
  const inPart = path.length > 2 && by !== undefined && name !== undefined;
  return {
    name: [side, ...path].join("."),
    metric: path.at(-1) ?? "",
    side,
    part: inPart ? [by, name] : null,
    value,
    missing: value === null,
  };
}

function equalValue(
  metric: string,
  of: {
    readonly side: "candidate" | "baseline";
    readonly isRise: boolean;
    readonly figures: Figures;
  },
): NeededValue {
  const part = of.figures.equals?.[of.side] ?? null;
  const value = part === null ? null : valueIn({ ...part }, [metric]);
  const isZeroBase = of.isRise && of.side === "baseline" && value === 0;
  return {
    name: `${of.side}.${metric}`,
    metric,
    side: of.side,
    part: null,
    value,
    missing: typeof value !== "number" || isZeroBase,
  };
}

/** The overall figures at the top, the parts below. */
function treeOf(tree: MetricsSet | Metrics): JsonObject {
  if (!("overall" in tree)) return { ...tree };
  return { ...tree.overall, byTask: tree.byTask, byCategory: tree.byCategory };
}

function valueIn(tree: JsonObject | null, path: readonly string[]): Json {
  let value: Json | undefined = tree;
  for (const part of path) {
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value ?? null;
}
