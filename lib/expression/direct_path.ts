/**
 * How does a path walk through plain values? Steps over every item, lists flattened into the next
 * step, predicates by truth or by position, with JSONata's meaning. Doubtful values are `Unsure`.
 */
import { isSequence, newSequence, truth, unsure } from "./direct_values.ts";

/** One evaluation: steps left until it is given to JSONata, which has a time limit. */
export interface Budget {
  left: number;
}

/** Counts steps; leaves the expression to JSONata where too many were taken. */
export function spend(budget: Budget, steps: number): void {
  budget.left -= steps;
  if (budget.left < 0) unsure();
}

/** What is evaluated at an item of the context. */
export type PartOf<Run> = (run: Run, here: unknown) => unknown;
/** A predicate in `[ ]`. */
export type Filter<Run> = (run: Run, value: unknown) => unknown;

/** One step of a path. */
export interface Step<Run> {
  readonly part: PartOf<Run>;
  readonly filters: readonly Filter<Run>[];
}

/** A look-up of an own field; a list is left to the path. */
export function fieldPart<Run>(name: string): PartOf<Run> {
  return (_run, here) => Array.isArray(here) ? unsure() : fieldOf(here, name);
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** A path of any steps; one that begins with a variable takes a list as one item. */
export function stepsPart<Run extends Budget>(
  steps: readonly Step<Run>[],
  startsWithVariable: boolean,
): PartOf<Run> {
  return (run, here) =>
    takeSteps(run, steps, Array.isArray(here) && !startsWithVariable ? here : [here]);
}

/** A path of names alone: as long as no list is met, each is a look-up. */
export function namesPart<Run extends Budget>(names: readonly string[]): PartOf<Run> {
  const steps = names.map((name): Step<Run> => ({ part: fieldPart(name), filters: [] }));
  return (run, here) => {
    let value = here;
    for (let i = 0; i < names.length; i++) {
      if (Array.isArray(value)) {
        return value.length === 0 ? undefined : takeSteps(run, steps.slice(i), value);
      }
      value = fieldOf(value, names[i] ?? "");
      if (value === undefined) return undefined;
    }
    return value;
  };
}

function takeSteps<Run extends Budget>(
  run: Run,
  steps: readonly Step<Run>[],
  start: unknown[],
): unknown[] {
  let items = start;
  for (const [i, step] of steps.entries()) {
    items = takeStep(run, step, { items, isLast: i === steps.length - 1 });
    if (items.length === 0) break;
  }
  return items;
}

function takeStep<Run extends Budget>(
  run: Run,
  step: Step<Run>,
  { items, isLast }: { readonly items: readonly unknown[]; readonly isLast: boolean },
): unknown[] {
  spend(run, items.length + 1);
  const values: unknown[] = [];
  for (const item of items) {
    let value = step.part(run, item);
    for (const filter of step.filters) value = filter(run, value);
    if (value !== undefined) values.push(value);
  }
  const [only] = values;
  if (isLast && values.length === 1 && Array.isArray(only) && !isSequence(only)) return only;
  const flat = newSequence();
  for (const value of values) {
    if (!Array.isArray(value)) flat.push(value);
    else for (const item of value) flat.push(item);
  }
  return flat;
}

/** `[n]`: the item at a position, from the end where negative. */
export function indexFilter<Run>(position: number): Filter<Run> {
  const index = Math.floor(position);
  return (_run, value) => {
    const items = Array.isArray(value) ? value : [value];
    const item: unknown = items[index < 0 ? items.length + index : index];
    if (Array.isArray(item)) return item;
    const found = newSequence();
    if (item !== undefined) found.push(item);
    return found;
  };
}

/** `[condition]`: the items for which it is true, or whose position it is. */
export function conditionFilter<Run extends Budget>(part: PartOf<Run>): Filter<Run> {
  return (run, value) => {
    const items: unknown[] = Array.isArray(value) ? value : [value];
    spend(run, items.length + 1);
    const kept = newSequence();
    for (const [i, item] of items.entries()) {
      if (isKept(part(run, item), i, items.length)) kept.push(item);
    }
    return kept;
  };
}

function isKept(answer: unknown, at: number, count: number): boolean {
  if (typeof answer !== "number") return Array.isArray(answer) ? unsure() : truth(answer);
  if (!Number.isFinite(answer)) return unsure();
  const index = Math.floor(answer);
  return at === (index < 0 ? count + index : index);
}
