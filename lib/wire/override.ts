/**
 * Does a commit message ask to pass a closed gate, why, and until when? The message as git hands it
 * to a hook or keeps it in a commit in; the override, its faults, or nothing out. Only a line that
 * begins with `eval-override:` counts: quoted, indented and bulleted ones are somebody else's.
 */
import { cleanText } from "../model/clean.ts";
import { addDays, isCalendarDay } from "../model/day.ts";
import { type Authored, isTooFar, ledgerId, OVERRIDE_DAYS_MAX } from "../model/ledger_rows.ts";
import { messageLines } from "./commit_message.ts";
import { isPlaceholder } from "./placeholder.ts";

/** Days from the author's date on, where the message names no end. */
export const OVERRIDE_DAYS = 14;

export { OVERRIDE_DAYS_MAX };

/** What the lines of a message say, before any of it is judged. */
export interface OverrideLines {
  /** Cleaned reasons that are not empty, in the order of the message. */
  readonly reasons: readonly string[];
  /** How many override lines have no reason. */
  readonly empty: number;
  /** Cleaned values of `eval-override-until`, in the order of the message. */
  readonly untils: readonly string[];
}

/** An override that holds: what `regressions.md` needs of it. */
export interface Override {
  /** 12 hexadecimal digits of author time, e-mail and reason. */
  readonly id: string;
  /** One clean line; several reasons are joined by `; `. */
  readonly reason: string;
  /** The last day on which it holds. */
  readonly until: string;
  /** The author's day, in the author's own zone. */
  readonly date: string;
  /** The author's e-mail, cleaned. */
  readonly by: string;
}

/** Why an override does not hold. */
export type OverrideFault =
  | "empty"
  | "placeholder"
  | "until_unreadable"
  | "until_past"
  | "until_too_far";

/** What a message says about passing the gate. */
export type OverrideReading =
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly faults: readonly OverrideFault[] }
  | { readonly kind: "valid"; readonly override: Override };

/** The override lines of a message; `commentChar` as `core.commentChar` says (`auto` too). */
export function overrideLines(message: string, commentChar = "#"): OverrideLines {
  const values = (key: string) =>
    fieldValues(messageLines(message, commentChar), key).map(cleanText);
  const all = values("eval-override");
  const reasons = all.filter((reason) => reason !== "");
  return {
    reasons,
    empty: all.length - reasons.length,
    untils: values("eval-override-until"),
  };
}

/**
 * The override of a message, or what is wrong with it; one fault refuses all of it. With `today` it
 * must also hold on that day, whatever the author's date says.
 */
export function readOverride(
  message: string,
  authored: Authored,
  commentChar = "#",
  today?: string,
): OverrideReading {
  const { reasons, empty, untils } = overrideLines(message, commentChar);
  if (reasons.length === 0 && empty === 0) return { kind: "none" };
  const date = authored.at.slice(0, 10);
  const faults: OverrideFault[] = [];
  if (empty > 0) faults.push("empty");
  if (reasons.some(isPlaceholder)) faults.push("placeholder");
  const wanted = [...new Set(untils)];
  const until = wanted[0] ?? addDays(date, OVERRIDE_DAYS);
  if (wanted.length > 1 || !isCalendarDay(until)) faults.push("until_unreadable");
  else if (until < date || (today !== undefined && until < today)) faults.push("until_past");
  else if (
    until > addDays(date, OVERRIDE_DAYS_MAX) || (today !== undefined && isTooFar(until, today))
  ) faults.push("until_too_far");
  if (faults.length > 0) return { kind: "refused", faults };
  const reason = reasons.join("; ");
  const by = cleanText(authored.email) || "unknown";
  return {
    kind: "valid",
    override: { id: ledgerId("override", authored, reason), reason, until, date, by },
  };
}

/** The values of `key:` lines, continuation lines folded in. */
function fieldValues(lines: readonly string[], key: string): string[] {
  const head = new RegExp(`^${key} *:(.*)$`, "is");
  const values: string[] = [];
  lines.forEach((line, index) => {
    const first = head.exec(line)?.[1];
    if (first === undefined) return;
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((each) => !/^[ \t]+\S/.test(each));
    values.push([first, ...rest.slice(0, end === -1 ? rest.length : end)].join(" "));
  });
  return values;
}
