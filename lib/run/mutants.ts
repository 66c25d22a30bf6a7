/**
 * How could an agent have got this wrong? Mutants of a passing run, made mechanically and the same
 * each time: a call less, two swapped, another argument, a write twice or too early, a forbidden
 * attempt, a write that nobody asked for, no confirmation, a last text that says the opposite or
 * nothing. In: a scenario and what its agent said and called in a run that passed. Out: scripts.
 */
import { hashJson } from "../model/hash.ts";
import type { Json, State } from "../model/json.ts";
import type { LoadedScenario } from "../model/loaded.ts";
import type { Mutant, Mutation, MutationKind, Script } from "../model/mutation.ts";
import type { Run } from "../model/run.ts";
import { forbiddenAttempts, unrelatedWrites } from "./mutants_added.ts";
import { changedCalls } from "./mutants_argument.ts";
import {
  droppedCalls,
  earlyWrites,
  repeatedWrites,
  swappedCalls,
  unconfirmedWrites,
} from "./mutants_order.ts";
import { chosen, seededNumbers } from "./seeded.ts";
import { endOf, lastWords } from "./script.ts";

/** A run that passed: its recording's name, what its agent said and called, the world after. */
export interface PassingRun {
  readonly recording: string;
  readonly script: Script;
  readonly after: State;
  /** Calls, counted from 1, that a tool refused by itself: what they say differs in nothing. */
  readonly refused: ReadonlySet<number>;
}

/** A passing run from what was overheard and what came of it. */
export function passingRun(recording: string, script: Script, run: Run): PassingRun {
  const calls = run.events.filter((event) => event.kind === "call");
  const refused = calls.flatMap(({ status, fault }, i) =>
    status === "error" && fault === undefined ? [i + 1] : []
  );
  return { recording, script, after: run.state.after, refused: new Set(refused) };
}

/** How mutants are made. */
export interface MutantOptions {
  /** Wrong values of one argument. */
  readonly valuesMax: number;
  /** Unasked writes with one tool. */
  readonly writesMax: number;
  /** False: only other arguments and unasked writes, to reach a number of mutants. */
  readonly allKinds: boolean;
  readonly words: MutantWords;
}

/** Texts that mutants say, in the language of the agent. */
export interface MutantWords {
  readonly claim: string;
  readonly denial: string;
  /** Fits no request. */
  readonly other: string;
}

/** A mutation with its script, before it is known from which recording it comes. */
export type Made = { readonly mutation: Mutation; readonly script: Script };

/** Most mutants of one kind from one recording. */
const KIND_MAX: Readonly<Record<MutationKind, number>> = {
  drop_call: 12,
  swap_calls: 8,
  change_argument: 30,
  repeat_write: 6,
  early_write: 6,
  forbidden_attempt: 12,
  unrelated_write: 10,
  no_confirmation: 4,
  final_text: 2,
};

/** All mutants of a passing run, no two with the same script. */
export async function mutantsOf(
  loaded: LoadedScenario,
  passing: PassingRun,
  options: MutantOptions,
): Promise<Mutant[]> {
  const { script, recording } = passing;
  const seed = `${loaded.scenario.id}/${recording}`;
  const changed = changedCalls(loaded, script, {
    valuesMax: options.valuesMax,
    numbers: seededNumbers(`${seed}/values`),
    otherText: options.words.other,
  });
  const unrelated = await unrelatedWrites(loaded, passing, options.writesMax);
  const made: readonly Made[] = options.allKinds
    ? [
      ...droppedCalls(script),
      ...swappedCalls(script),
      ...changed,
      ...repeatedWrites(loaded, script),
      ...earlyWrites(loaded, script),
      ...unconfirmedWrites(loaded, script),
      ...forbiddenAttempts(loaded, passing),
      ...unrelated,
      ...finalTexts(loaded, script, options.words),
    ]
    : [...unrelated, ...changed];
  const telling = made.filter(({ mutation }) => !concernsRefused(mutation, passing));
  const limited = options.allKinds ? byKind(telling, seed) : telling;
  return distinct(limited, script).map((one) => ({ ...one, recording }));
}

/** A call that the tool refused in a run that passed may as well be left out or refused otherwise. */
function concernsRefused(mutation: Mutation, { refused }: PassingRun): boolean {
  if (mutation.kind === "swap_calls") {
    return refused.has(mutation.call.nth) || refused.has(mutation.other.nth);
  }
  return mutation.kind !== "final_text" && refused.has(mutation.call.nth);
}

function byKind(made: readonly Made[], seed: string): Made[] {
  return (Object.keys(KIND_MAX) as MutationKind[]).flatMap((kind) =>
    chosen(
      made.filter(({ mutation }) => mutation.kind === kind),
      KIND_MAX[kind],
      seededNumbers(`${seed}/${kind}`),
    )
  );
}

function distinct(made: readonly Made[], original: Script): Made[] {
  const seen = new Set([scriptHash(original)]);
  return made.filter(({ script }) => {
    const hash = scriptHash(script);
    return seen.has(hash) ? false : (seen.add(hash), true);
  });
}

function scriptHash(script: Script): string {
  return hashJson(script as unknown as Json);
}

/** The last words replaced; a run that ends with a call has none. */
function finalTexts(loaded: LoadedScenario, script: Script, words: MutantWords): Made[] {
  const end = endOf(script);
  if (end === script.length) return [];
  const { outcome } = loaded.scenario.expected;
  const done = outcome === "success" || outcome === "handed_over";
  const saying = (say: string): Script => script.with(end, { say, calls: [] });
  const text = lastWords(script);
  return [
    {
      mutation: { kind: "final_text", how: "opposite", text },
      script: saying(done ? words.denial : words.claim),
    },
    { mutation: { kind: "final_text", how: "empty", text }, script: saying("") },
  ];
}
