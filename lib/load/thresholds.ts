/**
 * Can a gate's comparison fail, and can it hold? In: a rule's expression, taken apart at `and`.
 * Metrics have known ranges, so that `taskSuccess >= 0` always holds and `taskSuccess >= 95` never.
 */
import type { MetricName } from "../model/metrics.ts";
import { METRIC_NAMES } from "../model/metric_names.ts";
import type { Finding } from "./source.ts";

const RATES: ReadonlySet<string> = new Set<MetricName>([
  "taskSuccess",
  "stepScore",
  "humanIntervention",
  "correctRefusals",
]);

interface Range {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

type Operator = ">=" | ">" | "<=" | "<" | "=" | "!=";

const FLIPPED: Readonly<Record<Operator, Operator>> = {
  ">=": "<=",
  ">": "<",
  "<=": ">=",
  "<": ">",
  "=": "=",
  "!=": "!=",
};

const NUMBER = String.raw`(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`;
const OPERATOR = "(>=|<=|!=|>|<|=)";
const LEFT = new RegExp(`^(.+?)\\s*${OPERATOR}\\s*${NUMBER}$`);
const RIGHT = new RegExp(`^${NUMBER}\\s*${OPERATOR}\\s*(.+)$`);

const BARE_DROP = /^\$significantDrop\([^()]*\)$/;

/** The comparisons of one expression. */
export class Thresholds {
  constructor(readonly expression: string) {}

  /** One finding for each comparison that always or never holds, and each drop that is wanted. */
  findings(): Finding[] {
    return this.expression.split(/\s+and\s+/).flatMap((part) => {
      const text = part.trim().replace(/^\((.*)\)$/s, "$1").trim();
      const finding = BARE_DROP.test(text) ? dropWanted(text) : judge(text);
      return finding === null ? [] : [finding];
    });
  }
}

function judge(text: string): Finding | null {
  const left = LEFT.exec(text);
  const right = left === null ? RIGHT.exec(text) : null;
  const measured = (left?.[1] ?? right?.[3] ?? "").trim();
  const limit = Number(left?.[3] ?? right?.[1]);
  const written = (left?.[2] ?? right?.[2]) as Operator | undefined;
  const range = rangeOf(measured);
  if (range === null || written === undefined) return null;
  const operator = left === null ? FLIPPED[written] : written;
  if (alwaysHolds(range, operator, limit)) return vacuous(text, range);
  return neverHolds(range, operator, limit) ? impossible(text, range, limit) : null;
}

function rangeOf(text: string): Range | null {
  const metric = /^(?:candidate|baseline)(?:\.by(?:Task|Category)\.[\w`]+)?\.(\w+)$/.exec(text);
  const name = metric?.[1];
  if (name !== undefined && (METRIC_NAMES as readonly string[]).includes(name)) {
    return { name, from: 0, to: RATES.has(name) ? 1 : Infinity };
  }
  const drop = /^\$drop\(\s*['"](\w+)['"]\s*\)$/.exec(text)?.[1];
  if (drop !== undefined) return { name: `$drop('${drop}')`, from: -1, to: 1 };
  const rise = /^\$rise\(\s*['"](\w+)['"]\s*\)$/.exec(text)?.[1];
  return rise === undefined ? null : { name: `$rise('${rise}')`, from: -1, to: Infinity };
}

function alwaysHolds({ from, to }: Range, operator: Operator, limit: number): boolean {
  if (operator === ">=") return limit <= from;
  if (operator === ">") return limit < from;
  if (operator === "<=") return limit >= to;
  if (operator === "<") return limit > to;
  return operator === "!=" && (limit < from || limit > to);
}

function neverHolds({ from, to }: Range, operator: Operator, limit: number): boolean {
  if (operator === ">=") return limit > to;
  if (operator === ">") return limit >= to;
  if (operator === "<=") return limit < from;
  if (operator === "<") return limit <= from;
  return operator === "=" && (limit < from || limit > to);
}

function span({ from, to }: Range): string {
  return to === Infinity ? `never below ${from}` : `between ${from} and ${to}`;
}

/** A rule must be true, so that this one would hold only where the metric fell. */
function dropWanted(text: string): Finding {
  return {
    code: "rule-wants-drop",
    what: `\`${text}\` holds only where the metric fell, and a rule must hold`,
    fix: `write \`$not(${text})\``,
  };
}

function vacuous(text: string, range: Range): Finding {
  return {
    code: "rule-never-fails",
    what: `\`${text}\` always holds: ${range.name} is ${span(range)}`,
    fix: "write a limit that can be missed, such as 0.95 for a rate",
  };
}

function impossible(text: string, range: Range, limit: number): Finding {
  const percent = range.to === 1 && limit > 1 && limit <= 100;
  return {
    code: "rule-never-holds",
    what: `\`${text}\` can never hold: ${range.name} is ${span(range)}`,
    fix: percent ? `write ${limit / 100} for ${limit} %` : "write a limit that can be reached",
  };
}
