/**
 * Which lines of a commit message does git keep? Everything below the scissors and every comment
 * line is gone once the commit is made, so nothing there may decide anything. Also the trailer
 * `Eval-Blocked`, by which a fresh clone knows what an overridden commit was blocked by.
 */
import { IDENTIFIER, SHA256 } from "../model/forms.ts";

const SCISSORS = /^\S{1,8} -{24} >8 -{24}$/;

/** What git chooses from where `core.commentChar` is `auto`. */
const AUTO = ["#", ";", "@", "!", "$", "%", "^", "&", "|", ":"];

/** The lines that count: without carriage returns, comments and what is below the scissors. */
export function messageLines(message: string, commentChar = "#"): string[] {
  const comments = commentChar === "auto" ? AUTO : [commentChar];
  return keptPart(message).filter((line) => !comments.some((sign) => line.startsWith(sign)));
}

/** The lines above the scissors, comments included. */
function keptPart(message: string): string[] {
  const lines = message.split("\n").map((line) => line.replace(/\r$/, ""));
  const cut = lines.findIndex((line) => SCISSORS.test(line));
  return cut === -1 ? lines : lines.slice(0, cut);
}

/** What an overridden commit was blocked by. */
export interface Blocked {
  /** Ids of the rules that blocked, sorted. */
  readonly rules: readonly string[];
  /** Ids of the scenarios that they name, sorted. */
  readonly scenarios: readonly string[];
  /** `sha256:<hex>` of `report.json`. */
  readonly report: string;
}

const TRAILER = /^Eval-Blocked *: *(.*?) *; *(.*?) *; *(\S+)$/i;

/** The trailer's line, without a line feed. */
export function blockedTrailer({ rules, scenarios, report }: Blocked): string {
  return `Eval-Blocked: ${rules.join(", ")}; ${scenarios.join(", ")}; ${report}`;
}

/** The last trailer of a message that reads as one; null where there is none. */
export function readBlocked(message: string, commentChar = "#"): Blocked | null {
  const found = messageLines(message, commentChar).map(blockedOf).filter((each) => each !== null);
  return found.at(-1) ?? null;
}

function blockedOf(line: string): Blocked | null {
  const [, rules, scenarios, report] = TRAILER.exec(line) ?? [];
  if (rules === undefined || scenarios === undefined || report === undefined) return null;
  const lists = [rules, scenarios].map((list) => list.split(/ *, */).filter((id) => id !== ""));
  const sound = lists.flat().every((id) => IDENTIFIER.test(id));
  if (!sound || !SHA256.test(report)) return null;
  const [first = [], second = []] = lists;
  return { rules: first, scenarios: second, report };
}

/**
 * The message with this trailer and no other of its kind; `blocked` null only takes it away. It
 * stands in the last block of trailers, else as a paragraph of its own, above comments and scissors.
 */
export function withBlocked(
  message: string,
  blocked: Blocked | null,
  commentChar = "#",
): string {
  const body = keptPart(message);
  const tail = message.split("\n").slice(body.length).map((line) => line.replace(/\r$/, ""));
  const rest = body.filter((line) => !/^Eval-Blocked *:/i.test(line));
  let end = rest.length;
  while (end > 0 && isEmptyOrComment(rest[end - 1] ?? "", commentChar)) end--;
  const text = rest.slice(0, end);
  const below = [...rest.slice(end), ...tail];
  const first = below.findIndex((each) => each.trim() !== "");
  const after = first === -1 ? [""] : ["", ...below.slice(first)];
  if (blocked === null) return [...text, ...after].join("\n");
  const last = text.at(-1) ?? "";
  const gap = text.length > 1 && /^[A-Za-z][A-Za-z0-9-]* *: |^\(cherry picked from /.test(last)
    ? []
    : [""];
  const line = blockedTrailer(blocked);
  return [...text, ...gap, line, ...after].join("\n");
}

function isEmptyOrComment(line: string, commentChar: string): boolean {
  const comments = commentChar === "auto" ? AUTO : [commentChar];
  return line.trim() === "" || comments.some((sign) => line.startsWith(sign));
}
