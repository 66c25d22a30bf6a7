/**
 * Where in a recording does this conversation stand? Walks the recorded turns along what was said
 * and done so far; nothing is remembered from one request to the next. Out: the place, or the first
 * difference in words.
 */
import { isObject } from "../model/json.ts";
import type { ModelMessage } from "../model/ports.ts";
import type { AssistantTurn, RecordedTurn, Recording } from "../model/recording.ts";
import type { ToolSet } from "../model/tool.ts";
import { digestAnswer, normaliseArgs, normaliseSpeech, normaliseText } from "./normalise.ts";

/** What a walk needs besides the messages. */
export interface WalkedRecording {
  readonly name: string;
  readonly recording: Recording;
  /** All tools of the scenario: which of them ask the user. */
  readonly tools: ToolSet;
}

/** The place after the messages: the next recorded turn, notices before it; or the difference. */
export type Walk =
  | {
    readonly kind: "place";
    /** Index of the next recorded turn that fits, `turns.length` at the end. */
    readonly next: number;
    readonly notices: readonly string[];
  }
  | { readonly kind: "differs"; readonly why: string };

type Assistant = ModelMessage & { readonly role: "assistant" };
type Answer = ModelMessage & { readonly role: "tool" };

interface Place {
  next: number;
  notices: string[];
  /** How the last call of each tool ended. */
  readonly statuses: Map<string, string>;
  /** The recorded calls that answers are still to come for, in order. */
  awaited: NonNullable<AssistantTurn["calls"]> | readonly [];
}

/** Walks the recording along the messages. */
export function walkRecording(walked: WalkedRecording, messages: readonly ModelMessage[]): Walk {
  const place: Place = { next: 0, notices: [], statuses: new Map(), awaited: [] };
  for (const message of messages) {
    const why = step(walked, place, message);
    if (why !== null) return { kind: "differs", why };
  }
  passOver(walked.recording.turns, place);
  return { kind: "place", next: place.next, notices: place.notices };
}

/** Where a turn stands, for people: `turn 3 of recording "pass"`. */
export function turnWords({ name }: WalkedRecording, index: number): string {
  return `turn ${index + 1} of recording "${name}"`;
}

/** What a recorded turn expects, for people. */
export function expectedWords(turn: RecordedTurn | undefined): string {
  if (turn === undefined) return "nothing more";
  if ("user" in turn) return `the user to say ${quoted(turn.user)}`;
  if ("notice" in turn) return `the notice ${quoted(turn.notice)}`;
  return `the agent to ${deedWords(turn.say ?? "", turn.calls ?? [])}`;
}

function step(walked: WalkedRecording, place: Place, message: ModelMessage): string | null {
  if (message.role === "user") return hearUser(walked, place, message.text);
  if (message.role === "assistant") return hearAssistant(walked, place, message);
  return message.role === "tool" ? hearTool(walked, place, message) : null;
}

/** Passes over turns that another outcome would have needed, and gathers notices on the way. */
function passOver(turns: readonly RecordedTurn[], place: Place): RecordedTurn | undefined {
  for (;; place.next++) {
    const turn = turns[place.next];
    if (turn === undefined || "user" in turn) return turn;
    if ("notice" in turn) place.notices.push(turn.notice);
    else if (turn.after === undefined || fits(turn.after, place)) return turn;
  }
}

function fits(after: NonNullable<AssistantTurn["after"]>, { statuses }: Place): boolean {
  return statuses.get(after.tool) === after.status;
}

function hearUser(walked: WalkedRecording, place: Place, text: string): string | null {
  const { turns, origin } = walked.recording;
  const turn = passOver(turns, place);
  if (turn === undefined || !("user" in turn)) {
    if (origin === "handmade") return null;
    return differs(walked, place, `the user said ${quoted(text)}`);
  }
  if (normaliseSpeech(turn.user) !== normaliseSpeech(text)) {
    return differs(walked, place, `the user said ${quoted(text)}`);
  }
  place.next++;
  return null;
}

function hearAssistant(walked: WalkedRecording, place: Place, said: Assistant): string | null {
  const turn = passOver(walked.recording.turns, place);
  const came = `the agent did ${deedWords(said.text, said.calls)}`;
  if (turn === undefined || "user" in turn || "notice" in turn || !isSame(turn, said)) {
    return differs(walked, place, came);
  }
  place.next++;
  place.notices = [];
  place.awaited = turn.calls ?? [];
  return null;
}

function isSame(turn: AssistantTurn, { text, calls }: Assistant): boolean {
  const recorded = turn.calls ?? [];
  // Some programs give a text back without the white space around it.
  return normaliseText(turn.say ?? "").trim() === normaliseText(text).trim() &&
    recorded.length === calls.length &&
    recorded.every((call, i) => {
      const made = calls[i];
      return made !== undefined && made.tool === call.tool && made.args !== null &&
        normaliseArgs(made.args) === normaliseArgs(call.args);
    });
}

function hearTool(walked: WalkedRecording, place: Place, answer: Answer): string | null {
  const [call, ...rest] = place.awaited;
  place.awaited = rest;
  place.statuses.set(answer.tool, answer.status);
  if (call?.digest !== undefined && call.digest !== digestAnswer(answer.text)) {
    const said = `${turnWords(walked, place.next - 1)}: the tool "${answer.tool}" answered`;
    return `${said} ${quoted(answer.text)}, expected the answer that was recorded`;
  }
  const asked = askedAnswer(walked.tools, answer);
  if (asked === null) return null;
  const { turns } = walked.recording;
  // Between the calls of one answer no branch is decided yet: only what stands there counts.
  const turn = rest.length === 0 ? passOver(turns, place) : turns[place.next];
  if (rest.length > 0 && (turn === undefined || !("user" in turn))) return null;
  return hearUser(walked, place, asked);
}

/** What the user answered to a tool that asks, null where the call did not ask or failed. */
export function askedAnswer(tools: ToolSet, { tool, text, status }: Answer): string | null {
  const effect = Object.hasOwn(tools, tool) ? tools[tool]?.effect : undefined;
  if (effect !== "ask" || status !== "ok") return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && typeof value.answer === "string" ? value.answer : null;
  } catch {
    return null;
  }
}

function differs(walked: WalkedRecording, place: Place, came: string): string {
  const expected = expectedWords(walked.recording.turns[place.next]);
  return `${turnWords(walked, place.next)} expects ${expected}, but ${came}`;
}

function deedWords(
  say: string,
  calls: readonly { readonly tool: string; readonly args: unknown }[],
): string {
  const made = calls.map(({ tool, args }) => `${tool}(${cut(JSON.stringify(args))})`).join(", ");
  const spoken = say === "" ? "" : `say ${quoted(say)}`;
  if (made === "") return spoken || "say nothing";
  return `${spoken === "" ? "" : `${spoken} and `}call ${made}`;
}

function quoted(text: string): string {
  return cut(JSON.stringify(text));
}

function cut(text: string): string {
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}
