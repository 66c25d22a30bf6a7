/**
 * The English of the morning message. Texts come in escaped for Telegram's HTML mode, numbers as they
 * are; `words_summary_it.ts` says the same in Italian.
 */
import type { Evidence } from "../model/gate.ts";
import type { Format } from "./format.ts";

/** So many of so many. */
interface Count {
  readonly n: number;
  readonly of: number;
}

/** This week's and the one before. */
type Pair = readonly [string, string];

export const SUMMARY_ENGLISH = {
  overridden: (verdict: string) => `OVERRIDDEN, would be ${verdict}`,
  partial: "PARTIAL",
  noRun: "NO RUN",
  passed: (f: Format, n: number, of: number) => `${f.number(n)}/${f.number(of)} passed`,
  ofSelection: "of a selection",
  newFailures: (f: Format, n: number) => f.count(n, "new failure", "new failures"),
  failures: (f: Format, n: number) => f.count(n, "failure", "failures"),
  critical: (f: Format, n: number) => `${f.number(n)} critical`,
  nothingNew: "nothing new",
  failedAll: "nothing failed",
  notGradedCount: (f: Format, n: number) => `${f.number(n)} not graded`,
  rulesSpoke: (rules: string) => `rules: ${rules}`,
  evidence: { self_test: "self-test", recorded: "recorded runs", live: "live" } satisfies Record<
    Evidence,
    string
  >,
  proves: {
    self_test: "self-test, no model was asked",
    recorded: "recorded runs, no model was asked",
    live: "live",
  } satisfies Record<Evidence, string>,
  gate: (name: string, version: number) => `${name} v${version}`,
  commit: (sha: string) => `commit ${sha}`,

  undelivered: (f: Format, when: string, verdict: string) =>
    `⚠️ The message of ${f.shortMoment(when)} (${verdict}) was not delivered`,
  undeliveredMore: (f: Format, n: number) =>
    `⚠️ ${f.count(n, "more message was", "more messages were")} not delivered`,
  doubtful: (f: Format, when: string, verdict: string) =>
    `⚠️ The message of ${f.shortMoment(when)} (${verdict}) was perhaps not delivered`,
  liftedBy: "Overridden by",
  repeat: "(may be a repeat)",
  loosened: (f: Format, n: number) => `⚠️ Gate loosened: ${f.count(n, "change", "changes")}`,

  titles: { new: "New", failed: "Failed" },
  more: (f: Format, n: number) => `+${f.number(n)} more`,
  known: "Known",
  fixed: "Fixed",
  passAgain: "Known to fail, pass again",
  notGraded: "Not graded",
  why: {
    stale: "recording outdated",
    skipped: "not run",
    environment: "infra",
    undecided: "could not be judged",
  },

  harms: {
    revealed: (_f: Format, _n: number) => "gave a secret away",
    protectedChanged: (f: Format, n: number) =>
      n === 1
        ? "changed something protected"
        : `changed something protected in ${f.number(n)} places`,
    protectedDeleted: (f: Format, n: number) =>
      n === 1 ? "deleted something protected" : `deleted ${f.number(n)} protected things`,
    sentTwice: (_f: Format, _n: number) => "sent the same message more than once",
    sent: (f: Format, n: number) =>
      n === 1 ? "sent a message nobody asked for" : `sent ${f.number(n)} messages nobody asked for`,
    changed: (f: Format, n: number) =>
      n === 1
        ? "changed something nobody asked for"
        : `changed ${f.number(n)} things nobody asked for`,
    added: (f: Format, n: number) =>
      n === 1 ? "added something nobody asked for" : `added ${f.number(n)} things nobody asked for`,
    deleted: (f: Format, n: number) =>
      n === 1
        ? "deleted something nobody asked to delete"
        : `deleted ${f.number(n)} things nobody asked to delete`,
    file: (f: Format, n: number) =>
      n === 1 ? "touched a file outside its task" : `touched ${f.number(n)} files outside its task`,
    missing: (f: Format, n: number) =>
      n === 1 ? "left its task undone" : `left ${f.number(n)} parts of its task undone`,
    missingMessage: (f: Format, n: number) =>
      n === 1 ? "did not send the message" : `did not send ${f.number(n)} messages`,
  },
  tried: (tool: string) => `tried ${tool}, which is forbidden`,
  triedSomething: "tried something forbidden",
  claimed: "and said it was done",
  endings: {
    limit: "was cut at a limit",
    timeout: "took too long",
    interrupted: "was interrupted",
    agent_error: "broke down",
    environment_error: "lost its surroundings",
  } as Readonly<Record<string, string>>,
  asked: "did not end as it should",
  checkpoint: (id: string) => `missed the step ${id}`,
  overLimit: "went over a limit",
  otherwise: "did not do what was asked",

  forbiddenTried: (f: Format, n: number) =>
    `Forbidden tried in ${f.count(n, "scenario", "scenarios")}`,
  sideEffects: (f: Format, n: number) => `Side effects in ${f.count(n, "scenario", "scenarios")}`,
  success: (value: string, baseline: string | null) =>
    baseline === null ? `${value} succeed` : `${value} succeed (baseline ${baseline})`,
  spent: (amount: string, cap: string | null) =>
    cap === null ? `${amount} spent` : `${amount} spent (cap ${cap})`,
  spentUnknown: (cap: string | null) => cap === null ? "cost unknown" : `cost unknown (cap ${cap})`,
  spentPart: (f: Format, n: number, spent: string) =>
    `${spent}, unknown for ${f.count(n, "run", "runs")}`,
  aTask: (value: string, baseline: string | null) =>
    baseline === null ? `${value} a task` : `${value} a task (baseline ${baseline})`,
  p95: (value: string, baseline: string | null) =>
    baseline === null ? `p95 ${value}` : `p95 ${value} (${baseline})`,
  questions: (f: Format, n: number) => f.count(n, "run needed a person", "runs needed a person"),
  overridesOpen: (f: Format, n: number) => `Overrides open: ${f.number(n)}`,
  until: (f: Format, day: string) => `until ${f.day(day)}`,
  expired: "expired",
  report: "Report",
  seeIt: "See it",
  goOn: "Go on",
  nextRun: (f: Format, when: string) => `Next run ${f.shortMoment(when)}`,

  since: (f: Format, when: string) => `since ${f.shortMoment(when)}`,
  neverRan: "no report is there",
  neverLive: "no live run is there",
  noneReadable: "no report can be read",
  stopped: {
    crashed: "The job was started and broke off.",
    timeout: "The job was started and took too long.",
    interrupted: "The job was started and was stopped.",
    not_started: "The job could not be started.",
    failed: "The job was started and ended without a report.",
    running: "The job was started and is not at its end yet.",
    unreadable: "A newer report is there, or was, and cannot be read.",
    due: (f: Format, when: string) => `It was due ${f.shortMoment(when)}: nothing came.`,
    unknown: "Nothing says why: see whether the schedule runs.",
  },
  week: {
    head: "WEEK",
    days: (f: Format, from: string, to: string) => `${f.shortDay(from)} – ${f.shortDay(to)}`,
    runs: (f: Format, n: number) => f.count(n, "run", "runs"),
    last: (verdict: string) => `last ${verdict}`,
    noWhole: "none of the whole suite",
    noRuns: "No report was made in these seven days.",
    unreadable: (f: Format, n: number) =>
      `⚠️ ${f.count(n, "report", "reports")} of these days cannot be read`,
    noLedger: "⚠️ regressions.md cannot be used: nothing is known of overrides",
    byTask: "By task",
    was: (value: string) => `was ${value}`,
    firstTime: "not judged the week before",
    people: (f: Format, now: Count, before: Count | null) =>
      `People were needed in ${f.number(now.n)} of ${f.count(now.of, "run", "runs")}` +
      (before === null ? "" : ` (${f.number(before.n)} of ${f.number(before.of)} before)`),
    critical: "Critical failures",
    incidents: "Incidents",
    fromIncidents: (f: Format, n: number) =>
      `${f.count(n, "scenario comes", "scenarios come")} from incidents`,
    new: "new",
    failed: "failed",
    added: "Scenarios added",
    removed: "Scenarios removed",
    overrides: "Overrides",
    opened: (f: Format, n: number, ids: string) => `${f.number(n)} opened (${ids})`,
    closed: (f: Format, n: number, ids: string) => `${f.number(n)} ran out (${ids})`,
    open: (f: Format, n: number) => `${f.number(n)} open`,
    divergence: (success: Pair, people: Pair) =>
      `Success here ${success[0]} (was ${success[1]}), people needed in recorded runs ${
        people[0]
      } (was ${people[1]})`,
    hidden: "The suite does not see what people see.",
    strict: "The suite fails more, and people are not needed more often.",
  },
  lastSaid: (verdict: string) => `The last report says ${verdict}: it tells nothing of today.`,
  unstored: "⚠️ The disk takes nothing more: this message may come again",
  cli: {
    delivered: (name: string) => `delivered: ${/^\d/.test(name) ? `message ${name}` : name}`,
    already: (name: string, f: Format, when: string) =>
      `delivered already, ${f.moment(when)}: ${/^\d/.test(name) ? `message ${name}` : name}`,
    undelivered: (channel: string, why: string) => `not delivered (${channel}): ${why}`,
    written: (path: string) => `written: ${path}`,
    kept: "it stays in reports/outbox and is tried again with the next notify",
    noPicture: (why: string) => `without its picture: ${why}`,
    attached: (kind: string) => `attached: ${kind}`,
  },
  picture: (f: Format, n: number) => `The last ${f.count(n, "run", "runs")}`,
};
