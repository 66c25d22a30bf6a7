/**
 * What do JSONata's operators make of plain values? The rules that direct evaluation needs, with
 * JSONata's meaning: truth, equality, order, arithmetic, a few functions. Whatever JSONata would
 * treat in a special way or refuse is `Unsure`: then JSONata itself evaluates the expression.
 */

/** Thrown where direct evaluation leaves the expression to JSONata. */
export class Unsure extends Error {
  override readonly name = "Unsure";
}

/** Leaves the expression to JSONata. */
export function unsure(): never {
  throw new Unsure();
}

/** A list that JSONata counts as a sequence: empty it is nothing, single it is its item. */
export function isSequence(value: unknown): value is unknown[] {
  return Array.isArray(value) && "sequence" in value && value.sequence === true;
}

/** An empty sequence. */
export function newSequence(): unknown[] {
  return Object.assign([] as unknown[], { sequence: true });
}

/** What a sequence comes to at the end of an evaluation. */
export function collapse(value: unknown): unknown {
  if (!isSequence(value) || value.length > 1) return value;
  return value[0];
}

/** True where JSONata casts the value to true; undefined and functions are left to it. */
export function truth(value: unknown): boolean {
  switch (typeof value) {
    case "boolean":
      return value;
    case "string":
      return value.length > 0;
    case "number":
      return Number.isFinite(value) ? value !== 0 : unsure();
    case "undefined":
      return false;
    case "object":
      if (value === null) return false;
      if (Array.isArray(value)) return value.some(truth);
      return Object.keys(value).length > 0;
    default:
      return unsure();
  }
}

/** Deep equality; false where either side is nothing. */
export function equal(a: unknown, b: unknown): boolean {
  if (a === undefined || b === undefined) return false;
  return deepEqual(a, b);
}

function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return unsure();
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, i) => deepEqual(item, b[i]));
  }
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && deepEqual(left[key], right[key]));
}

/** `< <= > >=` of two numbers or two texts; nothing where either side is nothing. */
export function compare(operator: string, a: unknown, b: unknown): boolean | undefined {
  if (!isComparable(a) || !isComparable(b)) return unsure();
  if (a === undefined || b === undefined) return undefined;
  if (typeof a !== typeof b) return unsure();
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}

function isComparable(value: unknown): value is string | number | undefined {
  return value === undefined || typeof value === "string" || typeof value === "number";
}

/** `+ - * / %` of finite numbers; nothing where either side is nothing. */
export function calculate(operator: string, a: unknown, b: unknown): number | undefined {
  if (!isAmount(a) || !isAmount(b)) return unsure();
  if (a === undefined || b === undefined) return undefined;
  const result = operator === "+"
    ? a + b
    : operator === "-"
    ? a - b
    : operator === "*"
    ? a * b
    : operator === "/"
    ? a / b
    : a % b;
  return Number.isFinite(result) ? result : unsure();
}

function isAmount(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === "number" && Number.isFinite(value));
}

/** `&` of two texts, nothing being the empty text. */
export function join(a: unknown, b: unknown): string {
  const [left, right] = [a ?? "", b ?? ""];
  if (typeof left !== "string" || typeof right !== "string" || a === null || b === null) {
    return unsure();
  }
  return left + right;
}

/** `in`: one of the list is the value itself. */
export function isIn(value: unknown, list: unknown): boolean {
  if (value === undefined || list === undefined) return false;
  return Array.isArray(list) ? list.includes(value) : list === value;
}

function textOrNothing(value: unknown): string | undefined {
  return value === undefined || typeof value === "string" ? value : unsure();
}

/** JSONata's own functions that are evaluated directly, with the number of arguments that they take here. */
export const DIRECT_FUNCTIONS: Readonly<
  Record<string, { readonly count: number; readonly call: (...args: unknown[]) => unknown }>
> = {
  count: {
    count: 1,
    call: (list) => {
      if (list === undefined) return 0;
      if (typeof list === "function") return unsure();
      return Array.isArray(list) ? list.length : 1;
    },
  },
  exists: { count: 1, call: (value) => value !== undefined },
  not: { count: 1, call: (value) => value === undefined ? undefined : !truth(value) },
  boolean: { count: 1, call: (value) => value === undefined ? undefined : truth(value) },
  contains: {
    count: 2,
    call: (text, part) => {
      const [whole, searched] = [textOrNothing(text), textOrNothing(part)];
      return whole === undefined || searched === undefined ? undefined : whole.includes(searched);
    },
  },
  lowercase: { count: 1, call: (text) => textOrNothing(text)?.toLowerCase() },
  uppercase: { count: 1, call: (text) => textOrNothing(text)?.toUpperCase() },
  length: {
    count: 1,
    call: (text) => {
      const whole = textOrNothing(text);
      return whole === undefined ? undefined : Array.from(whole).length;
    },
  },
};
