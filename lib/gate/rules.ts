/**
 * What does one rule say? A rule and the input of the decision in; its reasons out, one for each
 * group where it failed, lacks a value, could not be decided or was not judged. A rule that holds
 * gives none. A rule of another stage than `offline` is not judged here.
 */
import { decideExpression } from "../expression/compile.ts";
import { gateReferences, gateScope } from "../expression/gate_scope.ts";
import type { DecisionVerdict, GateRule, Reason } from "../model/gate.ts";
import type { Json, JsonObject } from "../model/json.ts";
import type { Metrics, MetricsSet, Score } from "../model/metrics.ts";
import { concernedScenarios, isOnlyUngraded } from "./concerned.ts";
import {
  type Asked,
  figuresOfEvidence,
  levelOfDoubt,
  levelOfFailure,
  scenariosOf,
} from "./evidence.ts";
import { type GateInput, newReason } from "./input.ts";
import {
  type Figures,
  isRelative,
  type NeededValue,
  neededValues,
  type References,
} from "./needs.ts";

type By = "task" | "category";

/** One rule in one group (`null`: over everything). */
interface Judged {
  readonly rule: GateRule;
  readonly input: GateInput;
  readonly references: References;
  readonly group: { readonly by: By; readonly name: string } | null;
}

const PART = { task: "byTask", category: "byCategory" } as const;

/** Reasons of one rule, in the order of its groups. */
export async function judgeRule(rule: GateRule, input: GateInput): Promise<Reason[]> {
  if (rule.stage !== "offline") return [];
  const references = gateReferences(rule.require);
  if (isRelative(references) && input.relative !== "judged") {
    return [ruleReason({ rule, input, references, group: null }, "rule_not_judged", {
      level: levelWithoutBaseline(input),
      actual: input.relative,
    })];
  }
  const reasons: Reason[] = [];
  for (const group of groupsOf(rule, input)) {
    const reason = await judgeGroup({ rule, input, references, group });
    if (reason !== null) reasons.push(reason);
  }
  return reasons;
}

/**
 * What an absent baseline alone makes of the decision: a self-test needs none. A baseline of which
 * nothing is equal any more is not absent: what could be compared was not.
 */
export function levelWithoutBaseline(input: GateInput): DecisionVerdict {
  if (input.relative === "no_equals") return "not_enough_evidence";
  return input.evidence === "self_test" ? "pass" : "not_enough_evidence";
}

function groupsOf(rule: GateRule, input: GateInput): Judged["group"][] {
  const by = rule.for_each;
  if (by === undefined) return [null];
  const present = Object.keys(input.candidate[PART[by]]);
  const wanted = input.partial
    ? present
    : [...present, ...groupsGone(by, input), ...(rule.only ?? [])];
  const names = [...new Set(wanted)].sort();
  return names.filter((name) => rule.only === undefined || rule.only.includes(name))
    .map((name) => ({ by, name }));
}

/** Groups of the baseline that a full run no longer has. */
function groupsGone(by: By, input: GateInput): string[] {
  if (input.relative !== "judged") return [];
  const present = input.candidate[PART[by]];
  const known = Object.keys(input.baseline?.[PART[by]] ?? {});
  const named = by === "task" ? input.removedTasks : [];
  return [...known, ...named].filter((name) => !Object.hasOwn(present, name));
}

async function judgeGroup(judged: Judged): Promise<Reason | null> {
  const { rule, input, references, group } = judged;
  const figures = figuresOf(judged);
  if (group !== null && figures.candidate === null) {
    return missingReason(judged, { [`candidate.${PART[group.by]}.${group.name}`]: null });
  }
  if (group !== null && isRelative(references) && isNew(figures)) {
    return ruleReason(judged, "rule_not_judged", { level: "pass", actual: "new" });
  }
  const needed = neededValues(references, figures);
  const lacking = needed.filter((value) => value.missing);
  if (lacking.length > 0) {
    const ungraded = lacking.every((value) => isUngraded(value, { judged, figures }));
    return ungraded
      ? ruleReason(judged, "rule_undecided", {
        level: "not_enough_evidence",
        actual: valuesOf(needed),
      })
      : missingReason(judged, valuesOf(needed));
  }
  const decided = await decideExpression(
    rule.require,
    gateScope({
      candidate: input.candidate,
      baseline: input.baseline,
      equals: input.equals,
      group,
      ledger: input.ledger,
      statistics: input.statistics ?? null,
    }),
  );
  const asked: Asked = { references, statistics: input.statistics ?? null, group };
  if (decided.kind === "undecided") {
    return ruleReason(judged, "rule_undecided", { level: "error", actual: decided.why });
  }
  if (decided.value) return doubtReason(judged, asked);
  const concerned = concernedScenarios(metricsOf(references), scoresOf(judged));
  return ruleReason(judged, "rule_failed", {
    level: levelOfFailure(rule.level, asked, input.mode !== "replay"),
    actual: { ...valuesOf(needed), ...figuresOfEvidence(asked) },
    scenarios: [...new Set([...scenariosOf(asked), ...concerned])],
  });
}

/** A rule that holds, and what its evidence says all the same; null where that is nothing. */
function doubtReason(judged: Judged, asked: Asked): Reason | null {
  const level = levelOfDoubt(asked);
  if (level === "pass") return null;
  const concerned = concernedScenarios(metricsOf(judged.references), scoresOf(judged));
  return ruleReason(judged, "rule_evidence", {
    level,
    actual: figuresOfEvidence(asked),
    scenarios: level === "warn" ? [...new Set([...scenariosOf(asked), ...concerned])] : [],
  });
}

function figuresOf({ input, group }: Judged): Figures {
  const equals = input.equals;
  if (group === null) {
    return {
      candidate: input.candidate,
      baseline: input.baseline,
      equals: equals && {
        candidate: equals.candidate.overall,
        baseline: equals.baseline.overall,
      },
    };
  }
  const part = (set: MetricsSet | null | undefined): Metrics | null => {
    const parts = set?.[PART[group.by]] ?? {};
    return Object.hasOwn(parts, group.name) ? parts[group.name] ?? null : null;
  };
  return {
    candidate: part(input.candidate),
    baseline: part(input.baseline),
    equals: equals && { candidate: part(equals.candidate), baseline: part(equals.baseline) },
  };
}

/** A group without a scenario of equal hash has nothing that it could be compared with. */
function isNew(figures: Figures): boolean {
  return figures.equals === null || figures.equals.candidate === null;
}

/** True where nothing but stale, errored or skipped runs stands behind an absent value. */
function isUngraded(
  value: NeededValue,
  context: { readonly judged: Judged; readonly figures: Figures },
): boolean {
  const { judged, figures } = context;
  if (isOnlyUngraded(value.metric, partScores(scoresOf(judged), value.part))) return true;
  if (value.value !== null || value.side === "candidate") return false;
  const { equals } = figures;
  return equals?.baseline?.scenarios === 0 && equals.candidate?.scenarios === 0;
}

function scoresOf({ input, group }: Judged): readonly Score[] {
  const stable = input.scores.filter((score) => score.lifecycle === "stable");
  return group === null ? stable : stable.filter((score) => score[group.by] === group.name);
}

function partScores(scores: readonly Score[], part: NeededValue["part"]): readonly Score[] {
  if (part === null) return scores;
  const [by, name] = part;
  return scores.filter((score) => (by === "byTask" ? score.task : score.category) === name);
}

function metricsOf(references: References): string[] {
  const read = references.reads.filter(({ root }) => root === "candidate" || root === "baseline");
  return [
    ...read.map(({ path }) => path.at(-1) ?? ""),
    ...references.drops,
    ...references.rises,
    ...references.tests.map(({ metric }) => metric),
    ...references.floors.map(({ metric }) => metric),
  ];
}

/** By name, in the order of need; of two of one name the first stands: what is read outright. */
function valuesOf(needed: readonly NeededValue[]): JsonObject {
  const values = new Map<string, Json>();
  for (const { name, value } of needed) {
    if (!values.has(name)) values.set(name, value);
  }
  return Object.fromEntries(values);
}

function missingReason(judged: Judged, actual: JsonObject): Reason {
  const policy = judged.rule.missing ?? judged.rule.level;
  const level = policy === "skip" ? "pass" : policy;
  return ruleReason(judged, "rule_missing", { level, actual });
}

function ruleReason(
  { rule, group }: Judged,
  kind: Reason["kind"],
  rest: {
    readonly level: DecisionVerdict;
    readonly actual: Json;
    readonly scenarios?: readonly string[];
  },
): Reason {
  return newReason(kind, rest.level, {
    rule: rule.id,
    group: group?.name ?? null,
    expected: rule.require,
    actual: rest.actual,
    scenarios: [...(rest.scenarios ?? [])],
    because: rule.because ?? null,
    overridable: rule.override === "allowed",
  });
}
