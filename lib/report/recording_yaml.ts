/**
 * How is a recording written? Its data in, the text of its YAML file out, in the style of those written
 * by hand: one line a turn where little is known of it, then one line a key. Words stand as they are,
 * every other text in double quotes with what cannot be seen escaped.
 */
import type { Json } from "../model/json.ts";
import type { AssistantTurn, RecordedTurn, Recording } from "../model/recording.ts";

const SCHEMA = "# yaml-language-server: $schema=../../../schemas/recording.json";

/** Keys in the order in which they are written. */
const HEAD = ["origin", "model", "agent", "at", "system", "tools", "fails"] as const;
const TURN = ["say", "calls", "after", "usage", "latencyMs", "stop", "thinking"] as const;

/** The text of the file `fixtures/recordings/<id>/<name>.yaml`, with a line feed at its end. */
export function recordingYaml(recording: Recording): string {
  const head = HEAD.flatMap((key) => {
    const value = recording[key];
    return value === undefined ? [] : [`${key}: ${flow(value)}`];
  });
  return [SCHEMA, ...head, "turns:", ...recording.turns.flatMap(turnLines), ""].join("\n");
}

function turnLines(turn: RecordedTurn): string[] {
  if ("user" in turn) return [`  - user: ${flow(turn.user)}`];
  if ("notice" in turn) return [`  - notice: ${flow(turn.notice)}`];
  return assistantLines(turn);
}

function assistantLines(turn: AssistantTurn): string[] {
  return TURN.flatMap((key) => {
    const value = turn[key];
    return value === undefined ? [] : [`${key}: ${flow(value as Json)}`];
  }).map((line, index) => index === 0 ? `  - ${line}` : `    ${line}`);
}

/** A value on one line. */
function flow(value: Json): string {
  if (typeof value === "string") return scalar(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([key, item]) => `${keyText(key)}: ${flow(item)}`);
  return `{${fields.join(", ")}}`;
}

/** A text that no reader of YAML takes for anything else. */
const WORD = /^[A-Za-z](?:[\w-]*\w)?$/;
const TAKEN = /^(?:true|false|null)$/i;
/** Texts to us, and truths to older readers: quoted where they are values. */
const FORMERLY_TAKEN = /^(?:yes|no|on|off|y|n)$/i;

/** What YAML wants escaped beyond JSON, and what a reader would not see. */
const UNSEEN =
  /(?![ ])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Noncharacter_Code_Point}\u00a0\u115f\u1160\u3164\uffa0]/gu;

function scalar(text: string): string {
  return FORMERLY_TAKEN.test(text) ? JSON.stringify(text) : keyText(text);
}

function keyText(text: string): string {
  if (WORD.test(text) && !TAKEN.test(text)) return text;
  return JSON.stringify(text).replace(UNSEEN, escaped);
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
  ).join("");
}
