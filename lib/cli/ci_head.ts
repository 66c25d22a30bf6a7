/**
 * May the last commit of a branch ship as a whole? The whole suite of its tree, judged by the gate of
 * the base and by its own, with the overrides of its history that still hold.
 */
import { overrideDecision } from "../gate/override.ts";
import { EXIT } from "../model/exit.ts";
import type { LedgerRow } from "../model/ledger.ts";
import type { Report } from "../model/report.ts";
import { failedOf, notJudged } from "../report/ci_commits.ts";
import { type Range, todayOf } from "./ci_commits.ts";
import { askIn } from "./hook_call.ts";
import type { Session } from "./session.ts";
import { verdictPath } from "./tree_cache.ts";
import { judgeTree } from "./tree_verdict.ts";

/** What is known of the last commit. */
export interface Head {
  readonly report: Report | null;
  readonly code: number;
  readonly lines: readonly string[];
  /** Scenarios that failed or errored in it. */
  readonly failing: readonly string[];
}

/** Judges the last commit of a range. */
export async function judgeHead(
  session: Session,
  { repository, head, fork, base, against }: Range,
  overrides: readonly LedgerRow[],
): Promise<Head> {
  const { io } = session;
  const tree = await askIn(io, repository, ["rev-parse", `${head}^{tree}`]) ?? head;
  const call = {
    ...{ repository, tree, base: fork ?? base, all: true, budget: false },
    ...(against === null ? {} : { against }),
  };
  const path = await verdictPath(io, call);
  const name = `${path.slice(path.lastIndexOf("/") + 1).replace(/\.json$/, "")}-ci`;
  const { verdict, report: found } = await judgeTree(io, { ...call, commit: head, name });
  if (found === null || verdict.decision === null) {
    return { report: null, code: verdict.code, lines: verdict.lines, failing: [] };
  }
  const standing = { own: null, standing: overrides, today: todayOf(session) };
  const decision = overrideDecision(verdict.decision, standing, false);
  const report = { ...found, decision };
  const stops = verdict.code !== EXIT.ok && decision.overridden === undefined;
  return {
    report,
    code: stops ? verdict.code : EXIT.ok,
    lines: stops || notJudged(decision).length > 0 ? verdict.lines : [],
    failing: failedOf(report).map(({ id }) => id),
  };
}
