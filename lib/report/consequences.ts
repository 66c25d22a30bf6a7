/**
 * What did a run do, in plain words? A scenario of a report in, one sentence for each harm, lack,
 * attempt and false claim out, gravest first: which field changed from what to what, that it was
 * protected, that nobody asked for it, what was said all the same.
 */
import { match } from "ts-pattern";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { ReportScenario } from "../model/report.ts";
import type { Attempt, ChangeClass, JudgedChange } from "../model/verdict.ts";
import { narrowChange } from "./differences.ts";
import { shownTrial } from "./failed_conditions.ts";
import { shownValue, type Voice } from "./voice.ts";

const GRAVEST_FIRST: readonly ChangeClass[] = [
  "protected",
  "unrequested_message",
  "other_record",
  "file",
  "missing",
  "missing_message",
];

/** Sentences about a scenario that did not pass; never empty for a failed one. */
export function describeConsequences(scenario: ReportScenario, voice: Voice): string[] {
  const { words } = voice;
  const sentences = [
    ...harms(scenario).map((change) => describeChange(change, voice)),
    ...scenario.attempts.map((attempt) => describeAttempt(attempt, voice)),
  ];
  if (scenario.claimedSuccess) sentences.push(words.consequence.claimedFalsely);
  const ended = describeBadEnd(scenario, voice);
  if (ended !== null) sentences.push(words.consequence.ended(ended));
  if (sentences.length > 0) return [...new Set(sentences)];
  const failed = scenario.conditions.filter(({ verdict }) => verdict === "failed");
  return failed.slice(0, 1).map(({ id }) => words.consequence.condition(voice.code(id)));
}

/** The changes that count against the agent, gravest first, told by the places that differ. */
export function harms(scenario: ReportScenario): JudgedChange[] {
  return GRAVEST_FIRST.flatMap((kind) =>
    scenario.sideEffects.changes.filter((change) => change.class === kind).flatMap(narrowChange)
  );
}

/** How the shown trial ended and what stopped it; null where it ended by itself. */
function describeBadEnd(scenario: ReportScenario, voice: Voice): string | null {
  const shown = shownTrial(scenario);
  if (shown === undefined || shown.ended === "completed") return null;
  const how = describeEnd(shown.ended, voice);
  return shown.detail === null ? how : `${how}: ${voice.text(shown.detail)}`;
}

/** The end of a run in words. */
export function describeEnd(ended: string, { words, text }: Voice): string {
  const known: Readonly<Record<string, string>> = words.ended;
  return Object.hasOwn(known, ended) ? known[ended] ?? ended : text(ended);
}

function describeChange(change: JudgedChange, voice: Voice): string {
  const say = voice.words.consequence;
  const path = voice.code(change.path);
  return match(change.class)
    .with("protected", () => describeProtected(change, voice))
    .with("other_record", "file", () => describeOther(change, voice))
    .with(
      "missing",
      () =>
        change.after === undefined && isSelector(change.expected)
          ? say.missingPattern(path, voice.value(change.expected))
          : say.missing(
            path,
            wantedValue(change.expected, voice),
            wantedValue(change.after, voice),
          ),
    )
    .with("missing_message", () => say.messageMissing(describeMessage(change.expected, voice)))
    .with("unrequested_message", () => say.messageUnrequested(describeMessage(change.after, voice)))
    .with("expected", "ignored", "allowed", () => path)
    .exhaustive();
}

function describeProtected(change: JudgedChange, voice: Voice): string {
  const say = voice.words.consequence;
  const path = voice.code(change.path);
  const { before, after } = change;
  if (change.gross === true) return say.putBack(path, voice.value(after));
  if (change.op === "added") return say.protectedAdded(path, voice.value(after));
  if (change.op === "deleted") return say.protectedDeleted(path, voice.value(before));
  return say.protectedChanged(path, voice.value(before), voice.value(after));
}

function describeOther(change: JudgedChange, voice: Voice): string {
  const say = voice.words.consequence;
  const path = voice.code(change.path);
  const { before, after } = change;
  if (change.op === "added") return say.otherAdded(path, voice.value(after));
  if (change.op === "deleted") return say.otherDeleted(path, voice.value(before));
  return say.otherChanged(path, voice.value(before), voice.value(after));
}

/** In expectations null says that nothing should be there. */
export function wantedValue(value: Json | undefined, voice: Voice): string {
  if (value === null || value === undefined) return voice.words.absent;
  return isSelector(value) ? voice.code(String(value["where"])) : voice.value(value);
}

function isSelector(value: Json | undefined): value is JsonObject {
  return isObject(value) && typeof value["where"] === "string" &&
    Object.keys(value).every((key) => key === "where" || key === "count");
}

/** Recipient, channel and words of a message, as far as it has them. */
export function describeMessage(message: Json | undefined, voice: Voice): string {
  if (!isObject(message)) return voice.value(message);
  const { to, channel, text } = message;
  const address = [to, channel].filter((part) => typeof part === "string").map(String).join(", ");
  const body = typeof text === "string" ? `: ${shownValue(text)}` : "";
  return address === "" ? voice.value(message) : voice.code(address + body);
}

/** A forbidden attempt and what became of it. */
export function describeAttempt(attempt: Attempt, voice: Voice): string {
  const say = voice.words.consequence;
  const [kind, rest] = splitOnce(attempt.id);
  if (kind === "revealed") return say.revealed(voice.text(rest));
  const args = attempt.args === undefined ? "" : ` ${shownValue(attempt.args)}`;
  return say.forbidden(voice.code(attempt.what + args), describeStatus(attempt.status, voice));
}

/** What became of a call, in words where they are known. */
export function describeStatus(status: string, { words, text }: Voice): string {
  const known: Readonly<Record<string, string>> = words.statuses;
  return Object.hasOwn(known, status) ? known[status] ?? status : text(status);
}

function splitOnce(id: string): [string, string] {
  const colon = id.indexOf(":");
  return colon < 0 ? [id, ""] : [id.slice(0, colon), id.slice(colon + 1)];
}
