/**
 * What became of the commits of a branch? One entry a commit that was judged, and how machines are
 * told: annotations of a build server, code quality of GitLab, JUnit. English, whatever the locale.
 */
import { createHash } from "node:crypto";
import type { Decision } from "../model/gate.ts";
import type { Report, ReportScenario } from "../model/report.ts";
import { describeConsequences } from "./consequences.ts";
import { oneLine, xmlAttribute, xmlText } from "./escape.ts";
import { terminalVoice } from "./voice.ts";

/**
 * `open` may pass; `unproved` too, though something that it touches could not be judged; `overridden` by its own override, `inherited` by one that was picked with it,
 * `standing` by one of an earlier or merged commit; the rest stops: `blocked`, `exceeded` (fails more
 * than its override was for), `expired` (and still failing), `undecided`, `unusable` files.
 */
export type CommitState =
  | "open"
  | "unproved"
  | "overridden"
  | "inherited"
  | "standing"
  | "blocked"
  | "exceeded"
  | "expired"
  | "undecided"
  | "unusable";

/** One judged commit. */
export interface JudgedCommit {
  readonly sha: string;
  readonly subject: string;
  readonly state: CommitState;
  /** Ids of the overrides that let it pass. */
  readonly by: readonly string[];
  /** The gate did not hold and the message bears no trace of a hook: passed by, or not installed. */
  readonly unguarded: boolean;
  /** Rules and scenarios that stopped it. */
  readonly rules: readonly string[];
  readonly scenarios: readonly string[];
  /** What a terminal would have shown. */
  readonly lines: readonly string[];
}

const PASSES: readonly CommitState[] = [
  "open",
  "unproved",
  "overridden",
  "inherited",
  "standing",
];

/** True where a commit keeps the branch from being merged. */
export function stopsMerge({ state }: JudgedCommit): boolean {
  return !PASSES.includes(state);
}

/** Stable scenarios that have no verdict though the change touches them: outdated, or not played. */
export function notJudged({ reasons }: Decision): string[] {
  const those = reasons.filter(({ kind }) =>
    kind === "scenario_stale" || kind === "scenario_skipped"
  );
  return [...new Set(those.flatMap(({ scenarios }) => scenarios))].sort();
}

/** What each state says, in English. */
export const STATE_WORDS: Readonly<Record<CommitState, string>> = {
  open: "the gate holds",
  unproved: "nothing stops it, but not all that it touches could be judged",
  overridden: "blocked, overridden in its own message",
  inherited: "blocked, its override was picked with it and judged anew",
  standing: "blocked, an override that still holds covers it",
  blocked: "blocked, and its message holds no override",
  exceeded: "blocked by more than its override was for",
  expired: "its override ran out, and what it let pass still fails",
  undecided: "could not be decided, and its message holds no override",
  unusable: "its files can not be used",
};

/** One English sentence about a commit that is not open. */
export function commitSentence(commit: JudgedCommit): string {
  const what = [...commit.rules, ...commit.scenarios].join(", ");
  const hook = commit.unguarded ? "; the hook did not run (--no-verify, or not installed)" : "";
  return `${commit.sha.slice(0, 12)} ${oneLine(commit.subject)}: ${STATE_WORDS[commit.state]}${
    what === "" ? "" : ` (${what})`
  }${hook}`;
}

/** Failed stable scenarios: what a person should look at. */
export function failedOf(report: Report | null): ReportScenario[] {
  return report?.scenarios.filter((one) =>
    one.lifecycle === "stable" && (one.verdict === "failed" || one.verdict === "errored")
  ) ?? [];
}

/** Lines by which GitHub and Forgejo mark files and the run; empty where all is well. */
export function renderAnnotations(
  report: Report | null,
  commits: readonly JudgedCommit[],
  prefix: string,
): string {
  const kind = report?.decision.overridden === undefined ? "error" : "warning";
  const scenarios = failedOf(report).map((one) =>
    command(kind, sentence(one, report), { file: `${prefix}${one.file}`, title: one.id })
  );
  const marked = commits.filter(({ state }) => state !== "open").map((commit) =>
    command(stopsMerge(commit) ? "error" : "warning", commitSentence(commit), {
      title: `commit ${commit.sha.slice(0, 12)}`,
    })
  );
  const loosened = (report?.gateLoosened ?? []).map(({ what, from, to }) =>
    command("warning", `${what}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`, {
      title: "gate loosened",
    })
  );
  return [...loosened, ...marked, ...scenarios].map((line) => `${line}\n`).join("");
}

function command(
  kind: string,
  message: string,
  properties: Readonly<Record<string, string>>,
): string {
  const given = Object.entries(properties).map(([key, value]) =>
    `${key}=${escaped(value).replaceAll(":", "%3A").replaceAll(",", "%2C")}`
  );
  return `::${kind} ${given.join(",")}::${escaped(message)}`;
}

function escaped(text: string): string {
  return oneLine(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function sentence(one: ReportScenario, report: Report | null): string {
  const voice = terminalVoice({ locale: "en", zone: "UTC" }, report?.currency ?? "EUR");
  return describeConsequences(one, voice)[0] ?? one.verdict;
}

/** GitLab's code quality: one issue a failed scenario and a commit that stops. */
export function renderCodeQuality(
  report: Report | null,
  commits: readonly JudgedCommit[],
  prefix: string,
): string {
  const scenarios = failedOf(report).map((one) =>
    issue({
      check: "collaudo/scenario",
      description: `${one.id}: ${sentence(one, report)}`,
      severity: one.sideEffects.critical ? "blocker" : "major",
      path: `${prefix}${one.file}`,
    })
  );
  const stopped = commits.filter(stopsMerge).map((commit) =>
    issue({
      check: "collaudo/commit",
      description: commitSentence(commit),
      severity: "blocker",
      path: `${prefix}collaudo.yaml`,
    })
  );
  return `${JSON.stringify([...stopped, ...scenarios], null, 1)}\n`;
}

function issue({ check, description, severity, path }: {
  readonly check: string;
  readonly description: string;
  readonly severity: "blocker" | "major";
  readonly path: string;
}) {
  const fingerprint = createHash("sha256").update(`${check}\n${description}\n${path}`)
    .digest("hex");
  return {
    check_name: check,
    description,
    fingerprint,
    severity,
    location: { path, lines: { begin: 1 } },
  };
}

/** The judged commits as JUnit: one case each. */
export function renderCommitsJunit(commits: readonly JudgedCommit[]): string {
  const stopped = commits.filter(stopsMerge).length;
  const counts = `tests="${commits.length}" failures="${stopped}" errors="0" skipped="0"`;
  const cases = commits.map((commit) => {
    const head = `<testcase classname="commits" name="${
      xmlAttribute(`${commit.sha.slice(0, 12)} ${commit.subject}`)
    }"`;
    if (!stopsMerge(commit)) return `${head}/>`;
    const message = xmlAttribute(commitSentence(commit));
    return `${head}><failure message="${message}" type="${commit.state}">${
      xmlText(commit.lines.join("\n"))
    }</failure></testcase>`;
  });
  return [
    `<?xml version="1.0" encoding="UTF-8"?>`,
    `<testsuites name="collaudo commits" ${counts}>`,
    `<testsuite name="commits" ${counts}>`,
    ...cases,
    `</testsuite>`,
    `</testsuites>`,
    "",
  ].join("\n");
}
