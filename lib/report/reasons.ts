/** Why was it decided so? A reason of the decision in, one line of plain words out. */
import { match } from "ts-pattern";
import type { Reason } from "../model/gate.ts";
import { isObject, type Json, type JsonObject } from "../model/json.ts";
import type { MetricName } from "../model/metrics.ts";
import { METRIC_NAMES } from "../model/metric_names.ts";
import { VERDICT_WORDS } from "./words.ts";
import { points } from "./sure.ts";
import { listed, type Voice } from "./voice.ts";

/** One line: what the reason would decide alone, what was wanted and found, and the scenarios concerned. */
export function describeReason(reason: Reason, voice: Voice): string {
  const { words } = voice;
  const parts = [describeKind(reason, voice)];
  if (reason.scenarios.length > 0) {
    parts.push(words.concerned(listed(reason.scenarios.map(voice.code), voice)));
  }
  const failed = reason.kind === "rule_failed" || reason.kind === "rule_missing";
  if (failed && reason.because !== null) parts.push(words.because(voice.text(reason.because)));
  if (failed && reason.level === "block" && !reason.overridable) parts.push(words.neverOverridden);
  return parts.join(" ");
}

/** The word that stands before a reason: what it would decide alone; a note where it decides nothing. */
export function reasonLabel(reason: Reason, { words }: Voice): string {
  return reason.level === "pass" ? words.noted : VERDICT_WORDS[reason.level];
}

function describeKind(reason: Reason, voice: Voice): string {
  const { words, format } = voice;
  const say = words.reasons;
  const rule = ruleName(reason, voice);
  const found = describeFound(reason.actual, voice);
  return match(reason.kind)
    .with(
      "rule_failed",
      () =>
        describeFall(reason, voice) ??
          say.ruleFailed(rule, voice.code(String(reason.expected)), words.found(found)),
    )
    .with(
      "rule_missing",
      () =>
        reason.level === "pass"
          ? say.ruleMissingSkipped(rule, found)
          : say.ruleMissing(rule, found),
    )
    .with(
      "rule_undecided",
      () => reason.level === "error" ? say.ruleBroken(rule, found) : say.ruleUndecided(rule, found),
    )
    .with(
      "rule_not_judged",
      () => reason.actual === "new" ? say.ruleNew(rule) : say.ruleNoBaseline(rule),
    )
    .with(
      "rule_evidence",
      () => describeFall(reason, voice) ?? say.ruleDoubtful(rule, found),
    )
    .with(
      "scenario_errored",
      () =>
        say.errored(format, numberIn(reason.actual, "errored"), numberIn(reason.actual, "trials")),
    )
    .with("scenario_stale", () => say.stale(format, numberIn(reason.actual, "stale")))
    .with("scenario_skipped", () => say.skipped(format, numberIn(reason.actual, "skipped")))
    .with("recording_lost", () => say.recordingLost(format, reason.scenarios.length))
    .with("project_removed", () => say.projectRemoved(voice.text(String(reason.actual))))
    .with("nothing_graded", () => say.nothingGraded)
    .with(
      "no_baseline",
      () =>
        reason.actual === "self_test_baseline"
          ? say.selfTestBaseline
          : reason.actual === "no_equals"
          ? say.noEquals
          : say.noBaseline,
    )
    .with("invalid_comparison", () => say.invalid(found))
    .exhaustive();
}

/** A rule that rests on a comparison, without its formula; null where it rests on none. */
function describeFall(reason: Reason, voice: Voice): string | null {
  const { words } = voice;
  const rule = ruleName(reason, voice);
  const metric = isObject(reason.actual)
    ? METRIC_NAMES.find((one) => Object.hasOwn(reason.actual as JsonObject, `drop.${one}`))
    : undefined;
  if (metric === undefined) return null;
  const by = (what: string) => points(numberIn(reason.actual, `${what}.${metric}`), voice);
  if (reason.kind === "rule_failed") {
    return numberIn(reason.actual, "collapsed") > 0
      ? words.sure.ruleCollapsed(rule)
      : words.sure.ruleFell(rule, words.metrics[metric], by("drop"));
  }
  return reason.level === "warn"
    ? words.sure.ruleMayFall(rule, words.metrics[metric], by("drop"))
    : words.sure.ruleHides(rule, by("hidden"));
}

function ruleName({ rule, group }: Reason, voice: Voice): string {
  const name = voice.code(rule ?? "");
  return group === null ? name : `${name} (${voice.code(group)})`;
}

/** The values found by name, each in its own unit. */
function describeFound(actual: Json, voice: Voice): string {
  if (typeof actual === "string") return voice.text(actual);
  if (!isObject(actual)) return voice.value(actual);
  const entries = Object.entries(actual).map(([name, value]) =>
    `${voice.code(name)} = ${describeValue(name, value, voice)}`
  );
  return listed(entries, voice);
}

function describeValue(name: string, value: Json, voice: Voice): string {
  const metric = METRIC_NAMES.find((one): one is MetricName => name.split(".").at(-1) === one);
  if (value === null) return voice.words.notMeasured;
  if (metric === undefined || typeof value !== "number") return voice.value(value);
  return voice.format.metric(metric, value) ?? voice.words.notMeasured;
}

function numberIn(actual: Json, key: string): number {
  const value = isObject(actual) ? actual[key] : null;
  return typeof value === "number" ? value : 0;
}
