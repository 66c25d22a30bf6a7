/**
 * Did the changes happen that the scenario asks for? In: the declared `changes` and the entries of
 * the difference. Out: which are met, which entries they explain, which entries are too many.
 */
import { decideExpression } from "../expression/compile.ts";
import { type PathPattern, relate, valueAt } from "../expression/paths.ts";
import { type PathParts } from "../model/state_path.ts";
import { entryScope } from "../expression/run_scope.ts";
import { equalJson, type Json } from "../model/json.ts";
import type { Change } from "../model/run.ts";
import type { Entry, Facts } from "./facts.ts";
import { describeRange, type Wanted } from "./plan.ts";

/** What became of one declared change. */
export interface WantedOutcome {
  readonly wanted: Wanted;
  readonly kind: "met" | "missing" | "too_many";
  /** Entries that it explains; where there are too many, all that were selected. */
  readonly selected: readonly Entry[];
  /** The value found at a path; words for a pattern. */
  readonly actual: Json;
}

/** Judges one declared change. */
export function judgeWanted(facts: Facts, wanted: Wanted): Promise<WantedOutcome> | WantedOutcome {
  return wanted.pattern.wild ? judgePattern(facts, wanted) : judgePlace(facts, wanted);
}

/** True where a pattern matches a path or something above it. */
export function covers(pattern: PathPattern, path: PathParts): boolean {
  const relation = relate(pattern, path);
  return relation === "exact" || relation === "below";
}

/** A literal explains its entries whatever their value, a `where` only where it is true. */
function judgePlace(facts: Facts, wanted: Wanted): Promise<WantedOutcome> | WantedOutcome {
  const { before, after } = facts.run.state;
  const value = valueAt(after, wanted.parts, facts.plan.keys) ?? null;
  const touched = facts.entries.filter(({ parts }) => covers(wanted.pattern, parts));
  if (wanted.where === null) {
    const kind = equalJson(value, wanted.value) ? "met" : "missing";
    return { wanted, kind, selected: touched, actual: value };
  }
  const was = valueAt(before, wanted.parts, facts.plan.keys) ?? null;
  return holds(facts, wanted.where, { value, was, path: wanted.text }).then((held) => {
    const kind = countKind(held ? 1 : 0, wanted);
    return { wanted, kind, selected: held ? touched : [], actual: value };
  });
}

async function judgePattern(facts: Facts, wanted: Wanted): Promise<WantedOutcome> {
  const selected: Entry[] = [];
  for (const entry of facts.entries) {
    if (covers(wanted.pattern, entry.parts) && await selects(facts, wanted, entry.change)) {
      selected.push(entry);
    }
  }
  const actual = `${selected.length} of the changed entries fit, wanted ` +
    describeRange(wanted.range);
  return { wanted, kind: countKind(selected.length, wanted), selected, actual };
}

function selects(facts: Facts, wanted: Wanted, entry: Change): Promise<boolean> | boolean {
  const value = entry.after ?? null;
  if (wanted.where === null) return equalJson(value, wanted.value);
  return holds(facts, wanted.where, { value, was: entry.before ?? null, path: entry.path });
}

/** True only where the expression is `true`; anything else selects nothing. */
async function holds(
  facts: Facts,
  where: string,
  entry: { readonly value: Json; readonly was: Json; readonly path: string },
): Promise<boolean> {
  const decided = await decideExpression(where, entryScope(facts.scope(), entry));
  return decided.kind === "decided" && decided.value;
}

function countKind(count: number, { range }: Wanted): WantedOutcome["kind"] {
  if (count < range.min) return "missing";
  return count > range.max ? "too_many" : "met";
}
