/**
 * How is each `$function` called? Number of arguments and kind of answer: for the native functions
 * of every scope, checked when they run, and for JSONata's own, checked at load.
 */

/** What a function gives, as far as it is known before it runs. */
export type Returns = "boolean" | "number" | "text" | "list" | "any";

/** How a function is called: fewest and most arguments, and what comes back. */
export interface Signature {
  readonly min: number;
  readonly max: number;
  readonly returns: Returns;
}

function signature(min: number, max: number, returns: Returns): Signature {
  return { min, max, returns };
}

/** Functions of scenario expressions. */
export const RUN_SIGNATURES: Readonly<Record<string, Signature>> = {
  calls: signature(0, 2, "list"),
  done: signature(0, 2, "list"),
  writes: signature(0, 0, "list"),
  asks: signature(0, 1, "list"),
  user: signature(0, 1, "list"),
  commands: signature(1, 2, "list"),
  edits: signature(0, 1, "list"),
  since: signature(2, 2, "list"),
  found: signature(2, 2, "list"),
  paths: signature(2, 2, "list"),
  called: signature(1, 2, "boolean"),
  attempted: signature(1, 2, "boolean"),
  asked: signature(0, 1, "boolean"),
  before: signature(2, 2, "boolean"),
  after: signature(2, 2, "boolean"),
  says: signature(1, 1, "boolean"),
  changed: signature(1, 1, "boolean"),
  matches: signature(2, 2, "boolean"),
  subset: signature(2, 2, "boolean"),
  conserved: signature(1, 1, "boolean"),
  exit: signature(1, 1, "any"),
  value: signature(2, 2, "any"),
};

/** Functions of simulated tools. */
export const TOOL_SIGNATURES: Readonly<Record<string, Signature>> = {
  find: signature(1, 2, "list"),
  like: signature(1, 1, "any"),
  at: signature(1, 1, "any"),
  next: signature(2, 2, "text"),
  page: signature(3, 3, "list"),
  resolve: signature(1, 1, "any"),
};

/** Functions of gate rules. */
export const GATE_SIGNATURES: Readonly<Record<string, Signature>> = {
  drop: signature(1, 1, "any"),
  rise: signature(1, 1, "any"),
  significantDrop: signature(1, 2, "boolean"),
  atLeast: signature(2, 2, "boolean"),
  criticalHolds: signature(0, 0, "boolean"),
};

/** JSONata's own functions that every scope has. */
export const BUILT_IN_SIGNATURES: Readonly<Record<string, Signature>> = {
  abs: signature(0, 1, "number"),
  append: signature(2, 2, "any"),
  assert: signature(1, 2, "any"),
  average: signature(1, 1, "any"),
  base64decode: signature(0, 1, "text"),
  base64encode: signature(0, 1, "text"),
  boolean: signature(0, 1, "boolean"),
  ceil: signature(0, 1, "number"),
  contains: signature(1, 2, "boolean"),
  count: signature(1, 1, "number"),
  decodeUrl: signature(0, 1, "text"),
  decodeUrlComponent: signature(0, 1, "text"),
  distinct: signature(1, 1, "any"),
  each: signature(1, 2, "list"),
  encodeUrl: signature(0, 1, "text"),
  encodeUrlComponent: signature(0, 1, "text"),
  error: signature(0, 1, "any"),
  exists: signature(1, 1, "boolean"),
  filter: signature(2, 2, "any"),
  floor: signature(0, 1, "number"),
  formatBase: signature(0, 2, "text"),
  formatInteger: signature(1, 2, "text"),
  formatNumber: signature(1, 3, "text"),
  fromMillis: signature(0, 3, "text"),
  join: signature(1, 2, "text"),
  keys: signature(0, 1, "any"),
  length: signature(0, 1, "number"),
  lookup: signature(1, 2, "any"),
  lowercase: signature(0, 1, "text"),
  map: signature(2, 2, "any"),
  match: signature(1, 3, "any"),
  max: signature(1, 1, "any"),
  merge: signature(1, 1, "any"),
  min: signature(1, 1, "any"),
  not: signature(0, 1, "boolean"),
  number: signature(0, 1, "number"),
  pad: signature(1, 3, "text"),
  parseInteger: signature(1, 2, "number"),
  power: signature(1, 2, "number"),
  reduce: signature(2, 3, "any"),
  replace: signature(2, 4, "text"),
  reverse: signature(1, 1, "any"),
  round: signature(0, 2, "number"),
  sift: signature(1, 2, "any"),
  single: signature(1, 2, "any"),
  sort: signature(1, 2, "any"),
  split: signature(1, 3, "list"),
  spread: signature(0, 1, "any"),
  sqrt: signature(0, 1, "number"),
  string: signature(0, 2, "text"),
  substring: signature(1, 3, "text"),
  substringAfter: signature(1, 2, "text"),
  substringBefore: signature(1, 2, "text"),
  sum: signature(1, 1, "any"),
  toMillis: signature(0, 2, "number"),
  trim: signature(0, 1, "text"),
  type: signature(1, 1, "text"),
  uppercase: signature(0, 1, "text"),
  zip: signature(1, 20, "any"),
};

/** JSONata's functions that no expression may use, and why. */
export const REFUSED_FUNCTIONS: Readonly<Record<string, string>> = {
  now: "the outcome must not depend on the time of day",
  millis: "the outcome must not depend on the time of day",
  random: "the outcome must be the same every time",
  shuffle: "the outcome must be the same every time",
  eval: "an expression made at run time cannot be checked",
  clone: "nothing here is changed, so nothing needs a copy",
};
