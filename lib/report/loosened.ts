/**
 * What lets more through than before, and who let a block pass all the same? Differences of gates
 * and lifted decisions in, lines of plain words out; escaped by the voice, in no place's markup.
 */
import type { Decision, Direction, GateChange } from "../model/gate.ts";
import type { Json } from "../model/json.ts";
import type { Report } from "../model/report.ts";
import type { Voice } from "./voice.ts";

/** `block`, or `block (overridden by 0123456789ab)`: the same in every locale. */
export function verdictText({ verdict, overridden }: Decision): string {
  const ids = (overridden ?? []).map(({ id }) => id);
  return ids.length === 0 ? verdict : `${verdict} (overridden by ${ids.join(", ")})`;
}

/** One line for each override that lifts the decision. */
export function liftedLines(
  { overridden }: Decision,
  { words, format, text, code }: Voice,
): string[] {
  return (overridden ?? []).map(({ id, by, until, reason }) =>
    words.ledger.lifted(
      code(id),
      text(by),
      until === null ? words.unknown : format.day(until),
      text(reason),
    )
  );
}

/** How many changes loosened the gate, empty where none did. */
export function loosenedTitle(report: Report, { words, format }: Voice): string {
  const { gateLoosened: changes = [] } = report;
  return changes.length === 0 ? "" : words.ledger.loosened(format, changes.length);
}

/** Each change that loosened the gate, at most `most`, and whose gate decided. */
export function loosenedLines(report: Report, voice: Voice, most: number): string[] {
  const { words, format } = voice;
  const { gateLoosened: changes = [], judgedBy } = report;
  const left = changes.length - most;
  return [
    ...changes.slice(0, most).map((each) => changeLine(each, voice)),
    ...(left > 0 ? [words.more(format, left)] : []),
    ...(judgedBy === undefined ? [] : [
      judgedBy.by === "base"
        ? words.ledger.judgedByBase(voice.code(judgedBy.ref), judgedBy.version)
        : words.ledger.judgedByOwn(voice.code(judgedBy.ref), judgedBy.version),
    ]),
  ];
}

/** One change: its place, what stood there and what stands there now. */
export function changeLine({ what, from, to }: GateChange, voice: Voice): string {
  const side = (value: Json) => {
    if (value === null) return voice.words.ledger.nothing;
    return typeof value === "string" ? voice.code(value) : voice.value(value);
  };
  return voice.words.ledger.change(voice.code(what), side(from), side(to));
}

/** The differences of two gates for a terminal, the looser ones first, ending with their sum. */
export function renderGateDiff(changes: readonly GateChange[], voice: Voice): string {
  const { words, format } = voice;
  if (changes.length === 0) return `${words.ledger.same}\n`;
  const order = ["looser", "tighter", "neutral"] as const;
  const of = (direction: Direction) => changes.filter((each) => each.direction === direction);
  const width = Math.max(...order.map((each) => words.ledger.directions[each].length));
  const lines = order.flatMap((direction) =>
    of(direction).map((each) =>
      `${words.ledger.directions[direction].padEnd(width)}  ${changeLine(each, voice)}`
    )
  );
  const count = {
    looser: of("looser").length,
    tighter: of("tighter").length,
    neutral: of("neutral").length,
  };
  return `${[...lines, words.ledger.sum(format, count)].join("\n")}\n`;
}
