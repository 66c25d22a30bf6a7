/**
 * The English of everything that people read. Functions take texts that are escaped for their place
 * already, and numbers as they are; `f` writes numbers in the locale. `words_it.ts` says the same in
 * Italian: its type is taken from here, so that a missing word does not compile.
 */
import type { Format } from "./format.ts";
import { ALERTS_ENGLISH } from "./words_alerts.ts";
import { LEDGER_ENGLISH } from "./words_ledger.ts";
import { SURE_ENGLISH } from "./words_sure.ts";

export const ENGLISH = {
  title: (gate: string, version: number) => `Collaudo: gate ${gate}, version ${version}`,
  figure: "figure",
  value: "value",
  baseline: "baseline",
  notMeasured: "not measured",
  absent: "absent",
  unknown: "unknown",
  noted: "Note",
  none: "none",
  points: (f: Format, share: number) =>
    `${f.tenths(share * 100)}\u00a0${f.tenths(share * 100) === "1" ? "point" : "points"}`,
  sure: SURE_ENGLISH,
  more: (f: Format, n: number) => `and ${f.number(n)} more`,

  metrics: {
    taskSuccess: "task success",
    stepScore: "step score",
    sideEffectPenalty: "side-effect penalty a run",
    critical: "scenarios with a critical fact",
    forbiddenAttempts: "scenarios with a forbidden attempt",
    efficiency: "calls against the reference",
    repeatedCalls: "repeated calls a run",
    costPerTask: "cost a task",
    latencyP95Ms: "latency, 95th percentile",
    humanIntervention: "runs that needed a person",
    correctRefusals: "correct refusals",
    errored: "errored runs",
    stale: "stale runs",
    scenarios: "scenarios graded",
    trials: "runs graded",
  },

  verdicts: {
    passed: "passed",
    failed: "failed",
    errored: "errored",
    stale: "stale",
    skipped: "skipped",
  },
  outcomes: {
    passed: "passed",
    failed: "failed",
    errored: "undecided",
    not_measured: "not measured",
  },
  ended: {
    completed: "the run ended by itself",
    limit: "the run was cut at a limit",
    timeout: "the run took too long",
    interrupted: "the run was interrupted",
    agent_error: "the agent broke down",
    environment_error: "the environment broke down",
    stale: "the recording no longer fits",
  },

  restsOn: {
    self_test:
      "This is a self-test: recordings written by hand were replayed. It proves the scenarios, the tools and the rules, not a model.",
    recorded:
      "It rests on runs that were recorded from a model and judged again; no model was asked now.",
    live: "It rests on live runs: a model answered.",
  },
  noReasons: "Every rule holds.",
  judgedHold: (f: Format, n: number) =>
    `Every rule that was judged holds; ${
      f.count(n, "rule was", "rules were")
    } not judged, see the report.`,
  because: (text: string) => `Because: ${text}.`,
  found: (values: string) => `found ${values}`,
  concerned: (list: string) => `Scenarios: ${list}.`,
  neverOverridden: "No override lifts this rule.",
  reasons: {
    ruleFailed: (rule: string, expression: string, found: string) =>
      `Rule ${rule} does not hold: it wants ${expression}, ${found}.`,
    ruleMissing: (rule: string, found: string) =>
      `Rule ${rule} has nothing to judge: a value that it needs is missing (${found}).`,
    ruleMissingSkipped: (rule: string, found: string) =>
      `Rule ${rule} was passed over, as its file says: a value that it needs is missing (${found}).`,
    ruleUndecided: (rule: string, found: string) =>
      `Rule ${rule} could not be decided: nothing that it rests on was graded (${found}).`,
    ruleDoubtful: (rule: string, found: string) =>
      `Rule ${rule} is not reached, though chance may explain it (${found}).`,
    ruleBroken: (rule: string, why: string) => `Rule ${rule} could not be evaluated: ${why}.`,
    ruleNew: (rule: string) => `Rule ${rule}: new, nothing in the baseline to compare it with.`,
    ruleNoBaseline: (rule: string) => `Rule ${rule} was not judged: it compares with a baseline.`,
    errored: (f: Format, n: number, trials: number) =>
      `${f.number(n)} of ${f.number(trials)} runs could not be judged.`,
    stale: (f: Format, n: number) =>
      `${f.count(n, "run is stale", "runs are stale")}: the recording no longer fits.`,
    skipped: (f: Format, n: number) => `${f.count(n, "run was skipped", "runs were skipped")}.`,
    recordingLost: (f: Format, n: number) =>
      `${
        f.count(n, "scenario lost its recording", "scenarios lost their recordings")
      }: this change deleted it, or it no longer fits.`,
    projectRemoved: (file: string) => `${file} is gone: no commit would be judged any more.`,
    nothingGraded: "Nothing was graded: no stable scenario ran to its end.",
    noBaseline: "There is no baseline: rules that compare were not judged.",
    noEquals:
      "No scenario is the same as in the baseline: nothing could be compared. Look at the run, then accept it as the new baseline.",
    selfTestBaseline:
      "The baseline is a self-test's, which says nothing of a model: rules that compare were not judged.",
    invalid: (what: string) => `The comparison is not valid: ${what}.`,
  },

  sections: {
    decision: "Decision",
    changes: "What changed against the baseline",
    failures: "Failed scenarios",
    notGraded: "Not graded",
    soft: "Passed, but not in everything",
    apart: "Incubating and known to fail (they block nothing)",
    scores: "Scores",
    byTask: "By task",
    byCategory: "By category",
    cost: "Cost and latency",
    overrides: "Overrides",
    limits: "Limits of this run",
    versions: "Versions",
  },
  noBaselineToCompare: "There is no baseline to compare with.",
  comparison: {
    regressions: "Regressions",
    fixed: "Fixed",
    stillFailing: "Failing already",
    added: "New",
    changed: "Changed, not compared",
    removed: "Removed",
    errored: "Errored",
    stale: "Stale",
  },
  unchanged: (f: Format, n: number) =>
    `${f.count(n, "scenario is unchanged", "scenarios are unchanged")}.`,
  noFailures: "None.",

  request: "The request",
  worldTitle: "What should have changed, and what did",
  table: {
    path: "path",
    before: "before",
    expected: "expected",
    after: "after",
    class: "class",
  },
  classes: {
    expected: "expected",
    ignored: "ignored",
    protected: "protected",
    allowed: "allowed",
    file: "file",
    other_record: "not asked for",
    missing: "missing",
    missing_message: "message missing",
    unrequested_message: "message not asked for",
  },
  asBefore: "as before",
  noChanges: "Nothing changed.",
  consequence: {
    protectedChanged: (path: string, before: string, after: string) =>
      `${path} changed from ${before} to ${after}: it is protected and should have stayed as it was.`,
    protectedAdded: (path: string, after: string) =>
      `${path} was added with ${after}: it is protected and should not exist.`,
    protectedDeleted: (path: string, before: string) =>
      `${path}, which was ${before}, was deleted: it is protected and should have stayed.`,
    putBack: (path: string, value: string) =>
      `${path} was written and put back to ${value}: it is protected and should not have been touched at all.`,
    otherChanged: (path: string, before: string, after: string) =>
      `${path} changed from ${before} to ${after}: nobody asked for it.`,
    otherAdded: (path: string, after: string) =>
      `${path} was added with ${after}: nobody asked for it.`,
    otherDeleted: (path: string, before: string) =>
      `${path}, which was ${before}, was deleted: nobody asked for it.`,
    missing: (path: string, expected: string, after: string) =>
      `${path} should be ${expected} and is ${after}.`,
    missingPattern: (path: string, expected: string) =>
      `Nothing at ${path} became what was expected: ${expected}.`,
    messageMissing: (expected: string) => `A message was not sent as expected: ${expected}.`,
    messageUnrequested: (message: string) =>
      `A message was sent that nobody asked for: ${message}.`,
    forbidden: (what: string, status: string) =>
      `Forbidden, and tried all the same: ${what} (${status}).`,
    revealed: (number: string) => `Secret number ${number} of the scenario was given away.`,
    claimedFalsely: "The message claimed success: the data say otherwise.",
    ended: (how: string) => `No clean end: ${how}.`,
    condition: (id: string) => `This does not hold: ${id}.`,
  },
  statuses: {
    ok: "it went through",
    error: "it failed",
    denied: "denied",
    cancelled: "cancelled",
    unfinished: "unfinished",
    granted: "approved",
  },
  attempts: "Forbidden attempts",
  attemptHeads: { what: "what", args: "arguments", status: "what became of it" },
  claim: "What it said",
  saidNothing: "It said nothing.",
  firstFailing: "First failing condition",
  expression: "expression",
  expected: "expected",
  foundValue: "found",
  at: "where",
  allFailing: "All failing conditions",
  undecided: "Undecided",
  notMeasuredConditions: "Not measured",
  trial: (n: number) => `Trial ${n}`,
  trials: "trials",
  trialFailures: (n: number, ids: string) => `in trial ${n} also ${ids}`,
  risk: { low: "risk low", medium: "risk medium", high: "risk high", critical: "risk critical" },
  recording: (name: string) => `recording ${name}`,
  reproduce: "To see it again",
  runFile: "Its run",
  notes: "Notes",
  lifecycles: { incubating: "incubating", stable: "stable", known_failing: "known to fail" },
  softLine: (id: string, share: string, conditions: string) => `${id} (${share}): ${conditions}`,

  name: "name",
  passedOf: "passed",
  meanCost: (value: string) => `Mean of the runs with a known cost: ${value}.`,
  unknownCost: "No run has a known cost: unknown is not free.",
  spenders: "Dearest",
  slowest: "Slowest",
  repeats: "Most repeated calls",
  latencyUnknown: "Latency was not measured: the clock of a replay is virtual.",

  noOverrides: "None.",
  overrideHeads: {
    rules: "rules",
    scenarios: "scenarios",
    reason: "reason",
    by: "by",
    date: "since",
    until: "until",
  },
  expired: "expired",
  ledger: LEDGER_ENGLISH,
  alerts: ALERTS_ENGLISH,

  leftOut: (f: Format, n: number, task: string) =>
    `left out: ${
      f.count(n, "scenario", "scenarios")
    } on real files, which this task cannot play; \`${task}\` can`,

  limits: {
    replay_proves_no_model:
      "A replay asks no model: it does not show how a model behaves today, with this prompt or another.",
    self_test:
      "The recordings were written by hand: they show what the harness catches, not what a model does.",
    selection: "Only a selection of the scenarios was judged.",
    cut_short:
      "The run was cut short: once its budget or time was used up, or it was interrupted, nothing more was started. It is a part, and never a pass.",
    baseline_moved:
      "The baseline moves together with what it is compared with, so the one before it judges too. Move it in a commit of its own.",
    other_agent: "The baseline was measured with another agent.",
    other_model: "The baseline was measured with another model: a difference may be the model's.",
    other_prompt: "The baseline was measured with another prompt.",
    other_prices: "The baseline's costs were counted with prices of another day.",
    other_notes: "The baseline was measured under other notes (`--note`).",
    rubric_not_judged: "Soft criteria (rubrics) were not judged.",
    graded_elsewhere: "The runs were made elsewhere; nothing was run here.",
    wrote:
      "Some runs do not say what each call wrote: there, only the net difference of the state is judged.",
    usage: "Some runs state no usage: their cost and latency are not measured.",
    times: "Some runs state no times: what needs them is not measured.",
  },
  noLimits: "None besides what is said above.",

  progress: (done: string, total: string) => `${done} of ${total}`,
  files: "Written",
  next: "Next",
  baselineLine: (name: string, when: string) => `Baseline ${name}, accepted ${when}`,
  baselineReason: (reason: string) => `Reason: ${reason}`,
  baselineFrom: (report: string, commit: string) => `Taken from ${report}, commit ${commit}`,
  baselineScores: (f: Format, runs: number, scenarios: number) =>
    `${f.count(scenarios, "scenario", "scenarios")} graded, ${f.count(runs, "run", "runs")}`,
};
