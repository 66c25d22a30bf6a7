/**
 * `baseline`: what is the reference, and who moved it why? Accepting takes the scores of a report
 * into `reports/baselines/<name>.json` and names what that changes; nothing else ever writes there.
 * Refuses to do it without a reason, all the more where the run is no reference by itself: blocked,
 * errored, stale, cut short or of a selection. A run in which nothing was graded is none at all.
 */
import { loadBaseline } from "../load/baseline.ts";
import { loadGate } from "../load/gate.ts";
import { loadReport } from "../load/report.ts";
import { compareScores } from "../measure/compare.ts";
import { measure } from "../measure/metrics.ts";
import type { Baseline } from "../model/baseline.ts";
import { EXIT } from "../model/exit.ts";
import { isGraded } from "../model/metric_names.ts";
import { hasErrors } from "../model/problem.ts";
import type { Report } from "../model/report.ts";
import type { VerdictKind } from "../model/verdict.ts";
import { type Moved, renderAccepted, type Unfit } from "../report/baseline_moved.ts";
import { renderBaseline } from "../report/terminal.ts";
import { baselineWordsOf } from "../report/words_baseline.ts";
import { baselinePath, DEFAULT_GATE, withLock } from "./judging.ts";
import { newestReport } from "./last_report.ts";
import { fromRoot, join, openSession, printProblems, refuse, type Session } from "./session.ts";

/** Runs `baseline accept`. */
export async function acceptBaseline(
  io: Session["io"],
  wanted: string | null,
  options: { readonly reason?: string; readonly name?: string; readonly gate?: string },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const path = wanted === null ? await newestReport(session) : await reportPath(session, wanted);
  if (path === null) return refuse(io, "No report to accept", "run `deno task eval` first");
  const { report, problems } = await loadReport(io.files, session.project, path);
  if (report === null || hasErrors(problems)) {
    await printProblems(io, problems, session.project.root);
    return EXIT.usage;
  }
  const words = baselineWordsOf(session.project.config.locale);
  const unfit = unfitness(report);
  const reason = options.reason?.trim() ?? "";
  if (reason === "") {
    return refuseReasonless(
      io,
      options.reason,
      unfit.map((one) => words.unfit(one)),
    );
  }
  if (!report.scenarios.some(isGradedStable)) {
    return refuse(io, "No stable scenario was graded in the report", "mend the run, run again");
  }
  const named = await gateBaseline(session, options.gate);
  const name = options.name ?? named ?? DEFAULT_BASELINE;
  if (!/^[a-z0-9_-]+$/.test(name)) {
    return refuse(io, `Name "${name}" is not usable`, "use lower-case letters, digits, _ and -");
  }
  const baseline = baselineOf(session, { report, name, reason, path });
  return await withLock(session, false, async () => {
    const former = await formerOf(session, name);
    await io.files.writeText(baselinePath(session, name), `${JSON.stringify(baseline, null, 1)}\n`);
    io.terminal.out(
      `baseline ${name}: ${scoresOf(baseline)} of ${baseline.report}\n` +
        renderAccepted(
          {
            baseline,
            unfit,
            moved: former === null ? null : moved(baseline, former),
            compared: named !== undefined,
          },
          {
            locale: session.project.config.locale,
            zone: session.project.config.zone,
          },
        ),
    );
    return EXIT.ok;
  });
}

function scoresOf({ scores }: Baseline): string {
  return scores.length === 1 ? "1 score" : `${scores.length} scores`;
}

function refuseReasonless(
  io: Session["io"],
  reason: string | undefined,
  unfit: readonly string[],
): number {
  const fix = 'say why, as in --reason "Release 2.3 went live"';
  if (unfit.length === 0) {
    return refuse(io, reason === undefined ? "No reason was given" : "The reason is empty", fix);
  }
  return refuse(
    io,
    `The report is no reference by itself: ${unfit.join("; ")}`,
    `mend that and run again, or ${fix}`,
  );
}

/** What was the baseline of that name; a file that cannot be read is replaced like none. */
async function formerOf(session: Session, name: string): Promise<Baseline | null> {
  const { io, project } = session;
  const path = baselinePath(session, name);
  if (await io.files.stat(path) === null) return null;
  return (await loadBaseline(io.files, project, path)).baseline;
}

/** What another baseline than before means: scenario by scenario, and in its figures. */
function moved(now: Baseline, former: Baseline): Moved {
  const { comparison } = compareScores(now.scores, former, { partial: false });
  return {
    comparison,
    former,
    figures: { now: measure(now.scores).overall, former: measure(former.scores).overall },
  };
}

async function reportPath(session: Session, wanted: string): Promise<string> {
  const path = join(session.io.cwd, wanted);
  const stat = await session.io.files.stat(path);
  return stat?.kind === "folder" ? `${path}/report.json` : path;
}

const DEFAULT_BASELINE = "production";

/** The baseline that the gate compares with; undefined where it names none. */
async function gateBaseline(
  session: Session,
  file: string | undefined,
): Promise<string | undefined> {
  const { io, project } = session;
  const path = file === undefined ? join(project.root, DEFAULT_GATE) : join(io.cwd, file);
  const { gate } = await loadGate(io.files, project, path);
  return gate?.baseline;
}

function isGradedStable({ lifecycle, trials }: Report["scenarios"][number]): boolean {
  return lifecycle === "stable" && trials.some(({ score }) => isGraded(score));
}

/** Why a report is no reference by itself; nothing where it is. */
function unfitness({ partial, decision, scenarios }: Report): Unfit[] {
  const stable = scenarios.filter(({ lifecycle }) => lifecycle === "stable");
  const withTrial = (verdict: VerdictKind): Unfit[] => {
    const ids = stable.filter(({ trials }) => trials.some((trial) => trial.verdict === verdict))
      .map(({ id }) => id);
    return ids.length === 0 ? [] : [{ kind: verdict, ids }];
  };
  return [
    ...(decision.verdict === "block" ? [{ kind: "blocked" as const, ids: [] }] : []),
    ...(decision.verdict === "error" ? [{ kind: "undecided" as const, ids: [] }] : []),
    ...(partial ? [{ kind: "partial" as const, ids: [] }] : []),
    ...withTrial("errored"),
    ...withTrial("stale"),
    ...withTrial("skipped"),
  ];
}

function baselineOf(
  session: Session,
  { report, name, reason, path }: {
    readonly report: Report;
    readonly name: string;
    readonly reason: string;
    readonly path: string;
  },
): Baseline {
  return {
    schema: "collaudo/baseline@1",
    name,
    acceptedAt: session.io.clock.now(),
    reason: session.masker.mask(reason),
    commit: report.versions["commit"] ?? null,
    report: fromRoot(session.project.root, path),
    evidence: report.decision.evidence,
    currency: report.currency,
    versions: report.versions,
    scores: report.scenarios.flatMap((each) => each.trials.map((trial) => trial.score)),
  };
}

/** Runs `baseline show`. */
export async function showBaseline(
  io: Session["io"],
  wanted: string | null,
  options: { readonly json?: boolean },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const name = wanted ?? await gateBaseline(session, undefined) ?? DEFAULT_BASELINE;
  const { baseline, problems } = await loadBaseline(
    io.files,
    session.project,
    baselinePath(session, name),
  );
  if (baseline === null || hasErrors(problems)) {
    await printProblems(io, problems, session.project.root);
    return EXIT.usage;
  }
  const { locale, zone } = session.project.config;
  io.terminal.out(
    options.json === true
      ? `${JSON.stringify(baseline, null, 1)}\n`
      : renderBaseline(baseline, measure(baseline.scores), { locale, zone }),
  );
  return EXIT.ok;
}

/** Runs `baseline list`. */
export async function listBaselines(
  io: Session["io"],
  options: { readonly json?: boolean },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  const folder = join(session.project.root, "reports/baselines");
  const rows: Baseline[] = [];
  for (const { name } of await io.files.list(folder)) {
    if (!name.endsWith(".json")) continue;
    const { baseline, problems } = await loadBaseline(
      io.files,
      session.project,
      `${folder}/${name}`,
    );
    if (baseline === null) {
      await printProblems(io, problems, session.project.root);
      return EXIT.usage;
    }
    rows.push(baseline);
  }
  if (options.json === true) {
    io.terminal.out(`${JSON.stringify(rows.map(({ scores: _, ...rest }) => rest), null, 1)}\n`);
  } else {
    for (const { name, acceptedAt, evidence, commit, reason } of rows) {
      io.terminal.out(
        `${name}  ${acceptedAt}  ${evidence}  ${commit?.slice(0, 8) ?? "-"}  ${reason}\n`,
      );
    }
    if (rows.length === 0) io.terminal.out("no baselines\n");
  }
  return EXIT.ok;
}
