/**
 * `baseline`: what is the reference, and who moved it why? Accepting takes the scores of a report
 * into `reports/baselines/<name>.json`; nothing else ever writes there. Refuses partial reports and
 * those in which a stable scenario was not graded.
 */
import { loadBaseline } from "../load/baseline.ts";
import { loadGate } from "../load/gate.ts";
import { loadReport } from "../load/report.ts";
import { measure } from "../measure/metrics.ts";
import type { Baseline } from "../model/baseline.ts";
import { EXIT } from "../model/exit.ts";
import { hasErrors } from "../model/problem.ts";
import type { Report } from "../model/report.ts";
import { renderBaseline } from "../report/terminal.ts";
import { baselinePath, DEFAULT_GATE, withLock } from "./judging.ts";
import { newestReport } from "./last_report.ts";
import { fromRoot, join, openSession, printProblems, refuse, type Session } from "./session.ts";

/** Runs `baseline accept`. */
export async function acceptBaseline(
  io: Session["io"],
  wanted: string | null,
  options: { readonly reason: string; readonly name?: string; readonly gate?: string },
): Promise<number> {
  const session = await openSession(io);
  if (typeof session === "number") return session;
  if (options.reason.trim() === "") {
    return refuse(io, "The reason is empty", 'say why, as in --reason "Release 2.3 went live"');
  }
  const path = wanted === null ? await newestReport(session) : await reportPath(session, wanted);
  if (path === null) return refuse(io, "No report to accept", "run `deno task eval` first");
  const { report, problems } = await loadReport(io.files, session.project, path);
  if (report === null || hasErrors(problems)) {
    await printProblems(io, problems, session.project.root);
    return EXIT.usage;
  }
  const unfit = unfitness(report);
  if (unfit !== null) return refuse(io, unfit.what, unfit.fix);
  const name = options.name ?? await gateBaseline(session, options.gate);
  if (!/^[a-z0-9_-]+$/.test(name)) {
    return refuse(io, `Name "${name}" is not usable`, "use lower-case letters, digits, _ and -");
  }
  const baseline = baselineOf(session, { report, name, reason: options.reason, path });
  return await withLock(session, false, async () => {
    await io.files.writeText(baselinePath(session, name), `${JSON.stringify(baseline, null, 1)}\n`);
    io.terminal.out(`baseline ${name}: ${baseline.scores.length} scores of ${baseline.report}\n`);
    return EXIT.ok;
  });
}

async function reportPath(session: Session, wanted: string): Promise<string> {
  const path = join(session.io.cwd, wanted);
  const stat = await session.io.files.stat(path);
  return stat?.kind === "folder" ? `${path}/report.json` : path;
}

async function gateBaseline(session: Session, file: string | undefined): Promise<string> {
  const { io, project } = session;
  const path = file === undefined ? join(project.root, DEFAULT_GATE) : join(io.cwd, file);
  const { gate } = await loadGate(io.files, project, path);
  return gate?.baseline ?? "production";
}

function unfitness(report: Report): { readonly what: string; readonly fix: string } | null {
  if (report.partial) {
    return { what: "The report covers a selection of the suite only", fix: "run the whole suite" };
  }
  const ungraded = report.scenarios.filter((each) =>
    each.lifecycle === "stable" && each.verdict !== "passed" && each.verdict !== "failed"
  );
  if (ungraded.length === 0) return null;
  return {
    what: `Not graded in the report: ${ungraded.map((each) => each.id).join(", ")}`,
    fix: "mend what kept them from being graded, run again",
  };
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
  const name = wanted ?? await gateBaseline(session, undefined);
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
