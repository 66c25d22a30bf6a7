/**
 * What does another recording of a scenario do otherwise? Two recordings in; short lines out, `-` for a
 * turn of the old one, `+` for one of the new. What people read counts: what was said and called; where
 * that is the same, answers of tools, the system prompt, the tools and the model.
 */
import type { RecordedTurn, Recording } from "../model/recording.ts";
import { escapeTerminal } from "./escape.ts";
import { shortJson } from "./short_json.ts";

/** One turn that only one of the two has; the places are from 1. */
export interface TurnDifference {
  readonly sign: "-" | "+";
  readonly turn: number;
  readonly text: string;
}

/** Facts of a recording that are not its turns. */
export type OtherFact = "model" | "system" | "tools" | "answers" | "agent";

/** What is other in the new recording. */
export interface RecordingDifference {
  readonly turns: readonly TurnDifference[];
  readonly facts: readonly OtherFact[];
}

const ARGS_MAX = 120;
const WORDS_MAX = 160;

/** Compares two recordings; user turns count only where both have them: by hand they may be left out. */
export function recordingDifference(old: Recording, now: Recording): RecordingDifference {
  const users = [old, now].every(({ turns }) => turns.some((turn) => "user" in turn));
  const [a, b] = [shownTurns(old, users), shownTurns(now, users)];
  const turns = lineDifference(a, b);
  const facts = (["agent", "model", "system", "tools"] as const)
    .filter((name) => old[name] !== undefined && old[name] !== now[name]);
  const then = digests(now);
  const answers = turns.length === 0 &&
    digests(old).some((digest, call) =>
      digest !== undefined && then[call] !== undefined && digest !== then[call]
    );
  return { turns, facts: answers ? [...facts, "answers"] : facts };
}

interface ShownTurn {
  readonly turn: number;
  readonly text: string;
}

function shownTurns({ turns }: Recording, users: boolean): ShownTurn[] {
  return turns.flatMap((turn, index) =>
    "user" in turn && !users ? [] : [{ turn: index + 1, text: turnText(turn) }]
  );
}

function turnText(turn: RecordedTurn): string {
  if ("user" in turn) return `user: ${escapeTerminal(JSON.stringify(turn.user), WORDS_MAX)}`;
  if ("notice" in turn) return `notice: ${escapeTerminal(turn.notice, WORDS_MAX)}`;
  const said = turn.say === undefined || (turn.say === "" && turn.calls !== undefined)
    ? []
    : [`say ${escapeTerminal(JSON.stringify(turn.say), WORDS_MAX)}`];
  const made = (turn.calls ?? []).map(({ tool, args }) =>
    escapeTerminal(`${tool}(${shortJson(args, ARGS_MAX)})`, WORDS_MAX)
  );
  return [...said, ...made].join(", ");
}

/** Of each call in its order; an answer without a digest is not compared. */
function digests({ turns }: Recording): (string | undefined)[] {
  return turns.flatMap((turn) => "calls" in turn ? turn.calls ?? [] : [])
    .map(({ digest }) => digest);
}

/** The fewest turns to take out and to put in, in their order. */
function lineDifference(a: readonly ShownTurn[], b: readonly ShownTurn[]): TurnDifference[] {
  const lengths = commonLengths(a, b);
  const found: TurnDifference[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && right !== undefined && left.text === right.text) {
      i++;
      j++;
    } else if (
      left !== undefined &&
      (right === undefined || at(lengths, i + 1, j) >= at(lengths, i, j + 1))
    ) {
      found.push({ sign: "-", ...left });
      i++;
    } else if (right !== undefined) {
      found.push({ sign: "+", ...right });
      j++;
    }
  }
  return found;
}

/** Of every pair of rests, how many turns they have in common in their order. */
function commonLengths(a: readonly ShownTurn[], b: readonly ShownTurn[]): number[][] {
  const lengths = Array.from(
    { length: a.length + 1 },
    () => new Array<number>(b.length + 1).fill(0),
  );
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row === undefined) continue;
      row[j] = a[i]?.text === b[j]?.text
        ? at(lengths, i + 1, j + 1) + 1
        : Math.max(at(lengths, i + 1, j), at(lengths, i, j + 1));
    }
  }
  return lengths;
}

function at(lengths: readonly (readonly number[])[], i: number, j: number): number {
  return lengths[i]?.[j] ?? 0;
}
